package httpapi

import (
	"strconv"
	"strings"

	"panel/platform/fault"
)

// Revision is the one that a change starts from, from the body or from If-Match. Fault: missing_field (400).
func Revision(inBody *int64, ifMatch string) (int64, error) {
	if inBody != nil {
		return *inBody, nil
	}
	if n, err := strconv.ParseInt(strings.Trim(strings.TrimPrefix(ifMatch, "W/"), `"`), 10, 64); err == nil {
		return n, nil
	}
	return 0, fault.Malformed("missing_field",
		"send the revision that the change starts from, in the body or as If-Match").
		Field("revision", "missing_field", "required")
}

// ErrRevision says that a change starts from a revision that is no longer the current one.
var ErrRevision = fault.Conflict("revision_conflict",
	"somebody else changed this in the meantime; read it again and repeat the change")
