// Package kills ends the real panel and its database with kill -9 under writes and compares what was acknowledged with
// what is stored: nothing acknowledged may be lost and nothing may be stored twice.
package kills

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
	"panel/platform/database"
)

// kills of one run; PANEL_TEST_KILLS asks for more.
func kills(t *testing.T) int {
	t.Helper()
	given := os.Getenv("PANEL_TEST_KILLS")
	if given == "" {
		return 12
	}
	number, err := strconv.Atoi(given)
	require.NoError(t, err, "PANEL_TEST_KILLS")
	return number
}

// Rule R1: kill -9 of the panel at random moments under API writes and telemetry: 0 acknowledged lost, 0 stored twice.
func TestKillsOfThePanelLoseNothingAcknowledged(t *testing.T) {
	t.Parallel()
	w := begin(t)
	random := rand.New(rand.NewPCG(2026, 11)) //nolint:gosec // the same moments in every run
	for number := range kills(t) {
		if number%4 == 3 {
			w.killWhileStarting(random)
		} else {
			w.killAfter(1 + random.Int64N(120))
		}
	}
	w.compare()
}

// Rule: kill -9 of the private database at any moment: nothing acknowledged is lost, and the panel goes on by itself.
func TestKillsOfThePrivateDatabaseLoseNothingAcknowledged(t *testing.T) {
	t.Parallel()
	w := begin(t)
	random := rand.New(rand.NewPCG(2026, 12)) //nolint:gosec // the same moments in every run
	panel := w.stand.Panel.PID()
	for range max(4, kills(t)/10) {
		w.progress(1 + random.Int64N(120))
		require.NoError(t, syscall.Kill(w.postmaster(), syscall.SIGKILL))
		w.progress(10)
	}
	require.Equal(t, panel, w.stand.Panel.PID())
	require.True(t, w.stand.Panel.Running(), "no process restart is needed")
	w.compare()
}

// world is a panel under writes.
type world struct {
	*testing.T
	stand *rig.Stand
	book  *ledger
	stop  func()
	began time.Time
}

const agents = 3

func begin(t *testing.T) *world {
	t.Helper()
	stand := rigtest.Install(t, rig.PanelSettings{})
	ctx, cancel := context.WithCancel(t.Context())
	w := &world{T: t, stand: stand, book: newLedger(), began: time.Now().UTC().Add(-time.Hour).Truncate(time.Second)}
	var writers sync.WaitGroup
	w.stop = func() { cancel(); writers.Wait() }
	t.Cleanup(w.stop)
	for i := range agents {
		api, nodeID := rigtest.Enrolled(t, stand.API, fmt.Sprintf("agent %d", i))
		agent := &writer{api: api, book: w.book, name: nodeID}
		writers.Go(func() { agent.telemetry(ctx, w.began) })
	}
	var flow struct {
		ID string `json:"id"`
	}
	require.NoError(t, stand.API.Post(t.Context(), "/api/v1/connection-units", map[string]any{"name": "a flow"}, &flow))
	for i := range 2 {
		nodes := &writer{api: stand.API, book: w.book, name: fmt.Sprintf("node %d", i)}
		writers.Go(func() { nodes.nodes(ctx) })
	}
	others := &writer{api: stand.API, book: w.book, name: "token"}
	writers.Go(func() { others.tokens(ctx) })
	writers.Go(func() { others.drafts(ctx, flow.ID) })
	return w
}

const writesAgainWithin = 90 * time.Second

// progress waits until the panel has acknowledged that many writes more.
func (w *world) progress(more int64) {
	w.Helper()
	wanted := w.book.acked.Load() + more
	err := rig.Eventually(w.Context(), writesAgainWithin, func(context.Context) error {
		if now := w.book.acked.Load(); now < wanted {
			return fmt.Errorf("%d writes acknowledged of %d", now, wanted)
		}
		return nil
	})
	require.NoError(w, err, w.stand.Panel.LastWords())
}

// everyWriterAcknowledged waits until each agent and the draft were acknowledged once: a short run may end before.
func (w *world) everyWriterAcknowledged() {
	w.Helper()
	err := rig.Eventually(w.Context(), writesAgainWithin, func(context.Context) error {
		w.book.mu.Lock()
		defer w.book.mu.Unlock()
		if known := len(w.book.batches); known < agents || len(w.book.drafts) == 0 {
			return fmt.Errorf("%d agents of %d and %d drafts were acknowledged", known, agents, len(w.book.drafts))
		}
		return nil
	})
	require.NoError(w, err, w.stand.Panel.LastWords())
}

func (w *world) killAfter(writes int64) {
	w.Helper()
	w.progress(writes)
	w.stand.Panel.Kill()
	require.NoError(w, w.stand.Panel.Up(w.Context()))
}

// killWhileStarting kills twice in a row, the second time before the panel answers.
func (w *world) killWhileStarting(random *rand.Rand) {
	w.Helper()
	w.progress(1 + random.Int64N(20))
	w.stand.Panel.Kill()
	require.NoError(w, w.stand.Panel.Launch())
	select {
	case <-time.After(time.Duration(random.Int64N(int64(300 * time.Millisecond)))):
	case <-w.stand.Panel.Ended():
		require.Fail(w, "the panel ended by itself", w.stand.Panel.LastWords())
	}
	w.stand.Panel.Kill()
	require.NoError(w, w.stand.Panel.Up(w.Context()))
}

func (w *world) postmaster() int {
	w.Helper()
	text, err := os.ReadFile(filepath.Join(w.stand.Panel.DataDir, "postgres", "data", "postmaster.pid"))
	require.NoError(w, err)
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	require.NoError(w, err)
	return pid
}

// connect reaches the private database as a command line tool would.
func (w *world) connect() *pgx.Conn {
	w.Helper()
	dsn, _, err := database.StartPrivate(
		w.Context(),
		database.PrivateOptions{DataDir: w.stand.Panel.DataDir, BinDir: os.Getenv("PANEL_PG_BIN"), Log: zap.NewNop()},
	)
	require.NoError(w, err)
	conn, err := pgx.Connect(w.Context(), dsn)
	require.NoError(w, err)
	w.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func (w *world) compare() {
	w.Helper()
	w.progress(1)
	w.everyWriterAcknowledged()
	w.stop()
	conn := w.connect()
	w.compareNodes(conn)
	w.compareTokens(conn)
	w.compareDrafts(conn)
	w.compareSamples(conn)
	w.Logf(
		"acknowledged: %d nodes, %d tokens, %d samples; %d calls without an answer",
		len(w.book.nodes),
		len(w.book.labels),
		w.book.samples,
		w.book.unclear,
	)
}

// count gives how often each text of a query's only column is there.
func (w *world) count(conn *pgx.Conn, query string) map[string]int {
	w.Helper()
	rows, err := conn.Query(w.Context(), query)
	require.NoError(w, err)
	counts := map[string]int{}
	var text string
	_, err = pgx.ForEachRow(rows, []any{&text}, func() error { counts[text]++; return nil })
	require.NoError(w, err)
	return counts
}

func (w *world) compareNodes(conn *pgx.Conn) {
	w.Helper()
	stored := w.count(conn, "select name || ' ' || id from nodes")
	recorded := w.count(conn, "select object_id from journal where action = 'node.created'")
	for name, id := range w.book.nodes {
		require.Equal(w, 1, stored[name+" "+id], "the acknowledged node %s", name)
		require.Equal(w, 1, recorded[id], "the journal's entry about the node %s", name)
	}
	for name, times := range w.count(conn, "select name from nodes") {
		require.Equal(w, 1, times, "the node %s", name)
	}
}

func (w *world) compareTokens(conn *pgx.Conn) {
	w.Helper()
	stored := w.count(conn, "select label from enrollment_tokens where label <> ''")
	for _, label := range w.book.labels {
		require.Equal(w, 1, stored[label], "the acknowledged token %s", label)
	}
	for label, times := range stored {
		require.Equal(w, 1, times, "the token %s", label)
	}
}

// The newest acknowledged draft is stored, or one that was sent after it and got no answer.
func (w *world) compareDrafts(conn *pgx.Conn) {
	w.Helper()
	require.NotEmpty(w, w.book.drafts)
	for flow, acked := range w.book.drafts {
		var revision int
		var title string
		require.NoError(
			w,
			conn.QueryRow(w.Context(), "select draft_revision, graph->'nodes'->0->>'title' from flows where id = $1",
				flow).
				Scan(&revision, &title),
		)
		number, err := strconv.Atoi(strings.TrimPrefix(title, "draft "))
		require.NoError(w, err)
		require.GreaterOrEqual(w, revision, acked.revision)
		require.GreaterOrEqual(w, number, acked.sent)
		require.Equal(w, revision == acked.revision, number == acked.sent)
	}
}

func (w *world) compareSamples(conn *pgx.Conn) {
	w.Helper()
	var all, distinct int64
	require.NoError(
		w,
		conn.QueryRow(w.Context(), "select count(*), count(distinct (node_id, observed_at)) from node_samples").
			Scan(&all, &distinct),
	)
	require.Equal(w, distinct, all, "samples stored twice")
	require.Len(w, w.book.batches, agents)
	for node, seq := range w.book.batches {
		var stored int64
		query := `select count(*) from node_samples where node_id = $1 and observed_at >= $2 and observed_at < $3`
		from, to := samplesOf(w.began, 1)[0].ObservedAt, samplesOf(w.began, seq+1)[0].ObservedAt
		require.NoError(w, conn.QueryRow(w.Context(), query, node, from, to).Scan(&stored))
		require.Equal(w, seq*samplesPerBatch, stored, "acknowledged samples of node %s", node)
	}
}
