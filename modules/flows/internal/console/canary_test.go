package console

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/paneltest"
)

const (
	goesFirst = `"canary":{"nodes":[{"node_id":"n1","node_name":"fra-01","role":"entry"}],"rest":2,"watch_s":600`
	watched   = `{"apply_id":"a1","flow_id":"f1","state":"applying","phase":"canary",` +
		`"detail":"some nodes serve the new version",` +
		goesFirst + `,"state":"watching","until":"2026-11-26T01:00:00Z","rounds":3,"held":null,"looks":[
		{"node_name":"fra-01","good":2,"bad":1,"ok":true}]}}`
	returned = `{"apply_id":"a1","flow_id":"f1","state":"apply_failed","phase":"apply_failed",` +
		`"detail":"it went back",` + goesFirst +
		`,"state":"returned","until":"2026-11-26T01:00:00Z","rounds":3,"looks":[` +
		`{"node_name":"fra-01","good":2,"bad":1}]}}`
)

// withCanary answers like a panel in which some nodes of a flow go first.
func withCanary(apply string) map[string]string {
	answers := together("failed")
	maps.Copy(answers, map[string]string{
		"GET /api/v1/nodes?q=fra-01&limit=200": `{"items":[{"id":"n0","name":"fra-011"},{"id":"n1","name":"fra-01"}]}`,
		"GET /api/v1/nodes?q=nobody&limit=200": `{"items":[]}`,
		"POST /api/v1/connection-units/f1/plan/compile": `{"id":"p1","revision":4,"readiness":[],` +
			`"steps":[{"interruption":"reload"}],` + goesFirst + `,"looks":[]}}`,
		"GET /api/v1/connection-units/f1":                     `{"id":"f1","name":"Europe main","last_apply_id":"a1"}`,
		"GET /api/v1/connection-units/f2":                     `{"id":"f2","name":"Hops","last_apply_id":null}`,
		"GET /api/v1/connection-units/f1/applies/a1":          apply,
		"POST /api/v1/connection-units/f1/applies/a1/promote": watched,
		"POST /api/v1/connection-units/f1/applies/a1/abort":   watched,
	})
	return answers
}

func answered(t *testing.T, answers map[string]string, args ...string) (exit int, out string, asked []string) {
	t.Helper()
	return paneltest.Line(t, Commands, answers, args...)
}

// Nodes that go first are named, or a share of them is; they are watched for ten minutes where nobody says how long.
func TestAPlanHasACanary(t *testing.T) {
	t.Parallel()
	exit, out, asked := answered(t, withCanary(watched), "flows", "plan", "Europe main", "--canary-nodes", "fra-01",
		"--plain")
	require.Zero(t, exit, out)
	require.Contains(t, out, "Europe main\t1\t1\t0\tp1\tfra-01 10m0s")
	require.Contains(t, strings.Join(asked, "\n"), `{"canary":{"nodes":["n1"],"watch_s":600}}`)

	exit, out, asked = answered(t, withCanary(watched), "flows", "plan", "Europe main", "--canary-share", "10%",
		"--canary-watch", "90s")
	require.Zero(t, exit, out)
	require.Contains(t, strings.Join(asked, "\n"), `{"canary":{"share":10,"watch_s":90}}`)
}

// What means nothing is refused before anything is compiled.
func TestACanaryThatMeansNothingIsRefused(t *testing.T) {
	t.Parallel()
	for _, wrong := range [][]string{
		{"--canary-share", "0"},
		{"--canary-share", "100%"},
		{"--canary-share", "many"},
		{"--canary-watch", "10m"},
		{"--canary-share", "10%", "--canary-nodes", "fra-01"},
		{"--canary-share", "10%", "--canary-watch", "59s"},
		{"--canary-share", "10%", "--canary-watch", "25h"},
		{"--canary-share", "10%", "--canary-watch", "soon"},
	} {
		for _, command := range []string{"plan", "apply"} {
			line := append([]string{"flows", command, "Europe main", "--yes"}, wrong...)
			exit, out, asked := answered(t, withCanary(watched), line...)
			require.Equal(t, 2, exit, "%v: %s", wrong, out)
			require.NotContains(t, strings.Join(asked, " "), "compile")
		}
	}
	exit, out, asked := answered(t, withCanary(watched), "flows", "plan", "Europe main", "--canary-nodes",
		"nobody")
	require.Equal(t, 1, exit)
	require.Contains(t, out, "there is no node with the name nobody")
	require.NotContains(t, strings.Join(asked, " "), "compile")
}

// The end of an apply says how its canary did.
func TestAnApplyShowsItsCanary(t *testing.T) {
	t.Parallel()
	answers := withCanary(returned)
	answers["GET /api/v1/connection-units/bulk/apply/b1"] = `{"id":"b1","finished_at":"2026-11-26T01:00:00Z","items":[
		{"flow_id":"f1","flow_name":"Europe main","state":"failed","apply_id":"a1","error":"no answer"}]}`
	exit, out, _ := answered(t, answers, "flows", "apply", "Europe main", "--canary-share", "10", "--yes", "--plain")
	require.Equal(t, 1, exit, out)
	require.Contains(t, out, "Europe main\tfailed\tno answer\tfra-01\treturned\t2/3")
}

// The last apply of a flow says who went first, until when it is watched, and how many probes got through.
func TestTheLastApplyIsShown(t *testing.T) {
	t.Parallel()
	exit, out, _ := answered(t, withCanary(watched), "flows", "show", "Europe main", "--plain")
	require.Zero(t, exit, out)
	require.Contains(t, out, "Europe main\tapplying\tcanary\tfra-01\twatching\t2026-11-26T01:00:00Z\t2/3\tsome nodes")
	exit, out, _ = answered(t, withCanary(watched), "flows", "show", "Hops")
	require.Equal(t, 1, exit)
	require.Contains(t, out, "the flow Hops was never applied")
}

// A canary is promoted and aborted after a confirmation.
func TestACanaryIsDecided(t *testing.T) {
	t.Parallel()
	for _, act := range []string{"promote", "abort"} {
		exit, out, asked := answered(t, withCanary(watched), "flows", act, "Europe main", "--yes", "--plain")
		require.Zero(t, exit, out)
		require.Contains(t, out, "Europe main\tapplying\tcanary\tfra-01")
		require.Equal(t, "POST /api/v1/connection-units/f1/applies/a1/"+act, asked[len(asked)-1])

		exit, _, asked = answered(t, withCanary(watched), "flows", act, "Europe main")
		require.Equal(t, 2, exit, "nobody can confirm")
		require.NotContains(t, strings.Join(asked, " "), "POST")
	}
}
