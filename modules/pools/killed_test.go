package pools

import (
	"context"
	"net/http"
	"regexp"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
	"panel/platform/app"
	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/paneltest"
)

// mortal is a panel's handle of its database that dies before one of its changes: from there on no statement arrives.
type mortal struct {
	left atomic.Int64
	dead atomic.Bool
}

const never = 1 << 40

var changing = regexp.MustCompile(`(?i)^\s*(insert|update|delete|commit|with)\b`)

// TraceQueryStart is called by the driver for every statement.
func (m *mortal) TraceQueryStart(ctx context.Context, _ *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	if !m.dead.Load() && (!changing.MatchString(q.SQL) || m.left.Add(-1) >= 0) {
		return ctx
	}
	m.dead.Store(true)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	return ended
}

// TraceQueryEnd belongs to what the driver asks for.
func (m *mortal) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (m *mortal) lives() (was bool) {
	m.left.Store(never)
	return !m.dead.Swap(false)
}

// deadly is a world whose panel the test kills, and a handle for whoever looks on.
func deadly(t *testing.T) (*world, *mortal, *database.DB) {
	t.Helper()
	m := &mortal{}
	m.left.Store(never)
	dsn := dbtest.DSN(t, app.Migrations(app.With(features()))...)
	open := func(options database.Options) *database.DB {
		db, err := database.Open(t.Context(), dsn, options)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, db.Close()) })
		return db
	}
	onlooker := open(database.Options{})
	panel := paneltest.Start(t, paneltest.On(open(database.Options{Tracer: m})), paneltest.Modules(features()...))
	return newWorldOn(t, panel), m, onlooker
}

// A panel that is killed between any two statements of a change has changed all of it or nothing: the pool with its
// members and its line in the journal, and what its agents are told, or none of it.
func TestAChangeThatIsKilledIsWholeOrNothing(t *testing.T) {
	t.Parallel()
	w, m, onlooker := deadly(t)
	p := w.pool("Europe")
	w.flow("Main", p.ID)
	require.Eventually(t, func() bool { return len(w.told().Pools) == 1 }, within, every)
	revision := 1
	for n, killed := int64(0), true; killed; n++ {
		weight := int(n) + 2
		body := fields{"revision": revision, "members": []fields{
			{"node_id": w.exits[0], "weight": weight}, {"node_id": w.exits[1]},
		}}
		m.left.Store(n)
		status := w.admin.Patch(path+"/"+p.ID, body).Status
		killed = !m.lives()
		var saved, members, told int
		require.NoError(t, onlooker.NewRaw(`select (select revision from transit_pools where id = ?0),
			(select count(*) from transit_pool_members where pool_id = ?0 and weight = ?1),
			(select count(*) from journal where action = 'pool.updated')`, p.ID, weight).
			Scan(t.Context(), &saved, &members, &told))
		require.Contains(t, []int{revision, revision + 1}, saved)
		require.Equal(t, saved-1, told, "killed before change %d: each revision has its line", n)
		require.Equal(t, saved-revision, members, "killed before change %d", n)
		if status == http.StatusOK {
			require.Equal(t, revision+1, saved, "what is answered is saved")
		}
		revision = saved
		if saved > 1 {
			require.EqualValues(t, saved, w.told().Pools[0].Revision, "agents are told with it")
		}
		require.Less(t, n, int64(60), "a change ends")
	}
	require.Greater(t, revision, 1)
}

// A batch that an agent sends again after its panel was killed is taken once: every state and choice in it, and news of
// each, whichever statement was the last one.
func TestABatchThatIsKilledIsTakenOnce(t *testing.T) {
	t.Parallel()
	w, m, onlooker := deadly(t)
	p := w.pool("Europe", "members", members(w.exits[0]))
	w.flow("Main", p.ID)
	require.Eventually(t, func() bool { return len(w.told().Pools) == 1 }, within, every)
	at := w.panel.Clock.Now()
	batch := func(seq int64) agentapi.Batch {
		down := seq%2 == 1
		to, who, usable := agentapi.PoolHealthy, agentapi.PoolServesMembers, 1
		if down {
			to, who, usable = agentapi.PoolDown, agentapi.PoolServesFallback, 0
		}
		b := agentapi.Batch{StreamID: "s", Seq: seq}
		b.Items = append(b.Items, mustJSON(t, state(p, 0, to, at)), mustJSON(t, serves(p, who, usable, "member_down", at)))
		return b
	}
	switches := -1 // the first choice is none
	for seq, killed := int64(1), true; killed; seq++ {
		one := batch(seq)
		m.left.Store(seq - 1)
		w.entry.Post("/agent/v1/batches/pools", one)
		killed = !m.lives()
		w.entry.Post("/agent/v1/batches/pools", one).Is(http.StatusOK)
		switches++
		var last int64
		var noted int
		require.NoError(t, onlooker.NewRaw(`select (select last_seq from transit_pool_streams),
			(select count(*) from transit_pool_switches)`).Scan(t.Context(), &last, &noted))
		require.Equal(t, seq, last)
		require.Equal(t, switches, noted, "killed before change %d of a batch", seq)
		want := map[bool]string{true: "down", false: "healthy"}[seq%2 == 1]
		require.Equal(t, want, w.read(p.ID).Members[0].State)
		require.Less(t, seq, int64(60), "a batch ends")
	}
}
