package screens

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/cmd/panel-bench/internal/measure"
)

const printed = `{"first_requests": 28, "first_script_kb": 287.5, "overview": [{"interactive": 1400},
	{"interactive": 1600}, {"interactive": 1300}], "nodes": [{"shown": 800, "interactive": 1600, "work": 1200}],
	"drawing": {"blocks": 201, "arranged_ms": 120, "frame_ms": 11.5, "frames_per_second": 58}, "live": {"rows": 60,
	"loaded": 500, "answer_ms": 296, "answer_work_ms": 41, "slowest_ms": 310, "heap_mb": 30.5,
	"heap_growth_mb": 11, "main_thread_pct": 4, "all_processes_pct": 30}}`

func verdicts(results []measure.Result) map[string]bool {
	all := map[string]bool{}
	for _, r := range results {
		all[r.What] = r.Verdict == measure.Met
	}
	return all
}

// What the browser prints is judged by the goals of the interface.
func TestWhatTheBrowserMeasuredIsJudged(t *testing.T) {
	t.Parallel()
	got := new(Seen)
	require.NoError(t, json.Unmarshal([]byte(printed), got))
	opening, living := verdicts(got.Opening()), verdicts(got.Living(time.Minute))
	require.Len(t, opening, 4)
	require.True(t, opening["overview interactive at a quarter of the processor, 5,000 nodes"])
	require.False(t, opening["node list interactive at a quarter of the processor, 5,000 nodes"])
	drawn := verdicts(got.Drawn())
	require.Equal(t, map[string]bool{
		"drawing of 200 blocks: arranged after the key":             true,
		"drawing of 200 blocks: main thread for a frame of panning": false,
	}, drawn)
	require.Len(t, living, 5)
	require.False(t, living["node list open over 5,000 living nodes: answer to a person, the slowest but one in fifty"])
	require.True(t, living["node list open over 5,000 living nodes: work of the main thread for it, "+
		"whoever else has the processor"])
	require.False(t, living["node list open over 5,000 living nodes: growth of the heap"])
	require.True(t, living["node list open over 5,000 living nodes: rows in the document"])
}

// A browser that cannot start says why.
func TestABrowserThatFailsIsNotMeasured(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	script := filepath.Join(folder, "e2e", "measure", "fleet.mjs")
	require.NoError(t, os.MkdirAll(filepath.Dir(script), 0o755))
	require.NoError(t, os.WriteFile(script, []byte("console.error('no browser here'); process.exit(3)"), 0o600))
	_, err := Look(t.Context(), folder, "http://localhost", "session", "flow", time.Second)
	require.ErrorContains(t, err, "no browser here")
	require.NoError(t, os.WriteFile(script, []byte("console.log('nothing')"), 0o600))
	_, err = Look(t.Context(), folder, "http://localhost", "session", "flow", time.Second)
	require.ErrorContains(t, err, "read what the browser measured")
}
