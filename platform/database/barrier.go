package database

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"
)

// A notification arrives a moment after its transaction has committed. An answer that must not leave before every other
// panel knows of the change, because a right was taken away, waits at a barrier: each listener holds one advisory lock
// while it listens and takes another one when it has handled everything before the barrier. Locks vanish with their
// connection, so nobody waits for a panel that is gone.
const (
	listenerLock   = 1885433191 // class of the lock that a listener holds as long as it listens
	passedLock     = 1885433192 // class of the locks that show which barriers a listener has passed
	barrierChannel = "echo"     // the name that earlier releases listen to as well
	barrierTimeout = 5 * time.Second
	mostPassed     = 64
)

// Barrier separates the notifications sent before it from those sent after it, for all listeners.
type Barrier struct{ number int32 }

// NewBarrier puts a barrier behind all notifications that tx has sent so far.
func NewBarrier(ctx context.Context, tx bun.IDB) (Barrier, error) {
	b := Barrier{number: rand.Int32()} //nolint:gosec // separates barriers of the same second, nothing more
	return b, Notify(ctx, tx, barrierChannel, fmt.Sprint(b.number))
}

// ErrLaggards means that a panel is listening but did not pass the barrier in time.
var ErrLaggards = errors.New("another panel on this database did not take notice of the change in time")

// Await returns once every listener has passed the barrier. The transaction must have committed. Fault: ErrLaggards.
func (b Barrier) Await(ctx context.Context, db bun.IDB) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), barrierTimeout)
	defer cancel()
	for pause := 200 * time.Microsecond; ; pause = min(2*pause, 20*time.Millisecond) {
		laggards, err := b.laggards(ctx, db)
		switch {
		case ctx.Err() != nil:
			return ErrLaggards
		case err != nil:
			return fmt.Errorf("waiting for the other panels: %w", err)
		case laggards == 0:
			return nil
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ErrLaggards
		}
	}
}

// laggards counts the listeners that have not passed the barrier.
func (b Barrier) laggards(ctx context.Context, db bun.IDB) (count int, err error) {
	err = db.NewRaw(`with held as (select pid, classid, objid from pg_locks
			where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database()))
		select count(*) from held l where classid = ?
			and not exists (select 1 from held h where h.pid = l.pid and h.classid = ? and h.objid = ?)`,
		listenerLock, passedLock, b.number).Scan(ctx, &count)
	return count, err
}

// showListening takes the lock that shows that a connection listens.
var showListening = fmt.Sprintf("select pg_advisory_lock_shared(%d, 0)", listenerLock)

// passedBarriers are the barriers that one connection shows as passed, oldest first.
type passedBarriers []string

// pass shows that everything before the barrier was handled; the oldest barriers are no longer shown.
func (p *passedBarriers) pass(ctx context.Context, conn *pgx.Conn, number string) error {
	ctx, cancel := context.WithTimeout(ctx, barrierTimeout)
	defer cancel()
	if _, err := conn.Exec(ctx, "select pg_advisory_lock_shared($1, $2::text::int)", passedLock, number); err != nil {
		return fmt.Errorf("passing the barrier of another panel: %w", err)
	}
	if *p = append(*p, number); len(*p) <= mostPassed {
		return nil
	}
	oldest := (*p)[0]
	*p = (*p)[1:]
	if _, err := conn.Exec(ctx, "select pg_advisory_unlock_shared($1, $2::text::int)", passedLock, oldest); err != nil {
		return fmt.Errorf("passing the barrier of another panel: %w", err)
	}
	return nil
}
