package proxypanel

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jonboulle/clockwork"

	"panel/modules/proxypanel/internal/offers"
	"panel/modules/proxypanel/internal/remnawave"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/outbound"
)

// door makes clients that keep the common pace.
type door struct {
	network *outbound.Network
	pace    *pace
	clock   clockwork.Clock
}

func newDoor(n *outbound.Network, p *pace, c clockwork.Clock) *door { return &door{n, p, c} }

// open checks the access and makes a client, to be closed. Fault: invalid_value (422).
func (d *door) open(access *remnawave.Access) (*remnawave.Client, error) {
	if err := access.Check(d.network); err != nil {
		return nil, err
	}
	return remnawave.Open(d.network, *access, d.pace, d.clock)
}

// pace gives out turns to ask a panel, one each fifth of a second for all panels on this database. It goes by the
// database's clock.
type pace struct {
	db    *database.DB
	clock clockwork.Clock
	step  time.Duration
}

// turnEvery is how far turns lie apart. Only tests shorten it.
var turnEvery = time.Second / remnawave.PerSecond

func newPace(db *database.DB, c clockwork.Clock) *pace { return &pace{db, c, turnEvery} }

// patience is how long a turn is waited for where the context has no end.
const patience = 30 * time.Second

// Turn waits for the next turn.
func (p *pace) Turn(ctx context.Context, base string) (wait time.Duration, err error) {
	most := patience
	if end, has := ctx.Deadline(); has {
		most = max(end.Sub(p.clock.Now()), 0)
	}
	wait, taken, err := p.take(ctx, base, most)
	if err != nil || !taken {
		return wait, err
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return 0, fmt.Errorf("wait for a turn at the proxy panel: %w", context.Cause(ctx))
	case <-timer.C:
		return 0, nil
	}
}

// take reserves the next turn where it comes soon enough; else it says how far away it is, and reserves nothing.
func (p *pace) take(ctx context.Context, base string, most time.Duration) (wait time.Duration, taken bool, err error) {
	step := p.step.Seconds()
	var seconds []float64
	err = p.db.In(ctx).NewRaw(`insert into proxypanel_paces as p (base_url, next_at)
		values (?, clock_timestamp() + make_interval(secs => ?)) on conflict (base_url) do update
		set next_at = greatest(p.next_at, clock_timestamp()) + make_interval(secs => ?)
		where p.next_at <= clock_timestamp() + make_interval(secs => ?)
		returning extract(epoch from next_at - clock_timestamp())::float8 - ?`,
		base, step, step, most.Seconds(), step).Scan(ctx, &seconds)
	if err == nil && len(seconds) == 0 {
		err = p.db.In(ctx).NewRaw(`select extract(epoch from next_at - clock_timestamp())::float8 from proxypanel_paces
			where base_url = ?`, base).Scan(ctx, &seconds)
		return max(duration(seconds), time.Second), false, told(err)
	}
	return max(duration(seconds), 0), true, told(err)
}

func duration(seconds []float64) time.Duration {
	if len(seconds) == 0 {
		return 0
	}
	return time.Duration(seconds[0] * float64(time.Second))
}

func told(err error) error {
	if err == nil {
		return nil
	}
	return database.Fault(fmt.Errorf("keep the pace at the proxy panel: %w", err), nil)
}

// Hold lets nobody ask for so long. It holds also where the caller has gone.
func (p *pace) Hold(ctx context.Context, base string, wait time.Duration) error {
	_, err := p.db.In(ctx).NewRaw(`insert into proxypanel_paces as p (base_url, next_at)
		values (?, clock_timestamp() + make_interval(secs => ?)) on conflict (base_url) do update
		set next_at = greatest(p.next_at, excluded.next_at)`, base, wait.Seconds()).Exec(context.WithoutCancel(ctx))
	return told(err)
}

// asFault is an error of a call as the API answers it.
func asFault(err error) error {
	var changed *offers.Changed
	var missing *offers.Missing
	switch {
	case errors.As(err, &changed):
		return fault.Conflict("panel_object_changed", changed.Error()).With("name", changed.Name).Wrap(err)
	case errors.As(err, &missing):
		return fault.Conflict("panel_object_gone", missing.Error()).With("name", missing.Name).Wrap(err)
	}
	var problem *remnawave.Problem
	if errors.As(err, &problem) {
		return problem.Fault()
	}
	return err
}
