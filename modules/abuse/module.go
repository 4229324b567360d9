// Package abuse keeps what agents tell of misuse: what users seem to do, and from how many places they are connected at
// once, so that the person behind a complaint is found.
//
// Agents deliver numbered batches (internal/intake), which are stored once and kept for a time that administrators set;
// people read them (internal/views). Addresses of users are kept for a shorter time than the rest.
package abuse

import (
	"embed"

	"panel/modules/abuse/internal/console"
	"panel/modules/abuse/internal/intake"
	"panel/modules/abuse/internal/views"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/doctor"
	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/jobs"
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
		Name:     "abuse",
		Summary:  "Signals of abuse and session diversity, as agents tell them",
		Requires: []string{"clients", "flows", "nodes"},
		Russian:  russian,
		Permissions: []access.Permission{
			{Key: View, Summary: "See signals of abuse and from where users are connected"},
			{Key: Manage, Summary: "Say what is no abuse, and how long signals are kept"},
		},
		Features: []entitlement.Feature{{Key: feature, Summary: "Abuse protection"}},
		Journal: audit.Kinds{
			Actions: []string{kindAllowed, kindDisallowed, actionSettings}, Objects: []string{object},
		},
		Events: []events.Kind{
			{Name: kindAllowed, Summary: "A user or network was put on the allow-list", Needs: View, Live: true, Data: News{}},
			{Name: kindDisallowed, Summary: "A user or network was taken from the allow-list", Needs: View, Live: true, Data: News{}},
			settings.Kind(actionSettings, "Settings of abuse protection were changed", View),
		},
		Tidy:       intake.Tidy(),
		Migrations: module.SQL(files),
		Commands:   console.Commands,
		Checks:     []doctor.Check{check()},
		Private:    []any{openSettings, intake.New, views.New, newAllowlist, newHandlers},
		Attach:     attach,
	}
}

func attach(
	h *handlers, i *intake.Intake, doc *settings.Doc[Settings], db *database.DB,
) module.Parts {
	return module.Parts{
		Routes: h.routes(), Jobs: []jobs.Worker{i.RenewWorker(kept(doc))},
		Schedules: []jobs.Schedule{intake.RenewSchedule()}, Loops: i.Loops(), Metrics: collectors(db),
	}
}
