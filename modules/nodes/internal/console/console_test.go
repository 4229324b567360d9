package console

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/cli"
	"panel/platform/paneltest"
)

const outage = `{"at": "2026-01-20T05:53:00Z", "earliest": null, "total": 342,
	"states": {"online": 240, "offline": 102, "maintenance": 0},
	"figures": {"nodes": 240, "sessions": 18412, "net_rx_bps": 16200, "net_tx_bps": 38900.4, "cpu_pct": 31.5},
	"cells": [["n1", "fra-02", "offline", "Europe", null]],
	"failing": [{"id": "n1", "name": "fra-02", "state": "offline", "since": "2026-01-20T05:40:00Z", "until": null}],
	"failures": 102, "earlier": "2026-01-20T05:40:00Z", "later": null}`

// panelctl runs one command line against a panel that answers so, and gives what was printed and asked.
func panelctl(t *testing.T, answer string, args ...string) (exit int, out string, asked []string) {
	t.Helper()
	return paneltest.Line(t, Commands, map[string]string{"*": answer}, append([]string{"nodes"}, args...)...)
}

func TestTheFleetIsShownAsItWas(t *testing.T) {
	t.Parallel()
	exit, out, asked := panelctl(t, outage, "past", "2026-01-20T08:53:00+03:00")
	require.Equal(t, cli.ExitDone, exit, out)
	require.Equal(t, []string{"GET /api/v1/nodes/moment?at=2026-01-20T05%3A53%3A00Z"}, asked)
	require.Equal(t, `at	2026-01-20T05:53:00Z
nodes	342
states	offline 102, online 240
sessions	18412
in_bps	16200
out_bps	38900
failing	fra-02	offline	2026-01-20T05:40:00Z	-
more_failing	101
earlier_change	2026-01-20T05:40:00Z
later_change	-
`, out)
}

func TestAPanelThatNotedNothingHasNoFigures(t *testing.T) {
	t.Parallel()
	exit, out, _ := panelctl(t, `{"at": "2026-01-20T05:53:00Z", "total": 0, "states": {}, "figures": null}`, "past", "2d")
	require.Equal(t, cli.ExitDone, exit, out)
	require.Contains(t, out, "states\t-\nsessions\t-\nin_bps\t-\nout_bps\t-\nearlier_change\t-\n")
}

func TestTheWholeAnswerIsInTheDocument(t *testing.T) {
	t.Parallel()
	exit, out, _ := panelctl(t, outage, "past", "1h", "--json")
	require.Equal(t, cli.ExitDone, exit, out)
	require.Contains(t, out, `"schema":"panelctl.nodes.past/v1"`)
	require.Contains(t, out, `"cells":[["n1","fra-02","offline","Europe",null]]`)
}

func TestAMomentIsATimeOrHowLongAgo(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 20, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"90m": now.Add(-90 * time.Minute), "2d": now.Add(-48 * time.Hour),
		"2026-01-20T05:53:00Z": time.Date(2026, 1, 20, 5, 53, 0, 0, time.UTC),
	} {
		got, err := momentOf(text, now)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"yesterday", "-1h", "", "2026-01-20"} {
		exit, out, asked := panelctl(t, outage, "past", "--", text)
		require.Equal(t, cli.ExitUsage, exit, text)
		require.Contains(t, out, "neither a time nor a period", text)
		require.Empty(t, asked, text)
	}
}
