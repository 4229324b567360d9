// Package turns lets the panels of one database write to a name at a DNS service one after the other: services that
// know sets of records alone are read, changed and written back.
package turns

import (
	"context"
	"fmt"
	"time"

	"panel/platform/database"
	"panel/platform/fault"
)

// Turns gives out locks by name, each one a short lease in the database: no transaction stays open while a service is
// called, and the lock of a panel that was killed ends by itself. It is safe for concurrent use.
type Turns struct {
	db *database.DB
	// hold is how long a write may take, margin how much longer its lock lives, and wait how long others wait for it.
	hold, margin, wait time.Duration
}

// New makes the turns of a database.
func New(db *database.DB) *Turns {
	return &Turns{db: db, hold: 40 * time.Second, margin: 5 * time.Second, wait: time.Minute}
}

const (
	shortestPause = 20 * time.Millisecond
	longestPause  = 500 * time.Millisecond
)

// Take waits for the lock of a name. What it gives ends before the lock does, so that a write that takes too long is
// over before another one begins. Fault: unavailable (503) when others hold the lock for too long.
func (t *Turns) Take(ctx context.Context, name string) (held context.Context, release func(), err error) {
	token, patience := database.NewID(), time.NewTimer(t.wait)
	defer patience.Stop()
	for pause := shortestPause; ; pause = min(2*pause, longestPause) {
		held, cancel := context.WithTimeout(ctx, t.hold)
		taken, err := t.try(ctx, name, token)
		if taken {
			return held, func() { cancel(); t.release(ctx, name, token) }, nil
		}
		if cancel(); err != nil {
			return nil, nil, err
		}
		select {
		case <-ctx.Done():
			return nil, nil, fmt.Errorf("wait for the lock of a name: %w", context.Cause(ctx))
		case <-patience.C:
			return nil, nil, fault.Unavailable("the records of this name are being written by another request").
				After(t.hold)
		case <-time.After(pause):
		}
	}
}

// try takes a lock that nobody holds, or that its holder did not give back in time.
func (t *Turns) try(ctx context.Context, name, token string) (taken bool, err error) {
	done, err := t.db.In(ctx).NewRaw(`insert into cdndns_name_locks as l (name, token, until)
		values (?, ?, now() + make_interval(secs => ?)) on conflict (name) do update
		set token = excluded.token, until = excluded.until where l.until <= now()`,
		name, token, (t.hold + t.margin).Seconds()).Exec(ctx)
	if err != nil {
		return false, database.Fault(fmt.Errorf("take the lock of a name: %w", err), nil)
	}
	rows, err := done.RowsAffected()
	return err == nil && rows == 1, err
}

// release gives the lock back, also after its request is over, and removes those that were never given back. What
// fails here ends by itself.
func (t *Turns) release(ctx context.Context, name, token string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), t.margin)
	defer cancel()
	_, _ = t.db.In(ctx).NewRaw("delete from cdndns_name_locks where name = ? and token = ? or until <= now()",
		name, token).Exec(ctx)
}
