package health

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/modules/health/bschecktest"
	"panel/platform/app"
	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/module"
	"panel/platform/paneltest"
)

// What the other panel is told beside its database.
const (
	childFlows = "PANEL_TEST_CHILD_FLOWS"
	childPlace = "PANEL_TEST_CHILD_PLACE" // a file that it writes its address to
)

func TestMain(m *testing.M) {
	if dbtest.IsChild(child) {
		return
	}
	os.Exit(m.Run())
}

// child is a panel in a process of its own, until it is killed.
func child(ctx context.Context, dsn, name string) error {
	if name == repairsChild {
		return repairingChild(ctx, dsn)
	}
	db, err := database.Open(ctx, dsn, database.Options{MaxConns: 10})
	if err != nil {
		return err
	}
	own := &flows{}
	if err := json.Unmarshal([]byte(os.Getenv(childFlows)), &own.all); err != nil {
		return err
	}
	place := os.Getenv(childPlace)
	all := app.With(externalModules(own))
	cfg, err := config.Of(map[string]string{
		config.SecretKey.Name: "a master key that only tests know", config.DataDir.Name: filepath.Dir(place),
		config.OutboundAllow.Name: "127.0.0.0/8",
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
	on, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if err := os.WriteFile(place, []byte("http://"+on.Addr().String()), 0o600); err != nil {
		return err
	}
	return errors.Join(composed.Serve(on), ctx.Err())
}

func externalModules(own *flows) []module.Module {
	return own.modules(onlyExternal())
}

// spawned starts another panel on the database and gives its address.
func (c *outside) spawned(dsn string) (*os.Process, string) {
	c.t.Helper()
	place := filepath.Join(c.t.TempDir(), "address")
	known, err := json.Marshal(c.flows.all)
	require.NoError(c.t, err)
	process := dbtest.Spawn(c.t, dsn, "panel", childFlows+"="+string(known), childPlace+"="+place)
	var address []byte
	require.Eventually(c.t, func() bool {
		address, err = os.ReadFile(place)
		return err == nil && len(address) > 0
	}, within, every)
	return process, string(address)
}

// begin asks a panel at an address to start a check; a panel that is killed does not answer.
func begin(ctx context.Context, address, token, flow string) (status int) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address+underFlows+flow+"/bscheck-checks",
		strings.NewReader(`{"max_price": 40}`))
	if err != nil {
		return 0
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0
	}
	_ = answer.Body.Close()
	return answer.StatusCode
}

// Fifty starts at once on two panels in processes of their own, a service that loses answers, and kill -9 of one panel
// in the middle of its checks: never more than the cap is reserved or paid, no check is paid for twice, and what was
// paid for has its result.
func TestAKillInTheMiddleOfPaidChecksPaysNothingTwice(t *testing.T) {
	t.Parallel()
	own := &flows{}
	dsn := dbtest.DSN(t, app.Migrations(app.With(externalModules(own)))...)
	db, err := database.Open(t.Context(), dsn, database.Options{MaxConns: 20})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	c := newChecks(t, paneltest.On(db))
	c.set(map[string]any{"daily_cap": 400})
	c.service.Do(func(s *bschecktest.Service) { s.Slow, s.Lost = 700*time.Millisecond, 3 })
	ids := []string{}
	for range 50 {
		ids = append(ids, c.flow("Edge"))
	}
	process, address := c.spawned(dsn)
	statuses := c.startAll(ids, address)
	require.Equal(t, 10, statuses[http.StatusAccepted])
	require.Eventually(t, func() bool { return c.service.Calls("POST /probe") > 1 }, within, time.Millisecond)
	require.NoError(t, process.Kill())

	c.allEnded()
	sum, checks := c.service.Paid()
	require.Equal(t, int64(400), sum)
	var stored struct{ Cost, Paid, Done int64 }
	require.NoError(t, db.NewRaw(`select sum(cost)::bigint as cost, count(*) filter (where cost > 0) as paid,
		count(*) filter (where state = 'done') as done from health_reports`).
		Scan(t.Context(), &stored.Cost, &stored.Paid, &stored.Done))
	require.Equal(t, [3]int64{sum, int64(checks), int64(checks)}, [3]int64{stored.Cost, stored.Paid, stored.Done})
	c.service.Do(func(s *bschecktest.Service) {
		for key, paid := range s.Charged {
			require.Equal(t, int64(40), paid, key)
		}
	})
	require.Zero(t, c.startAll(ids, c.URL)[http.StatusAccepted], "the cap holds afterwards")
}

// startAll starts a check of each flow at once, by turns at this panel and at another one.
func (c *outside) startAll(ids []string, other string) map[int]int {
	c.t.Helper()
	token := c.Admin().Token
	statuses, mu, all := map[int]int{}, sync.Mutex{}, sync.WaitGroup{}
	for i, id := range ids {
		all.Go(func() {
			status := begin(c.t.Context(), []string{c.URL, other}[i%2], token, id)
			mu.Lock()
			defer mu.Unlock()
			statuses[status]++
		})
	}
	all.Wait()
	return statuses
}

func (c *outside) allEnded() {
	c.t.Helper()
	require.Eventually(c.t, func() bool {
		var open int
		err := c.DB.NewRaw("select count(*) from health_reports where state in ('queued', 'running')").
			Scan(c.t.Context(), &open)
		return err == nil && open == 0
	}, 2*within, every)
}
