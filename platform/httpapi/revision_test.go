package httpapi_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/fault"
	"panel/platform/httpapi"
)

// The revision comes from the body or from If-Match, in whatever form proxies leave an entity tag.
func TestTheRevisionOfAChange(t *testing.T) {
	t.Parallel()
	five := int64(5)
	for _, each := range []struct {
		header string
		body   *int64
		want   int64
		code   string
	}{
		{body: &five, want: 5},
		{header: "7", body: &five, want: 5},
		{header: "7", want: 7},
		{header: `"7"`, want: 7},
		{header: `W/"7"`, want: 7},
		{code: "missing_field"},
		{header: "*", code: "missing_field"},
		{header: `"abc"`, code: "missing_field"},
	} {
		revision, err := httpapi.Revision(each.body, each.header)
		require.Equal(t, each.code, fault.Code(err), "%+v", each)
		require.Equal(t, each.want, revision, "%+v", each)
	}
}
