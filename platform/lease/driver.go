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
	channel     = "lease"
	idlePoll    = 5 * time.Second // what notifications and known times do not tell is found so late
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

	lookout *lookout

	mu     sync.Mutex
	number int
	claims map[string]*Claim
	woken  []string // rows that were woken and are not driven here
}

// Run drives rows until the context ends, and then releases those that it holds.
func (d *Driver) Run(ctx context.Context) error {
	renewing, stop := context.WithCancel(context.WithoutCancel(ctx))
	var renewer sync.WaitGroup
	renewer.Go(func() { d.renewAll(renewing) })
	defer renewer.Wait()
	defer stop()
	defer d.busy.Wait()
	d.lookout.join(d)
	defer d.lookout.leave(d)
	for ctx.Err() == nil {
		pause, err := d.take(ctx)
		if err != nil && ctx.Err() == nil {
			d.log.Warn("due work could not be claimed", zap.String("process", d.Name), zap.Error(err))
		}
		for idle := err == nil && pause >= idlePoll; !d.sleeps(ctx, pause, idle) && idle; {
			d.lookout.look(ctx)
		}
	}
	return nil
}

// sleeps waits for the end of the pause, or for the time of the next look of all drivers, and tells whether it was
// woken before.
func (d *Driver) sleeps(ctx context.Context, pause time.Duration, idle bool) (woken bool) {
	if idle {
		pause = d.lookout.wait(pause)
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-d.wake:
	case <-timer.C:
		return false
	}
	return true
}

// take claims what is due, as far as there are free places, and says when to ask again.
func (d *Driver) take(ctx context.Context) (pause time.Duration, err error) {
	asking, cancel := context.WithTimeout(ctx, queryWithin)
	defer cancel()
	if err := d.hasten(asking, d.sql.hasten, d.takeWoken()); err != nil {
		return idlePoll, err
	}
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
		pause = min(pause, time.Duration(math.Min(row.Pause, idlePoll.Seconds())*float64(time.Second))+time.Millisecond)
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

// notified wakes the driver, and the row's step where this panel drives it. The payload is a table, a space and a key.
func (d *Driver) notified(payload string) {
	table, id, _ := strings.Cut(payload, " ")
	if table != d.Table.Name {
		return
	}
	d.mu.Lock()
	if c := d.claims[id]; c != nil {
		signal(c.wake)
	} else if id != "" {
		d.woken = append(d.woken, id)
	}
	d.mu.Unlock()
	d.wakeUp()
}

func (d *Driver) takeWoken() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	ids := d.woken
	d.woken = nil
	return ids
}

// hasten ends the pauses of rows. It covers those that were released for a pause while they were being woken.
func (d *Driver) hasten(ctx context.Context, statement string, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	if _, err := d.db.In(ctx).NewRaw(statement, pgdialect.Array(ids)).Exec(ctx); err != nil {
		return database.Fault(fmt.Errorf("wake a %s: %w", d.Name, err), nil)
	}
	return nil
}

func (d *Driver) wakeUp() { signal(d.wake) }

func signal(wake chan struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}
