package console

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/paneltest"
)

const flows = `{"items":[
	{"id":"f1","name":"Europe main","state":"applied","enabled":true,"entry":{"host":"192.0.2.7","listener":{"protocol":"vless",
		"port":443}},"client_counts":{"total":12},"installed_version_number":3},
	{"id":"f2","name":"Hops","state":"draft","enabled":false,"entry":{"host":"h.example.com","listener":{"protocol":"hysteria2",
		"port_range":"2000-2010"}},"client_counts":{"total":0},"installed_version_number":null},
	{"id":"f3","name":"Empty","state":"draft","enabled":true,"entry":null,"client_counts":{"total":1}}
]}`

// A line has the entry of the draft, by its port or its range, and the version that is installed.
func TestFlowsAreListed(t *testing.T) {
	t.Parallel()
	exit, out, _ := paneltest.Line(t, Commands, map[string]string{"*": flows}, "flows", "list", "--plain")
	require.Zero(t, exit, out)
	for _, row := range []string{
		"Europe main\tapplied\ttrue\tvless 192.0.2.7:443\t12\t3\tf1",
		"Hops\tdraft\tfalse\thysteria2 h.example.com:2000-2010\t0\t-\tf2", "Empty\tdraft\ttrue\t-\t1\t-\tf3",
	} {
		require.Contains(t, out, row)
	}
}

// The panel filters, so that a fleet of flows is not read for a few of them.
func TestThePanelFiltersFlows(t *testing.T) {
	t.Parallel()
	exit, out, asked := paneltest.Line(t, Commands, map[string]string{"*": flows}, "flows", "list", "--find", "eu main", "--state",
		"applied", "--tag", "vip")
	require.Zero(t, exit, out)
	for _, part := range []string{"/api/v1/connection-units?", "q=eu+main", "state=applied", "tag=vip"} {
		require.Contains(t, strings.Join(asked, " "), part)
	}
}

// together answers like a panel with two flows, of which one is refused.
func together(state string) map[string]string {
	plan := `{"id":"p1","revision":4,"is_noop":false,"checking":false,"steps":[{"interruption":"none"},{"interruption":"reload"}],
		"readiness":[{"status":"confirmed"},{"status":"unconfirmed"}]}`
	done := `{"id":"b1","finished_at":"2026-11-26T01:00:00Z","items":[
		{"flow_id":"f1","flow_name":"Europe main","state":"applied","apply_id":"a1"},
		{"flow_id":"f2","flow_name":"Hops","state":"` + state + `","code":"agent_offline","error":"the agent does not answer"}]}`
	return map[string]string{
		"GET /api/v1/connection-units?limit=200&q=Europe+main": flows, "GET /api/v1/connection-units?limit=200&q=Hops": flows,
		"POST /api/v1/connection-units/f1/plan/compile": plan, "POST /api/v1/connection-units/f2/plan/compile": plan,
		"POST /api/v1/connection-units/bulk/apply":   `{"id":"b1","finished_at":null,"items":[]}`,
		"GET /api/v1/connection-units/bulk/apply/b1": done, "*": flows,
	}
}

// Flows are compiled, and nothing is installed.
func TestPlansOfFlowsAreShown(t *testing.T) {
	t.Parallel()
	exit, out, asked := paneltest.Line(t, Commands, together("applied"), "flows", "plan", "Europe main", "Hops", "--plain")
	require.Zero(t, exit, out)
	require.Contains(t, out, "Europe main\t2\t1\t1\tp1\t-\nHops\t2\t1\t1\tp1\t-")
	require.NotContains(t, strings.Join(asked, " "), "bulk")
}

// Flows are applied together after a confirmation; one that was not applied makes the exit code 1 and says why.
func TestFlowsAreAppliedTogether(t *testing.T) {
	t.Parallel()
	exit, out, asked := paneltest.Line(t, Commands, together("applied"), "flows", "apply", "Europe main", "Hops", "--yes",
		"--stop-on-failure", "--plain")
	require.Zero(t, exit, out)
	require.Contains(t, strings.Join(asked, "\n"), `"stop_on_failure":true`)
	require.Contains(t, strings.Join(asked, "\n"), `{"flow_id":"f1","id":"p1","revision":4}`)

	exit, out, _ = paneltest.Line(t, Commands, together("refused"), "flows", "apply", "Europe main", "Hops", "--yes", "--plain")
	require.Equal(t, 1, exit)
	require.Contains(t, out, "Hops\trefused\tthe agent does not answer")

	exit, _, asked = paneltest.Line(t, Commands, together("applied"), "flows", "apply", "Europe main")
	require.Equal(t, 2, exit, "nobody can confirm")
	require.NotContains(t, strings.Join(asked, " "), "bulk")
}

// A name that no flow has ends the command before anything is compiled.
func TestAnUnknownFlowIsNotApplied(t *testing.T) {
	t.Parallel()
	exit, _, asked := paneltest.Line(t, Commands, together("applied"), "flows", "apply", "Nobody", "--yes")
	require.Equal(t, 1, exit)
	require.NotContains(t, strings.Join(asked, " "), "compile")
}

const way = `{"of":"installed","revision":4,"steps":[{"edge":1,"from":"in","to":"ads","result":"passed_over",
	"reason":"another destination"},{"edge":0,"from":"in","to":"pool","result":"taken","reason":"every condition holds"}],"result":"direct",
	"node_id":"n2","node_name":"ams-01","pools":[{"block":"pool","pool_id":"p1","name":"Europe","choices":[{"node_name":"fra-01",
	"serves":"members","active_name":"ams-01","usable":1,"reason":"member_down","at":"2026-11-26T01:00:00Z"}],"members":[
	{"node_name":"ams-01","seen":[{"node_name":"fra-01","state":"healthy","rtt_ms":12,"reason":"probe","at":"2026-11-26T01:00:00Z"}]},
	{"node_name":"waw-01","seen":[{"node_name":"fra-01","state":"down","reason":"refused","error":"no answer","at":"2026-11-26T01:00:00Z"}
	]}]}]}`

// A way is told edge by edge, with the members of pools, what was seen of them and why traffic was switched.
func TestAWayIsExplained(t *testing.T) {
	t.Parallel()
	answers := map[string]string{
		"GET /api/v1/connection-units/f1/explain?domain=example.org&of=installed&port=8443": way,
		"GET /api/v1/connection-units/f1/explain?entry=in&ip=2001%3Adb8%3A%3A1":             way, "*": flows,
	}
	exit, out, _ := paneltest.Line(t, Commands, answers, "flows", "explain", "Europe main", "example.org:8443", "--plain")
	require.Zero(t, exit, out)
	for _, row := range []string{
		"rule\tin\tads\tpassed_over\t", "rule\tin\tpool\ttaken\tevery condition holds",
		"choice\tfra-01\tams-01\tmembers\tmember_down 2026-11-26", "member\tfra-01\tams-01\thealthy\tprobe 12 ms ",
		"member\tfra-01\twaw-01\tdown\trefused no answer ", "end\t-\tams-01\tdirect\t-",
	} {
		require.Contains(t, out, row)
	}
	exit, out, _ = paneltest.Line(t, Commands, answers, "flows", "explain", "Europe main", "2001:db8::1", "--draft", "--entry", "in", "--json")
	require.Zero(t, exit, out)
	require.Contains(t, out, `"schema":"panelctl.flows.explain/v1"`)
}

// With --probe the answers of agents stand below the way.
func TestAWayIsProbed(t *testing.T) {
	t.Parallel()
	answers := map[string]string{
		"POST /api/v1/connection-units/f1/explain/probe": `{"at":"2026-11-26T01:00:00Z","explanation":` + way + `,
			"through":{"node_name":"fra-01","ok":true,"ms":31,"exit_ip":"192.0.2.3"},
			"exit":{"node_name":"ams-01","dialled":"example.org:443","ok":false,"code":"unreachable","error":"no answer"}}`,
		"*": flows,
	}
	exit, out, asked := paneltest.Line(t, Commands, answers, "flows", "explain", "Europe main", "example.org", "--probe", "--plain")
	require.Zero(t, exit, out)
	require.Contains(t, out, "client\tfra-01\t192.0.2.3\treached\t31 ms")
	require.Contains(t, out, "dial\tams-01\texample.org:443\tunreachable\tno answer")
	require.Contains(t, strings.Join(asked, " "), "POST /api/v1/connection-units/f1/explain/probe")
	exit, out, _ = paneltest.Line(t, Commands, answers, "flows", "explain", "Europe main", "x.org", "--probe", "--draft")
	require.Equal(t, 2, exit, out)
}

func TestDestinationsAreReadAsPeopleWriteThem(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"example.org": "domain=example.org", "example.org:443": "domain=example.org&port=443", "192.0.2.1": "ip=192.0.2.1",
		"192.0.2.1:53": "ip=192.0.2.1&port=53", "[2001:db8::1]:53": "ip=2001%3Adb8%3A%3A1&port=53",
		"2001:db8::1": "ip=2001%3Adb8%3A%3A1", ":25": "port=25",
	} {
		require.Equal(t, want, destination(text, "", "").Encode(), text)
	}
}
