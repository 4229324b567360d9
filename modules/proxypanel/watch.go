package proxypanel

import (
	"context"

	"panel/platform/database"
	"panel/platform/doctor"
	"panel/platform/doctor/checks"
	"panel/platform/metrics"
)

// failing and expiring are conditions of connections: those that cannot be used, and those whose token ends within the
// time of warnBefore.
const (
	failing  = "state not in ('ok', 'degraded', 'unchecked')"
	expiring = "token_expires_at < now() + interval '14 days'"
)

// Of each connection that can be used, readAge is how long ago, in seconds, its users were read whole.
const (
	usable   = "c.state in ('ok', 'degraded')"
	readAge  = "extract(epoch from now() - coalesce(t.users_at, c.created_at))"
	readFrom = "from proxypanel_connections c left join proxypanel_sync_states t on t.connection_id = c.id"
	// readLate is the age in seconds from which something is wrong; they are read every ten minutes.
	readLate = 3600
)

// metrics are those of all panels on this database.
func (c *connections) metrics() []metrics.Collector {
	count := func(condition string) func(context.Context) (float64, error) {
		return func(ctx context.Context) (value float64, err error) {
			err = c.store.db.NewRaw("select count(*)::float8 from proxypanel_connections where "+condition).Scan(ctx, &value)
			return value, database.Fault(err, nil)
		}
	}
	return []metrics.Collector{
		metrics.AskedOne("panel_proxypanel_connections", "Connections with proxy panels.", count("true")),
		metrics.AskedOne("panel_proxypanel_connections_failing", "Connections with proxy panels that cannot be used.",
			count(failing)),
		metrics.AskedOne("panel_proxypanel_connections_degraded",
			"Connections with proxy panels that can be used although something is wrong.", count("state = 'degraded'")),
		metrics.AskedOne("panel_proxypanel_sync_age_seconds",
			"Age of the last whole reading of users, of the connection with a proxy panel where it is oldest.",
			func(ctx context.Context) (age float64, err error) {
				err = c.store.db.NewRaw("select coalesce(max("+readAge+"), 0)::float8 "+readFrom+" where "+usable).Scan(ctx, &age)
				return age, database.Fault(err, nil)
			}),
		metrics.AskedOne("panel_proxypanel_tokens_expiring",
			"Tokens for proxy panels that end within 14 days or have ended.", count(expiring)),
	}
}

// check is what Doctor asks about connections, also while the panel is down.
func check() doctor.Check {
	return doctor.Check{
		ID: "components.proxypanel", Group: "components", Title: "connections with proxy panels", Run: diagnose,
	}
}

// diagnose finds connections that did not work at the last look. It asks no other panel by itself.
func diagnose(ctx context.Context, env doctor.Env) doctor.Finding {
	db, done, none := checks.Database(ctx, env)
	if none != nil {
		return *none
	}
	defer done()
	var rows []connectionRow
	err := db.NewSelect().Model(&rows).Column("label", "state", "cause", "token_expires_at").OrderExpr("c.label").Scan(ctx)
	if err != nil {
		return doctor.Finding{
			Status: doctor.Skipped, Found: doctor.Say("the schema of the panel is not in this database"),
		}
	}
	var late []string
	err = db.NewRaw("select c.label "+readFrom+" where "+usable+" and "+readAge+" > ? order by c.label", readLate).
		Scan(ctx, &late)
	if err != nil {
		late = nil // an older schema, which does not read yet
	}
	if found := judge(rows, env); found.Status != doctor.OK || len(late) == 0 {
		return found
	}
	return doctor.Finding{
		Status: doctor.Warning, Subject: late[0], Data: map[string]any{"connections": len(rows), "late": len(late)},
		Found: doctor.Say("the users of %d of %d proxy panels were not read for an hour", len(late), len(rows)),
		Do:    doctor.Command("panelctl proxypanel syncs"),
	}
}

func judge(rows []connectionRow, env doctor.Env) doctor.Finding {
	var broken, ending, impaired []*connectionRow
	for i := range rows {
		switch row := &rows[i]; {
		case !row.works() && row.CheckedAt == nil && row.State == "unchecked":
		case !row.works():
			broken = append(broken, row)
		case row.expiring(env.Now()):
			ending = append(ending, row)
		case row.Cause != "":
			impaired = append(impaired, row)
		}
	}
	data := map[string]any{"connections": len(rows), "failing": len(broken), "expiring": len(ending), "degraded": len(impaired)}
	switch {
	case len(rows) == 0:
		return doctor.Finding{Status: doctor.Skipped, Found: doctor.Say("there is no connection with a proxy panel")}
	case len(broken) > 0:
		return doctor.Finding{
			Status: doctor.Warning, Subject: broken[0].Label, Data: data,
			Found: doctor.Say("%d of %d connections with proxy panels do not work: %s", len(broken), len(rows), broken[0].Cause),
			Do:    doctor.Command("panelctl proxypanel list"),
		}
	case len(ending) > 0:
		return doctor.Finding{
			Status: doctor.Warning, Subject: ending[0].Label, Data: data,
			Found: doctor.Say("%d of %d tokens for proxy panels end within 14 days", len(ending), len(rows)),
			Do:    doctor.Say("create a new API token at the proxy panel and hand it over with panelctl proxypanel token"),
		}
	case len(impaired) > 0:
		return doctor.Finding{
			Status: doctor.Warning, Subject: impaired[0].Label, Data: data,
			Found: doctor.Say("%d of %d connections with proxy panels are impaired: %s", len(impaired), len(rows),
				impaired[0].Cause),
			Do: doctor.Command("panelctl proxypanel list"),
		}
	}
	return doctor.Finding{
		Status: doctor.OK, Found: doctor.Say("%d connections with proxy panels work", len(rows)), Data: data,
	}
}
