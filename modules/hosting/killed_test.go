package hosting

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"panel/modules/clients"
	"panel/modules/domains"
	"panel/modules/flows"
	"panel/modules/hosting/hostingtest"
	"panel/modules/hosting/internal/cloud"
	"panel/modules/nodes"
	"panel/modules/pools"
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

// dies lets the panel make so many changes more.
func (m *mortal) dies(after int64) { m.left.Store(after) }

// lives ends the death of a panel, and tells whether it had died.
func (m *mortal) lives() (died bool) {
	m.left.Store(never)
	return m.dead.Swap(false)
}

// newDeadly is a bench whose panel the test kills, and a handle for whoever looks on.
func newDeadly(t *testing.T) (*bench, *mortal, *database.DB) {
	t.Helper()
	features := []module.Module{
		nodes.Module(), domains.Module(), clients.Module(), flows.Module(), pools.Module(), Module(),
	}
	m := &mortal{}
	m.left.Store(never)
	dsn := dbtest.DSN(t, app.Migrations(app.With(features))...)
	open := func(options database.Options) *database.DB {
		db, err := database.Open(t.Context(), dsn, options)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, db.Close()) })
		return db
	}
	onlooker := open(database.Options{})
	panel := paneltest.Start(t, panelOf(paneltest.On(open(database.Options{Tracer: m})))...)
	return &bench{panel, t, hostingtest.New(t, "hetzner"), "hetzner"}, m, onlooker
}

// stride is how many changes lie between two kills; a long run kills before each.
func stride() int64 {
	if os.Getenv("PANEL_TEST_SOAK") != "" {
		return 1
	}
	return 4
}

// A panel that is killed before any change of a create makes the machine once, or not at all: "a create that timed out
// is found again and not made twice". Whoever continues brings it to its end.
func TestACreateThatIsKilledMakesOneMachine(t *testing.T) {
	t.Parallel()
	b, m, onlooker := newDeadly(t)
	account, admin, kills := b.add(), b.Admin(), 0
	for n, died := int64(0), true; died; n += stride() {
		name := fmt.Sprintf("ams-%d", n)
		m.dies(n)
		answer := admin.Do(http.MethodPost, accountsPath+"/"+account.ID+"/servers", wish(name), "Idempotency-Key", name)
		require.Eventually(t, func() bool {
			return m.dead.Load() || len(b.bearing(onlooker, name, orderAgent)) == 1
		}, within, time.Millisecond, "%s", answer.Body)
		if died = m.lives(); died {
			kills++
		}
		b.continues(onlooker)
		orders := b.bearing(onlooker, name, "")
		if len(orders) == 0 {
			require.GreaterOrEqual(t, answer.Status, http.StatusInternalServerError)
			require.Zero(t, count(t, onlooker, "nodes where name = ?", name), "a node of no order")
			continue
		}
		require.Eventually(t, func() bool {
			b.continues(onlooker)
			return len(b.bearing(onlooker, name, orderAgent)) == 1
		}, 2*within, 50*time.Millisecond)
		b.madeOnce(onlooker, name, orders[0])
		require.Less(t, n, int64(200), "a create has an end")
	}
	t.Logf("%d kills", kills)
	require.Greater(t, kills, 1)
}

// continues lets time pass: leases of the dead end, and a machine that was not found was looked for long enough.
func (b *bench) continues(db *database.DB) {
	b.t.Helper()
	_, err := db.ExecContext(b.t.Context(), `update hosting_orders set lease_until = now(),
		sent_at = case when state = 'queued' then sent_at - interval '1 minute' else sent_at end
		where finished_at is null and state in ('queued', 'provider')`)
	require.NoError(b.t, err)
	require.NoError(b.t, database.Notify(b.t.Context(), db, "lease", "hosting_orders"))
}

// bearing gives the ids of the orders of a machine, in a state where one is named.
func (b *bench) bearing(db *database.DB, name, state string) (ids []string) {
	b.t.Helper()
	require.NoError(b.t, db.NewRaw("select id from hosting_orders where name = ? and ? in ('', state)", name, state).
		Scan(b.t.Context(), &ids))
	return ids
}

func count(t *testing.T, db *database.DB, what string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, db.NewRaw("select count(*) from "+what, args...).Scan(t.Context(), &n))
	return n
}

// madeOnce requires one machine, one row, one node, one token that is good, and one line in the journal.
func (b *bench) madeOnce(db *database.DB, name, order string) {
	b.t.Helper()
	made := slices.DeleteFunc(b.cloud.Machines(), func(m hostingtest.Machine) bool {
		return !slices.Contains(m.Tags, cloud.Mark(order))
	})
	require.Len(b.t, made, 1, name)
	require.Equal(b.t, 1, count(b.t, db, "hosting_servers where name = ?", name))
	require.Equal(b.t, 1, count(b.t, db, "nodes where name = ?", name))
	require.Equal(b.t, 1, count(b.t, db, `enrollment_tokens where revoked_at is null and bind_node_id =
		(select id from nodes where name = ?)`, name))
	require.Equal(b.t, 1, count(b.t, db, "journal where action = ? and object_name = ?", serverOrdered, name))
}

// A panel that is killed before any change of a delete deletes the machine, and tells of it once.
func TestADeleteThatIsKilledIsToldOnce(t *testing.T) {
	t.Parallel()
	b, m, onlooker := newDeadly(t)
	account, admin := b.add(), b.Admin()
	for n, died := int64(0), true; died; n += stride() {
		id := int(n) + 1
		b.cloud.Put(machine(id, "192.0.2.9"))
		require.Equal(t, "succeeded", b.sync(account.ID))
		one := b.servers(account.ID)[0]
		over := func() bool {
			return count(t, onlooker, "hosting_orders where act = 'delete' and name = ? and state = 'done'", one.Name) == 1
		}
		m.dies(n)
		path := accountsPath + "/" + account.ID + "/servers/" + one.ID + "?confirm=" + one.Name
		admin.Delete(path)
		require.Eventually(t, func() bool { return m.dead.Load() || over() }, within, time.Millisecond)
		died = m.lives()
		if len(b.bearing(onlooker, one.Name, "")) == 0 {
			admin.Delete(path).Is(http.StatusAccepted)
		}
		require.Eventually(t, func() bool { b.continues(onlooker); return over() }, 2*within, 50*time.Millisecond)
		require.Empty(t, b.cloud.Machines())
		require.Equal(t, 1, count(t, onlooker, "journal where action = ? and object_id = ?", serverDeleted, one.ID))
		require.Less(t, n, int64(200), "a delete has an end")
	}
}
