package cdndns

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/cli"
)

const addedIntegration = `{"id": "7", "provider": "cloudflare", "label": "main", "zones": [{"id": "z", "name": "example.com"}]}`

// What is secret comes from a file or standard input, goes to the panel and is never printed.
func TestAnIntegrationIsAddedFromAFileOrStandardInput(t *testing.T) {
	t.Parallel()
	fields := `{"token": "the secret"}`
	path := filepath.Join(t.TempDir(), "fields.json")
	require.NoError(t, os.WriteFile(path, []byte(fields), 0o600))
	for from, in := range map[string]string{path: "", "-": fields} {
		done := command(t, in, func(string) string { return addedIntegration },
			"dns", "integrations", "add", "cloudflare", "main", from)
		require.Equal(t, cli.ExitDone, done.exit, done.out)
		require.Equal(t, []string{
			`POST /api/v1/dns/integrations {"provider":"cloudflare","label":"main","fields":{"token":"the secret"}}`,
		}, done.calls)
		require.Contains(t, done.out, "main\tcloudflare\texample.com")
		require.NotContains(t, done.out, "the secret")
	}
}

func TestFieldsThatAreNoObjectAreNotSent(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"", "{}", `"token"`, `["token"]`, `{"a": 1}`, `{"a": "` + strings.Repeat("x", mostFields) + `"}`} {
		done := command(t, in, nil, "dns", "integrations", "add", "cloudflare", "main", "-")
		require.Equal(t, cli.ExitUsage, done.exit, in)
		require.Empty(t, done.calls)
	}
	done := command(t, "", nil, "dns", "integrations", "add", "cloudflare", "main", filepath.Join(t.TempDir(), "none"))
	require.Equal(t, cli.ExitUsage, done.exit)
	require.Contains(t, done.out, "cannot be read")
}

func TestAnIntegrationIsRemovedOnceThatIsConfirmed(t *testing.T) {
	t.Parallel()
	done := command(t, "", nil, "dns", "integrations", "remove", "7")
	require.Equal(t, cli.ExitUsage, done.exit)
	require.Empty(t, done.calls)
	done = command(t, "", nil, "dns", "integrations", "remove", "7", "--yes")
	require.Equal(t, cli.ExitDone, done.exit)
	require.Equal(t, []string{"DELETE /api/v1/dns/integrations/7"}, done.calls)
}

// panelWithBinding answers with one binding and what is known of its records.
func panelWithBinding(state string) func(string) string {
	return func(call string) string {
		if strings.HasPrefix(call, "GET /api/v1/node-domains?") {
			return `{"items": [{"id": "b", "hostname": "a.entry.example.com"}, {"id": "c", "hostname": "entry.example.com"}]}`
		}
		return `{"hostname": "entry.example.com", "state": "` + state + `",
			"wanted": [{"type": "A", "name": "entry.example.com", "value": "192.0.2.1", "state": "conflict"}],
			"conflicts": [{"type": "A", "name": "entry.example.com", "value": "192.0.2.9"}],
			"seen": [{"server": "ns1.example.com", "values": ["192.0.2.9"], "answer": "different"},
				{"server": "192.0.2.53", "values": [], "answer": "silent"}]}`
	}
}

func TestRecordsAreShownWantedAndActual(t *testing.T) {
	t.Parallel()
	done := command(t, "", panelWithBinding("mismatch"), "dns", "records", "Entry.example.com", "--plain")
	require.Equal(t, cli.ExitDone, done.exit, done.out)
	require.Equal(t, "GET /api/v1/node-domains/c/dns", done.calls[1])
	require.Equal(t, []string{
		"wanted\tentry.example.com\tA\t192.0.2.1\tconflict",
		"conflict\tentry.example.com\tA\t192.0.2.9\t-",
		"answer\tns1.example.com\t-\t192.0.2.9\tdifferent",
		"answer\t192.0.2.53\t-\t-\tsilent",
	}, strings.Split(strings.TrimSpace(done.out), "\n"))
	done = command(t, "", panelWithBinding("mismatch"), "dns", "records", "entry.example.com", "--json")
	require.Contains(t, done.out, `"schema":"panelctl.dns.records/v1"`)
	require.Contains(t, done.out, `"state":"mismatch"`)
}

// A script learns from the exit code whether a name leads to its node.
func TestACheckEndsWithWhatItFound(t *testing.T) {
	t.Parallel()
	for state, exit := range map[string]int{"ok": cli.ExitDone, "mismatch": cli.ExitFailed, "pending": cli.ExitFailed} {
		done := command(t, "", panelWithBinding(state), "dns", "check", "entry.example.com")
		require.Equal(t, exit, done.exit, done.out)
		require.Equal(t, "POST /api/v1/node-domains/c/check", done.calls[1])
	}
}

func TestRecordsOfAHostNameThatIsNotBoundAreNotAskedFor(t *testing.T) {
	t.Parallel()
	done := command(t, "", func(string) string { return `{"items": []}` }, "dns", "check", "other.example.com")
	require.Equal(t, cli.ExitFailed, done.exit)
	require.Contains(t, done.out, "no host name other.example.com is bound to a node")
	require.Len(t, done.calls, 1)
}
