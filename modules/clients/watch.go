package clients

import (
	"context"

	"panel/modules/clients/clientsapi"
	"panel/platform/database"
	"panel/platform/doctor"
	"panel/platform/doctor/checks"
	"panel/platform/metrics"
)

// metrics are the clients of all panels on this database.
func (c *clients) metrics() []metrics.Collector {
	return []metrics.Collector{
		metrics.Asked("panel_clients", "Clients by state.", "state", c.byState),
		metrics.AskedOne("panel_client_lists_behind",
			"Flows with an entry whose agent does not hold the newest list of its clients.", c.behind),
	}
}

func (c *clients) behind(ctx context.Context) (lists float64, err error) {
	err = c.store.db.NewRaw("select count(*)::float8 from client_lists where open and nodes > 0").Scan(ctx, &lists)
	return lists, database.Fault(err, nil)
}

func (c *clients) byState(ctx context.Context) (map[string]float64, error) {
	out := map[string]float64{
		clientsapi.Active: 0, clientsapi.Disabled: 0, clientsapi.Expired: 0, clientsapi.Spent: 0,
		clientsapi.Revoked: 0,
	}
	var rows []struct {
		State string
		Count float64
	}
	err := c.store.db.NewSelect().TableExpr("client_profiles as c").ColumnExpr(stateAt+" as state, count(*)::float8 as count",
		c.now()).GroupExpr("1").Scan(ctx, &rows)
	for _, row := range rows {
		out[row.State] = row.Count
	}
	return out, database.Fault(err, nil)
}

func doctorChecks() []doctor.Check {
	return []doctor.Check{
		{ID: "components.clients", Group: "components", Title: "secrets of clients", Run: unsettled},
		{ID: "components.subscriptions", Group: "components", Title: "addresses of subscriptions", Run: subscriptions},
	}
}

// unsettled finds secrets that every start since the update has found not to open.
func unsettled(ctx context.Context, env doctor.Env) doctor.Finding {
	db, done, none := checks.Database(ctx, env)
	if none != nil {
		return *none
	}
	defer done()
	var all, left int
	err := db.NewRaw("select count(*), count(*) filter (where moved) from client_flows where revoked_at is null").
		Scan(ctx, &all, &left)
	switch {
	case err != nil:
		return doctor.Finding{
			Status: doctor.Skipped,
			Found:  doctor.Say("the schema of the panel is not in this database"),
		}
	case left > 0:
		return doctor.Finding{
			Status: doctor.Warning, Found: doctor.Say("%d of %d secrets of clients do not open", left, all),
			Do: doctor.Say("start the panel with the master key that they were sealed with, " +
				"or revoke these clients and add them anew"),
			Data: map[string]any{"secrets": all, "unreadable": left},
		}
	}
	return doctor.Finding{
		Status: doctor.OK, Found: doctor.Say("%d secrets of clients are in order", all),
		Data: map[string]any{"secrets": all},
	}
}
