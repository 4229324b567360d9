package external

import (
	"time"

	"panel/modules/health/healthapi"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/jobs"
	"panel/platform/settings"
)

// SettingsChanged is what the journal and events call a change of the settings.
const SettingsChanged = "health.bscheck_settings_changed"

const screen = "/checks/{id}"

// Keep is how long reports stay: longer than the month that a cap speaks of.
const Keep = 365 * 24 * time.Hour

// Tidy removes old reports; those that go on stay.
func Tidy() jobs.Tidy { return jobs.Tidy{Table: "health_reports", Column: "checked_at", Age: Keep} }

// Faults are the codes of external checks.
func Faults() []fault.Declared {
	return []fault.Declared{
		{Kind: fault.KindInvalid, Code: errNoKey.Code, Summary: "External checks have no key of the service yet"},
		{
			Kind: fault.KindInvalid, Code: errLimit.Code,
			Summary: "The check would cost more than may be spent in a day or month; the answer says which and what is left",
		},
		{Kind: fault.KindConflict, Code: errActive.Code, Summary: "A check of this address is under way"},
		{Kind: fault.KindConflict, Code: errSoon.Code, Summary: "The address was checked a moment ago; Retry-After says when it may be again"},
		{
			Kind: fault.KindUpstream, Code: "checker_error",
			Summary: "The service for external checks refused or cannot be used; the answer has the reason",
		},
		{Kind: fault.KindUpstreamTimeout, Code: "checker_timeout", Summary: "The service for external checks did not answer in time"},
	}
}

// Journal are the actions of external checks.
func Journal() audit.Kinds {
	return audit.Kinds{Objects: []string{object}, Actions: []string{
		healthapi.EventCheckStarted, healthapi.EventCheckDone, healthapi.EventCheckFailed, healthapi.EventCheckEnded,
		healthapi.ActionCheckCancelled, SettingsChanged, healthapi.ActionScheduleAdded, healthapi.ActionScheduleChanged,
		healthapi.ActionScheduleRemoved,
	}}
}

// Events are the kinds of events about external checks.
func Events(view access.Key) []events.Kind {
	kinds := []events.Kind{
		{Name: healthapi.EventCheckStarted, Summary: "A paid external check was started", Data: healthapi.CheckNews{}},
		{Name: healthapi.EventCheckDone, Summary: "An external check has its report", Data: healthapi.CheckNews{}},
		{Name: healthapi.EventCheckEnded, Summary: "An external check was cancelled", Data: healthapi.CheckNews{}},
		{
			Name: healthapi.EventCheckFailed, Summary: "An external check failed", Severity: events.Warning, Notify: true,
			Effect: "There is no new report; what was paid for is in the journal.", Screen: screen,
			Data: healthapi.CheckNews{},
		},
		{
			Name: healthapi.EventReachabilityDropped, Summary: "Mobile operators do not reach a flow any more",
			Severity: events.Warning, Notify: true, Effect: "Users of these operators cannot connect.", Screen: screen,
			Data: healthapi.DropNews{},
		},
	}
	for i := range kinds {
		kinds[i].Subject = "flow"
	}
	kinds = append(kinds, events.Kind{
		Name: healthapi.EventBudgetReached, Summary: "The money for external checks is spent", Subject: "budget",
		Severity: events.Warning, Notify: true, Effect: "No paid check begins until the period ends or the cap is raised.",
		Screen: "/checks", Data: healthapi.BudgetNews{},
	})
	for i := range kinds {
		kinds[i].Needs, kinds[i].Live = view, true
	}
	return append(kinds, settings.Kind(SettingsChanged, "The settings of external checks were changed", view))
}
