package cases

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/platform/database"
)

// hour is one hour of one kind of signal, and userDay one day of one user.
type hour struct {
	at   time.Time
	kind string
}

type userDay struct{ ref, day, kind string }

// tally counts the signals that this round takes, in its transaction, so that each counts once: neither a picture of a
// week nor what a user did in a month is counted from all signals again.
func (r *round) tally(ctx context.Context, signals []signalRow) error {
	if len(signals) == 0 {
		return nil
	}
	hours, days := map[hour]int64{}, map[userDay]int64{}
	for i := range signals {
		s := &signals[i]
		at := s.LastAt.UTC()
		hours[hour{at.Truncate(time.Hour), s.Kind}]++
		days[userDay{s.UserRef, at.Format(time.DateOnly), s.Kind}] += s.Count
	}
	if err := r.addHours(ctx, hours); err != nil {
		return err
	}
	return r.addDays(ctx, days)
}

func (r *round) addHours(ctx context.Context, counts map[hour]int64) error {
	at, kinds, numbers := []time.Time{}, []string{}, []int64{}
	for one, n := range counts {
		at, kinds, numbers = append(at, one.at), append(kinds, one.kind), append(numbers, n)
	}
	_, err := r.DB.In(ctx).NewRaw(`insert into abuse_hours as h (at, kind, signals)
		select * from unnest(?::timestamptz[], ?::text[], ?::bigint[]) order by 1, 2
		on conflict (at, kind) do update set signals = h.signals + excluded.signals`,
		pgdialect.Array(at), pgdialect.Array(kinds), pgdialect.Array(numbers)).Exec(ctx)
	if err != nil {
		return database.Fault(fmt.Errorf("count signals by the hour: %w", err), nil)
	}
	return nil
}

func (r *round) addDays(ctx context.Context, counts map[userDay]int64) error {
	refs, days, kinds, numbers := []string{}, []string{}, []string{}, []int64{}
	for one, n := range counts {
		refs, days = append(refs, one.ref), append(days, one.day)
		kinds, numbers = append(kinds, one.kind), append(numbers, n)
	}
	_, err := r.DB.In(ctx).NewRaw(`insert into abuse_user_days as d (user_ref, day, kind, count)
		select u.ref, u.day::date, u.kind, u.n from unnest(?::text[], ?::text[], ?::text[], ?::bigint[]) u(ref, day, kind, n)
		order by 1, 2, 3
		on conflict (user_ref, day, kind) do update set count = d.count + excluded.count`,
		pgdialect.Array(refs), pgdialect.Array(days), pgdialect.Array(kinds), pgdialect.Array(numbers)).Exec(ctx)
	if err != nil {
		return database.Fault(fmt.Errorf("count signals of users by the day: %w", err), nil)
	}
	return nil
}
