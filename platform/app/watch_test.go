package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/paneltest"
	"panel/platform/testneed"
)

func promtool(t *testing.T, input string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), testneed.Program(t, "promtool"), args...)
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "promtool %s: %s", strings.Join(args, " "), out)
}

// busy is a panel that has answered, refused and failed to find, so that every family has something to show.
func busy(t *testing.T) *paneltest.Panel {
	t.Helper()
	p := everything(t)
	p.Admin().Get("/api/v1/nodes").Is(http.StatusOK)
	p.Anonymous().Get("/api/v1/nodes").Is(http.StatusUnauthorized)
	p.Admin().Get("/api/v1/nodes/01900000-0000-7000-8000-000000000000").Is(http.StatusNotFound)
	for i := range 20 {
		p.Anonymous().Get(fmt.Sprintf("/api/v1/guess/%d?x=%d", i, i)).Is(http.StatusNotFound)
	}
	require.Eventually(t, func() bool { return strings.Contains(p.Scrape(), "panel_loops_running") }, time.Minute,
		50*time.Millisecond)
	return p
}

// Rates, errors and durations are told per route template: what callers put into paths makes no series, nor do unknown
// paths.
func TestAScrapeTellsOfRoutesNeverOfPaths(t *testing.T) {
	t.Parallel()
	text := busy(t).Scrape()
	require.Contains(t, text, `panel_http_requests_total{code="200",method="GET",route="/api/v1/nodes"} 1`)
	require.Contains(t, text, `panel_http_requests_total{code="401",method="GET",route="/api/v1/nodes"} 1`)
	require.Contains(t, text, `panel_http_requests_total{code="404",method="GET",route="/api/v1/nodes/{id}"} 1`)
	require.Contains(t, text, `panel_http_requests_total{code="404",method="GET",route="unmatched"} 20`)
	require.Contains(t, text, `panel_http_request_duration_seconds_count{method="GET",route="/api/v1/nodes"} 2`)
	require.Contains(t, text, `panel_license_state{state="active"} 1`)
	require.Contains(t, text, `panel_nodes{state="offline"} 0`)
	require.Contains(t, text, `panel_http_requests_in_flight 0`)
	require.NotContains(t, text, "guess")
	require.NotContains(t, text, "01900000")
	promtool(t, text, "check", "metrics")
}

// A scrape holds no secret and no personal data: label values are words of the code.
func TestLabelValuesAreWordsOfTheCode(t *testing.T) {
	t.Parallel()
	allowed := regexp.MustCompile(`^[a-z0-9_./{}+:-]*$`)
	for _, line := range strings.Split(busy(t).Scrape(), "\n") {
		if !strings.HasPrefix(line, "panel_") {
			continue
		}
		for _, value := range regexp.MustCompile(`="([^"]*)"`).FindAllStringSubmatch(line, -1) {
			require.Regexp(t, allowed, strings.ToLower(strings.ReplaceAll(value[1], "Inf", "")), line)
		}
	}
}

const watching = "../../configs"

// drawnOn are the expressions of a board, whose variables are filled in as Grafana would.
func drawnOn(t *testing.T, file string) (found []string) {
	t.Helper()
	board, err := os.ReadFile(file)
	require.NoError(t, err)
	var drawn struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	require.NoError(t, json.Unmarshal(board, &drawn))
	filled := strings.NewReplacer("$__rate_interval", "1m", "$instance", ".*")
	for _, panel := range drawn.Panels {
		require.NotEmpty(t, panel.Targets, panel.Title)
		for _, target := range panel.Targets {
			found = append(found, filled.Replace(target.Expr))
		}
	}
	return found
}

// expressions are those of the alerts and of the boards, whose variables are filled in as Grafana would.
func expressions(t *testing.T) []string {
	t.Helper()
	var found []string
	rules, err := os.ReadFile(filepath.Join(watching, "prometheus", "panel.rules.yml"))
	require.NoError(t, err)
	for _, match := range regexp.MustCompile(`(?m)^\s+expr: (?:>-((?:\n {10}.+)+)|(.+))$`).
		FindAllStringSubmatch(string(rules), -1) {
		found = append(found, strings.TrimSpace(match[1]+match[2]))
	}
	boards, err := filepath.Glob(filepath.Join(watching, "grafana", "*.json"))
	require.NoError(t, err)
	for _, board := range boards {
		found = append(found, drawnOn(t, board)...)
	}
	require.Greater(t, len(found), 30)
	return found
}

var metricName = regexp.MustCompile(`\b(?:panel|go|process)_[a-z0-9_]+`)

// The board and the alerts speak only of what a real scrape shows, and the other way round nothing of ours goes unseen.
func TestBoardAndAlertsSpeakOfWhatAScrapeShows(t *testing.T) {
	t.Parallel()
	text := busy(t).Scrape()
	shown := map[string]bool{}
	for _, line := range strings.Split(text, "\n") {
		if name := metricName.FindString(line); name != "" && !strings.HasPrefix(line, "#") {
			shown[name] = true
		}
	}
	used := map[string]bool{"panel_build_info": true}
	for _, expression := range expressions(t) {
		for _, name := range metricName.FindAllString(expression, -1) {
			require.True(t, shown[name], "%s is not in a scrape: %s", name, expression)
			used[name] = true
		}
	}
	for name := range shown {
		if strings.HasPrefix(name, "panel_") {
			require.True(t, used[name], "%s is on no board and in no alert", name)
		}
	}
}

// Prometheus itself accepts alerts, their own tests and every expression of the board.
func TestPrometheusAcceptsRulesAndBoard(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(watching, "prometheus")
	promtool(t, "", "check", "rules", filepath.Join(folder, "panel.rules.yml"))
	promtool(t, "", "test", "rules", filepath.Join(folder, "panel.rules.test.yml"))
	promtool(t, "", "check", "config", filepath.Join(folder, "prometheus.yml"))
	recorded := "groups:\n- name: board\n  rules:\n"
	for i, expression := range expressions(t) {
		quoted, err := json.Marshal(expression)
		require.NoError(t, err)
		recorded += fmt.Sprintf("  - {record: board_%d, expr: %s}\n", i, quoted)
	}
	file := filepath.Join(t.TempDir(), "board.yml")
	require.NoError(t, os.WriteFile(file, []byte(recorded), 0o600))
	promtool(t, "", "check", "rules", file)
}
