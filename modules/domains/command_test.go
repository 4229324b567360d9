package domains

import (
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/cli"
	"panel/platform/paneltest"
)

const (
	nodeID    = "0199a0de-0000-7000-8000-00000000000a"
	bindingID = "0199a0de-0000-7000-8000-00000000000b"
)

// panelctl runs one command line of the module against a panel with a node and a binding. It gives the exit code, what
// was printed, and what the panel was asked.
func panelctl(t *testing.T, args ...string) (exit int, out string, calls []string) {
	t.Helper()
	shown := `{"id": "` + bindingID + `", "hostname": "entry.example.com", "mode": "direct", "dns_state": "ok",
		"certificate": {"state": "valid"}}`
	answers := map[string]string{
		"GET /api/v1/nodes?q=Fra-01&limit=200":                   `{"items": [{"id": "n", "name": "fra-010"}, {"id": "` + nodeID + `", "name": "fra-01"}]}`,
		"GET /api/v1/node-domains?q=ENTRY.example.com&limit=200": `{"items": [` + shown + `]}`,
		"POST /api/v1/node-domains":                              shown,
		"GET /api/v1/dns/integrations?limit=200":                 `{"items": [{"id": "` + bindingID + `", "label": "Edge"}]}`,
	}
	return paneltest.Line(t, commands, answers, append([]string{"domains"}, args...)...)
}

func TestAHostNameIsBoundToANodeByItsName(t *testing.T) {
	t.Parallel()
	exit, out, calls := panelctl(t, "add", "Fra-01", "example.com", "--label", "entry")
	require.Equal(t, cli.ExitDone, exit, out)
	require.Len(t, calls, 2)
	require.Equal(t,
		`POST /api/v1/node-domains {"node_id":"`+nodeID+`","zone":"example.com","label":"entry"}`, calls[1])
	require.Contains(t, out, "entry.example.com\tdirect\tok\tvalid")
}

func TestANodeThatIsNamedByItsIdIsNotSearched(t *testing.T) {
	t.Parallel()
	_, _, calls := panelctl(t, "add", nodeID, "example.com", "--mode", "cdn", "--ttl", "60")
	require.Equal(t, []string{
		`POST /api/v1/node-domains {"node_id":"` + nodeID + `","zone":"example.com","mode":"cdn","ttl":60}`,
	}, calls)
}

func TestABindingLeadsThroughACDNByItsLabel(t *testing.T) {
	t.Parallel()
	exit, out, calls := panelctl(t, "add", nodeID, "example.com", "--mode", "cdn", "--cdn", "edge")
	require.Equal(t, cli.ExitDone, exit, out)
	require.Equal(t, `POST /api/v1/node-domains {"node_id":"`+nodeID+
		`","zone":"example.com","mode":"cdn","cdn_integration_id":"`+bindingID+`"}`, calls[1])
	exit, out, calls = panelctl(t, "add", nodeID, "example.com", "--mode", "cdn", "--cdn", "nobody")
	require.Equal(t, cli.ExitFailed, exit)
	require.Contains(t, out, "there is no integration with the label nobody")
	require.Len(t, calls, 1)
}

func TestANameThatNoNodeHasBindsNothing(t *testing.T) {
	t.Parallel()
	exit, out, calls := panelctl(t, "add", "fra", "example.com")
	require.Equal(t, cli.ExitFailed, exit)
	require.Contains(t, out, "there is no node with the name fra")
	require.Len(t, calls, 1)
}

func TestABindingIsRemovedByItsHostNameOnceItIsConfirmed(t *testing.T) {
	t.Parallel()
	exit, _, calls := panelctl(t, "remove", "ENTRY.example.com")
	require.Equal(t, cli.ExitUsage, exit)
	require.Len(t, calls, 1, "nobody confirmed")
	exit, out, calls := panelctl(t, "remove", "ENTRY.example.com", "--yes")
	require.Equal(t, cli.ExitDone, exit, out)
	require.Equal(t, "DELETE /api/v1/node-domains/"+bindingID, calls[1])
}

func TestAHostNameThatIsNotBoundIsNotRemoved(t *testing.T) {
	t.Parallel()
	exit, out, calls := panelctl(t, "remove", "other.example.com", "--yes")
	require.Equal(t, cli.ExitFailed, exit)
	require.Contains(t, out, "no host name other.example.com is bound to a node")
	require.Len(t, calls, 1)
}

func TestBindingsAreListed(t *testing.T) {
	t.Parallel()
	exit, out, calls := panelctl(t, "list", "--find", "ENTRY.example.com", "--plain")
	require.Equal(t, cli.ExitDone, exit, out)
	require.Equal(t, []string{"GET /api/v1/node-domains?q=ENTRY.example.com&limit=200"}, calls)
	require.Contains(t, out, "entry.example.com\tdirect\tok\tvalid\t-\t0\t"+bindingID)
}

// A command line that cannot be meant asks the panel nothing.
func TestCommandLinesThatCannotBeMeant(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"add"},
		{"add", nodeID},
		{"add", nodeID, "example.com", "more"},
		{"add", nodeID, "example.com", "--ttl", "soon"},
		{"add", nodeID, "example.com", "--what"},
		{"remove"},
		{"remove", "a", "b"},
		{"list", "more"},
	} {
		exit, _, calls := panelctl(t, args...)
		require.Equal(t, cli.ExitUsage, exit, "%v", args)
		require.Empty(t, calls, "%v", args)
	}
}

// A part of a name is not the name: a command that found another one has not removed anything.
func TestAPartOfAHostNameRemovesNothing(t *testing.T) {
	t.Parallel()
	answers := map[string]string{
		"GET /api/v1/node-domains?q=entry.example.com&limit=200": `{"items": [{"id": "` + bindingID + `", "hostname": "my-entry.example.com"}]}`,
	}
	exit, out, calls := paneltest.Line(t, commands, answers, "domains", "remove", "entry.example.com", "--yes")
	require.Equal(t, cli.ExitFailed, exit)
	require.Contains(t, out, "no host name entry.example.com is bound to a node")
	require.Len(t, calls, 1)
}

// A binding that is named by its id is not searched.
func TestABindingIsRemovedByItsId(t *testing.T) {
	t.Parallel()
	exit, out, calls := panelctl(t, "remove", bindingID, "--yes")
	require.Equal(t, cli.ExitDone, exit, out)
	require.Equal(t, []string{"DELETE /api/v1/node-domains/" + bindingID}, calls)
}
