package offers

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"panel/platform/database"
)

// A writer has a proxy panel for itself, by a short lease in the database: no transaction stays open while the panel is
// asked, and the lease of a panel that was killed ends by itself.
const (
	leaseFor   = 15 * time.Second
	renewEvery = 4 * time.Second
	// waitFor is how long another writer is waited for within one call.
	waitFor   = 20 * time.Second
	lookEvery = 200 * time.Millisecond
)

// errBusy says that somebody else has written there for all the time that one may wait.
var errBusy = errors.New("somebody else is writing to the proxy panel")

// errLost says that the lease has gone to somebody else; nothing may be written any more.
var errLost = errors.New("somebody else goes on with writing to the proxy panel")

// fence proves that the lease is still held, and renews it.
type fence func(ctx context.Context) error

// writing calls do as the only writer of a connection. Errors: errBusy, errLost.
func (e *Engine) writing(
	ctx context.Context, connectionID string, do func(ctx context.Context, held fence) error,
) error {
	token, until := database.NewID(), e.Clock.Now().Add(waitFor)
	for {
		taken, err := e.take(ctx, connectionID, token, "until <= clock_timestamp()")
		if err != nil {
			return err
		}
		if taken {
			break
		}
		if e.Clock.Now().After(until) {
			return errBusy
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait to write to the proxy panel: %w", context.Cause(ctx))
		case <-time.After(lookEvery):
		}
	}
	held, lose := context.WithCancelCause(ctx)
	check := func(ctx context.Context) error {
		mine, err := e.take(ctx, connectionID, token, "token = excluded.token")
		if err == nil && !mine {
			err = errLost
		}
		return err
	}
	var renewing sync.WaitGroup
	renewing.Go(func() { renew(held, check, lose) })
	err := do(held, check)
	lose(nil)
	renewing.Wait()
	e.give(ctx, connectionID, token)
	return err
}

func renew(ctx context.Context, check fence, lose context.CancelCauseFunc) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(renewEvery):
			if err := check(ctx); errors.Is(err, errLost) {
				lose(err)
			}
		}
	}
}

// take takes or renews the lease where the condition on the one that is there holds.
func (e *Engine) take(ctx context.Context, connectionID, token, where string) (taken bool, err error) {
	done, err := e.DB.In(ctx).NewRaw(`insert into proxypanel_writers as w (connection_id, token, until)
		values (?, ?, clock_timestamp() + make_interval(secs => ?)) on conflict (connection_id) do update
		set token = excluded.token, until = excluded.until where w.`+where, connectionID, token, leaseFor.Seconds()).
		Exec(ctx)
	if err != nil {
		return false, kept(err)
	}
	number, err := done.RowsAffected()
	return number == 1, err
}

// give gives the lease back, also after the caller has gone. What fails here ends by itself.
func (e *Engine) give(ctx context.Context, connectionID, token string) {
	const within = 5 * time.Second
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), within)
	defer cancel()
	_, _ = e.DB.In(ctx).NewRaw("delete from proxypanel_writers where connection_id = ? and token = ?", connectionID, token).
		Exec(ctx)
}
