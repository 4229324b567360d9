package nodes

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/nodes/internal/install"
	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/doctor"
	"panel/platform/doctor/checks"
)

// doctorChecks are what Doctor asks about nodes.
func doctorChecks() []doctor.Check {
	return []doctor.Check{
		{ID: "components.agents", Group: "components", Title: "agents", Run: silentAgents},
		{ID: "components.firewalls", Group: "components", Title: "blocking of addresses", Run: unprotected},
		{ID: "components.history", Group: "components", Title: "history of the fleet", Run: notedMinutes},
	}
}

// notedMinutes looks whether the fleet is noted while agents report; what is not noted is missing for good.
func notedMinutes(ctx context.Context, env doctor.Env) doctor.Finding {
	db, done, none := checks.Database(ctx, env)
	if none != nil {
		return *none
	}
	defer done()
	var late float64
	err := db.NewRaw(`select coalesce(extract(epoch from now() - (select max(at) from fleet_minutes)) / 60, 0)
		where exists (select from node_reports where seen_at > now() - interval '1 minute')`).Scan(ctx, &late)
	const most = 5
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return doctor.Finding{Status: doctor.Skipped, Found: doctor.Say("no agent reports now")}
	case err != nil:
		return doctor.Finding{
			Status: doctor.Skipped,
			Found:  doctor.Say("the schema of the panel is not in this database"),
		}
	case late > most:
		return doctor.Finding{
			Status: doctor.Warning,
			Found:  doctor.Say("the fleet was last noted %d minutes ago", int(late)),
			Do:     doctor.Command("panelctl logs scheduler -n 50"),
			Data:   map[string]any{"minutes": int(late)},
		}
	}
	return doctor.Finding{Status: doctor.OK, Found: doctor.Say("the fleet is noted every minute")}
}

// silentAgents counts nodes in service whose agent has been silent for more than two heartbeats.
func silentAgents(ctx context.Context, env doctor.Env) doctor.Finding {
	db, done, none := checks.Database(ctx, env)
	if none != nil {
		return *none
	}
	defer done()
	var known, silent int
	var names []string
	err := db.NewRaw(`select count(*), count(*) filter (where r.seen_at < now() - ? * interval '1 second'),
			coalesce(array_agg(n.name order by r.seen_at) filter (where r.seen_at < now() - ? * interval '1 second'), '{}')
		from nodes n join node_reports r on r.node_id = n.id
		where not n.disabled and not (n.maintenance and coalesce(n.maintenance_until > now(), true))`, 2*heartbeat(env), 2*heartbeat(env)).
		Scan(ctx, &known, &silent, pgdialect.Array(&names))
	switch {
	case err != nil:
		return doctor.Finding{
			Status: doctor.Skipped,
			Found:  doctor.Say("the schema of the panel is not in this database"),
		}
	case known == 0:
		return doctor.Finding{Status: doctor.Skipped, Found: doctor.Say("no node is in service")}
	case silent == 0:
		if others := otherAddresses(ctx, db, env); len(others) > 0 {
			return doctor.Finding{
				Status: doctor.Warning,
				Found: doctor.Say("agents dial this panel by another address than PANEL_PUBLIC_URL: %s",
					strings.Join(others, ", ")),
				Do: doctor.Say("set PANEL_PUBLIC_URL to the address that agents dial, or install those agents again"),
			}
		}
		return doctor.Finding{
			Status: doctor.OK, Found: doctor.Say("%d agents report", known),
			Data: map[string]any{"agents": known},
		}
	}
	const most = 3
	finding := doctor.Finding{
		Status: doctor.Warning, Found: doctor.Say("%d of %d agents are silent: %s", silent, known,
			strings.Join(names[:min(len(names), most)], ", ")),
		Do:   doctor.Say("on that server: systemctl status panel-agent; journalctl -u panel-agent -n 50"),
		Data: map[string]any{"agents": known, "silent": silent},
	}
	if silent == known {
		finding.Status = doctor.Failed
	}
	return finding
}

// unprotected counts nodes in service whose agents say that they may block no address.
func unprotected(ctx context.Context, env doctor.Env) doctor.Finding {
	db, done, none := checks.Database(ctx, env)
	if none != nil {
		return *none
	}
	defer done()
	var known, without int
	var names []string
	err := db.NewRaw(withoutFirewall).Scan(ctx, &known, &without, pgdialect.Array(&names))
	const most = 3
	switch {
	case err != nil:
		return doctor.Finding{
			Status: doctor.Skipped,
			Found:  doctor.Say("the schema of the panel is not in this database"),
		}
	case known == 0:
		return doctor.Finding{Status: doctor.Skipped, Found: doctor.Say("no node is in service")}
	case without == 0:
		return doctor.Finding{
			Status: doctor.OK, Found: doctor.Say("no agent says that it may block nothing"),
			Data: map[string]any{"agents": known, "without": 0},
		}
	}
	return doctor.Finding{
		Status: doctor.Warning,
		Found: doctor.Say("%d of %d agents may block no address: %s", without, known,
			strings.Join(names[:min(len(names), most)], ", ")),
		Do: doctor.Say("unless that is on purpose, on those servers: curl -fsSL %s/install/agent.sh | sudo sh",
			cmp.Or(env.Getenv(config.PublicURL.Name), "https://panel.example.com")),
		Data: map[string]any{"agents": known, "without": without},
	}
}

// withoutFirewall counts the agents of nodes in service, and those of them that say firewall: none, with their names.
const withoutFirewall = `select count(*), count(*) filter (where w.lacking),
		coalesce(array_agg(n.name order by n.name) filter (where w.lacking), '{}')
	from nodes n join node_reports r on r.node_id = n.id
	cross join lateral (select coalesce(r.surroundings -> 'firewall', '[]') @> '[{"kind": "none"}]' as lacking) w
	where not n.disabled`

// otherAddresses are those by which agents dial this panel while it calls itself otherwise.
func otherAddresses(ctx context.Context, db *database.DB, env doctor.Env) []string {
	own, dialled := env.Getenv(config.PublicURL.Name), []string{}
	err := db.NewRaw("select distinct report->>'panel_url' from node_reports where report->>'panel_url' <> '' order by 1 limit 50").Scan(ctx, &dialled)
	if err != nil || own == "" {
		return nil
	}
	return slices.DeleteFunc(dialled, func(address string) bool { return install.SameAddress(address, own) })
}

func heartbeat(env doctor.Env) int {
	seconds, err := strconv.Atoi(cmp.Or(env.Getenv(config.AgentHeartbeat.Name), config.AgentHeartbeat.Default))
	if err != nil {
		return 0
	}
	return seconds
}
