package license

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"panel/platform/access"
	"panel/platform/audit"
)

// full is a journal that takes nothing.
type full struct{}

func (full) Record(context.Context, bun.IDB, audit.Entry) error {
	return errors.New("the disk is full")
}

// What goes wrong beside a request is logged with its id, so that all lines of one request are found together.
func TestWhatGoesWrongBesideARequestIsLoggedWithItsID(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	core, seen := observer.New(zap.WarnLevel)
	p.log = zap.New(core)
	p.file = newCopyFile(filepath.Join("/dev/null", "nowhere"))
	ctx := access.With(t.Context(), access.Caller{RequestID: "request-7"})
	_, err := p.Activate(ctx, p.authority.issue().Key)
	require.NoError(t, err)
	p.service.journal = full{}
	_, err = p.Activate(ctx, "not a key")
	require.Error(t, err)
	lines := seen.All()
	require.Len(t, lines, 2)
	for _, line := range lines {
		require.Equal(t, "request-7", line.ContextMap()["request_id"], line.Message)
	}
}
