package proxypanel

import (
	"context"

	"panel/platform/database"
	"panel/platform/doctor"
	"panel/platform/doctor/checks"
	"panel/platform/metrics"
)

// unsettled are parts whose apply has committed, and that do not stand as it wants for some minutes.
const unsettled = "phase in ('committed', 'leaving') and apply_id is null and updated_at < now() - interval '5 minutes'"

// unshown are hosts that were to be shown again minutes ago.
const unshown = "state = 'showing' and updated_at < now() - interval '5 minutes'"

// metrics are those of all panels on this database.
func (d *drifts) metrics() []metrics.Collector {
	count := func(query string) func(context.Context) (float64, error) {
		return func(ctx context.Context) (value float64, err error) {
			err = d.connections.store.db.NewRaw("select count(*)::float8 from "+query).Scan(ctx, &value)
			return value, database.Fault(err, nil)
		}
	}
	return []metrics.Collector{
		metrics.AskedOne("panel_proxypanel_nodes_adopted", "Nodes of proxy panels that may serve flows.",
			count("proxypanel_mappings")),
		metrics.AskedOne("panel_proxypanel_nodes_gone", "Adopted nodes that are not at their proxy panel any more.",
			count("proxypanel_mappings where gone_at is not null")),
		metrics.AskedOne("panel_proxypanel_entries", "Entries of flows that proxy panels serve.", count("proxypanel_parts")),
		metrics.AskedOne("panel_proxypanel_entries_unsettled",
			"Entries that do not stand at their proxy panel as an apply has committed them minutes ago.",
			count("proxypanel_parts where "+unsettled)),
		metrics.AskedOne("panel_proxypanel_drift", "Objects at proxy panels that are not as they were written.",
			count("(select distinct connection_id, object from proxypanel_drifts) d")),
		metrics.AskedOne("panel_proxypanel_hosts_hidden", "Hosts at proxy panels that are hidden because their node is down.",
			count("proxypanel_hidden where state = 'hidden'")),
		metrics.AskedOne("panel_proxypanel_hosts_unshown",
			"Hosts at proxy panels that were to be shown again minutes ago and could not be.",
			count("proxypanel_hidden where "+unshown)),
	}
}

// offersCheck is what Doctor asks about what was put at proxy panels, also while the panel is down.
func offersCheck() doctor.Check {
	return doctor.Check{
		ID: "components.proxypanel_offers", Group: "components", Title: "what stands at proxy panels", Run: inspect,
	}
}

// offersState is what Doctor knows of the nodes there.
type offersState struct {
	Nodes, Gone, Drifted, Unsettled, Hidden, Unshown int
	GoneName, DriftName, UnshownName                 string
}

// inspect finds adopted nodes that are gone, objects that differ, and entries that do not stand. It asks no other
// panel.
func inspect(ctx context.Context, env doctor.Env) doctor.Finding {
	db, done, none := checks.Database(ctx, env)
	if none != nil {
		return *none
	}
	defer done()
	var s offersState
	err := db.NewRaw(`select count(*), count(*) filter (where gone_at is not null),
			coalesce(min(name) filter (where gone_at is not null), ''),
			(select count(distinct (connection_id, object)) from proxypanel_drifts),
			(select coalesce(min(name), '') from proxypanel_drifts),
			(select count(*) from proxypanel_parts where `+unsettled+`),
			(select count(*) from proxypanel_hidden where state = 'hidden'),
			(select count(*) from proxypanel_hidden where `+unshown+`),
			(select coalesce(min(name), '') from proxypanel_hidden where `+unshown+`) from proxypanel_mappings`).
		Scan(ctx, &s.Nodes, &s.Gone, &s.GoneName, &s.Drifted, &s.DriftName, &s.Unsettled, &s.Hidden, &s.Unshown,
			&s.UnshownName)
	if err != nil {
		return doctor.Finding{
			Status: doctor.Skipped, Found: doctor.Say("the schema of the panel is not in this database"),
		}
	}
	return s.finding()
}

func (s offersState) finding() doctor.Finding {
	data := map[string]any{
		"nodes": s.Nodes, "nodes_gone": s.Gone, "drifted": s.Drifted, "unsettled": s.Unsettled, "hidden": s.Hidden,
		"unshown": s.Unshown,
	}
	compare := doctor.Command("panelctl proxypanel drift <label>")
	switch {
	case s.Nodes == 0:
		return doctor.Finding{Status: doctor.Skipped, Found: doctor.Say("no node of a proxy panel is adopted")}
	case s.Gone > 0:
		return doctor.Finding{
			Status: doctor.Warning, Subject: s.GoneName, Data: data,
			Found: doctor.Say("%d of %d adopted nodes are not at their proxy panel any more", s.Gone, s.Nodes),
			Do:    doctor.Say("take the flows off these nodes, and release them with panelctl proxypanel release"),
		}
	case s.Unshown > 0:
		return doctor.Finding{
			Status: doctor.Warning, Subject: s.UnshownName, Data: data,
			Found: doctor.Say("%d hosts at proxy panels were to be shown again and could not be", s.Unshown),
			Do:    doctor.Command("panelctl proxypanel list"),
		}
	case s.Drifted > 0:
		return doctor.Finding{
			Status: doctor.Warning, Subject: s.DriftName, Data: data,
			Found: doctor.Say("%d objects at proxy panels are not as they were written", s.Drifted), Do: compare,
		}
	case s.Unsettled > 0:
		return doctor.Finding{
			Status: doctor.Warning, Data: data, Do: compare,
			Found: doctor.Say("%d entries do not stand at their proxy panel as they were installed", s.Unsettled),
		}
	}
	return doctor.Finding{
		Status: doctor.OK, Found: doctor.Say("what was written to proxy panels stands on %d nodes", s.Nodes), Data: data,
	}
}
