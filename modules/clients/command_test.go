package clients

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/paneltest"
)

const (
	aClient = "0199a0de-0000-7000-8000-00000000000a"
	aFlow   = "0199a0de-0000-7000-8000-00000000000b"
)

// panelctl runs one command line of the module against a panel with a flow and a client. It gives the exit code, what
// was printed, and what the panel was asked.
func panelctl(t *testing.T, args ...string) (exit int, out string, calls []string) {
	t.Helper()
	shown := `{"id": "` + aClient + `", "label": "Anna", "state": "active", "tags": ["vip"],
		"flows": [{"flow_id": "` + aFlow + `", "flow_name": "Europe main"}]}`
	answers := map[string]string{
		"GET /api/v1/connection-units?q=EUROPE+main&limit=200":     `{"items": [{"id": "x", "name": "Europe main 2"}, {"id": "` + aFlow + `", "name": "Europe main"}]}`,
		"GET /api/v1/clients?q=anna&limit=200":                     `{"items": [` + shown + `]}`,
		"GET /api/v1/clients?q=ann&state=active&tag=vip&limit=200": `{"items": [` + shown + `]}`,
		"POST /api/v1/clients":                                     shown,
	}
	return paneltest.Line(t, commands, answers, append([]string{"clients"}, args...)...)
}

func TestClientsAreListedByWhatIsAskedFor(t *testing.T) {
	t.Parallel()
	exit, out, calls := panelctl(t, "list", "--find", "ann", "--state", "active", "--tag", "vip", "--plain")
	require.Zero(t, exit, out)
	require.Equal(t, []string{"GET /api/v1/clients?q=ann&state=active&tag=vip&limit=200"}, calls)
	require.Contains(t, out, "Europe main")
}

func TestAClientIsAddedToFlowsByTheirNames(t *testing.T) {
	t.Parallel()
	exit, out, calls := panelctl(t, "add", "Anna", "--flow", "EUROPE main", "--tag", "vip", "--note", "desk")
	require.Zero(t, exit, out)
	require.Len(t, calls, 2)
	require.JSONEq(t, `{"label": "Anna", "note": "desk", "tags": ["vip"], "flow_ids": ["`+aFlow+`"]}`,
		strings.TrimPrefix(calls[1], "POST /api/v1/clients "))
	exit, out, calls = panelctl(t, "add", "Anna", "--flow", "nowhere")
	require.NotZero(t, exit)
	require.Contains(t, out, "there is no flow with the name nowhere")
	require.Len(t, calls, 1, "nothing is added")
}

func TestAClientIsRevokedByItsName(t *testing.T) {
	t.Parallel()
	exit, out, calls := panelctl(t, "revoke", "anna", "--yes")
	require.Zero(t, exit, out)
	require.Equal(t, "DELETE /api/v1/clients/"+aClient, calls[len(calls)-1])
	exit, out, calls = panelctl(t, "revoke", "nobody", "--yes")
	require.NotZero(t, exit)
	require.Contains(t, out, "there is no client with the name nobody")
	require.Len(t, calls, 1)
	exit, _, calls = panelctl(t, "revoke", "anna")
	require.NotZero(t, exit, "nobody confirmed it")
	require.Len(t, calls, 1)
}
