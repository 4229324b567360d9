package health

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/modules/health/internal/place"
	"panel/modules/health/internal/repair"
	"panel/platform/app"
	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/jobs"
	"panel/platform/module"
	"panel/platform/paneltest"
)

// repairsChild names the children that decide and repair.
const repairsChild = "repairs"

// repairModules are a panel that does nothing else than to repair, over and over.
func repairModules() []module.Module {
	manifest := Module()
	manifest.Attach = func(h *handlers, p *place.Placer, heals *repair.Repairs) module.Parts {
		look := func(ctx context.Context) error {
			tick := time.NewTicker(5 * time.Millisecond)
			defer tick.Stop()
			for ctx.Err() == nil {
				_ = heals.Look(ctx) // the other panels may be ahead
				<-tick.C
			}
			return ctx.Err()
		}
		return module.Parts{
			Routes: h.routes(), Jobs: []jobs.Worker{worker(p)}, Loops: []func(context.Context) error{heals.Run, look},
		}
	}
	others := &flows{}
	return others.modules(manifest)
}

// repairingChild is such a panel in a process of its own, until it is killed.
func repairingChild(ctx context.Context, dsn string) error {
	db, err := database.Open(ctx, dsn, database.Options{MaxConns: 10})
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "repairs")
	if err != nil {
		return err
	}
	all := app.With(repairModules())
	cfg, err := config.Of(map[string]string{
		config.SecretKey.Name: "a master key that only tests know", config.DataDir.Name: folder,
	}, app.Keys(all)...)
	if err != nil {
		return err
	}
	secrets, err := app.OpenVault(ctx, cfg, db)
	if err != nil {
		return err
	}
	composed, err := app.New(app.Options{
		Modules: all, Config: cfg, Log: zap.NewNop(), Clock: clockwork.NewRealClock(), DB: db, Vault: secrets,
	})
	if err != nil {
		return err
	}
	if err := composed.Start(ctx); err != nil {
		return err
	}
	<-ctx.Done()
	return ctx.Err()
}

// Panels that are killed in the middle of repairs, again and again, leave one truth: one action for each node that
// needs it, and one order to its agent.
func TestKilledPanelsRepairOnce(t *testing.T) {
	t.Parallel()
	dsn := dbtest.DSN(t, app.Migrations(app.With(repairModules()))...)
	db, err := database.Open(t.Context(), dsn, database.Options{MaxConns: 10})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	idle := Module()
	idle.Attach = func(h *handlers, p *place.Placer) module.Parts {
		return module.Parts{Routes: h.routes(), Jobs: []jobs.Worker{worker(p)}}
	}
	others := &flows{}
	p := paneltest.Start(t, paneltest.On(db),
		paneltest.Modules(others.modules(idle)...))
	admin := p.Admin()
	const many = 40
	for i := range many {
		admin.AddNode(fmt.Sprintf("node-%02d", i), "address", fmt.Sprint("192.0.2.", i+1))
	}
	policy := admin.Get(policiesPath + "/" + defaultID).Is(200)
	admin.Patch(policiesPath+"/"+defaultID, fields{"revision": policy.Value("revision"), "repair": fields{
		"mode": "auto", "actions": []string{"restart_core"}, "limits": fields{"max_actions_per_hour": 1000, "cooldown_s": 300},
	}}).Is(200)
	require.Eventually(t, func() bool { // the placing that follows the change
		result, err := db.NewRaw(`update health_states set state = 'down', reason = 'core_failed', hint = 'core_failed',
			since = now() - interval '1 minute', layers = '{"heartbeat": "heard", "core": "failed"}'
			where (select count(*) from health_states) = ?`, many).Exec(t.Context())
		require.NoError(t, err)
		changed, err := result.RowsAffected()
		return err == nil && changed == many
	}, within, every)
	for range 4 {
		process := dbtest.Spawn(t, dsn, repairsChild)
		require.Eventually(t, func() bool { return actionsOf(t, db, "") > 0 }, within, every)
		<-time.After(time.Duration(rand.IntN(40)) * time.Millisecond)
		require.NoError(t, process.Kill())
		_, _ = process.Wait()
	}
	for range 2 {
		dbtest.Spawn(t, dsn, repairsChild)
	}
	require.Eventually(t, func() bool { return actionsOf(t, db, "running") == many }, within, every)
	require.Equal(t, many, actionsOf(t, db, ""), "one decision for each node")
	var orders, distinct int
	require.NoError(t, db.NewRaw(`select count(*), count(distinct node_id) from node_commands where kind = 'restart_core'`).
		Scan(t.Context(), &orders, &distinct))
	require.Equal(t, [2]int{many, many}, [2]int{orders, distinct}, "one order for each node")
}

// actionsOf counts the actions in a state, all without one.
func actionsOf(t *testing.T, db *database.DB, state string) (n int) {
	t.Helper()
	require.NoError(t, db.NewRaw("select count(*) from health_actions where ? in ('', state)", state).Scan(t.Context(), &n))
	return n
}
