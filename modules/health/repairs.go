package health

import (
	"context"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/modules/cdn-dns/cdndnsapi"
	"panel/modules/flows/flowsapi"
	"panel/modules/health/healthapi"
	"panel/modules/health/internal/incidents"
	"panel/modules/health/internal/repair"
	"panel/modules/nodes/nodesapi"
	"panel/modules/pools/poolsapi"
	"panel/modules/proxypanel/proxypanelapi"
	"panel/platform/audit"
	"panel/platform/automation"
	"panel/platform/database"
	"panel/platform/doctor"
	"panel/platform/doctor/checks"
	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/jobs"
	"panel/platform/metrics"
	"panel/platform/operations"
)

func newRepairs(
	db *database.DB, l *database.Listener, clock clockwork.Clock, log *zap.Logger, j audit.Journal, bus *events.Bus,
	stop *automation.Switch, c nodesapi.Commands, applies flowsapi.Applies, i *incidents.Incidents,
	pools poolsapi.Members, names cdndnsapi.Names, hosts proxypanelapi.Hosts, follow *operations.Store,
) *repair.Repairs {
	return repair.New(repair.Tools{
		DB: db, Listener: l, Clock: clock, Log: log, Journal: j, Bus: bus, Stop: stop, Commands: c, Applies: applies,
		Incidents: i, Pools: pools, Names: names, Hosts: hosts, Follow: follow,
	})
}

// repairKind is the job that decides what to do about nodes that suffer, and its schedule.
const repairKind = "health.repair"

// repairSoon is the listener that has it decide at once.
const repairSoon = "health.repair_soon"

type repairArgs struct{}

// Kind names the worker.
func (repairArgs) Kind() string { return repairKind }

func repairWorker(r *repair.Repairs) jobs.Worker {
	return jobs.Worker{
		Kind: repairKind, Timeout: time.Minute,
		Work: func(ctx context.Context, _ jobs.Job) error { return r.Look(ctx) },
	}
}

// repairSchedule decides again what was put off. It looks also while the panel may not act, to say that it does not.
func repairSchedule() jobs.Schedule {
	return jobs.Schedule{
		Name: repairKind, Cron: "* * * * *", ReadOnly: entitlement.GoesOn, Blocked: entitlement.GoesOn,
		Args: func() jobs.Args { return repairArgs{} },
	}
}

// repairListener decides as soon as the verdict about a node has changed.
func (f *follower) repairListener() events.Listener {
	return events.Listener{
		Name: repairSoon, Kinds: []string{healthapi.EventStateChanged}, Feature: feature,
		ReadOnly: entitlement.GoesOn, Blocked: entitlement.GoesOn,
		Handle: events.With(func(ctx context.Context, _ events.Event, news healthapi.StateNews) error {
			if news.Kind != healthapi.Node {
				return nil
			}
			return f.queue.Insert(ctx, repairArgs{}, jobs.Opts{Unique: "soon", At: f.now()})
		}),
	}
}

// repairMetrics are what is shown of self-repair to whoever watches the panel.
func repairMetrics(db *database.DB) []metrics.Collector {
	return []metrics.Collector{
		metrics.Asked("panel_self_repair_actions",
			"Actions of self-repair: those proposed and running now, and those of the last 24 hours by how they ended.", "state",
			func(ctx context.Context) (map[string]float64, error) { return repair.Counts(ctx, db) }),
	}
}

// repairCheck is what Doctor asks about self-repair, also while the panel is down.
func repairCheck() doctor.Check {
	return doctor.Check{ID: "components.self_repair", Group: "components", Title: "self-repair", Run: repaired}
}

// repaired finds repairs that failed or did not help within a day, and those that wait for a person.
func repaired(ctx context.Context, env doctor.Env) doctor.Finding {
	db, done, none := checks.Database(ctx, env)
	if none != nil {
		return *none
	}
	defer done()
	n, err := repair.Counts(ctx, db)
	if err != nil {
		return doctor.Finding{
			Status: doctor.Skipped, Found: doctor.Say("the schema of the panel is not in this database"),
		}
	}
	found := doctor.Finding{
		Status: doctor.Warning, Do: doctor.Command("panelctl health repairs"),
		Data: map[string]any{
			"failed": int(n[repair.Failed]), "not_helped": int(n[repair.NotHelped]), "proposed": int(n[repair.Proposed]),
			"done": int(n[repair.Succeeded]),
		},
	}
	switch bad := int(n[repair.Failed] + n[repair.NotHelped]); {
	case bad > 0:
		found.Found = doctor.Say("%d repairs of the last 24 hours failed or did not help", bad)
	case n[repair.Proposed] > 0:
		found.Found = doctor.Say("%d repairs wait for somebody's approval", int(n[repair.Proposed]))
	default:
		found.Status, found.Do = doctor.OK, doctor.Text{}
		found.Found = doctor.Say("%d repairs in the last 24 hours, and none waits", int(n[repair.Succeeded]))
	}
	return found
}
