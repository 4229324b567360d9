package flows_test

import (
	"context"
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"panel/modules/clients"
	"panel/modules/flows"
	"panel/modules/flows/flowsapi"
	"panel/platform/app"
	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/module"
	"panel/platform/paneltest"
)

// mortal ends the life of a panel at a chosen statement: from there on none of its statements reaches the database, as
// after a kill, until it is revived. What it had in memory about an apply is lost with the first error.
type mortal struct {
	left  atomic.Int64
	dead  atomic.Bool
	every bool // every statement counts, and not only those that leave the database as another one
}

const immortal = 1 << 40

// TraceQueryStart is called by the driver for every statement.
func (m *mortal) TraceQueryStart(ctx context.Context, c *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	if !m.dead.Load() && (!m.every && !lasting(c, q.SQL) || m.left.Add(-1) >= 0) {
		return ctx
	}
	m.dead.Store(true)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	return ended
}

var changing = regexp.MustCompile(`(?i)\b(insert|update|delete)\b`)

// lasting reports whether a statement makes a change that stays: a commit, or a change outside of any transaction. A
// panel that is killed between two of them leaves the same database as one that is killed right before the second.
func lasting(c *pgx.Conn, statement string) bool {
	if c.PgConn().TxStatus() == 'I' {
		return changing.MatchString(statement)
	}
	return strings.EqualFold(statement, "commit")
}

// TraceQueryEnd belongs to what the driver asks for.
func (m *mortal) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (m *mortal) diesAfter(statements int64) {
	m.left.Store(statements)
	m.dead.Store(false)
}

// killable is a panel with a mortal handle of its database, and another handle for whoever looks on.
func killable(t *testing.T, o *outside) (*stage, *mortal, *database.DB) {
	t.Helper()
	s := &stage{t: t, fleet: newFleet("ams-01", "fra-01")}
	features := []module.Module{s.fleet.manifest(), s.fleet.bindings(), clients.Module(), flows.Module(), o.manifest()}
	dsn, m := dbtest.DSN(t, app.Migrations(app.With(features))...), &mortal{every: soaking()}
	m.diesAfter(immortal)
	open := func(tracer pgx.QueryTracer) *database.DB {
		db, err := database.Open(t.Context(), dsn, database.Options{Tracer: tracer})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, db.Close()) })
		return db
	}
	db, onlooker := open(m), open(nil)
	s.panel = paneltest.Start(t, paneltest.On(db), paneltest.Modules(features...))
	s.admin = s.panel.Admin()
	s.flow = s.create("Europe main", 443)
	return s, m, onlooker
}

// soaking reports whether this is a long run (make soak), which kills before every statement in every scenario.
func soaking() bool { return os.Getenv("PANEL_TEST_SOAK") != "" }

// A panel is killed before any one change of an apply with stages, whether they succeed or fail: whoever continues
// brings the apply to its end, no node stays locked, and nothing is left of an apply that failed.
func TestAnApplyThatIsKilledBetweenAnyTwoStatementsLeavesNothing(t *testing.T) {
	t.Parallel()
	stride := int64(2) // two scenarios of four meet every change
	if soaking() {
		stride = 1
	}
	for i, failing := range []string{"", "parts.before", "parts.ready", "parts.after"} {
		t.Run("failing "+failing, func(t *testing.T) {
			t.Parallel()
			o := &outside{things: map[string]string{}}
			s, m, onlooker := killable(t, o)
			died := true
			kills := 0
			for n := int64(i) % stride; died; n, kills = n+stride, kills+1 {
				o.scripted(func(stage string, call int) (flowsapi.Outcome, error) {
					if stage == failing && (failing != "parts.after" || call < 2) {
						return flowsapi.Outcome{}, errors.New("no")
					}
					return flowsapi.Outcome{}, nil
				}, nil)
				died = s.killedApply(m, onlooker, n)
				s.consistent(o, onlooker)
			}
			t.Logf("%d kills", kills)
		})
	}
}

// killedApply applies a change with a panel that is killed after so many statements, and lets another life continue. It
// reports whether the panel was killed before the apply had ended.
func (s *stage) killedApply(m *mortal, onlooker *database.DB, statements int64) (died bool) {
	s.t.Helper()
	g := s.drawing(443)
	g.Nodes[0].Params.Listener.Reality.MaxTimeDiff = int(statements) + 1 // another one each time
	s.save(g)
	p := s.compile()
	m.diesAfter(statements)
	answer := s.admin.Post(s.path("/apply?wait=0"), order(p, true))
	require.Eventually(
		s.t,
		func() bool { return m.dead.Load() || answer.Status == 200 && s.open(onlooker) == 0 },
		2*time.Minute,
		time.Millisecond,
	)
	died = m.dead.Load()
	m.diesAfter(immortal)
	for _, table := range []string{"flow_applies", "flow_followups"} {
		_, err := onlooker.ExecContext(s.t.Context(),
			"update "+table+" set lease_until = now() where lease_token <> ''")
		require.NoError(s.t, err)
		require.NoError(s.t, database.Notify(s.t.Context(), onlooker, "lease", table))
	}
	require.Eventually(s.t, func() bool { return s.open(onlooker) == 0 }, 2*time.Minute, 5*time.Millisecond)
	return died
}

// open counts what is not at its end yet.
func (s *stage) open(db *database.DB) (n int) {
	s.t.Helper()
	require.NoError(s.t, db.NewRaw(`select (select count(*) from flow_applies where finished_at is null) +
		(select count(*) from flow_followups)`).Scan(s.t.Context(), &n))
	return n
}

// consistent compares what is outside with the applies that there were.
func (s *stage) consistent(o *outside, db *database.DB) {
	s.t.Helper()
	var locks int
	require.NoError(s.t, db.NewRaw("select count(*) from flow_node_locks").Scan(s.t.Context(), &locks))
	require.Zero(s.t, locks)
	var applied []string
	require.NoError(s.t, db.NewRaw("select id from flow_applies where stage = 'applied'").Scan(s.t.Context(), &applied))
	o.mu.Lock()
	defer o.mu.Unlock()
	for stage, apply := range o.things {
		require.Contains(s.t, applied, apply, "%s is left of an apply that failed", stage)
	}
	var installed bool
	require.NoError(s.t, db.NewRaw("select installed_version_id is not null from flows").Scan(s.t.Context(),
		&installed))
	require.Equal(s.t, installed, strings.Contains(s.fleet.serving("fra-01"), s.flow))
	require.Equal(s.t, installed, slices.Contains(applied, o.things["parts.after"]))
}
