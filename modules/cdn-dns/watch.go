package cdndns

import (
	"context"

	"panel/platform/database"
	"panel/platform/doctor"
	"panel/platform/doctor/checks"
	"panel/platform/metrics"
)

// metrics are those of all panels on this database.
func (i *integrations) metrics() []metrics.Collector {
	figure := func(query string) func(context.Context) (float64, error) {
		return func(ctx context.Context) (value float64, err error) {
			return value, database.Fault(i.store.db.NewRaw(query).Scan(ctx, &value), nil)
		}
	}
	return []metrics.Collector{
		metrics.AskedOne("panel_dns_integrations", "Integrations with DNS services.",
			figure("select count(*)::float8 from cdndns_integrations")),
		metrics.AskedOne("panel_dns_integrations_failing", "Integrations with DNS services whose last check failed.",
			figure("select count(*)::float8 from cdndns_integrations where last_error <> ''")),
	}
}

// check is what Doctor asks about integrations, also while the panel is down.
func check() doctor.Check {
	return doctor.Check{
		ID: "dns.integrations", Group: "dns", Title: "integrations with DNS services", Run: failing,
	}
}

// failing finds integrations whose last check failed. It asks no service by itself.
func failing(ctx context.Context, env doctor.Env) doctor.Finding {
	db, done, none := checks.Database(ctx, env)
	if none != nil {
		return *none
	}
	defer done()
	var total int
	var labels []string
	err := db.NewRaw(`select label from cdndns_integrations where last_error <> '' order by label`).Scan(ctx, &labels)
	if err == nil {
		err = db.NewRaw("select count(*) from cdndns_integrations").Scan(ctx, &total)
	}
	data := map[string]any{"integrations": total, "failing": len(labels)}
	switch {
	case err != nil:
		return doctor.Finding{
			Status: doctor.Skipped, Found: doctor.Say("the schema of the panel is not in this database"),
		}
	case total == 0:
		return doctor.Finding{Status: doctor.Skipped, Found: doctor.Say("there is no integration with a DNS service")}
	case len(labels) > 0:
		return doctor.Finding{
			Status: doctor.Warning, Subject: labels[0], Data: data,
			Found: doctor.Say("%d of %d integrations with DNS services do not work", len(labels), total),
			Do:    doctor.Say("look at the integration's last error and give it a token that works"),
		}
	}
	return doctor.Finding{
		Status: doctor.OK, Found: doctor.Say("%d integrations with DNS services work", total), Data: data,
	}
}
