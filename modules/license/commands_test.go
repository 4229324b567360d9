package license

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"panel/platform/cli"
)

type outcome struct {
	exit     int
	out, err string
	calls    []string
}

// panelctl runs one command line against a panel that answers with the status.
func panelctl(t *testing.T, s Status, typed string, args ...string) outcome {
	t.Helper()
	var o outcome
	panel := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.calls = append(o.calls, r.Method+" "+r.URL.Path)
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(s)
	}))
	t.Cleanup(panel.Close)
	var out, complaints bytes.Buffer
	env := cli.Env{
		In: strings.NewReader(typed), Out: &out, Err: &complaints, Terminal: cli.Terminal{
			In:  typed != "",
			Err: typed != "",
		},
		Getenv: func(name string) string {
			return map[string]string{"PANEL_API_URL": panel.URL, "PANEL_API_TOKEN": "token"}[name]
		},
		Commands: []func(cli.Env) []*cobra.Command{commands},
	}
	o.exit = cli.Run(context.Background(), env, append([]string{"license"}, args...))
	o.out, o.err = out.String(), complaints.String()
	return o
}

func shown(state, reason string) Status {
	until := time.Date(2040, 3, 1, 0, 0, 0, 0, time.UTC)
	plan, key, failure := "Pro", "PNL-••••-••••-7F3A", "timeout"
	return Status{
		State: state, Reason: reason, ReadOnly: state == "degraded", Plan: &plan, ValidUntil: &until,
		GraceUntil: &until,
		KeyMasked:  &key,
		LastCheck: &LastCheck{
			until,
			false,
			&failure,
		}, Features: Features{Enabled: []string{"flows", "health"}, Blocked: []string{"assistant"}},
	}
}

// Specification, Command-line interface: "prints state, plan, validity, grace period, last check time, enabled and
// blocked features; key is masked".
func TestStatusPrintsEverythingTheSpecificationNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"status", "info"} {
		done := panelctl(t, shown("grace", "unreachable"), "", name)
		require.Equal(t, cli.ExitDone, done.exit)
		require.Equal(t, []string{"GET /api/v1/license/status"}, done.calls)
		for _, line := range []string{
			"state\tgrace", "plan\tPro", "valid_until\t2040-03-01T00:00:00Z", "grace_until\t2040-03-01T00:00:00Z",
			"last_check\t2040-03-01T00:00:00Z timeout",
			"enabled\tflows, health", "blocked\tassistant", "key\tPNL-••••-••••-7F3A",
		} {
			require.Contains(t, done.out, line+"\n")
		}
		require.Contains(t, panelctl(t, shown("grace", "unreachable"), "", name, "--table").out, " h left)")
	}
}

func TestJSONIsTheBodyOfTheAPIAndItsSchema(t *testing.T) {
	t.Parallel()
	var printed map[string]any
	require.NoError(t, json.Unmarshal([]byte(panelctl(t, shown("active", "ok"), "", "status", "--json").out), &printed))
	require.Equal(t, "panelctl.license/v1", printed["schema"])
	require.Equal(t, "active", printed["state"])
	require.Equal(t, []any{"assistant"}, printed["features"].(map[string]any)["blocked"])
}

func TestADegradedLicenseIsANegativeAnswer(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"status", "refresh"} {
		require.Equal(t, cli.ExitFailed, panelctl(t, shown("degraded", "expired"), "", name).exit)
	}
}

func TestTheCommandsCallTheirOperations(t *testing.T) {
	t.Parallel()
	done := panelctl(t, shown("active", "ok"), "", "activate", "PNL-0000-0000-0000")
	require.Equal(t, cli.ExitDone, done.exit)
	require.Equal(t, []string{"POST /api/v1/license/activate"}, done.calls)
	require.NotContains(t, done.out+done.err, "PNL-0000")
	require.Equal(t, []string{"POST /api/v1/license/refresh"}, panelctl(t, shown("active", "ok"), "", "refresh").calls)
}

func TestRemoveIsConfirmed(t *testing.T) {
	t.Parallel()
	gone := shown("degraded", "removed")
	require.Equal(t, cli.ExitUsage, panelctl(t, gone, "", "remove").exit)
	require.Equal(t, cli.ExitFailed, panelctl(t, gone, "no\n", "remove").exit)
	require.Empty(t, panelctl(t, gone, "remove\n", "remove").calls)
	for _, done := range []outcome{panelctl(t, gone, "REMOVE\n", "remove"), panelctl(t, gone, "", "remove", "--yes")} {
		require.Equal(t, cli.ExitDone, done.exit)
		require.Equal(t, []string{"POST /api/v1/license/remove"}, done.calls)
	}
}
