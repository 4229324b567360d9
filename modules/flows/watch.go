package flows

import (
	"context"
	"fmt"
	"strings"

	"go.uber.org/zap"

	"panel/modules/flows/flowsapi"
	"panel/platform/doctor"
	"panel/platform/doctor/checks"
	"panel/platform/doctor/recovery"
	"panel/platform/events"
	"panel/platform/metrics"
)

// flowScreen is where the web interface shows a flow.
const flowScreen = "/flows/{id}"

// eventKinds are what happens to flows.
func eventKinds() []events.Kind {
	kinds := []events.Kind{
		{Name: flowsapi.EventDraftSaved, Summary: "The draft of a flow was saved", Data: flowsapi.DraftNews{}},
		{
			Name: flowsapi.EventVersionLoaded, Summary: "A version was loaded into the draft",
			Data: flowsapi.VersionNews{},
		},
		{Name: flowsapi.EventCompiled, Summary: "A draft was compiled into a plan", Data: flowsapi.PlanNews{}},
		{
			Name: flowsapi.EventPlanChecked, Summary: "There is new evidence about a plan", Transient: true,
			Data: flowsapi.PlanNews{},
		},
		{
			Name: flowsapi.EventApplyProgress, Summary: "An apply goes on", Transient: true,
			Data: flowsapi.ApplyProgress{},
		},
		{
			Name: flowsapi.EventStagePending, Severity: events.Warning, Notify: true, Data: flowsapi.StageNews{},
			Summary: "A part of an apply does not hold yet and is repeated",
			Screen:  flowScreen,
		},
		{
			Name:    flowsapi.EventStageSettled,
			Summary: "A part of an apply that did not hold holds now",
			Notify:  true, Resolves: []string{flowsapi.EventStagePending}, Screen: flowScreen,
			Data: flowsapi.StageNews{},
		},
	}
	kinds = append(kinds, changeKinds()...)
	kinds = append(kinds, applyKinds()...)
	for i := range kinds {
		kinds[i].Needs, kinds[i].Live = View, true
	}
	return kinds
}

func changeKinds() (kinds []events.Kind) {
	for name, summary := range map[string]string{
		flowsapi.EventCreated: "A flow was made", flowsapi.EventChanged: "A flow was changed",
		flowsapi.EventClientAdded:       "A client was added to a flow",
		flowsapi.EventClientRevoked:     "A client of a flow was revoked",
		flowsapi.EventClientsImported:   "Clients were imported into a flow",
		flowsapi.EventLinkIssued:        "A connection link was shown",
		flowsapi.EventPublicLinkIssued:  "The address of a subscription was issued",
		flowsapi.EventPublicLinkRevoked: "The address of a subscription was revoked",
		flowsapi.EventVersionChanged:    "A version of a flow was named or pinned",
		flowsapi.EventVersionKept:       "The draft was kept as a version",
	} {
		kinds = append(kinds, events.Kind{Name: name, Summary: summary, Data: flowsapi.Changed{}})
	}
	return kinds
}

func applyKinds() []events.Kind {
	kinds := []events.Kind{
		{Name: flowsapi.EventApplyStarted, Summary: "An apply of a flow began"},
		{
			Name: flowsapi.EventForceApplied, Summary: "An apply went over checks that were not confirmed",
			Severity: events.Warning, Notify: true, Screen: flowScreen,
			Effect: "Users may fail to connect where a check was right.",
		},
		{Name: flowsapi.EventApplyStopped, Summary: "Somebody stopped an apply"},
		{
			Name: flowsapi.EventApplySucceeded, Summary: "A flow is installed", Notify: true, Screen: flowScreen,
			Resolves: []string{flowsapi.EventApplyFailed},
		},
		{Name: flowsapi.EventCanaryStarted, Summary: "Some nodes of a flow serve the new version and are watched"},
		{
			Name: flowsapi.EventCanaryHeld, Severity: events.Warning, Notify: true, Screen: flowScreen,
			Summary: "A canary has passed its time, and the rest of the nodes does not follow",
			Effect:  "Some nodes serve the new version of the flow, the others the installed one.",
		},
		{Name: flowsapi.EventCanaryPromoted, Summary: "Somebody let the rest of the nodes follow a canary"},
		{
			Name: flowsapi.EventCanaryPassed, Summary: "The rest of the nodes follows a canary", Screen: flowScreen,
			Notify: true, Resolves: []string{flowsapi.EventCanaryHeld},
		},
		{Name: flowsapi.EventCanaryAborted, Summary: "Somebody ended a canary"},
		{Name: flowsapi.EventCanaryFailed, Summary: "A canary failed and goes back"},
		{Name: flowsapi.EventDisabled, Summary: "A flow was switched off"},
		{Name: flowsapi.EventDeleted, Summary: "A flow was deleted"},
		{
			Name: flowsapi.EventApplyFailed, Summary: "An apply failed", Severity: events.Warning, Notify: true,
			Effect: "The version that was installed before stays in force.", Screen: flowScreen,
			Resolves: []string{flowsapi.EventCanaryHeld},
		},
		{Name: flowsapi.EventReverted, Summary: "Nothing is left of an apply that failed"},
	}
	for i := range kinds {
		kinds[i].Data = flowsapi.ApplyNews{}
	}
	return kinds
}

// emit takes an event of a change, in its transaction.
func (s *service) emit(ctx context.Context, kind, flowID string, data any) error {
	return s.bus.Emit(ctx, events.Event{Kind: kind, SubjectID: flowID, At: s.now(), Data: data})
}

// show shows news that may be lost to those who watch.
func (s *service) show(ctx context.Context, kind, flowID string, data any) {
	if err := s.emit(ctx, kind, flowID, data); err != nil {
		s.log.Error("news of a flow were not shown", zap.Error(err))
	}
}

func (s *service) showChecked(ctx context.Context, planID, flowID string) {
	s.show(ctx, flowsapi.EventPlanChecked, flowID, flowsapi.PlanNews{PlanID: planID})
}

// metrics of the applies that are under way, on whichever panel.
func (r *runner) metrics() []metrics.Collector {
	return []metrics.Collector{
		metrics.AskedOne("panel_applies_unfinished", "Applies that are under way.", r.figure("count(*)::float8")),
		metrics.Counter("panel_flow_compilations_total", "Drawings that this panel has compiled.", func() float64 {
			return float64(r.compilations.Load())
		}),
		metrics.AskedOne("panel_apply_oldest_seconds",
			"Age of the oldest apply that is under way; the time of its canary does not count; 0 without one.",
			r.figure(`coalesce(extract(epoch from now() - min(greatest(started_at, (canary ->> 'ended_at')::timestamptz))
				filter (where stage <> 'canary')), 0)::float8`)),
		metrics.AskedOne("panel_canaries", "Canaries that are being watched.",
			r.figure("count(*) filter (where stage = 'canary')::float8")),
		metrics.AskedOne("panel_canaries_held", "Canaries whose time is over and whose rest does not follow.",
			r.figure("count(*) filter (where stage = 'canary' and canary -> 'held' <> 'null')::float8")),
		metrics.Counter("panel_canary_probes_total", "Probes of canaries that this panel has had an answer to.",
			func() float64 { return float64(r.probes.all.Load()) }),
		metrics.Counter("panel_canary_probes_failed_total", "Probes of canaries that did not get through.",
			func() float64 { return float64(r.probes.failed.Load()) }),
	}
}

func (r *runner) figure(expression string) func(context.Context) (float64, error) {
	return func(ctx context.Context) (value float64, err error) {
		err = r.db.NewSelect().Model((*applyRow)(nil)).ColumnExpr(expression).Where("finished_at is null").
			Scan(ctx, &value)
		return value, err
	}
}

// doctorChecks are what Doctor asks about flows.
func doctorChecks() []doctor.Check {
	return []doctor.Check{{ID: "components.applies", Group: "components", Title: "applies of flows", Run: abandoned}}
}

// abandoned finds applies that no panel goes on with, also where a wrong clock wrote their lease far ahead, and what
// applies have left to do that does not hold for long.
func abandoned(ctx context.Context, env doctor.Env) doctor.Finding {
	db, done, none := checks.Database(ctx, env)
	if none != nil {
		return *none
	}
	defer done()
	var open, left int
	var pending []string
	err := db.NewRaw(`select count(*), count(*) filter (where lease_until < now() - interval '1 minute'
			or lease_token <> '' and lease_until > now() + interval '1 minute')
		from flow_applies where finished_at is null`).
		Scan(ctx, &open, &left)
	if err == nil {
		err = db.NewRaw(`select distinct stage from flow_followups
			where started_at < now() - interval '15 minutes' order by 1`).
			Scan(ctx, &pending)
	}
	switch {
	case err != nil:
		return doctor.Finding{
			Status: doctor.Skipped,
			Found:  doctor.Say("the schema of the panel is not in this database"),
		}
	case left > 0:
		return doctor.Finding{
			Status: doctor.Warning, Found: doctor.Say("%d applies are unfinished and no panel works on them", left),
			Do:   doctor.Say("systemctl restart panel; it goes on from their last stage"),
			Data: map[string]any{"abandoned": left},
		}
	case len(pending) > 0:
		return doctor.Finding{
			Status: doctor.Warning,
			Found:  doctor.Say("parts of applies do not hold yet: %s", strings.Join(pending, ", ")),
			Do: doctor.Say(
				"open the last apply of the flows that show drift; it says why",
			),
			Data: map[string]any{"pending": pending},
		}
	}
	return doctor.Finding{
		Status: doctor.OK,
		Found:  doctor.Say("%d applies are running, none is abandoned", open),
		Data:   map[string]any{"open": open},
	}
}

func repairs() []recovery.Repair {
	return []recovery.Repair{{Checks: []string{"components.applies"}, Make: releaseRuns}}
}

// releaseRuns ends the leases that a killed panel holds, so that a living one goes on with the work at once.
func releaseRuns(env doctor.Env) *recovery.Action {
	return &recovery.Action{
		ID: "release_runs", Title: doctor.Say("Release crashed runs"),
		What: doctor.Say("ends the leases of applies whose panel gives no sign of life; " +
			"a running panel continues them from their last stage"),
		Do: func(ctx context.Context) error { return release(ctx, env) },
	}
}

// release leaves every lease alone that a living panel may hold: it lasts seconds. One that ends much later was written
// while the clock was wrong.
func release(ctx context.Context, env doctor.Env) error {
	db, done, none := checks.Database(ctx, env)
	if none != nil {
		return recovery.ErrNoDatabase
	}
	defer done()
	_, err := db.ExecContext(ctx, `update flow_applies set lease_token = '', lease_until = now() where finished_at is null
		and (lease_until < now() or lease_token <> '' and lease_until > now() + interval '1 minute')`)
	if err != nil {
		return fmt.Errorf("release crashed runs: %w", err)
	}
	return nil
}
