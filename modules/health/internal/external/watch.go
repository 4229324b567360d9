package external

import (
	"context"
	"strconv"
	"time"

	"panel/modules/health/internal/external/checker"
	"panel/platform/database"
	"panel/platform/doctor"
	"panel/platform/doctor/checks"
	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/metrics"
)

// Metrics are shown to whoever watches the panel.
func (s *Service) Metrics() []metrics.Collector {
	count := func(query string) func(context.Context) (float64, error) {
		return func(ctx context.Context) (n float64, err error) {
			err = s.db.NewRaw(query).Scan(ctx, &n)
			return n, err
		}
	}
	money := func(of func(Budget) int64) func(context.Context) (float64, error) {
		return func(ctx context.Context) (float64, error) {
			set, _, err := s.settings.Get(ctx)
			if err != nil {
				return 0, err
			}
			b, err := s.budget(ctx, set)
			return float64(of(b)), err
		}
	}
	return []metrics.Collector{
		metrics.AskedOne("panel_external_checks_spent_today_kopeks", "Spent on external checks today, with what is reserved.",
			money(func(b Budget) int64 { return b.Today.Spent })),
		metrics.AskedOne("panel_external_checks_spent_month_kopeks", "Spent on external checks this month, with what is reserved.",
			money(func(b Budget) int64 { return b.Month.Spent })),
		metrics.AskedOne("panel_external_checks_left_today_kopeks", "What external checks may still cost today.",
			money(func(b Budget) int64 { return b.Today.Left })),
		metrics.AskedOne("panel_external_checks_oldest_seconds", "How long the oldest external check goes on.",
			count(`select coalesce(extract(epoch from now() - min(asked_at)), 0)::float8 from health_reports
				where state in ('queued', 'running')`)),
		metrics.AskedOne("panel_external_checks_failed_day", "External checks that failed within a day.",
			count(`select count(*)::float8 from health_reports where state = 'failed' and checked_at > now() - interval '1 day'`)),
		metrics.AskedOne("panel_external_checks_key_refused", "1 while the service for external checks refuses the key.",
			count("select count(*)::float8 from health_checkers where trouble = '"+checker.KeyRefused+"'")),
	}
}

// Check is what Doctor asks about external checks, from what the panel knows: it calls nobody.
func Check() doctor.Check {
	return doctor.Check{ID: "components.external_checks", Group: "components", Title: "external checks", Run: examined}
}

// found is what the database tells Doctor.
type examination struct {
	Used, LowBalance, DayReached, MonthReached bool
	Trouble                                    string
	Balance                                    *int64
	TierEnds                                   *time.Time
	Stuck                                      int
}

const examine = `with spent as (select coalesce(sum(coalesce(cost, price)) filter (where asked_at >=
			date_trunc('day', now() at time zone 'UTC') at time zone 'UTC'), 0) as day,
		coalesce(sum(coalesce(cost, price)), 0) as month from health_reports
		where asked_at >= date_trunc('month', now() at time zone 'UTC') at time zone 'UTC')
	select coalesce(c.configured, false) as used, coalesce(c.balance < c.low_balance, false) as low_balance, c.balance,
		c.tier_expires_at as tier_ends, coalesce(spent.day >= c.daily_cap, false) as day_reached,
		coalesce(spent.month >= c.monthly_cap, false) as month_reached, coalesce(c.trouble, '') as trouble,
		(select count(*) from health_reports where state in ('queued', 'running') and asked_at < now() - interval '1 hour')
			as stuck
	from spent left join health_checkers c on c.name = 'bscheck'`

// copyLimits keeps beside the account what the settings say, for Doctor, who reads them while no panel runs.
func (s *Service) copyLimits(ctx context.Context, _ events.Event) error {
	set, _, err := s.settings.Get(ctx)
	if err != nil {
		return err
	}
	_, err = s.db.In(ctx).NewRaw(`insert into health_checkers (name, configured, daily_cap, monthly_cap, low_balance)
		values (?, ?, ?, ?, ?) on conflict (name) do update set configured = excluded.configured,
			daily_cap = excluded.daily_cap, monthly_cap = excluded.monthly_cap, low_balance = excluded.low_balance`,
		s.adapter.Name(), set.APIKey.Set(), set.DailyCap, set.MonthlyCap, set.LowBalance).Exec(ctx)
	return database.Fault(err, nil)
}

// Listeners follow the settings.
func (s *Service) Listeners() []events.Listener {
	return []events.Listener{{
		Name: "health.external_settings", Kinds: []string{SettingsChanged}, Feature: Feature,
		ReadOnly: entitlement.GoesOn, Blocked: entitlement.GoesOn, Handle: s.copyLimits,
	}}
}

// examined finds a key that is refused, a balance that ends, a cap that is reached, and checks that do not end.
func examined(ctx context.Context, env doctor.Env) doctor.Finding {
	db, done, none := checks.Database(ctx, env)
	if none != nil {
		return *none
	}
	defer done()
	var e examination
	if err := db.NewRaw(examine).Scan(ctx, &e); err != nil {
		return doctor.Finding{
			Status: doctor.Skipped, Found: doctor.Say("the schema of the panel is not in this database"),
		}
	}
	return e.finding(env.Now())
}

const expiresSoon = 7 * 24 * time.Hour

func (e *examination) finding(now time.Time) doctor.Finding {
	warning := func(text string, args ...any) doctor.Finding {
		return doctor.Finding{
			Status: doctor.Warning, Found: doctor.Say(text, args...), Do: doctor.Command("panelctl health checks account"),
		}
	}
	switch {
	case !e.Used:
		return doctor.Finding{Status: doctor.Skipped, Found: doctor.Say("external checks are not set up")}
	case e.Trouble == checker.KeyRefused:
		return warning("the service for external checks refuses the key: it has expired or was revoked")
	case e.TierEnds != nil && e.TierEnds.Before(now.Add(expiresSoon)):
		return warning("the tier at the service for external checks ends on %s", e.TierEnds.UTC().Format(time.DateOnly))
	case e.LowBalance:
		return warning("the balance at the service for external checks is low: %s roubles", roubles(*e.Balance))
	case e.MonthReached:
		return warning("what external checks may cost this month is spent")
	case e.DayReached:
		return warning("what external checks may cost today is spent")
	case e.Stuck > 0:
		return warning("%d external checks go on for more than an hour", e.Stuck)
	case e.Trouble != "":
		return warning("the service for external checks did not work last: %s", e.Trouble)
	}
	return doctor.Finding{Status: doctor.OK, Found: doctor.Say("external checks have a key and money")}
}

// roubles writes an amount of kopeks.
func roubles(kopeks int64) string { return strconv.FormatFloat(float64(kopeks)/100, 'f', 2, 64) }
