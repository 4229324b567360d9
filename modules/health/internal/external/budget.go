package external

import (
	"context"
	"fmt"
	"time"

	"panel/modules/health/healthapi"
	"panel/modules/health/internal/external/checker"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
)

// Period is what was spent, or is reserved, in a day or month of UTC, and what may be.
type Period struct {
	Spent  int64     `json:"spent" doc:"With what is reserved for checks that go on"`
	Cap    int64     `json:"cap"`
	Left   int64     `json:"left"`
	EndsAt time.Time `json:"ends_at"`
}

// Budget is what external checks may still cost, in kopeks.
type Budget struct {
	Unit  string `json:"unit" enum:"kopek"`
	Today Period `json:"today"`
	Month Period `json:"month"`
}

const (
	daily   = "daily"
	monthly = "monthly"
)

// budget sums up what was spent. Of a check whose cost is not known yet its price counts.
func (s *Service) budget(ctx context.Context, set Settings) (b Budget, err error) {
	now := s.now()
	day := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	month := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	b = Budget{
		Unit:  checker.Kopek,
		Today: Period{Cap: set.DailyCap, EndsAt: day.AddDate(0, 0, 1)},
		Month: Period{Cap: set.MonthlyCap, EndsAt: month.AddDate(0, 1, 0)},
	}
	err = s.db.In(ctx).NewRaw(`select coalesce(sum(coalesce(cost, price)) filter (where asked_at >= ?), 0)::bigint,
		coalesce(sum(coalesce(cost, price)), 0)::bigint from health_reports where provider = ? and asked_at >= ?`,
		day, s.adapter.Name(), month).Scan(ctx, &b.Today.Spent, &b.Month.Spent)
	if err != nil {
		return b, database.Fault(fmt.Errorf("sum up what external checks have cost: %w", err), nil)
	}
	b.Today.Left = max(min(b.Today.Cap-b.Today.Spent, b.Month.Cap-b.Month.Spent), 0)
	b.Month.Left = max(b.Month.Cap-b.Month.Spent, 0)
	return b, nil
}

// exceeded names the cap that a price would break; empty for none.
func (b Budget) exceeded(price int64) string {
	switch {
	case b.Month.Spent+price > b.Month.Cap:
		return monthly
	case b.Today.Spent+price > b.Today.Cap:
		return daily
	}
	return ""
}

var errLimit = fault.Invalid("cost_limit_reached", "the check would cost more than may be spent in this period")

func (b Budget) limitFault(limit string) error {
	left, ends := b.Today.Left, b.Today.EndsAt
	if limit == monthly {
		left, ends = b.Month.Left, b.Month.EndsAt
	}
	return errLimit.With("limit", limit).With("left", left).With("ends_at", ends.Format(time.RFC3339))
}

// alone lets one transaction at a time reserve money, over all panels.
func (s *Service) alone(ctx context.Context) error {
	_, err := s.db.In(ctx).ExecContext(ctx, "insert into health_checkers (name) values (?) on conflict do nothing",
		s.adapter.Name())
	if err == nil {
		_, err = s.db.In(ctx).ExecContext(ctx, "select from health_checkers where name = ? for update", s.adapter.Name())
	}
	if err != nil {
		return database.Fault(fmt.Errorf("lock the money of external checks: %w", err), nil)
	}
	return nil
}

// tellReached lets people know, once in each period, that a cap keeps checks from being made.
func (s *Service) tellReached(ctx context.Context, limit string, b Budget) error {
	column, period := "told_day", b.Today
	if limit == monthly {
		column, period = "told_month", b.Month
	}
	return s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.alone(ctx); err != nil {
			return err
		}
		done, err := s.db.In(ctx).NewRaw("update health_checkers set "+column+" = ?::date where name = ? and "+column+
			" is distinct from ?::date", period.EndsAt, s.adapter.Name(), period.EndsAt).Exec(ctx)
		if err != nil {
			return database.Fault(fmt.Errorf("note that a cap was reached: %w", err), nil)
		}
		if n, err := done.RowsAffected(); err != nil || n == 0 {
			return err
		}
		return s.bus.Emit(ctx, events.Event{
			Kind: healthapi.EventBudgetReached, SubjectID: limit, At: s.now(),
			Data: healthapi.BudgetNews{Limit: limit, Spent: period.Spent, Cap: period.Cap},
		})
	})
}

// tellOf is tellReached for a refusal that names its limit.
func (s *Service) tellOf(ctx context.Context, refused *fault.Fault) error {
	set, _, err := s.settings.Get(ctx)
	if err != nil {
		return err
	}
	b, err := s.budget(ctx, set)
	if err != nil {
		return err
	}
	limit, _ := refused.Extra["limit"].(string)
	return s.tellReached(ctx, limit, b)
}
