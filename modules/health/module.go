// Package health watches nodes and flows from several places, judges what is really broken, and tells of it.
//
// Agents and the panel look by themselves at what is installed (internal/place decides who looks at what); results
// come in numbered batches (internal/results); one panel at a time folds them into verdicts and commits each change of
// state with its event (internal/judge, internal/verdict).
package health

import (
	"context"
	"embed"
	"slices"

	"github.com/jonboulle/clockwork"

	"panel/modules/flows/flowsapi"
	"panel/modules/health/healthapi"
	"panel/modules/health/internal/console"
	"panel/modules/health/internal/external"
	"panel/modules/health/internal/incidents"
	"panel/modules/health/internal/judge"
	"panel/modules/health/internal/own"
	"panel/modules/health/internal/place"
	"panel/modules/health/internal/repair"
	"panel/modules/health/internal/results"
	"panel/modules/health/internal/view"
	"panel/modules/pools/poolsapi"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/automation"
	"panel/platform/database"
	"panel/platform/doctor"
	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/ingest"
	"panel/platform/jobs"
	"panel/platform/module"
)

//go:embed migrations
var files embed.FS

//go:embed russian.txt
var russian string

const (
	object        = "health_policy"
	actionChecked = "health.checks_run"
)

// Module is the manifest.
func Module() module.Module {
	return module.Module{
		Name:     "health",
		Summary:  "Health of nodes and flows, seen from several places",
		Requires: []string{"cdndns", "flows", "nodes", "pools", "proxypanel"},
		Russian:  russian,
		Permissions: []access.Permission{
			{Key: View, Summary: "See the health of nodes and flows"},
			{Key: Manage, Summary: "Change health policies and look again"},
		},
		Features: []entitlement.Feature{{Key: feature, Summary: "Health policies"}},
		Faults: append([]fault.Declared{
			{Kind: fault.KindConflict, Code: "default_policy", Summary: "The policy of everything else stays, and speaks of all"},
			{Kind: fault.KindConflict, Code: "action_not_undoable", Summary: "The action has changed nothing that could be given back"},
			{Kind: fault.KindConflict, Code: "action_not_proposed", Summary: "The action waits for nobody's approval"},
			{Kind: fault.KindConflict, Code: "incident_resolved", Summary: "The incident is resolved"},
		}, external.Faults()...),
		Journal: audit.Kinds{
			Actions: append([]string{
				healthapi.EventPolicyCreated, healthapi.EventPolicyUpdated, healthapi.EventPolicyDeleted, actionChecked,
				incidents.ActionAcknowledged, incidents.ActionResolved, healthapi.EventActionRun, repair.ActionApproved,
				repair.ActionDismissed, healthapi.EventActionUndone,
			}, external.Journal().Actions...),
			Objects: append([]string{object, incidents.Object, repair.Object}, external.Journal().Objects...),
		},
		Events:  append(eventKinds(), external.Events(View)...),
		Secrets: external.Columns,
		Tidy: []jobs.Tidy{
			results.Tidy(),
			{Table: "health_changes", Column: "at", Age: view.KeptLong},
			incidents.Tidy(), external.Tidy(),
			repair.Tidy(view.KeptLong),
		},
		Acts:       []automation.Act{repair.Act(feature)},
		Migrations: module.SQL(files),
		Commands:   console.Commands,
		Checks:     []doctor.Check{check(), repairCheck(), external.Check()},
		Private: []any{
			place.New, results.New, own.New, incidents.New, newRepairs, judge.New, view.New, newPolicies, newRuns,
			newHandlers,
			external.NewPlatform, external.New,
		},
		Exports: []any{exportReports},
		Attach:  attach,
	}
}

func exportReports(v *view.Views, i *incidents.Incidents) healthapi.Reports {
	return view.NewReports(v, i)
}

// repairScreen is where it shows what self-repair did and proposes.
const repairScreen = "/monitoring/repairs"

// incidentScreen is where the web interface shows an incident.
const incidentScreen = "/monitoring/incidents/{id}"

func eventKinds() []events.Kind {
	return []events.Kind{
		{
			Name: healthapi.EventStateChanged, Summary: "The verdict about a node or flow has changed", Needs: View,
			Live: true, Data: healthapi.StateNews{},
		},
		{Name: healthapi.EventPolicyCreated, Summary: "A health policy was made", Needs: View, Live: true, Data: healthapi.PolicyNews{}},
		{Name: healthapi.EventPolicyUpdated, Summary: "A health policy was changed", Needs: View, Live: true, Data: healthapi.PolicyNews{}},
		{Name: healthapi.EventPolicyDeleted, Summary: "A health policy was removed", Needs: View, Live: true, Data: healthapi.PolicyNews{}},
		{
			Name: healthapi.EventIncidentOpened, Summary: "An incident began", Needs: View, Live: true,
			Severity: events.Critical, Notify: true, Screen: incidentScreen, Data: healthapi.IncidentNews{},
			Effect: "Users may have no connection, or a bad one.",
		},
		{
			Name: healthapi.EventIncidentChanged, Summary: "An incident reached further, or somebody did something about it",
			Needs: View, Live: true, Data: healthapi.IncidentNews{},
		},
		{
			Name: healthapi.EventIncidentResolved, Summary: "An incident is over", Needs: View, Live: true, Notify: true,
			Resolves: []string{healthapi.EventIncidentOpened}, Screen: incidentScreen, Data: healthapi.IncidentNews{},
		},
		{
			Name: healthapi.EventActionProposed, Summary: "Self-repair proposes something for somebody to approve", Needs: View,
			Live: true, Notify: true, Subject: healthapi.Node, Screen: repairScreen, Data: healthapi.ActionNews{},
			Effect: "Nothing is done about the node until somebody approves it.",
		},
		{
			Name: healthapi.EventActionRun, Summary: "Self-repair did something, well or not", Needs: View, Live: true,
			Notify: true, Severity: events.Warning, Subject: healthapi.Node, Screen: repairScreen,
			Data: healthapi.ActionNews{},
		},
		{
			Name: healthapi.EventActionUndone, Summary: "What self-repair had changed was given back", Needs: View, Live: true,
			Subject: healthapi.Node, Data: healthapi.ActionNews{},
		},
		{
			Name: healthapi.EventActionSkipped, Summary: "Self-repair left something that it would have done", Needs: View,
			Live: true, Subject: healthapi.Node, Data: healthapi.ActionNews{},
		},
	}
}

func attach(
	h *handlers, p *place.Placer, r *results.Results, looks *own.Looks, j *judge.Judge, v *view.Views,
	heals *repair.Repairs, states flowsapi.HealthStates, canaries flowsapi.CanaryEvidence,
	members poolsapi.HealthEvidence, db *database.DB, queue *jobs.Enqueuer, clock clockwork.Clock, e *external.Service,
) module.Parts {
	states.Add("health", v.FlowStates)
	canaries.Add("health", v.CanaryFindings)
	members.Add("health", v.MemberEvidence)
	r.OnStored(j.Stored)
	f := &follower{queue: queue, judge: j, now: clock.Now}
	return module.Parts{
		Routes:    httpapi.Join(h.routes(), e.Routes(View, Manage)),
		Jobs:      slices.Concat(r.Jobs(), []jobs.Worker{worker(p), repairWorker(heals)}, e.Jobs()),
		Schedules: slices.Concat(results.Schedules(), []jobs.Schedule{schedule(), repairSchedule()}, e.Schedules()),
		Listeners: append(e.Listeners(), f.listener(), f.repairListener()), AgentBatches: []ingest.Intake{r.Intake()},
		Loops: append(r.Loops(), looks.Run, j.Run, heals.Run), Ready: []func(context.Context) error{r.Renew, f.begin},
		Metrics: slices.Concat(collectors(db, looks), repairMetrics(db), e.Metrics()),
	}
}
