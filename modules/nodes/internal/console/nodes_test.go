package console

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/cli"
	"panel/platform/paneltest"
)

const (
	fraID = "0199a0de-0000-7000-8000-000000000001"
	fra   = `{"id": "` + fraID + `", "name": "fra-01", "address": "192.0.2.1", "country_code": "DE", "state": "online",
		"state_since": "2026-01-20T05:40:00Z", "revision": 7, "note": "two\nlines", "roles": ["exit"],
		"agent": {"version": "1.4.0"}, "core": {"version": "26.3.27", "state": "running", "in_sync": true},
		"flow_ids": ["f1", "f2"], "traffic": {"limit_bytes": null, "notify_pct": 80, "used_bytes": 5,
		"resets_at": "2026-02-01T00:00:00Z"}}`
	found = `{"items": [{"id": "n0", "name": "fra-010"}, {"id": "` + fraID + `", "name": "fra-01"}], "next_cursor": null}`
)

// onFra runs one command line against a panel that knows fra-01, and gives what was asked behind the search.
func onFra(t *testing.T, args ...string) (exit int, out string, asked []string) {
	t.Helper()
	exit, out, asked = paneltest.Line(t, Commands, map[string]string{
		"GET /api/v1/nodes?q=fra-01&limit=200": found, "*": fra,
	}, append([]string{"nodes"}, args...)...)
	if len(asked) > 0 && strings.Contains(asked[0], "?q=fra-01") {
		asked = asked[1:]
	}
	return exit, out, asked
}

func TestNodesAreListedByWhatIsAskedFor(t *testing.T) {
	t.Parallel()
	exit, out, asked := panelctl(t, found, "list", "--state", "attention", "--tag", "edge", "--find", "fra")
	require.Equal(t, cli.ExitDone, exit, out)
	require.Equal(t, []string{"GET /api/v1/nodes?q=fra&state=attention&tag=edge&limit=200"}, asked)
	require.Contains(t, out, "fra-01\t")
}

// A node is named by its whole name, not by a part of it.
func TestANodeIsShownByItsName(t *testing.T) {
	t.Parallel()
	exit, out, asked := onFra(t, "show", "fra-01")
	require.Equal(t, cli.ExitDone, exit, out)
	require.Equal(t, []string{"GET /api/v1/nodes/" + fraID}, asked)
	require.Contains(t, out, "node\tfra-01\nstate\tonline\nsince\t2026-01-20T05:40:00Z\nreasons\t-\n")
	require.Contains(t, out, "flows\t2\ntraffic_used_bytes\t5\ntraffic_limit_bytes\t-\n")
	require.Contains(t, out, "note\ttwo lines\n")
}

// With --json all that the API tells of a node is printed, also what the table leaves out.
func TestJSONHasAllOfANode(t *testing.T) {
	t.Parallel()
	exit, out, _ := onFra(t, "show", fraID, "--json")
	require.Equal(t, cli.ExitDone, exit, out)
	var document map[string]any
	require.NoError(t, json.Unmarshal([]byte(out), &document))
	require.Equal(t, "panelctl.nodes.show/v1", document["schema"])
	require.Equal(t, []any{"exit"}, document["roles"])
}

// Only what was said changes, and from the revision that was read.
func TestANodeKeepsWhatIsNotSaid(t *testing.T) {
	t.Parallel()
	for line, body := range map[string]string{
		"--traffic-limit 20TB --traffic-notify 90": `"traffic":{"limit_bytes":20000000000000,"notify_pct":90}`,
		"--traffic-limit 0":                        `"traffic":{"limit_bytes":0}`,
		"--traffic-limit 1GiB":                     `"traffic":{"limit_bytes":1073741824}`,
		"--traffic-reset-day 15":                   `"traffic":{"reset_day":15}`,
		"--note until --tag a --tag b":             `"tags":["a","b"],"note":"until"`,
		"--tag= --disabled=false":                  `"tags":[],"disabled":false`,
		"--name new --country NL --city Haarlem":   `"name":"new","country_code":"NL","city":"Haarlem"`,
	} {
		exit, out, asked := onFra(t, append([]string{"set", "fra-01"}, strings.Fields(line)...)...)
		require.Equal(t, cli.ExitDone, exit, out)
		at := "/api/v1/nodes/" + fraID
		require.Equal(t, []string{"GET " + at, "PATCH " + at + ` {"revision":7,` + body + "}", "GET " + at}, asked, line)
	}
}

// What cannot be meant is refused before the panel is asked for anything.
func TestASettingThatSaysNothingIsRefused(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"set fra-01", "set fra-01 --traffic-limit much", "maintenance fra-01 perhaps", "maintenance fra-01 on --for soon",
		"maintenance fra-01 on --for -2h",
	} {
		exit, out, asked := onFra(t, strings.Fields(line)...)
		require.Equal(t, cli.ExitUsage, exit, out)
		require.Empty(t, asked, line)
	}
}

// Maintenance begins with its end and reason, and ends without either.
func TestMaintenanceBeginsAndEnds(t *testing.T) {
	t.Parallel()
	at := "POST /api/v1/nodes/" + fraID + "/maintenance "
	exit, out, asked := onFra(t, "maintenance", "fra-01", "on", "--for", "2h", "--reason", "the disk")
	require.Equal(t, cli.ExitDone, exit, out)
	require.Len(t, asked, 3)
	text, is := strings.CutPrefix(asked[1], at)
	require.True(t, is, asked[1])
	var wanted struct {
		On     bool
		Until  time.Time
		Reason string
	}
	require.NoError(t, json.Unmarshal([]byte(text), &wanted))
	require.True(t, wanted.On)
	require.Equal(t, "the disk", wanted.Reason)
	require.WithinDuration(t, wanted.Until, time.Now().Add(2*time.Hour), 10*time.Minute)

	exit, out, asked = onFra(t, "maintenance", "fra-01", "off")
	require.Equal(t, cli.ExitDone, exit, out)
	require.Equal(t, at+`{"on":false}`, asked[1])
}

// Who begins a maintenance that goes on already keeps its end and reason where he says none.
func TestAMaintenanceThatGoesOnKeepsItsEndAndReason(t *testing.T) {
	t.Parallel()
	resting := strings.Replace(fra, `"roles"`, `"maintenance": {"until": "2026-01-20T07:40:00Z", "reason": "the disk"}, "roles"`, 1)
	exit, out, asked := paneltest.Line(t, Commands, map[string]string{"*": resting}, "nodes", "maintenance", fraID, "on")
	require.Equal(t, cli.ExitDone, exit, out)
	require.Contains(t, asked[1], `{"on":true,"until":"2026-01-20T07:40:00Z","reason":"the disk"}`)
}

func TestAnUnknownNodeIsSaidByItsName(t *testing.T) {
	t.Parallel()
	exit, out, _ := paneltest.Line(t, Commands, nil, "nodes", "show", "nowhere")
	require.Equal(t, cli.ExitFailed, exit)
	require.Contains(t, out, "there is no node with the name nowhere")
}
