package abuse

import (
	"context"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/modules/abuse/internal/cases"
	"panel/modules/abuse/internal/views"
	"panel/modules/abuse/internal/watching"
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
	doc *settings.Doc[Settings],
) *watching.Watching {
	return watching.New(db, v, fleet, documents, queue, watched(doc))
}

func newCases(
	db *database.DB, clock clockwork.Clock, log *zap.Logger, j audit.Journal, bus *events.Bus, v *views.Views,
	w *watching.Watching, doc *settings.Doc[Settings],
) *cases.Cases {
	return cases.New(cases.Tools{
		DB: db, Clock: clock, Log: log, Journal: j, Bus: bus, Views: v, Rules: rules(doc), Watched: w.Soon,
	})
}

// placeListener tells agents what to look for as soon as that has changed, and those that have come.
func placeListener(w *watching.Watching) events.Listener {
	return events.Listener{
		Name: "abuse.follow", Kinds: []string{actionSettings, nodesapi.NodeOnline, nodesapi.NodeEnrolled}, Feature: feature,
		ReadOnly: entitlement.GoesOn, Blocked: entitlement.GoesOn,
		Handle: func(ctx context.Context, _ events.Event) error { return w.Soon(ctx) },
	}
}
