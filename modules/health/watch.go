package health

import (
	"context"

	"panel/modules/health/healthapi"
	"panel/modules/health/internal/incidents"
	"panel/modules/health/internal/judge"
	"panel/modules/health/internal/own"
	"panel/platform/database"
	"panel/platform/doctor"
	"panel/platform/doctor/checks"
	"panel/platform/metrics"
)

// collectors are what is shown to whoever watches the panel.
func collectors(db *database.DB, looks *own.Looks) []metrics.Collector {
	count := func(kind, state string) func(context.Context) (float64, error) {
		return func(ctx context.Context) (n float64, err error) {
			err = db.NewRaw("select count(*)::float8 from health_states where kind = ? and state = ? and not maintenance", kind,
				state).Scan(ctx, &n)
			return n, err
		}
	}
	return []metrics.Collector{
		metrics.AskedOne("panel_health_nodes_down", "Nodes that are down, without those in maintenance.",
			count(healthapi.Node, healthapi.Down)),
		metrics.AskedOne("panel_health_flows_down", "Flows that are down, without those in maintenance.",
			count(healthapi.Flow, healthapi.Down)),
		metrics.Asked("panel_health_incidents", "Incidents that go on, by their severity.", "severity",
			func(ctx context.Context) (map[string]float64, error) { return incidents.Counts(ctx, db) }),
		metrics.AskedOne("panel_health_detection_seconds",
			"From the first failure to the incident: the mean of the incidents of the last 24 hours.",
			func(ctx context.Context) (float64, error) { return incidents.Detection(ctx, db) }),
		metrics.AskedOne("panel_health_checks_late_seconds", "How long the panel's own checks wait beyond their time.",
			func(context.Context) (float64, error) { return looks.Late().Seconds(), nil }),
	}
}

// check is what Doctor asks about health, also while the panel is down.
func check() doctor.Check {
	return doctor.Check{ID: "components.health", Group: "components", Title: "health checks", Run: judged}
}

// judged finds a judging that stands still, a panel that hears almost nobody, and what is down.
func judged(ctx context.Context, env doctor.Env) doctor.Finding {
	db, done, none := checks.Database(ctx, env)
	if none != nil {
		return *none
	}
	defer done()
	var all, down, open int
	var worst string
	var cutOff, still bool
	err := db.NewRaw(`select (select count(*) from health_states),
			(select count(*) from health_states where state = 'down' and not maintenance), cut_off,
			coalesce(alive_at < ?, false), (select count(*) from health_incidents where state in ('open', 'acknowledged')),
			coalesce((select name from health_incidents where state in ('open', 'acknowledged')
				order by severity = 'critical' desc, opened_at limit 1), '')
		from health_progress`, env.Now().Add(-judge.Still)).Scan(ctx, &all, &down, &cutOff, &still, &open, &worst)
	data := map[string]any{"subjects": all, "down": down, "incidents": open}
	switch {
	case err != nil:
		return doctor.Finding{
			Status: doctor.Skipped, Found: doctor.Say("the schema of the panel is not in this database"),
		}
	case still:
		return doctor.Finding{
			Status: doctor.Warning, Found: doctor.Say("nobody judges the health of nodes and flows"),
			Do: doctor.Command("panelctl logs worker"), Data: data,
		}
	case cutOff:
		return doctor.Finding{
			Status: doctor.Failed, Found: doctor.Say("the panel hears almost no agent: its own network is the likely cause"),
			Data: data,
		}
	case open > 0:
		return doctor.Finding{
			Status: doctor.Warning, Found: doctor.Say("%d incidents are not resolved, the worst about %s", open, worst),
			Do: doctor.Command("panelctl health incidents"), Data: data,
		}
	case down > 0:
		return doctor.Finding{
			Status: doctor.Warning, Found: doctor.Say("%d of %d nodes and flows are down", down, all), Data: data,
		}
	}
	return doctor.Finding{Status: doctor.OK, Found: doctor.Say("%d nodes and flows, none is down", all), Data: data}
}
