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

// A notification arrives a moment after its transaction has committed. Who must not answer before every other panel
// knows, because a right was taken away, asks for an echo: each listener shows by an advisory lock of its connection
// that it listens, and by another one that it has handled everything up to the question. Locks vanish with their
// connection, so that nobody waits for a panel that is gone.
const (
	listens    = 1885433191 // class of the lock that a listener holds as long as it listens
	hasHeard   = 1885433192 // class of the locks that answer questions
	echoes     = "echo"     // channel of the questions
	echoWithin = 5 * time.Second
	keptEchoes = 64
)

// Echo is a question to all listeners, asked with a transaction.
type Echo struct{ number int32 }

// Ask puts the question behind all notifications that tx has sent until now.
func Ask(ctx context.Context, tx bun.IDB) (Echo, error) {
	e := Echo{number: rand.Int32()} //nolint:gosec // tells questions of the same second apart, nothing more
	return e, Notify(ctx, tx, echoes, fmt.Sprint(e.number))
}

// ErrUnheard means that a panel listens but did not answer in time.
var ErrUnheard = errors.New("another panel on this database did not take notice of the change in time")

// Await returns once every listener has handled what was told before the question. The transaction must have committed.
// Fault: ErrUnheard.
func (e Echo) Await(ctx context.Context, db bun.IDB) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), echoWithin)
	defer cancel()
	for pause := 200 * time.Microsecond; ; pause = min(2*pause, 20*time.Millisecond) {
		deaf, err := e.deaf(ctx, db)
		switch {
		case ctx.Err() != nil:
			return ErrUnheard
		case err != nil:
			return fmt.Errorf("waiting for the other panels: %w", err)
		case deaf == 0:
			return nil
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ErrUnheard
		}
	}
}

// deaf counts the listeners that have not answered.
func (e Echo) deaf(ctx context.Context, db bun.IDB) (deaf int, err error) {
	err = db.NewRaw(`with held as (select pid, classid, objid from pg_locks
			where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database()))
		select count(*) from held l where classid = ?
			and not exists (select 1 from held h where h.pid = l.pid and h.classid = ? and h.objid = ?)`,
		listens, hasHeard, e.number).Scan(ctx, &deaf)
	return deaf, err
}

// listening shows that this connection listens.
var listening = fmt.Sprintf("select pg_advisory_lock_shared(%d, 0)", listens)

// echoing answers the questions of one connection.
type echoing struct{ answered []string }

// answer shows that everything up to the question was handled; old answers are taken back.
func (e *echoing) answer(ctx context.Context, conn *pgx.Conn, question string) error {
	const one = "select pg_advisory_lock_shared($1, $2::text::int)"
	ctx, cancel := context.WithTimeout(ctx, echoWithin)
	defer cancel()
	if _, err := conn.Exec(ctx, one, hasHeard, question); err != nil {
		return fmt.Errorf("answering another panel: %w", err)
	}
	if e.answered = append(e.answered, question); len(e.answered) <= keptEchoes {
		return nil
	}
	oldest := e.answered[0]
	e.answered = e.answered[1:]
	if _, err := conn.Exec(ctx, "select pg_advisory_unlock_shared($1, $2::text::int)", hasHeard, oldest); err != nil {
		return fmt.Errorf("answering another panel: %w", err)
	}
	return nil
}
