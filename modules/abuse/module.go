// Package abuse keeps what agents tell of misuse: what users seem to do, and from how many places they are connected at
// once, so that the person behind a complaint is found.
//
// Agents are told what to look for (internal/watching) and deliver numbered batches (internal/intake), which are stored
// once and kept for a time that administrators set; people read them (internal/views). One panel at a time scores users
// by them (internal/score) and opens cases (internal/cases). A complaint leads to a user by what was stored and by what
// entries have on their disks (internal/lookups). Addresses of users are kept for a shorter time than the rest.
package abuse

import (
	"embed"

	"panel/modules/abuse/internal/acts"
	"panel/modules/abuse/internal/blocks"
	"panel/modules/abuse/internal/cases"
	"panel/modules/abuse/internal/console"
	"panel/modules/abuse/internal/intake"
	"panel/modules/abuse/internal/lookups"
	"panel/modules/abuse/internal/views"
	"panel/modules/abuse/internal/watching"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/automation"
	"panel/platform/database"
	"panel/platform/doctor"
	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/fault"
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
		Requires: []string{"clients", "flows", "nodes", "proxypanel"},
		Russian:  russian,
		Permissions: []access.Permission{
			{Key: View, Summary: "See signals of abuse and from where users are connected"},
			{Key: Manage, Summary: "Say what is no abuse, act against users and addresses, set how long signals are kept"},
		},
		Features: []entitlement.Feature{{Key: feature, Summary: "Abuse protection"}},
		Journal: audit.Kinds{
			Actions: []string{
				kindAllowed, kindDisallowed, actionSettings, cases.EventChanged, cases.ActionNoted, lookups.ActionAsked,
				acts.EventActioned, acts.EventUndone, blocks.EventBlocked, blocks.EventLifted,
			},
			Objects: []string{object, cases.Object, lookups.Object, acts.Object, blocks.Object},
		},
		Events: append(append(actEvents(), blockEvents()...), []events.Kind{
			{Name: kindAllowed, Summary: "A user or network was put on the allow-list", Needs: View, Live: true, Data: News{}},
			{Name: kindDisallowed, Summary: "A user or network was taken from the allow-list", Needs: View, Live: true, Data: News{}},
			settings.Kind(actionSettings, "Settings of abuse protection were changed", View),
			{
				Name: cases.EventOpened, Summary: "A user is conspicuous", Needs: View, Live: true, Subject: cases.Object,
				Severity: events.Warning, Notify: true, Screen: caseScreen, Data: cases.News{},
				Effect: "Nothing is done about the user by itself unless the settings say so.",
			},
			{
				Name: cases.EventChanged, Summary: "A case of abuse was scored again, or somebody did something with it",
				Needs: View, Live: true, Subject: cases.Object, Data: cases.News{},
			},
		}...),
		Faults: append(append(acts.Faults(), blocks.Faults()...), []fault.Declared{
			{Kind: fault.KindConflict, Code: "case_live", Summary: "Another case of this user is open already"},
			{Kind: fault.KindConflict, Code: "case_acting", Summary: "Something is being done about this user"},
		}...),
		Secrets:    watching.Columns,
		Tidy:       intake.Tidy(),
		Migrations: module.SQL(files),
		Commands:   console.Commands,
		Acts:       []automation.Act{acts.Automatic(feature)},
		Checks:     []doctor.Check{check()},
		Private: []any{
			openSettings, intake.New, views.New, newAllowlist, newWatching, newCases, newLookups, newBlocks,
			newActs, newHandlers,
		},
		Attach: attach,
	}
}

// caseScreen is where the web interface shows a case.
const caseScreen = "/abuse/cases/{id}"

func attach(
	h *handlers, i *intake.Intake, doc *settings.Doc[Settings], db *database.DB, w *watching.Watching, c *cases.Cases,
	l *lookups.Lookups, a *acts.Acts, b *blocks.Blocks,
) module.Parts {
	return module.Parts{
		Routes: h.routes(),
		Jobs: append(append(l.Workers(), a.Workers()...), i.RenewWorker(kept(doc), forgets(c, a, b, kept(doc))),
			w.Worker()),
		Schedules: []jobs.Schedule{
			intake.RenewSchedule(), watching.Schedule(), lookups.Schedule(), acts.Schedule(), acts.AutomaticSchedule(),
		},
		Listeners: []events.Listener{placeListener(w)},
		Loops:     append(i.Loops(), c.Run), Metrics: collectors(db),
	}
}
