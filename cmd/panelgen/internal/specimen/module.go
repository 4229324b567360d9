// Package specimen keeps items; say here in one sentence what an operator gets from it.
//
// An item is looked at once a day, by a job that a schedule and a listener insert.
package specimen

import (
	"embed"

	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/doctor"
	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/jobs"
	"panel/platform/metrics"
	"panel/platform/module"
	"panel/platform/settings"
)

//go:embed migrations
var files embed.FS

//go:embed russian.txt
var russian string

// Module is the manifest.
func Module() module.Module {
	return module.Module{
		Name:    "specimen",
		Summary: "Items, one noun to begin with",
		Russian: russian,
		Permissions: []access.Permission{
			{Key: View, Summary: "See items"},
			{Key: Manage, Summary: "Add, change and remove items"},
		},
		Features: []entitlement.Feature{{Key: feature, Summary: "Items"}},
		Faults: []fault.Declared{
			{Kind: fault.KindConflict, Code: "specimen_full", Summary: "There are as many items as the settings allow"},
		},
		Journal: audit.Kinds{
			Actions: []string{kindAdded, actionChanged, kindRemoved, actionSettings},
			Objects: []string{object},
		},
		Events: []events.Kind{
			{Name: kindAdded, Summary: "An item was added", Needs: View, Live: true, Data: News{}},
			{Name: kindRemoved, Summary: "An item was removed", Needs: View, Live: true, Data: News{}},
			settings.Kind(actionSettings, "Settings were changed", View),
			{Name: kindSeen, Summary: "Items were looked at", Needs: View, Live: true, Transient: true},
		},
		Migrations: module.SQL(files),
		Commands:   commands,
		Checks:     []doctor.Check{check()},
		Private:    []any{openSettings, newItems, newHandlers},
		Attach:     attach,
	}
}

func attach(h *handlers, i *items) module.Parts {
	return module.Parts{
		Routes:    h.routes(),
		Jobs:      []jobs.Worker{i.worker()},
		Schedules: []jobs.Schedule{schedule()},
		Listeners: []events.Listener{i.listener()},
		Metrics:   []metrics.Collector{i.count()},
	}
}
