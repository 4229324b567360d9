package abuse

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"panel/modules/nodes"
	"panel/platform/agentapi"
	"panel/platform/app"
	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/module"
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
	none := new(served)
	dsn := dbtest.DSN(t, app.Migrations(app.With([]module.Module{
		nodes.Module(), none.flowsModule(), none.clientsModule(), Module(),
	}))...)
	open := func(options database.Options) *database.DB {
		db, err := database.Open(t.Context(), dsn, options)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, db.Close()) })
		return db
	}
	onlooker := open(database.Options{})
	return fleet(t, paneltest.On(open(database.Options{Tracer: m}))), m, onlooker
}

// A panel that is killed between any two statements of a question has asked it wholly or not at all: with its line in
// the journal, the order to the entry and the job that follows it.
func TestAQuestionThatIsKilledIsWholeOrNothing(t *testing.T) {
	t.Parallel()
	w, m, onlooker := deadly(t)
	for n, killed := int64(0), true; killed; n++ {
		m.left.Store(n)
		answer := w.admin.Post(lookupsPath, complaint())
		killed = !m.lives()
		var asked, nodes, journal, orders int
		require.NoError(t, onlooker.NewRaw(`select (select count(*) from abuse_lookups),
			(select count(*) from abuse_lookup_nodes), (select count(*) from journal where action = 'abuse.lookup_asked'),
			(select count(*) from node_commands where kind = 'find_connections')`).
			Scan(t.Context(), &asked, &nodes, &journal, &orders))
		require.Equal(t, []int{asked, asked, asked}, []int{nodes, journal, orders}, "killed before change %d", n)
		if !killed {
			require.Equal(t, http.StatusAccepted, answer.Status)
		}
	}
}

// A panel that is killed between any two statements of a round has scored all of it or nothing: each signal counts once
// in the hours, a user has one case, and what is remembered of him is what came.
func TestARoundThatIsKilledCountsNothingTwice(t *testing.T) {
	t.Parallel()
	w, m, onlooker := deadly(t)
	w.tells(1, scan(w.users[0]), seen(w.users[0]), seen(w.users[0]))
	for n, killed := int64(0), true; killed; n++ {
		m.left.Store(n)
		err := w.cases.CatchUp(t.Context())
		killed = !m.lives()
		if !killed {
			require.NoError(t, err)
		}
		var counted, cases, subjects, opened, days int64
		require.NoError(t, onlooker.NewRaw(`select (select coalesce(sum(signals), 0) from abuse_hours),
			(select count(*) from abuse_cases), (select count(*) from abuse_subjects),
			(select count(*) from abuse_cases where signals ->> 'port_scan' = '500'),
			(select coalesce(sum(count), 0) from abuse_user_days)`).
			Scan(t.Context(), &counted, &cases, &subjects, &opened, &days))
		require.Equal(t, map[int64]int64{0: 0, 3: 506}[counted], days, "killed before change %d", n)
		require.Contains(t, []int64{0, 3}, counted, "killed before change %d", n)
		require.Equal(t, []int64{counted / 3, counted / 3, counted / 3}, []int64{cases, subjects, opened},
			"killed before change %d", n)
	}
	w.scores()
	require.Len(t, w.openCases(""), 1)
	var counted int64
	require.NoError(t, onlooker.NewRaw("select sum(signals) from abuse_hours").Scan(t.Context(), &counted))
	require.EqualValues(t, 3, counted)
}

// A batch that an agent sends again because its panel was killed is stored once.
func TestABatchThatIsKilledIsStoredOnce(t *testing.T) {
	t.Parallel()
	w, m, onlooker := deadly(t)
	for n, killed := int64(0), true; killed; n++ {
		m.left.Store(n)
		err := w.intake.Signals(t.Context(), w.nodes[0].NodeID, batchOf(n+1, seen(w.users[0])))
		killed = !m.lives()
		if killed {
			w.tells(n+1, seen(w.users[0]))
		} else {
			require.NoError(t, err)
		}
		var stored int64
		require.NoError(t, onlooker.NewRaw("select count(*) from abuse_signals").Scan(t.Context(), &stored))
		require.Equal(t, n+1, stored, "killed before change %d", n)
	}
}

// A panel that is killed while it hears what an entry answered leaves that to the next one, whole: the people with the
// state of the entry.
func TestAnAnswerThatIsKilledIsHeardWhole(t *testing.T) {
	t.Parallel()
	w, m, onlooker := deadly(t)
	asked := w.ask()
	id, _ := w.question(0)
	data, err := json.Marshal(agentapi.FindConnectionsData{
		Since: asked.At.Add(-time.Hour), Lines: []agentapi.ConnectionLine{{
			Minute: asked.At, UserRef: w.users[0], FlowID: w.flows[0], Dest: victim, Port: 22, Count: 1,
		}},
	})
	require.NoError(t, err)
	w.nodes[0].Finish(id, agentapi.CommandResult{OK: true, Data: data}).Is(http.StatusNoContent)
	w.abandon(asked.ID)
	for n, killed := int64(0), true; killed; n++ {
		m.left.Store(n)
		err := w.lookups.Tidy(t.Context())
		killed = !m.lives()
		if !killed {
			require.NoError(t, err)
		}
		var state, node string
		var people int
		require.NoError(t, onlooker.NewRaw(`select l.state, n.state, jsonb_array_length(n.people) from abuse_lookups l
			join abuse_lookup_nodes n on n.lookup_id = l.id`).Scan(t.Context(), &state, &node, &people))
		expected := map[string][]any{"running": {"asked", 0}, "done": {"answered", 1}}[state]
		require.Equal(t, expected, []any{node, people}, "killed before change %d", n)
	}
	require.Equal(t, "done", w.lookup(asked.ID).State)
}
