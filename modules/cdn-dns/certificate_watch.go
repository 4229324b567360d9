package cdndns

import (
	"context"
	"strings"

	"panel/platform/database"
	"panel/platform/doctor"
	"panel/platform/doctor/checks"
	"panel/platform/metrics"
)

// metrics are those of all panels on this database.
func (i *issuer) metrics() []metrics.Collector {
	figure := func(query string) func(context.Context) (float64, error) {
		return func(ctx context.Context) (value float64, err error) {
			return value, database.Fault(i.DB.NewRaw(query).Scan(ctx, &value), nil)
		}
	}
	return []metrics.Collector{
		metrics.AskedOne("panel_certificates_behind", "Nodes that do not show the certificates yet that they were given.",
			i.spread.Behind),
		metrics.AskedOne("panel_certificates", "Certificates of host names.",
			figure("select count(*)::float8 from certificates")),
		metrics.AskedOne("panel_certificates_failing", "Certificates whose last order failed.",
			figure("select count(*)::float8 from certificates where last_error <> ''")),
		metrics.AskedOne("panel_certificates_expiring", "Certificates that end within 14 days or a sixth of their lifetime.",
			figure(`select count(*)::float8 from certificates
				where not_after - least(interval '14 days', (not_after - not_before) / 6) <= now()`)),
	}
}

// certificateCheck is what Doctor asks about certificates, also while the panel is down.
func certificateCheck() doctor.Check {
	return doctor.Check{ID: "tls.certificates", Group: "tls", Title: "certificates of node domains", Run: expiring}
}

// expiring finds certificates that have expired or are about to, and those whose last order failed.
func expiring(ctx context.Context, env doctor.Env) doctor.Finding {
	db, done, none := checks.Database(ctx, env)
	if none != nil {
		return *none
	}
	defer done()
	var rows []struct {
		Names  []string `bun:"names,array"`
		Failed bool
		Ends   bool
		Over   bool
	}
	err := db.NewRaw(`select names, last_error <> '' as failed, coalesce(not_after <= ?0, false) as over,
			coalesce(not_after - least(interval '14 days', (not_after - not_before) / 6) <= ?0, false) as ends
		from certificates order by not_after nulls last, id`, env.Now()).Scan(ctx, &rows)
	if err != nil {
		return doctor.Finding{
			Status: doctor.Skipped, Found: doctor.Say("the schema of the panel is not in this database"),
		}
	}
	if len(rows) == 0 {
		return doctor.Finding{Status: doctor.Skipped, Found: doctor.Say("there is no certificate")}
	}
	var ending, over, failed []string
	for _, row := range rows {
		name := strings.Join(row.Names, ", ")
		switch {
		case row.Over:
			over = append(over, name)
		case row.Ends:
			ending = append(ending, name)
		case row.Failed:
			failed = append(failed, name)
		}
	}
	data := map[string]any{
		"certificates": len(rows), "expired": len(over), "expiring": len(ending), "failing": len(failed),
	}
	renew := doctor.Say("look at the last error of the certificate, then renew it or upload a new one")
	switch {
	case len(over) > 0:
		return doctor.Finding{
			Status: doctor.Failed, Subject: over[0], Data: data, Do: renew,
			Found: doctor.Say("%d of %d certificates have expired", len(over), len(rows)),
		}
	case len(ending)+len(failed) > 0:
		return doctor.Finding{
			Status: doctor.Warning, Subject: append(ending, failed...)[0], Data: data, Do: renew,
			Found: doctor.Say("%d of %d certificates expire soon or could not be renewed", len(ending)+len(failed), len(rows)),
		}
	}
	return doctor.Finding{
		Status: doctor.OK, Found: doctor.Say("%d certificates are valid", len(rows)), Data: data,
	}
}
