package abuse

import (
	"context"
	"net/http"
	"regexp"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"panel/modules/nodes"
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
