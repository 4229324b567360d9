package abuse

import (
	"context"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/modules/abuse/internal/cases"
	"panel/modules/abuse/internal/lookups"
	"panel/modules/abuse/internal/views"
	"panel/modules/abuse/internal/watching"
	"panel/modules/clients/clientsapi"
	"panel/modules/flows/flowsapi"
	"panel/modules/nodes/nodesapi"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/jobs"
	"panel/platform/settings"
	"panel/platform/vault"
)

func newWatching(
	db *database.DB, v *vault.Vault, fleet nodesapi.Statuses, documents nodesapi.Documents, queue *jobs.Enqueuer,
	clock clockwork.Clock, doc *settings.Doc[Settings],
) *watching.Watching {
	return watching.New(db, v, fleet, documents, queue, clock, watched(doc))
}

func newCases(
	db *database.DB, clock clockwork.Clock, log *zap.Logger, j audit.Journal, bus *events.Bus, v *views.Views,
	w *watching.Watching, doc *settings.Doc[Settings],
) *cases.Cases {
	return cases.New(cases.Tools{
		DB: db, Clock: clock, Log: log, Journal: j, Bus: bus, Views: v, Rules: rules(doc), Watched: w.Soon,
	})
}

func newLookups(
	db *database.DB, clock clockwork.Clock, j audit.Journal, queue *jobs.Enqueuer, fleet nodesapi.Fleet,
	held nodesapi.Addresses, commands nodesapi.Commands, flows flowsapi.Flows, clients clientsapi.Clients,
	v *views.Views, doc *settings.Doc[Settings],
) *lookups.Lookups {
	times := kept(doc)
	return lookups.NewLookups(lookups.Tools{
		DB: db, Clock: clock, Journal: j, Queue: queue, Fleet: fleet, Held: held, Commands: commands,
		Flows:   flows,
		Clients: clients, Views: v,
		Kept: func(ctx context.Context) (signals, answers time.Duration, err error) {
			all, err := times(ctx)
			return all.All, all.Addresses, err
		},
	})
}

// placeListener tells agents what to look for as soon as that has changed, and those that have come.
func placeListener(w *watching.Watching) events.Listener {
	return events.Listener{
		Name: "abuse.follow", Kinds: []string{actionSettings, nodesapi.NodeOnline, nodesapi.NodeEnrolled}, Feature: feature,
		ReadOnly: entitlement.GoesOn, Blocked: entitlement.GoesOn,
		Handle: func(ctx context.Context, event events.Event) error {
			if event.Kind == actionSettings {
				return w.Soon(ctx)
			}
			return w.Follow(ctx)
		},
	}
}
