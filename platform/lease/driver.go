package lease

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun/dialect/pgdialect"
	"go.uber.org/zap"

	"panel/platform/database"
)

const (
	channel = "lease"
	// idlePoll is how late the driver finds what no notification has told it of.
	idlePoll    = 5 * time.Second
	renewEvery  = TTL / 3
	queryWithin = TTL / 3
	// longPause is a pause for which no driver waits with the row in its hands.
	longPause = 2 * time.Second
)

// Driver drives the rows of one table on this panel.
type Driver struct {
	Process
	db    *database.DB
	clock clockwork.Clock
	log   *zap.Logger
	id    string
	sql   statements
	wake  chan struct{}
	busy  sync.WaitGroup

	mu     sync.Mutex
	number int
	claims map[string]*Claim
}

// Run drives rows until the context ends, and then releases those that it holds.
func (d *Driver) Run(ctx context.Context) error {
	renewing, stop := context.WithCancel(context.WithoutCancel(ctx))
	var renewer sync.WaitGroup
	renewer.Go(func() { d.renewAll(renewing) })
	defer renewer.Wait()
	defer stop()
	defer d.busy.Wait()
	for ctx.Err() == nil {
		pause, err := d.take(ctx)
		if err != nil && ctx.Err() == nil {
			d.log.Warn("due work could not be claimed", zap.String("process", d.Name), zap.Error(err))
		}
		d.sleep(ctx, pause)
	}
	return nil
}

// sleep waits until a row may be due: leases end by the time that passes, and a Due comes by the clock of the panel.
func (d *Driver) sleep(ctx context.Context, pause time.Duration) {
	passed, clock := time.NewTimer(pause), d.clock.NewTimer(pause)
	defer passed.Stop()
	defer clock.Stop()
	select {
	case <-ctx.Done():
	case <-d.wake:
	case <-passed.C:
	case <-clock.Chan():
	}
}

// take claims what is due, as far as there are free places, and says when to ask again.
func (d *Driver) take(ctx context.Context) (pause time.Duration, err error) {
	asking, cancel := context.WithTimeout(ctx, queryWithin)
	defer cancel()
	driven, token, free := d.places()
	if free <= 0 {
		return idlePoll, nil // a place that becomes free wakes the driver
	}
	var rows []claimRow
	err = d.db.NewRaw(d.sql.claim, pgdialect.Array(driven), token, free, TTL.Seconds(), panelDied, d.Now()).
		Scan(asking, &rows)
	if err != nil {
		return idlePoll, database.Fault(fmt.Errorf("claim work: %w", err), nil)
	}
	pause = idlePoll
	for _, row := range rows {
		if row.ID != nil {
			d.begin(ctx, &Claim{ID: *row.ID, Token: token, driver: d, failures: row.Failures, cause: row.Cause})
		}
		pause = min(pause, time.Duration(math.Min(row.Pause, pause.Seconds())*float64(time.Second))+time.Millisecond)
	}
	return pause, nil
}

// places leaves out what this process drives: while its driver is stalled a second one would only stand beside it.
func (d *Driver) places() (driven []string, token string, free int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.number++
	driven = slices.AppendSeq([]string{}, maps.Keys(d.claims))
	return driven, fmt.Sprintf("%s/%d", d.id, d.number), d.Parallel - len(d.claims)
}

// notified wakes the driver, or the row's step where this panel drives it. The payload is a table, a space and a key.
func (d *Driver) notified(payload string) {
	table, id, _ := strings.Cut(payload, " ")
	if table != d.Table.Name {
		return
	}
	d.mu.Lock()
	if c := d.claims[id]; c != nil {
		signal(c.wake)
	}
	d.mu.Unlock()
	d.wakeUp()
}

func (d *Driver) wakeUp() { signal(d.wake) }

func signal(wake chan struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}
