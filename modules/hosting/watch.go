package hosting

import (
	"context"

	"panel/platform/database"
	"panel/platform/doctor"
	"panel/platform/doctor/checks"
	"panel/platform/metrics"
)

// Conditions of accounts: those that cannot be used, and how long ago the machines of one that can were read.
const (
	failing  = "state not in ('ok', 'unchecked')"
	syncAge  = "extract(epoch from now() - coalesce(last_sync_at, created_at))"
	synced   = "kind <> 'custom' and state in ('ok', 'limited')"
	passed   = "next_due_at < now() - interval '1 day'"
	syncLate = 3 * 3600 // seconds; they are read every hour
)

// stopped finds replacements that stopped on their way and were not gone on with, nor followed by another.
const stopped = `select r.id, r.name, r.error, a.label from hosting_replacements r
	join hosting_accounts a on a.id = r.account_id
	where r.state = 'failed' and r.failed_in <> 'making' and r.finished_at > now() - interval '7 days'
		and not exists (select from hosting_replacements o where o.server_id = r.server_id and o.created_at > r.created_at)
	order by r.finished_at`

// metrics are those of all panels on this database.
func (a *accounts) metrics() []metrics.Collector {
	asked := func(query string) func(context.Context) (float64, error) {
		return func(ctx context.Context) (value float64, err error) {
			err = a.store.db.NewRaw(query).Scan(ctx, &value)
			return value, database.Fault(err, nil)
		}
	}
	const count = "select count(*)::float8 from "
	return []metrics.Collector{
		metrics.AskedOne("panel_hosting_accounts", "Accounts at hosting providers.", asked(count+"hosting_accounts")),
		metrics.AskedOne("panel_hosting_accounts_failing",
			"Accounts at hosting providers that cannot be used, or not fully.",
			asked(count+"hosting_accounts where "+failing)),
		metrics.AskedOne("panel_hosting_payments_overdue", "Payments of machines whose day has passed.",
			asked(count+"hosting_servers where "+unsettled+" and "+passed)),
		metrics.AskedOne("panel_hosting_servers", "Machines at hosting providers.",
			asked(count+"hosting_servers where gone_at is null")),
		metrics.AskedOne("panel_hosting_sync_age_seconds",
			"Age of the last reading of machines, of the account at a hosting provider where it is oldest.",
			asked("select coalesce(max("+syncAge+"), 0)::float8 from hosting_accounts where "+synced)),
	}
}

// check is what Doctor asks about accounts, also while the panel is down.
func check() doctor.Check {
	return doctor.Check{ID: "components.hosting", Group: "components", Title: "hosting providers", Run: diagnose}
}

// diagnose finds accounts that could not be used at the last look, and those that were not read for long. It asks no
// provider by itself.
func diagnose(ctx context.Context, env doctor.Env) doctor.Finding {
	db, done, none := checks.Database(ctx, env)
	if none != nil {
		return *none
	}
	defer done()
	var broken, late []accountRow
	var unpaid []string
	total, err := db.NewSelect().Model((*accountRow)(nil)).Count(ctx)
	if err == nil {
		err = db.NewSelect().Model(&broken).Column("label", "cause").Where(failing).OrderExpr("label").Scan(ctx)
	}
	if err == nil {
		err = db.NewSelect().Model(&late).Column("label").Where(synced+" and "+syncAge+" > ?", syncLate).
			OrderExpr("label").
			Scan(ctx)
	}
	if err == nil {
		err = db.NewRaw("select name from hosting_servers where "+unsettled+" and "+passed+" order by next_due_at").
			Scan(ctx, &unpaid)
	}
	var halted []struct{ ID, Name, Error, Label string }
	if err == nil {
		err = db.NewRaw(stopped).Scan(ctx, &halted)
	}
	if err != nil {
		return doctor.Finding{
			Status: doctor.Skipped, Found: doctor.Say("the schema of the panel is not in this database"),
		}
	}
	data := map[string]any{"accounts": total, "failing": len(broken), "late": len(late), "overdue": len(unpaid), "stopped": len(halted)}
	switch {
	case total == 0:
		return doctor.Finding{Status: doctor.Skipped, Found: doctor.Say("there is no account at a hosting provider")}
	case len(broken) > 0:
		return doctor.Finding{
			Status: doctor.Warning, Subject: broken[0].Label, Data: data,
			Found: doctor.Say("%d of %d accounts at hosting providers cannot be used: %s", len(broken), total,
				broken[0].Cause),
			Do: doctor.Command("panelctl hosting accounts"),
		}
	case len(halted) > 0:
		return doctor.Finding{
			Status: doctor.Warning, Subject: halted[0].Name, Data: data,
			Found: doctor.Say("the replacement of %s stopped: %s", halted[0].Name, halted[0].Error),
			Do:    doctor.Command("panelctl hosting continue %s %s", halted[0].Label, halted[0].ID),
		}
	case len(unpaid) > 0:
		return doctor.Finding{
			Status: doctor.Warning, Subject: unpaid[0], Data: data,
			Found: doctor.Say("%d payments of machines are overdue", len(unpaid)),
			Do:    doctor.Command("panelctl hosting billing"),
		}
	case len(late) > 0:
		return doctor.Finding{
			Status: doctor.Warning, Subject: late[0].Label, Data: data,
			Found: doctor.Say("the machines of %d of %d accounts at hosting providers were not read for three hours",
				len(late), total),
			Do: doctor.Command("panelctl hosting sync %s", late[0].Label),
		}
	}
	return doctor.Finding{
		Status: doctor.OK, Found: doctor.Say("%d accounts at hosting providers work", total), Data: data,
	}
}
