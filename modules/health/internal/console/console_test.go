package console

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/cli"
	"panel/platform/paneltest"
)

const (
	fraID = "0199a0de-0000-7000-8000-000000000001"
	fra   = `{"kind": "node", "id": "` + fraID + `", "name": "fra-01", "state": "degraded", "reason": "partly_unreachable",
		"hint": "route", "since": "2026-01-20T05:40:00Z", "maintenance": true, "checks": [
		{"check": "heartbeat", "state": "up", "up": 1}, {"check": "tcp", "state": "degraded", "up": 1, "down": 3}],
		"policy_name": "Everything", "quorum": 2, "evidence": [
		{"check": "tcp", "target": "192.0.2.1:443", "vantage": {"kind": "panel"}, "state": "up", "latency_ms": 21.44,
		"at": "2026-01-20T05:53:00Z"},
		{"check": "tcp", "target": "192.0.2.1:443", "vantage": {"kind": "agent", "name": "ams-01"}, "state": "down",
		"reason": "timeout", "failures": 4, "at": "2026-01-20T05:53:00Z"},
		{"check": "core", "vantage": {"kind": "self", "name": "fra-01"}, "state": "up", "stale": true}]}`
	outage = `{"id": "` + fraID + `", "kind": "node", "subject_name": "fra-01", "severity": "critical", "state": "open",
		"root_cause_hint": "unreachable", "cause": {"kind": "provider", "name": "Big Host"}, "nodes": 3, "connection_units": 5,
		"opened_at": "2026-01-20T05:53:00Z", "entries": [{"at": "2026-01-20T05:53:00Z", "what": "opened", "name": "fra-01",
		"state": "down", "reason": "unreachable"}]}`
	mended = `{"id": "` + fraID + `", "action": "restart_core", "node_name": "fra-01", "state": "failed",
		"error": "no such file", "created_at": "2026-01-20T05:53:00Z"}`
	found = `{"items": [{"id": "n0", "name": "fra-010"}, ` + fra + `], "next_cursor": null}`
	edge  = `{"id": "` + fraID + `", "name": "Edge", "enabled": true, "scope": {"kind": "tag", "tag": "edge"},
		"checks": [{"type": "tcp"}, {"type": "tls"}], "vantages": {"panel": true, "agents": 3, "tag": "probe"}, "quorum": 2,
		"repair": {"mode": "observe", "actions": ["restart_core"], "limits": {"max_actions_per_hour": 7, "cooldown_s": 300}},
		"failure_threshold": 3, "nodes": 7, "connection_units": 2, "revision": 9}`
)

// onFra runs one command line against a panel that knows fra-01, and gives what was asked behind the search.
func onFra(t *testing.T, args ...string) (exit int, out string, asked []string) {
	t.Helper()
	exit, out, asked = paneltest.Line(t, Commands, map[string]string{
		"GET /api/v1/health/nodes?q=fra-01&limit=200":                          found,
		"GET /api/v1/health/connection-units?q=fra-01&limit=200":               found,
		"GET /api/v1/health/policies?q=Edge&limit=200":                         `{"items": [` + edge + `]}`,
		"GET /api/v1/health/policies/" + fraID:                                 edge,
		"POST /api/v1/health/policies":                                         edge,
		"PATCH /api/v1/health/policies/" + fraID:                               edge,
		"POST /api/v1/health/checks/run":                                       `{"checks": 3, "vantages": 9}`,
		"GET /api/v1/health/nodes?sort=-state&limit=200":                       found,
		"GET /api/v1/health/nodes?q=fra&sort=-state&state=down&limit=200":      found,
		"GET /api/v1/health/incidents?state=unresolved&limit=200":              `{"items": [` + outage + `], "next_cursor": null}`,
		"GET /api/v1/health/self-heal/actions?state=proposed&limit=200":        `{"items": [` + mended + `]}`,
		"GET /api/v1/health/self-heal/actions?node_id=" + fraID + "&limit=200": `{"items": [` + mended + `]}`,
		"POST /api/v1/health/self-heal/actions/" + fraID + "/approve":          mended,
		"POST /api/v1/health/self-heal/actions/" + fraID + "/undo":             mended,
		"POST /api/v1/health/self-heal/actions/" + fraID + "/dismiss":          mended,
		"GET /api/v1/health/self-heal/dry-run?cooldown_s=300&max_actions_per_hour=5&max_pct_of_pool=30&policy_id=" + fraID: `{"items": [{
			"at": "2026-01-20T05:53:00Z", "node_name": "fra-01", "action": "restart_core", "state": "skipped",
			"reason": "budget"}]}`,
		"GET /api/v1/health/incidents?limit=200":              `{"items": [], "next_cursor": null}`,
		"GET /api/v1/health/incidents/" + fraID:               outage,
		"POST /api/v1/health/incidents/" + fraID + "/ack":     outage,
		"POST /api/v1/health/incidents/" + fraID + "/resolve": outage,
		"*": fra,
	}, append([]string{"health"}, args...)...)
	if len(asked) > 0 && strings.Contains(asked[0], "?q=") && !strings.Contains(asked[0], "sort") {
		asked = asked[1:]
	}
	return exit, out, asked
}

// The worst stand first, each with the checks that some place sees down.
func TestNodesAreListedWithWhatFails(t *testing.T) {
	t.Parallel()
	exit, out, _ := onFra(t, "nodes")
	require.Equal(t, cli.ExitDone, exit, out)
	require.Contains(t, out, "fra-01\tdegraded, maintenance\t2026-01-20T05:40:00Z\tpartly_unreachable\ttcp 3/4\t"+fraID+"\n")
	exit, out, asked := onFra(t, "nodes", "--state", "down", "--find", "fra")
	require.Equal(t, cli.ExitDone, exit, out)
	require.Equal(t, []string{"GET /api/v1/health/nodes?q=fra&sort=-state&state=down&limit=200"}, asked)
}

// A node is named by its whole name. Old evidence is old, whatever it said.
func TestWhatEachPlaceSeesIsShown(t *testing.T) {
	t.Parallel()
	exit, out, asked := onFra(t, "show", "fra-01")
	require.Equal(t, cli.ExitDone, exit, out)
	require.Equal(t, []string{"GET /api/v1/health/nodes/" + fraID}, asked)
	require.Equal(t, "tcp\t192.0.2.1:443\tpanel\tup\t-\t0\t21.4\t2026-01-20T05:53:00Z\n"+
		"tcp\t192.0.2.1:443\tams-01\tdown\ttimeout\t4\t-\t2026-01-20T05:53:00Z\n"+
		"core\t-\tself\told\t-\t0\t-\t-\n", out)
}

func TestAFlowIsNamedAsSuch(t *testing.T) {
	t.Parallel()
	_, _, asked := onFra(t, "show", "fra-01", "--flow")
	require.Equal(t, []string{"GET /api/v1/health/connection-units/" + fraID}, asked)
	_, _, asked = onFra(t, "check", "fra-01", "--flow")
	require.Equal(t, []string{`POST /api/v1/health/checks/run {"connection_unit_ids":["` + fraID + `"]}`}, asked)
}

func TestTheDocumentHasTheVerdict(t *testing.T) {
	t.Parallel()
	exit, out, _ := onFra(t, "show", fraID, "--json")
	require.Equal(t, cli.ExitDone, exit, out)
	var document map[string]any
	require.NoError(t, json.Unmarshal([]byte(out), &document))
	require.Equal(t, "panelctl.health.show/v1", document["schema"])
	require.Equal(t, "route", document["hint"])
}

func TestANodeIsCheckedNow(t *testing.T) {
	t.Parallel()
	exit, out, asked := onFra(t, "check", "fra-01")
	require.Equal(t, cli.ExitDone, exit, out)
	require.Equal(t, []string{`POST /api/v1/health/checks/run {"node_ids":["` + fraID + `"]}`}, asked)
	require.Equal(t, "checks\t3\nvantages\t9\n", out)
}

func TestAnUnknownNameIsSaid(t *testing.T) {
	t.Parallel()
	for _, line := range [][]string{{"show", "nowhere"}, {"check", "nowhere", "--flow"}, {"change-policy", "nowhere", "--quorum", "1"}} {
		exit, out, _ := paneltest.Line(t, Commands, nil, append([]string{"health"}, line...)...)
		require.Equal(t, cli.ExitFailed, exit, out)
		require.Contains(t, out, "with the name nowhere")
	}
}

// Only what is said changes, from the revision that was read; places keep what is not said of them.
func TestAPolicyKeepsWhatIsNotSaid(t *testing.T) {
	t.Parallel()
	for line, body := range map[string]string{
		"--quorum 1 --failures 5":    `{"revision":9,"quorum":1,"failure_threshold":5}`,
		"--agents 5":                 `{"revision":9,"vantages":{"panel":true,"agents":5,"tag":"probe"}}`,
		"--panel=false":              `{"revision":9,"vantages":{"panel":false,"agents":3,"tag":"probe"}}`,
		"--name Far --enabled=false": `{"revision":9,"name":"Far","enabled":false}`,
		"--tag far":                  `{"revision":9,"scope":{"kind":"tag","tag":"far"}}`,
	} {
		exit, out, asked := onFra(t, append([]string{"change-policy", "Edge"}, strings.Fields(line)...)...)
		require.Equal(t, cli.ExitDone, exit, out)
		at := "/api/v1/health/policies/" + fraID
		require.Equal(t, []string{"GET " + at, "PATCH " + at + " " + body}, asked, line)
	}
}

func TestAPolicyIsMadeForWhatIsNamed(t *testing.T) {
	t.Parallel()
	for line, body := range map[string]string{
		"--tag edge --successes 3":  `{"name":"Edge","scope":{"kind":"tag","tag":"edge"},"success_threshold":3}`,
		"--node fra-01 --agents 0":  `{"name":"Edge","scope":{"kind":"node","id":"` + fraID + `"},"vantages":{"panel":true,"agents":0}}`,
		"--flow fra-01 --quorum=1 ": `{"name":"Edge","scope":{"kind":"connection_unit","id":"` + fraID + `"},"quorum":1}`,
	} {
		exit, out, asked := onFra(t, append([]string{"create-policy", "Edge"}, strings.Fields(line)...)...)
		require.Equal(t, cli.ExitDone, exit, out)
		require.Equal(t, []string{"POST /api/v1/health/policies " + body}, asked, line)
		require.Equal(t, "Edge\ttag edge\ttrue\ttcp, tls\t2\t3\tobserve\t7\t2\t"+fraID+"\n", out)
	}
}

// What says nothing is refused before the panel is asked to change anything.
func TestAPolicyThatSaysNothingIsRefused(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"change-policy Edge", "create-policy Edge", "create-policy Edge --tag a --node b"} {
		exit, out, asked := onFra(t, strings.Fields(line)...)
		require.Equal(t, cli.ExitUsage, exit, out)
		require.Empty(t, asked, line)
	}
}

func TestAPolicyIsRemovedAfterAQuestion(t *testing.T) {
	t.Parallel()
	exit, _, asked := onFra(t, "delete-policy", "Edge")
	require.Equal(t, cli.ExitUsage, exit)
	require.Equal(t, []string{"GET /api/v1/health/policies/" + fraID}, asked)
	exit, out, asked := onFra(t, "delete-policy", "Edge", "--yes")
	require.Equal(t, cli.ExitDone, exit, out)
	require.Contains(t, asked, "DELETE /api/v1/health/policies/"+fraID)
}

// Incidents that go on stand first; what a person says about one goes with it.
func TestIncidentsAreListedShownAndTakenOn(t *testing.T) {
	t.Parallel()
	exit, out, _ := onFra(t, "incidents")
	require.Equal(t, cli.ExitDone, exit, out)
	require.Equal(t, "fra-01, provider Big Host\topen\tcritical\tunreachable\t3\t5\t2026-01-20T05:53:00Z\t"+fraID+"\n", out)
	_, _, asked := onFra(t, "incidents", "--state", "all")
	require.Equal(t, []string{"GET /api/v1/health/incidents?limit=200"}, asked)
	exit, out, _ = onFra(t, "incident", fraID)
	require.Equal(t, cli.ExitDone, exit, out)
	require.Equal(t, "2026-01-20T05:53:00Z\topened\tfra-01\tdown\tunreachable\t-\t-\n", out)
	_, _, asked = onFra(t, "ack", fraID, "--note", "calling")
	require.Equal(t, []string{"POST /api/v1/health/incidents/" + fraID + `/ack {"note":"calling"}`}, asked)
	_, _, asked = onFra(t, "resolve", fraID)
	require.Equal(t, []string{"POST /api/v1/health/incidents/" + fraID + "/resolve {}"}, asked)
}

// What self-repair did is found by its state and by the node; decisions go to the action that is named.
func TestRepairsAreListedAndDecided(t *testing.T) {
	t.Parallel()
	line := "restart_core\tfra-01\tfailed\tno such file\t-\t-\t2026-01-20T05:53:00Z\t" + fraID + "\n"
	for _, args := range [][]string{
		{"repairs", "--state", "proposed"},
		{"repairs", "--node", "fra-01"},
		{"repair", "approve", fraID},
		{"repair", "dismiss", fraID},
		{"repair", "undo", fraID},
	} {
		exit, out, _ := onFra(t, args...)
		require.Equal(t, cli.ExitDone, exit, out)
		require.Equal(t, line, out)
	}
	exit, out, _ := onFra(t, "repair", "dry-run", "--policy", "Edge", "--hourly", "5")
	require.Equal(t, cli.ExitDone, exit, out)
	require.Equal(t, "2026-01-20T05:53:00Z\tfra-01\trestart_core\tskipped\tbudget\n", out)
}

// What a policy lets self-repair do changes by itself: the rest of it stays as it was read.
func TestAPolicyKeepsWhatIsNotSaidOfRepairs(t *testing.T) {
	t.Parallel()
	_, _, asked := onFra(t, "change-policy", "Edge", "--repair", "auto", "--repair-cooldown", "60",
		"--repair-pool-share", "50")
	require.Contains(t, asked[len(asked)-1], `"repair":{"mode":"auto","actions":["restart_core"],`+
		`"limits":{"max_actions_per_hour":7,"cooldown_s":60,"max_pct_of_pool":50}}`)
	_, _, asked = onFra(t, "create-policy", "Edge", "--tag", "edge", "--repair-hourly", "3")
	require.Contains(t, asked[len(asked)-1], `"repair":{"mode":"suggest",`+
		`"actions":["restart_core","reapply_installed","withdraw_from_pool","switch_dns","hide_proxypanel_hosts"],`+
		`"limits":{"max_actions_per_hour":3,"cooldown_s":300,"max_pct_of_pool":30}}`)
}
