package notifications

import (
	"context"

	"panel/platform/database"
	"panel/platform/doctor"
	"panel/platform/doctor/checks"
	"panel/platform/metrics"
)

// metrics are those of all panels on this database.
func (c *courier) metrics() []metrics.Collector {
	figure := func(query string) func(context.Context) (float64, error) {
		return func(ctx context.Context) (value float64, err error) {
			return value, database.Fault(c.queue.db.NewRaw(query).Scan(ctx, &value), nil)
		}
	}
	return []metrics.Collector{
		metrics.AskedOne("panel_notifications_waiting", "Messages that wait to be sent.",
			figure("select count(*)::float8 from notifications_deliveries where state in ('queued', 'sending')")),
		metrics.AskedOne("panel_notifications_overdue_seconds",
			"For how long the oldest message that is due has not been sent; 0 without one.",
			figure(`select coalesce(greatest(extract(epoch from now() - min(not_before)), 0), 0)::float8
				from notifications_deliveries where state in ('queued', 'sending') and not_before <= now()`)),
		metrics.AskedOne("panel_notifications_given_up", "Messages of the last 24 hours that could not be delivered.",
			figure(`select count(*)::float8 from notifications_deliveries
				where state = 'failed' and finished_at > now() - interval '24 hours'`)),
	}
}

// check is what Doctor asks about notifications, also while the panel is down.
func check() doctor.Check {
	return doctor.Check{
		ID: "components.notifications", Group: "components", Title: "delivery of notifications", Run: undelivered,
	}
}

// undelivered finds messages that could not be delivered or wait for long.
func undelivered(ctx context.Context, env doctor.Env) doctor.Finding {
	db, done, none := checks.Database(ctx, env)
	if none != nil {
		return *none
	}
	defer done()
	var failed, late, sent int
	err := db.NewRaw(`select count(*) filter (where state = 'failed' and finished_at > ?0::timestamptz - interval '24 hours'),
			count(*) filter (where state in ('queued', 'sending') and not_before < ?0::timestamptz - interval '15 minutes'),
			count(*) filter (where state = 'sent' and finished_at > ?0::timestamptz - interval '24 hours')
		from notifications_deliveries`, env.Now()).Scan(ctx, &failed, &late, &sent)
	data := map[string]any{"failed": failed, "late": late, "sent": sent}
	switch {
	case err != nil:
		return doctor.Finding{
			Status: doctor.Skipped,
			Found:  doctor.Say("the schema of the panel is not in this database"),
		}
	case failed > 0:
		return doctor.Finding{
			Status: doctor.Warning, Found: doctor.Say("%d notifications of the last 24 hours were not delivered", failed),
			Do: doctor.Command("panelctl notifications deliveries --state failed"), Data: data,
		}
	case late > 0:
		return doctor.Finding{
			Status: doctor.Warning, Found: doctor.Say("%d notifications have waited for more than 15 minutes", late),
			Do: doctor.Command("panelctl notifications deliveries --state queued"), Data: data,
		}
	}
	return doctor.Finding{
		Status: doctor.OK, Found: doctor.Say("%d notifications were delivered in the last 24 hours", sent), Data: data,
	}
}
