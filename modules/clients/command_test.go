package clients

import (
	"os"
	"path/filepath"
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
	counted := `{"total": 9, "active": 5, "online": 3, "ending": 2, "expired": 1, "spent": 1, "disabled": 2, "revoked": 1}`
	answers := map[string]string{
		"GET /api/v1/connection-units?q=EUROPE+main&limit=200":     `{"items": [{"id": "x", "name": "Europe main 2"}, {"id": "` + aFlow + `", "name": "Europe main"}]}`,
		"GET /api/v1/clients?q=anna&limit=200":                     `{"items": [` + shown + `]}`,
		"GET /api/v1/clients?q=ann&state=active&tag=vip&limit=200": `{"items": [` + shown + `]}`,
		"GET /api/v1/clients?ends_within=7&online=true&limit=200":  `{"items": [` + shown + `]}`,
		"GET /api/v1/clients?not_begun=true&limit=200":             `{"items": [` + shown + `]}`,
		"GET /api/v1/clients/summary":                              counted,
		"POST /api/v1/clients":                                     shown,
		"GET /api/v1/clients/" + aClient:                           shown,
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

func TestClientsAreListedByWhoIsThereAndWhoEnds(t *testing.T) {
	t.Parallel()
	exit, out, calls := panelctl(t, "list", "--online", "--ends-within", "7", "--plain")
	require.Zero(t, exit, out)
	require.Equal(t, []string{"GET /api/v1/clients?ends_within=7&online=true&limit=200"}, calls)
	exit, out, calls = panelctl(t, "list", "--not-begun", "--plain")
	require.Zero(t, exit, out)
	require.Equal(t, []string{"GET /api/v1/clients?not_begun=true&limit=200"}, calls)
}

func TestClientsAreCounted(t *testing.T) {
	t.Parallel()
	exit, out, _ := panelctl(t, "summary", "--json")
	require.Zero(t, exit, out)
	require.JSONEq(t, `{"schema": "panelctl.clients.summary/v1", "total": 9, "active": 5, "online": 3, "ending": 2,
		"expired": 1, "spent": 1, "disabled": 2, "revoked": 1}`, out)
	exit, out, _ = panelctl(t, "summary", "--plain")
	require.Zero(t, exit, out)
	require.Regexp(t, `ending\s+2`, out)
}

func TestAClientIsAddedToFlowsByTheirNames(t *testing.T) {
	t.Parallel()
	exit, out, calls := panelctl(t, "add", "Anna", "--flow", "EUROPE main", "--tag", "vip", "--note", "desk")
	require.Zero(t, exit, out)
	require.Len(t, calls, 2)
	require.JSONEq(t, `{"label": "Anna", "note": "desk", "tags": ["vip"], "flow_ids": ["`+aFlow+`"]}`,
		strings.TrimPrefix(calls[1], "POST /api/v1/clients "))
	exit, out, calls = panelctl(t, "add", "Anna", "--speed", "50", "--addresses", "3")
	require.Zero(t, exit, out)
	require.Equal(t, []string{`POST /api/v1/clients {"label":"Anna","limits":{"speed_mbps":50,"addresses":3}}`}, calls)
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

func TestAClientIsShownByItsName(t *testing.T) {
	t.Parallel()
	exit, out, calls := panelctl(t, "show", "anna", "--plain")
	require.Zero(t, exit, out)
	require.Equal(t, "GET /api/v1/clients/"+aClient, calls[len(calls)-1])
	require.Contains(t, out, "client\tAnna\nstate\tactive\nflows\tEurope main\ntags\tvip\n")
	require.Contains(t, out, "quota_bytes\t-\n")
}

func TestActsTakeClientsByNameOrIDEachOnce(t *testing.T) {
	t.Parallel()
	for act, wanted := range map[string]string{
		"enable": `{"ids": ["` + aClient + `"], "act": "enable"}`, "disable": `{"ids": ["` + aClient + `"], "act": "disable"}`,
		"reset": `{"ids": ["` + aClient + `"], "act": "reset_traffic"}`,
	} {
		exit, out, calls := panelctl(t, act, "anna", aClient, "--plain")
		require.Zero(t, exit, out)
		require.JSONEq(t, wanted, strings.TrimPrefix(calls[len(calls)-1], "POST /api/v1/clients/bulk "))
	}
	exit, out, calls := panelctl(t, "extend", "anna", "--days", "7")
	require.Zero(t, exit, out)
	require.JSONEq(t, `{"ids": ["`+aClient+`"], "act": "extend", "extend_days": 7}`,
		strings.TrimPrefix(calls[len(calls)-1], "POST /api/v1/clients/bulk "))
	exit, out, calls = panelctl(t, "enable", "nobody")
	require.Equal(t, 1, exit)
	require.Contains(t, out, "there is no client with the name nobody")
	require.Len(t, calls, 1, "nobody is acted on")
}

func TestAnActThatIsRefusedForOneFails(t *testing.T) {
	t.Parallel()
	answers := map[string]string{"POST /api/v1/clients/bulk": `{"succeeded": 0, "failed": 1, "results": [
		{"client_id": "` + aClient + `", "ok": false, "code": "invalid_value", "error": "the client never expires"}]}`}
	exit, out, _ := paneltest.Line(t, commands, answers, "clients", "extend", aClient, "--plain")
	require.Equal(t, 1, exit)
	require.Contains(t, out, aClient+"\tinvalid_value\tthe client never expires\t"+aClient+"\n")
}

func TestAFlowIsGivenAndTakenByName(t *testing.T) {
	t.Parallel()
	for verb, method := range map[string]string{"give": "PUT", "take": "DELETE"} {
		exit, out, calls := panelctl(t, verb, "anna", "EUROPE main")
		require.Zero(t, exit, out)
		require.Equal(t, method+" /api/v1/clients/"+aClient+"/flows/"+aFlow, calls[len(calls)-1])
	}
}

func TestClientsAreExportedAndImported(t *testing.T) {
	t.Parallel()
	const file = `{"clients":[{"label":"Anna"}]}`
	answers := map[string]string{
		"GET /api/v1/clients/export?tag=vip": file, "POST /api/v1/clients/import": `{"added": 1, "skipped": ["Boris"]}`,
	}
	exit, out, _ := paneltest.Line(t, commands, answers, "clients", "export", "--tag", "vip")
	require.Zero(t, exit, out)
	require.JSONEq(t, file, out)
	path := filepath.Join(t.TempDir(), "clients.json")
	require.NoError(t, os.WriteFile(path, []byte(out), 0o600))
	exit, out, calls := paneltest.Line(t, commands, answers, "clients", "import", path, "--dry-run", "--plain")
	require.Zero(t, exit, out)
	require.Equal(t, "added\t1\nskipped\t1\n", out)
	require.JSONEq(t, `{"clients": [{"label": "Anna"}], "dry_run": true}`,
		strings.TrimPrefix(calls[0], "POST /api/v1/clients/import "))
	for _, wrong := range []string{"", "[]", `{"clients": []}`, "Anna"} {
		require.NoError(t, os.WriteFile(path, []byte(wrong), 0o600))
		exit, _, calls = paneltest.Line(t, commands, answers, "clients", "import", path)
		require.Equal(t, 2, exit, wrong)
		require.Empty(t, calls)
	}
	exit, _, _ = paneltest.Line(t, commands, answers, "clients", "import", path+".none")
	require.Equal(t, 2, exit)
}

func TestAClientIsAddedWithItsTimeAndItsQuota(t *testing.T) {
	t.Parallel()
	for line, wanted := range map[string]string{
		"--expires 2027-01-31":                 `"expires_at": "2027-01-31T00:00:00Z"`,
		"--expires 2027-01-31T12:00:00+03:00":  `"expires_at": "2027-01-31T12:00:00+03:00"`,
		"--lasts-days 30":                      `"lasts_days": 30`,
		"--quota-gb 1.5":                       `"quota": {"bytes": 1610612736, "reset": "never"}`,
		"--quota-gb 50 --quota-reset monthly":  `"quota": {"bytes": 53687091200, "reset": "monthly"}`,
		"--lasts-days 30 --expires 2027-01-31": `"lasts_days": 30, "expires_at": "2027-01-31T00:00:00Z"`,
	} {
		exit, out, calls := panelctl(t, append([]string{"add", "Anna"}, strings.Fields(line)...)...)
		require.Zero(t, exit, out)
		require.JSONEq(t, `{"label": "Anna", `+wanted+`}`, strings.TrimPrefix(calls[0], "POST /api/v1/clients "))
	}
	exit, out, calls := panelctl(t, "add", "Anna", "--expires", "tomorrow")
	require.Equal(t, 2, exit, out)
	require.Contains(t, out, "tomorrow is no day")
	require.Empty(t, calls, "nothing is added")
	exit, out, calls = panelctl(t, "add", "Anna", "--quota-reset", "monthly")
	require.Equal(t, 2, exit, out)
	require.Contains(t, out, "--quota-reset belongs to --quota-gb")
	require.Empty(t, calls, "nothing is added")
}

func TestATimeThatHasNotBegunIsShownAsSuch(t *testing.T) {
	t.Parallel()
	answers := map[string]string{"GET /api/v1/clients?limit=200": `{"items": [
		{"id": "` + aClient + `", "label": "Anna", "state": "active", "lasts_days": 30, "expires_at": null}]}`}
	exit, out, _ := paneltest.Line(t, commands, answers, "clients", "list", "--plain")
	require.Zero(t, exit, out)
	require.Contains(t, out, "30 d from next use")
}
