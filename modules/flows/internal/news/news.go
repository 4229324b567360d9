// Package news declares what is told of flows.
package news

import (
	"panel/modules/flows/flowsapi"
	"panel/platform/access"
	"panel/platform/events"
)

// screen is where the web interface shows a flow.
const screen = "/flows/{id}"

// Kinds are what happens to flows, for those who have the permission.
func Kinds(needs access.Key) []events.Kind {
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
			Screen:  screen,
		},
		{
			Name:    flowsapi.EventStageSettled,
			Summary: "A part of an apply that did not hold holds now",
			Notify:  true, Resolves: []string{flowsapi.EventStagePending}, Screen: screen,
			Data: flowsapi.StageNews{},
		},
	}
	kinds = append(kinds, changeKinds()...)
	kinds = append(kinds, applyKinds()...)
	for i := range kinds {
		kinds[i].Needs, kinds[i].Live = needs, true
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
		flowsapi.EventPublicLinkIssued:  "A subscription URL was issued",
		flowsapi.EventPublicLinkRevoked: "A subscription URL was revoked",
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
			Severity: events.Warning, Notify: true, Screen: screen,
			Effect: "Users may fail to connect where a check was right.",
		},
		{Name: flowsapi.EventApplyStopped, Summary: "Somebody stopped an apply"},
		{
			Name: flowsapi.EventApplySucceeded, Summary: "A flow is installed", Notify: true, Screen: screen,
			Resolves: []string{flowsapi.EventApplyFailed},
		},
		{Name: flowsapi.EventCanaryStarted, Summary: "Some nodes of a flow serve the new version and are watched"},
		{
			Name: flowsapi.EventCanaryHeld, Severity: events.Warning, Notify: true, Screen: screen,
			Summary: "A canary has passed its time, and the rest of the nodes does not follow",
			Effect:  "Some nodes serve the new version of the flow, the others the installed one.",
		},
		{Name: flowsapi.EventCanaryPromoted, Summary: "Somebody let the rest of the nodes follow a canary"},
		{
			Name: flowsapi.EventCanaryPassed, Summary: "The rest of the nodes follows a canary", Screen: screen,
			Notify: true, Resolves: []string{flowsapi.EventCanaryHeld},
		},
		{Name: flowsapi.EventCanaryAborted, Summary: "Somebody ended a canary"},
		{Name: flowsapi.EventCanaryFailed, Summary: "A canary failed and goes back"},
		{Name: flowsapi.EventDisabled, Summary: "A flow was switched off"},
		{Name: flowsapi.EventDeleted, Summary: "A flow was deleted"},
		{
			Name: flowsapi.EventApplyFailed, Summary: "An apply failed", Severity: events.Warning, Notify: true,
			Effect: "The version that was installed before stays in force.", Screen: screen,
			Resolves: []string{flowsapi.EventCanaryHeld},
		},
		{Name: flowsapi.EventReverted, Summary: "Nothing is left of an apply that failed"},
	}
	for i := range kinds {
		kinds[i].Data = flowsapi.ApplyNews{}
	}
	return kinds
}
