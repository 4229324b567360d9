package access

import (
	"context"

	"go.uber.org/zap"
)

// Logged is the request id for a log line, so that all lines of one request are found together; outside a request it is
// nothing.
func Logged(ctx context.Context) zap.Field {
	if id := From(ctx).RequestID; id != "" {
		return zap.String("request_id", id)
	}
	return zap.Skip()
}
