// Package operations shows administrators what they have started, how far it is, and lets them cancel it.
//
// Operations are kept by platform/operations and run as jobs; this package is their face.
package operations

import (
	_ "embed" // for the texts
	"time"

	"panel/platform/audit"
	"panel/platform/doctor"
	"panel/platform/events"
	"panel/platform/jobs"
	"panel/platform/module"
	"panel/platform/operations"
)

// kept is how long an operation that has ended can still be read.
const kept = 30 * 24 * time.Hour

//go:embed russian.txt
var russian string

// Module is the manifest.
func Module() module.Module {
	return module.Module{
		Name:    "operations",
		Summary: "What was started, how far it is and how it ended",
		Russian: russian,
		Faults:  faults(),
		Journal: audit.Kinds{Actions: []string{"operation.cancelled"}, Objects: []string{"job"}},
		Events: []events.Kind{{
			Name: operations.Changed, Summary: "Something that a person started moves on or has ended", Live: true,
			Transient: true,
		}},
		Tidy:    []jobs.Tidy{{Table: "operations", Column: "finished_at", Age: kept}},
		Checks:  []doctor.Check{check()},
		Private: []any{newHandlers},
		Attach:  attach,
	}
}

func attach(h *handlers) module.Parts { return module.Parts{Routes: h.routes()} }
