package cases

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/platform/database"
)

// hour is one hour of one kind of signal.
type hour struct {
	at   time.Time
	kind string
}

// tally counts the signals that this round takes, in its transaction, so that each counts once: pictures of a week are
// not counted from all signals again.
func (r *round) tally(ctx context.Context, signals []signalRow) error {
	if len(signals) == 0 {
		return nil
	}
	counts := map[hour]int64{}
	for i := range signals {
		counts[hour{signals[i].LastAt.UTC().Truncate(time.Hour), signals[i].Kind}]++
	}
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
