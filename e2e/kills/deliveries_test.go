package kills

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
	"panel/platform/database/dbtest"
)

// Rule: kill -9 of the panel at each statement of a delivery loses nothing that was queued. A message arrives at least
// once: one whose record was cut off arrives once more, under the same id. PANEL_TEST_KILLS asks for every statement.
func TestKillsAtTheStatementsOfADeliveryLoseNothing(t *testing.T) {
	t.Parallel()
	d := beginDeliveries(t)
	statements := d.undisturbed()
	require.Greater(t, len(statements), 10, "of the request, its transaction, the claim and the record")
	number := min(kills(t), len(statements))
	for i := range number {
		d.killBefore(1 + i*len(statements)/number)
	}
	d.compare()
	t.Logf("killed before %d of %d statements; acknowledged %d, arrived twice %d", number, len(statements), len(d.acked),
		d.twice())
}

// deliveries is a panel whose only channel is a receiver of webhooks, and every connection to its database.
type deliveries struct {
	*testing.T
	stand   *rig.Stand
	wire    *wire
	db      *pgx.Conn
	channel string
	acked   []string
	mu      sync.Mutex
	arrived map[string]int
}

func beginDeliveries(t *testing.T) *deliveries {
	t.Helper()
	d := &deliveries{T: t, arrived: map[string]int{}}
	receiver := httptest.NewServer(d)
	t.Cleanup(receiver.Close)
	dsn := dbtest.Empty(t)
	through := ""
	d.wire, through = newWire(t, dsn, "notifications_")
	d.stand = rigtest.Install(t, rig.PanelSettings{DSN: through, Env: []string{"PANEL_OUTBOUND_ALLOW=127.0.0.1"}})
	var err error
	d.db, err = pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	t.Cleanup(func() { _ = d.db.Close(context.Background()) })
	var made struct{ ID string }
	require.NoError(t, d.stand.API.Post(t.Context(), "/api/v1/notifications/channels", map[string]any{
		"kind": "webhook", "name": "receiver",
		"webhook": map[string]any{"url": receiver.URL, "secret": "a secret of sixteen letters or more"},
	}, &made))
	d.channel = made.ID
	return d
}

func (d *deliveries) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.arrived[r.Header.Get("Webhook-Id")]++
	w.WriteHeader(http.StatusNoContent)
}

// queue asks for a delivery; what the panel has acknowledged must arrive.
func (d *deliveries) queue() {
	var queued struct{ ID string }
	err := d.stand.API.Post(d.Context(), "/api/v1/notifications/channels/"+d.channel+"/test", nil, &queued)
	if err == nil {
		d.acked = append(d.acked, queued.ID)
	}
}

// undisturbed gives the statements of a delivery from the request to its record.
func (d *deliveries) undisturbed() []string {
	d.Helper()
	d.wire.count(0, nil)
	d.queue()
	d.settled()
	return d.wire.counted()
}

// killBefore kills the panel when the statement with the number is on its way to the database, and starts it again. The
// time until the claim of a dead panel ends is cut short.
func (d *deliveries) killBefore(number int) {
	d.Helper()
	panel := d.stand.Panel
	pid := panel.PID()
	d.wire.count(number, func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
	d.queue()
	select {
	case <-panel.Ended():
	case <-time.After(20 * time.Second): // the delivery took fewer statements this time
		panel.Kill()
	}
	d.wire.counted()
	_, err := d.db.Exec(d.Context(), "update notifications_deliveries set claimed_until = now() where state = 'sending'")
	require.NoError(d, err)
	require.NoError(d, panel.Up(d.Context()))
	d.settled()
}

// settled waits until everything that is queued has come to its end.
func (d *deliveries) settled() {
	d.Helper()
	err := rig.Eventually(d.Context(), 60*time.Second, func(ctx context.Context) error {
		var open string
		err := d.db.QueryRow(ctx, `select coalesce(string_agg(id || ' ' || state, ', '), '') from notifications_deliveries
			where state <> 'sent'`).Scan(&open)
		if err == nil && open != "" {
			return fmt.Errorf("not sent: %s", open)
		}
		return err
	})
	require.NoError(d, err, d.stand.Panel.LastWords())
}

func (d *deliveries) twice() (count int) {
	for _, times := range d.arrived {
		if times > 1 {
			count++
		}
	}
	return count
}

func (d *deliveries) compare() {
	d.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, id := range d.acked {
		require.Positive(d, d.arrived[id], "the acknowledged delivery %s", id)
	}
	for id, times := range d.arrived {
		require.LessOrEqual(d, times, 2, "%s: one kill, one more message", id)
	}
	var failures int
	require.NoError(d, d.db.QueryRow(d.Context(), "select count(*) from journal where action = 'notification.failed'").
		Scan(&failures))
	require.Zero(d, failures, "a panel that dies is no failure of the receiver")
}
