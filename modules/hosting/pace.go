package hosting

import (
	"context"
	"fmt"
	"time"

	"github.com/jonboulle/clockwork"

	"panel/modules/hosting/internal/cloud"
	"panel/platform/database"
)

// pace gives out turns to ask with an account, for all panels on this database. It goes by the database's clock.
type pace struct {
	db    *database.DB
	clock clockwork.Clock
}

func newPace(db *database.DB, c clockwork.Clock) *pace { return &pace{db, c} }

// patience is how long a turn is waited for where the context has no end.
const patience = 30 * time.Second

// Turn implements cloud.Pace.
func (p *pace) Turn(ctx context.Context, accountID string, perSecond int) error {
	most := patience
	if end, has := ctx.Deadline(); has {
		most = max(end.Sub(p.clock.Now()), 0)
	}
	wait, taken, err := p.take(ctx, accountID, time.Second/time.Duration(perSecond), most)
	switch {
	case err != nil:
		return err
	case !taken:
		return &cloud.Waits{For: wait}
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return fmt.Errorf("wait for a turn at a hosting provider: %w", context.Cause(ctx))
	case <-timer.C:
		return nil
	}
}

// take reserves the next turn where it comes soon enough; else it says how far away it is, and reserves nothing.
func (p *pace) take(ctx context.Context, id string, step, most time.Duration) (wait time.Duration, taken bool,
	err error,
) {
	var seconds []float64
	err = p.db.In(ctx).NewRaw(`insert into hosting_paces as p (account_id, next_at)
		values (?0, clock_timestamp() + make_interval(secs => ?1)) on conflict (account_id) do update
		set next_at = greatest(p.next_at, clock_timestamp()) + make_interval(secs => ?1)
		where p.next_at <= clock_timestamp() + make_interval(secs => ?2)
		returning extract(epoch from next_at - clock_timestamp())::float8 - ?1`,
		id, step.Seconds(), most.Seconds()).Scan(ctx, &seconds)
	if err == nil && len(seconds) == 0 {
		err = p.db.In(ctx).NewRaw(`select extract(epoch from next_at - clock_timestamp())::float8 from hosting_paces
			where account_id = ?`, id).Scan(ctx, &seconds)
		return max(firstOf(seconds), time.Second), false, database.Fault(err, nil)
	}
	return max(firstOf(seconds), 0), true, database.Fault(err, nil)
}

// firstOf is the first of some seconds; none is 0.
func firstOf(seconds []float64) time.Duration {
	if len(seconds) == 0 {
		return 0
	}
	return time.Duration(seconds[0] * float64(time.Second))
}

// Hold implements cloud.Pace. It holds also where the caller has gone.
func (p *pace) Hold(ctx context.Context, accountID string, wait time.Duration) error {
	_, err := p.db.In(ctx).NewRaw(`insert into hosting_paces as p (account_id, next_at)
		values (?, clock_timestamp() + make_interval(secs => ?)) on conflict (account_id) do update
		set next_at = greatest(p.next_at, excluded.next_at)`, accountID, wait.Seconds()).
		Exec(context.WithoutCancel(ctx))
	return database.Fault(err, nil)
}
