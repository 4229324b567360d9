package health

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/health/internal/view"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/jobs"
)

func (w *world) history(kind, id string, from, to time.Time) (h view.History) {
	w.t.Helper()
	w.As(string(View)).Get("/api/v1/health/" + kind + "/" + id + "/history?from=" + url.QueryEscape(from.Format(time.RFC3339)) +
		"&to=" + url.QueryEscape(to.Format(time.RFC3339))).Is(http.StatusOK).JSON(&h)
	return h
}

// Rule of the design: results by themselves for hours, ten minutes for two weeks, hours for ninety days.
func TestResultsAreCondensedOnceEach(t *testing.T) {
	t.Parallel()
	w, _, flow, _, handshake := watched(t)
	for range 5 {
		w.passes(10 * time.Second)
		w.says("fra", handshake, true, 1)
		w.says("waw", handshake, false, 1)
	}
	condense := func() {
		for _, job := range w.own.Jobs() {
			require.NoError(t, job.Work(t.Context(), jobs.Job{}))
		}
	}
	now := w.clock.Now()
	total := func(step time.Duration) (results, failed int) {
		h := w.history("connection-units", flow, now.Add(-step), now.Add(time.Hour))
		for _, p := range h.Points {
			require.Equal(t, "tls", p.Check)
			results, failed = results+p.Results, failed+p.Failed
		}
		return results, failed
	}
	for range 3 { // again and again changes nothing
		require.Eventually(t, func() bool {
			condense()
			results, failed := total(24 * time.Hour)
			return results == 22 && failed == 5
		}, within, every)
	}
	results, failed := total(80 * 24 * time.Hour)
	require.Equal(t, []int{22, 5}, []int{results, failed})
	raw := w.history("connection-units", flow, now.Add(-30*time.Minute), now.Add(time.Minute))
	require.Zero(t, raw.StepS)
	require.Len(t, raw.Points, 22)
	require.InDelta(t, 20, *raw.Points[0].LatencyMs, 0.001)
}

func TestHistoryTellsChangesAndDays(t *testing.T) {
	t.Parallel()
	w, _, flow, _, handshake := watched(t)
	w.passes(time.Minute)
	w.beat()
	w.all(handshake, false)
	w.becomes(flow, missing)
	fell := w.clock.Now()
	w.passes(10 * time.Minute)
	w.beat()
	w.all(handshake, true)
	w.becomes(flow, well)
	now := w.clock.Now()
	h := w.history("connection-units", flow, now.Add(-time.Hour), now.Add(time.Second))
	// A judgement may come between the results of two tests, and between the ten minutes and the next results.
	h.Changes = slices.DeleteFunc(h.Changes, func(c view.Change) bool {
		return c.State == "degraded" || c.State == "unknown"
	})
	require.Len(t, h.Changes, 3)
	require.Equal(t, "down", h.Changes[1].State)
	require.True(t, fell.Equal(h.Changes[1].At))
	down := 0
	for _, d := range h.Days {
		down += d.DownS
	}
	require.Equal(t, 600, down)
	require.Empty(t, w.detail("connection-units", flow).Days)
	var page struct{ Items []view.Subject }
	w.As(string(View)).Get("/api/v1/health/connection-units?days=7&sort=-state").Is(http.StatusOK).JSON(&page)
	require.Len(t, page.Items[0].Days, 7)
	last := page.Items[0].Days[6]
	require.Equal(t, now.Format(time.DateOnly), last.Day)

	viewer := w.As(string(View))
	viewer.Get("/api/v1/health/connection-units/"+flow+"/history?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z").
		Refused(http.StatusBadRequest, "bad_parameter")
	for _, id := range []string{"zzz", database.NewID(), w.node("ams")} {
		viewer.Get("/api/v1/health/connection-units/"+id+"/history").Refused(http.StatusNotFound, "not_found")
	}
}

// Lists are found by a part of the name and by the state, and sorted by what is worst.
func TestSubjectsAreListed(t *testing.T) {
	t.Parallel()
	w, node, _, port, _ := watched(t)
	w.passes(time.Minute)
	w.beat()
	w.all(port, false)
	w.becomes(node, missing)
	names := func(query string) (out []string) {
		var page struct{ Items []view.Subject }
		w.As(string(View)).Get("/api/v1/health/nodes?" + query).Is(http.StatusOK).JSON(&page)
		for _, s := range page.Items {
			out = append(out, s.Name)
		}
		return out
	}
	require.Equal(t, []string{"ams", "ber", "fra", "waw"}, names("sort=name"))
	require.Equal(t, "ams", names("sort=-state")[0])
	require.Equal(t, []string{"ams"}, names("state=down"))
	require.Equal(t, []string{"ams"}, names("state=not_up"))
	require.Equal(t, []string{"fra"}, names("q=FR"))
	require.Empty(t, names("state=unknown"))
	summary := w.As(string(View)).Get("/api/v1/health/summary").Is(http.StatusOK)
	require.EqualValues(t, 4, summary.Value("nodes.total"))
	require.EqualValues(t, 1, summary.Value("nodes.down"))
	require.EqualValues(t, 4, summary.Value("watchers.able"))
	w.As(string(View)).Get("/api/v1/health/nodes?days=91").Refused(http.StatusBadRequest, "bad_parameter")
}

// What agents say comes from servers that may be anybody's: it is bounded, and what they were not asked is not read.
func TestWhatAgentsMakeUpDoesNoHarm(t *testing.T) {
	t.Parallel()
	w, node, flow, _, handshake := watched(t)
	batch := func(seq int64, items ...any) *agentapi.Batch {
		b := &agentapi.Batch{Kind: agentapi.BatchHealth, StreamID: "made up", Seq: seq}
		for _, item := range items {
			raw, err := json.Marshal(item)
			require.NoError(t, err)
			b.Items = append(b.Items, raw)
		}
		return b
	}
	b := batch(1, agentapi.CheckResult{WatchID: handshake, At: w.clock.Now()})
	b.StreamID = "s"
	for _, bad := range []any{
		"text", agentapi.CheckResult{WatchID: "zzz", At: w.clock.Now()}, agentapi.CheckResult{WatchID: handshake},
	} {
		err := w.intake.Take(t.Context(), node, batch(2, bad))
		require.Equal(t, fault.KindInvalid, fault.KindOf(err))
	}
	w.passes(time.Minute)
	w.beat()
	long := make([]byte, 10_000)
	for i := range long {
		long[i] = 'x'
	}
	items := []any{
		agentapi.CheckResult{WatchID: database.NewID(), At: w.clock.Now()},
		agentapi.CheckResult{WatchID: handshake, At: time.Now().Add(24 * time.Hour), Reason: "own word", Error: string(long)},
		agentapi.CheckResult{WatchID: handshake, At: w.clock.Now().Add(-1000 * time.Hour)},
	}
	plain := &agentapi.Batch{Kind: agentapi.BatchHealth, StreamID: "own", Seq: 1}
	for _, item := range items {
		raw, err := json.Marshal(item)
		require.NoError(t, err)
		plain.Items = append(plain.Items, raw)
	}
	require.NoError(t, w.intake.Take(t.Context(), node, plain), "the node itself was not asked to look at its entry")
	require.NoError(t, w.intake.Take(t.Context(), node, plain), "a batch that comes again is stored once")
	w.folded()
	require.Equal(t, well, w.verdict(flow))
	var rows, longest int
	require.NoError(t, w.DB.NewRaw("select count(*), max(length(error)) from health_results where vantage = ?", node).
		Scan(t.Context(), &rows, &longest))
	require.Equal(t, 2, rows, "one is too old")
	require.LessOrEqual(t, longest, 1000)
}

// What agents have kept while the panel was away is taken in rounds of bounded size, each transaction once and as a
// whole, and until it is there nothing is held against anybody.
func TestABacklogIsFoldedInBoundedRounds(t *testing.T) {
	t.Parallel()
	w, _, flow, _, handshake := watched(t)
	const each = 15_000
	for n := range 3 {
		_, err := w.DB.NewRaw(`insert into health_results (check_id, vantage, at, xact, ok, reason, error)
			select ?, ?, ?::timestamptz + n * interval '1 millisecond', pg_current_xact_id()::text::bigint, true, '', ''
			from generate_series(1, ?) n`, handshake, w.node("fra"), w.clock.Now().Add(time.Duration(n)*time.Minute), each).
			Exec(t.Context())
		require.NoError(t, err)
	}
	left := func() (n int) {
		require.NoError(t, w.DB.NewRaw("select count(*) from health_results where xact >= (select folded from health_progress)").
			Scan(t.Context(), &n))
		return n
	}
	before, steps := left(), []int{}
	require.Equal(t, 3*each, before)
	w.passes(3 * time.Minute)
	w.beat()
	require.Eventually(t, func() bool {
		w.round()
		if now := left(); now != before {
			steps, before = append(steps, before-now), now
		}
		return before == 0
	}, within, every)
	require.Greater(t, len(steps), 1, "not all at once")
	for _, step := range steps {
		require.Contains(t, []int{each, 2 * each}, step)
	}
	require.Equal(t, "up", w.verdict(flow).State)
	require.Empty(t, w.incidents(""))
}

// What is remembered of the days that are over is what is read anew, on whatever day and of however many days.
func TestRememberedDaysAreThoseThatAreRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ams", "fra")
	ids := []string{w.node("ams"), w.node("fra"), database.NewID()}
	changes := func(id, was, state string) {
		now := w.clock.Now()
		for _, query := range []string{
			`insert into health_changes (kind, subject_id, at, was, state, reason, hint) values ('node', ?0, ?3, ?1, ?2, '', '')`,
			`insert into health_states (kind, subject_id, name, name_key, state, since, policy_id)
				values ('node', ?0, 'n', 'n', ?2, ?3, gen_random_uuid())
				on conflict (kind, subject_id) do update set state = excluded.state, since = excluded.since`,
		} {
			_, err := w.DB.NewRaw(query, id, was, state, now).Exec(t.Context())
			require.NoError(t, err)
		}
	}
	remembering := view.NewReports(w.views, nil)
	was := "unknown"
	for i, state := range []string{"up", "down", "up", "degraded", "up"} {
		changes(ids[i%2], was, state)
		was = state
		w.passes(time.Hour)
		for _, count := range []int{1, 2, 7, 90} {
			remembered, err := remembering.Days(t.Context(), "node", count, ids...)
			require.NoError(t, err)
			read, err := view.NewReports(w.views, nil).Days(t.Context(), "node", count, ids...)
			require.NoError(t, err)
			require.Equal(t, read, remembered, "%d days", count)
			require.Len(t, read[ids[0]], count)
			require.NotContains(t, read, ids[2], "nobody knows it")
		}
		w.passes(13 * time.Hour)
	}
	days, err := remembering.Days(t.Context(), "node", 90, ids...)
	require.NoError(t, err)
	states := map[string]int{}
	for _, day := range slices.Concat(days[ids[0]], days[ids[1]]) {
		states[day.State]++
	}
	require.Subset(t, []string{"unknown", "up", "down", "degraded"}, slices.Collect(maps.Keys(states)))
	require.Positive(t, states["down"])
}
