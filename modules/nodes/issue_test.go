package nodes_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/nodes"
	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/agentapi"
	"panel/platform/module"
	"panel/platform/paneltest"
)

// A token that another module was given goes with the transaction of whatever it was given for: when that is undone,
// nobody enrols with it, no list shows it and the journal knows nothing of it.
func TestATokenIsUndoneWithTheTransactionThatItWasIssuedIn(t *testing.T) {
	t.Parallel()
	var tokens nodesapi.Enrollment
	p := paneltest.New(t, nodes.Module(), module.Module{
		Name: "hosting", Summary: "Makes servers", Requires: []string{"nodes"},
		Attach: func(e nodesapi.Enrollment) module.Parts {
			tokens = e
			return module.Parts{}
		},
	})
	enrol := func(token string) int {
		return p.Anonymous().Post(agentapi.PathEnroll, agentapi.EnrollRequest{
			Token: token, Name: "waw-01", Hostname: "waw-01", OS: "linux", Arch: "amd64", Protocol: 1,
		}).Status
	}
	issue := func(end error) (issued nodesapi.Token) {
		ctx := access.With(t.Context(), access.Caller{Kind: access.System, Username: "hosting"})
		err := p.DB.InTx(ctx, func(ctx context.Context) (err error) {
			issued, err = tokens.Issue(ctx, nodesapi.TokenOrder{Label: "for a new server", Lives: time.Hour})
			require.NoError(t, err)
			return end
		})
		require.ErrorIs(t, err, end)
		return issued
	}
	noted := func() (n int) {
		require.NoError(t,
			p.DB.NewRaw("select count(*) from journal where object_type like '%token%'").Scan(t.Context(), &n))
		return n
	}
	undone := issue(errors.New("the server could not be made"))
	require.NotEmpty(t, undone.Token)
	require.Equal(t, http.StatusUnauthorized, enrol(undone.Token))
	require.Zero(t, noted())
	require.EqualValues(t, 0, p.Admin().Get("/api/v1/nodes/enrollment-tokens").Is(http.StatusOK).Value("total"))

	issued := issue(nil)
	require.Equal(t, 1, noted())
	require.Equal(t, http.StatusCreated, enrol(issued.Token))
}
