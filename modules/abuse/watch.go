package abuse

import (
	"context"
	"time"

	"panel/modules/abuse/internal/cases"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/doctor"
	"panel/platform/doctor/checks"
	"panel/platform/metrics"
)

// collectors are what is shown to whoever watches the panel.
func collectors(db *database.DB) []metrics.Collector {
	return []metrics.Collector{
		metrics.Asked("panel_abuse_signals", "Signals of abuse that agents told in the last hour, by kind.", "kind",
			func(ctx context.Context) (map[string]float64, error) { return signalsByKind(ctx, db) }),
		metrics.AskedOne("panel_abuse_agents_refused",
			"Agents of whose word something was not taken in the last 24 hours.",
			func(ctx context.Context) (n float64, err error) {
				err = db.NewRaw("select count(*)::float8 from abuse_refused where refused_at > now() - interval '24 hours'").
					Scan(ctx, &n)
				return n, err
			}),
		metrics.Asked("panel_abuse_cases", "Cases of abuse by state, as long as they are kept.", "state",
			func(ctx context.Context) (map[string]float64, error) { return casesByState(ctx, db) }),
		metrics.AskedOne("panel_abuse_case_oldest_seconds", "How long the oldest open case of abuse has been open.",
			func(ctx context.Context) (n float64, err error) {
				err = db.NewRaw(`select coalesce(extract(epoch from now() - min(opened_at)), 0)::float8 from abuse_cases
					where state = 'open'`).Scan(ctx, &n)
				return n, err
			}),
		metrics.AskedOne("panel_abuse_lookups_late",
			"Questions about complaints that should have ended a minute ago.",
			func(ctx context.Context) (n float64, err error) {
				err = db.NewRaw(`select count(*)::float8 from abuse_lookups
					where state = 'running' and ends_by < now() - interval '1 minute'`).Scan(ctx, &n)
				return n, err
			}),
	}
}

func casesByState(ctx context.Context, db *database.DB) (map[string]float64, error) {
	out := map[string]float64{cases.Open: 0, cases.Actioned: 0, cases.Dismissed: 0, cases.Expired: 0}
	var rows []struct {
		State string
		N     float64
	}
	err := db.NewRaw("select state, count(*)::float8 as n from abuse_cases group by state").Scan(ctx, &rows)
	for _, row := range rows {
		out[row.State] = row.N
	}
	return out, err
}

func signalsByKind(ctx context.Context, db *database.DB) (map[string]float64, error) {
	var rows []struct {
		Kind string
		N    float64
	}
	err := db.NewRaw(`select kind, count(*)::float8 as n from abuse_signals
		where last_at > now() - interval '1 hour' and stored_at > now() - interval '2 hours' group by kind`).Scan(ctx, &rows)
	out := map[string]float64{}
	for _, kind := range agentapi.AbuseKinds {
		out[string(kind)] = 0
	}
	for _, row := range rows {
		out[row.Kind] = row.N
	}
	return out, err
}

// check is what Doctor asks about abuse protection, also while the panel is down.
func check() doctor.Check {
	return doctor.Check{ID: "components.abuse", Group: "components", Title: "abuse protection", Run: heard}
}

// heard finds agents that tell of what is not theirs, that lose what they have, or that do not see all.
func heard(ctx context.Context, env doctor.Env) doctor.Finding {
	db, done, none := checks.Database(ctx, env)
	if none != nil {
		return *none
	}
	defer done()
	const day = 24 * time.Hour
	var agents, refused, losing, blind, open, endless int
	since := env.Now().Add(-day).UTC()
	err := db.NewRaw(`select (select count(distinct node_id) from (select node_id from abuse_signal_streams
				union select node_id from abuse_diversity_streams) t),
			(select count(*) from abuse_refused where refused_at > ?0),
			(select count(distinct node_id) from (select node_id, dropped, updated_at from abuse_signal_streams
				union all select node_id, dropped, updated_at from abuse_diversity_streams) t
				where dropped > 0 and updated_at > ?0),
			(select count(distinct node_id) from abuse_coverage where not complete),
			(select count(*) from abuse_cases where state = 'open'),
			(select count(*) from abuse_lookups where state = 'running' and ends_by < ?1)`, since,
		env.Now().Add(-time.Hour).UTC()).
		Scan(ctx, &agents, &refused, &losing, &blind, &open, &endless)
	data := map[string]any{
		"agents": agents, "refused": refused, "losing": losing, "incomplete": blind, "open_cases": open,
		"endless_lookups": endless,
	}
	switch {
	case err != nil:
		return doctor.Finding{
			Status: doctor.Skipped, Found: doctor.Say("the schema of the panel is not in this database"),
		}
	case refused > 0:
		return doctor.Finding{
			Status: doctor.Warning, Found: doctor.Say("%d agents told of users that their nodes do not serve, or what makes no sense", refused),
			Do: doctor.Command("panelctl abuse agents"), Data: data,
		}
	case losing > 0:
		return doctor.Finding{
			Status: doctor.Warning, Found: doctor.Say("%d agents have lost signals because their buffers were full", losing),
			Do: doctor.Command("panelctl abuse agents"), Data: data,
		}
	case endless > 0:
		return doctor.Finding{
			Status: doctor.Warning, Found: doctor.Say("%d questions about complaints have no end", endless),
			Do: doctor.Command("panelctl logs scheduler -n 50"), Data: data,
		}
	}
	return doctor.Finding{
		Status: doctor.OK,
		Found: doctor.Say("%d agents tell of abuse, %d of them do not see all sessions; %d cases are open", agents, blind,
			open),
		Data: data,
	}
}
