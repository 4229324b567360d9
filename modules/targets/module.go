// Package targets searches for sites that REALITY listeners may show to strangers. A search runs on the agent of the
// node that the listener stands on, because what a target is worth depends on the place; it changes no flow. A draft
// takes a result over by its id.
package targets

import (
	"embed"

	"panel/modules/flows/flowsapi"
	"panel/platform/audit"
	"panel/platform/doctor"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/ingest"
	"panel/platform/jobs"
	"panel/platform/metrics"
	"panel/platform/module"
)

//go:embed migrations
var files embed.FS

//go:embed russian.txt
var russian string

// Module is the manifest.
func Module() module.Module {
	return module.Module{
		Name:     "targets",
		Summary:  "REALITY targets: sites that listeners show to strangers, found by agents",
		Requires: []string{"domains", "flows", "nodes"},
		Russian:  russian,
		Faults: []fault.Declared{
			{
				Kind: fault.KindInvalid, Code: "capability_missing",
				Summary: "The node's agent cannot do it; the answer names the capability",
			},
			{Kind: fault.KindConflict, Code: "search_active", Summary: "A search for targets runs on this node already"},
		},
		Journal: audit.Kinds{Actions: []string{kindStarted, actionStopped}, Objects: []string{object}},
		Events: []events.Kind{
			{Name: kindStarted, Summary: "A search for targets began", Needs: view, Live: true, Data: SearchNews{}},
			{Name: kindEnded, Summary: "A search for targets ended", Needs: view, Live: true, Data: SearchNews{}},
			{
				Name: kindFound, Summary: "A search for targets got on", Needs: view, Live: true, Transient: true,
				Data: SearchNews{},
			},
		},
		Tidy:       []jobs.Tidy{{Table: "target_searches", Column: "created_at", Age: keptFor}},
		Migrations: module.SQL(files),
		Commands:   commands,
		Checks:     []doctor.Check{check()},
		Private:    []any{newSearches, newHandlers},
		Attach:     attach,
	}
}

func attach(h *handlers, s *searches, drafts flowsapi.FoundTargets) module.Parts {
	drafts.Add("targets", s.foundTargets)
	drafts.Checks(targetChecks{s})
	return module.Parts{
		Routes: h.routes(), Jobs: s.workers(), Schedules: []jobs.Schedule{schedule()},
		AgentBatches: []ingest.Intake{s.intake()}, Metrics: []metrics.Collector{s.running(), s.failed()},
		Restored: s.restored,
	}
}
