package assistant

import (
	"context"
	"fmt"
	"time"

	"github.com/jonboulle/clockwork"

	"panel/platform/database"
)

// Spent is what the model has cost today, against the caps.
type Spent struct {
	Tokens      int64     `json:"tokens"`
	TokensLimit int64     `json:"tokens_limit"`
	Cost        float64   `json:"cost"`
	CostLimit   float64   `json:"cost_limit" doc:"0: none"`
	ResetsAt    time.Time `json:"resets_at"`
}

// over says whether a cap is reached.
func (s Spent) over() bool {
	return s.Tokens >= s.TokensLimit || s.CostLimit > 0 && s.Cost >= s.CostLimit
}

// spending counts what the model costs, for all panels on the database together.
type spending struct {
	db    *database.DB
	clock clockwork.Clock
}

func newSpending(db *database.DB, clock clockwork.Clock) *spending { return &spending{db, clock} }

func (s *spending) day() time.Time { return s.clock.Now().UTC().Truncate(24 * time.Hour) }

// today is what was spent since midnight in UTC.
func (s *spending) today(ctx context.Context, caps Settings) (Spent, error) {
	day := s.day()
	spent := Spent{TokensLimit: caps.TokensPerDay, CostLimit: caps.CostPerDay, ResetsAt: day.AddDate(0, 0, 1)}
	err := s.db.In(ctx).NewRaw(`select coalesce(sum(tokens), 0)::bigint as tokens, coalesce(sum(cost), 0)::float8 as cost
		from assistant_spending where day = ?::date`, day.Format(time.DateOnly)).Scan(ctx, &spent.Tokens, &spent.Cost)
	if err != nil {
		return spent, database.Fault(fmt.Errorf("read what the model has cost: %w", err), nil)
	}
	return spent, nil
}

// add notes what a turn has cost.
func (s *spending) add(ctx context.Context, tokens int64, cost float64) error {
	_, err := s.db.In(ctx).NewRaw(`insert into assistant_spending as s (day, tokens, cost) values (?::date, ?, ?)
		on conflict (day) do update set tokens = s.tokens + excluded.tokens, cost = s.cost + excluded.cost`,
		s.day().Format(time.DateOnly), tokens, cost).Exec(ctx)
	return database.Fault(err, nil)
}
