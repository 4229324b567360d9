package flows_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/clients"
	"panel/modules/flows"
	"panel/modules/flows/internal/plan"
	"panel/platform/app"
	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/module"
	"panel/platform/paneltest"
)

// mortals is a pair whose panel has a mortal handle of its database.
func mortals(t *testing.T) (*pair, *mortal) {
	t.Helper()
	p := &pair{
		stage: &stage{t: t, fleet: newFleet("ams-01", "fra-01", "waw-01")}, license: new(licensed), sight: new(sighted),
	}
	features := []module.Module{p.fleet.manifest(), p.fleet.bindings(), clients.Module(), flows.Module()}
	dsn, m := dbtest.DSN(t, app.Migrations(app.With(features))...), &mortal{every: soaking()}
	m.diesAfter(immortal)
	db, err := database.Open(t.Context(), dsn, database.Options{Tracer: m})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	p.db, err = database.Open(t.Context(), dsn, database.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.db.Close()) })
	p.panel = paneltest.Start(t, paneltest.On(db), paneltest.Modules(features...))
	p.admin = p.panel.Admin()
	p.draw()
	p.install()
	return p, m
}

// A panel is killed between any two changes of an apply with a canary, whether it does well or fails: whoever continues
// brings it to its end, no node stays locked, and all nodes serve one version, the one that is installed.
func TestACanaryThatIsKilledBetweenAnyTwoStatementsComesToOneVersion(t *testing.T) {
	t.Parallel()
	stride := int64(3)
	if soaking() {
		stride = 1
	}
	for at, well := range map[int64]bool{0: true, 1: false} {
		t.Run("does well: "+strconv.FormatBool(well), func(t *testing.T) {
			t.Parallel()
			p, m := mortals(t)
			kills := 0
			for n, died := at, true; died; n, kills = n+stride, kills+1 {
				died = p.killedCanary(m, n, well)
			}
			t.Logf("%d kills", kills)
		})
	}
}

// killedCanary applies a change with a canary, kills the panel after so many changes and lets another life continue. It
// reports whether the panel was killed before the apply had ended.
func (p *pair) killedCanary(m *mortal, statements int64, well bool) (died bool) {
	p.t.Helper()
	name := "n" + strconv.FormatInt(statements, 10) + ".example"
	p.save(p.both(name))
	var compiled plan.Plan
	p.admin.Post(p.path("/plan/compile"), wish(p.fleet.id("fra-01"))).Is(201).JSON(&compiled)
	p.confirmed(compiled)
	before := p.fleet.serving("waw-01")
	var known []string
	require.NoError(p.t, p.db.NewRaw("select id from flow_applies").Scan(p.t.Context(), &known))
	if !well {
		p.fleet.scripted(deafLater(p.fleet.id("fra-01")))
	}
	m.diesAfter(statements)
	answer := p.admin.Post(p.path("/apply?wait=0"), order(compiled, true))
	open := func() (n int) {
		require.NoError(p.t, p.db.NewRaw("select count(*) from flow_applies where finished_at is null").
			Scan(p.t.Context(), &n))
		return n
	}
	ended := func() bool {
		turn(p.t, p.db, true)
		return answer.Status == 200 && open() == 0
	}
	require.Eventually(p.t, func() bool { return m.dead.Load() || ended() }, 2*time.Minute, 2*time.Millisecond)
	died = m.dead.Load()
	m.diesAfter(immortal)
	_, err := p.db.ExecContext(p.t.Context(), "update flow_applies set lease_until = now() where lease_token <> ''")
	require.NoError(p.t, err)
	require.NoError(p.t, database.Notify(p.t.Context(), p.db, "lease", "flow_applies"))
	require.Eventually(p.t, func() bool {
		turn(p.t, p.db, true)
		return open() == 0
	}, 2*time.Minute, 5*time.Millisecond)
	p.fleet.scripted(nil)
	p.oneVersion(name, before, known)
	return died
}

// oneVersion requires that all nodes serve the change, where its apply went well, and else none.
func (p *pair) oneVersion(name, before string, known []string) {
	p.t.Helper()
	var state []string
	require.NoError(p.t, p.db.NewRaw(`select stage from flow_applies where not id::text = any(string_to_array(?, ','))`,
		strings.Join(known, ",")).Scan(p.t.Context(), &state))
	applied := len(state) == 1 && state[0] == "applied"
	for _, node := range []string{"fra-01", "waw-01"} {
		require.Equal(p.t, applied, strings.Contains(p.fleet.serving(node), name), "%s, %v", node, state)
	}
	if !applied {
		require.Equal(p.t, before, p.fleet.serving("waw-01"))
	}
	var left struct{ Locks, Kept int }
	require.NoError(p.t, p.db.NewRaw(`select (select count(*) from flow_node_locks) as locks,
		(select count(*) from flow_applies where previous <> '' or content <> '') as kept`).Scan(p.t.Context(), &left))
	require.Zero(p.t, left.Locks)
	require.Zero(p.t, left.Kept, "no secret is kept of an apply that has ended")
}
