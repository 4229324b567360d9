// Package clients is who may use flows: people and devices, each with secrets of its own for every flow that it uses.
//
// A client is known by its label, note and tags, may expire, and can be disabled and revoked. What flows serve, links
// and subscriptions name is asked of it through clientsapi.
package clients

import (
	"context"
	"embed"

	"panel/modules/clients/clientsapi"
	"panel/platform/audit"
	"panel/platform/events"
	"panel/platform/jobs"
	"panel/platform/module"
	"panel/platform/owners"
	"panel/platform/vault"
)

//go:embed migrations
var files embed.FS

//go:embed russian.txt
var russian string

// Module is the manifest.
func Module() module.Module {
	return module.Module{
		Name:    "clients",
		Summary: "People and devices that use flows",
		// Its permissions and its feature are those of flows, which ask it who their clients are.
		Requires: []string{"flows", "nodes"},
		Russian:  russian,
		Journal: audit.Kinds{
			Actions: []string{
				clientsapi.EventCreated, clientsapi.EventExpired, actionImported, clientsapi.EventQuotaReached,
				clientsapi.EventRevoked, clientsapi.EventUpdated,
			},
			Objects: []string{object},
		},
		Events: eventKinds(),
		Secrets: []vault.Column{
			{Table: "client_flows", ID: "client_id || '/' || flow_id", Column: "secret"},
		},
		Tidy:       []jobs.Tidy{tidyDays()},
		Migrations: module.SQL(files),
		Commands:   commands,
		Checks:     doctorChecks(),
		Private:    []any{newStore, newRegistry, newClients, newHandlers},
		Exports:    []any{exportClients, exportActs, exportRegistry},
		Attach:     attach,
	}
}

func eventKinds() []events.Kind {
	kinds := []events.Kind{
		{Name: clientsapi.EventCreated, Summary: "A client was added"},
		{Name: actionImported, Summary: "Clients were imported"},
		{Name: clientsapi.EventUpdated, Summary: "A client was changed"},
		{Name: clientsapi.EventRevoked, Summary: "A client was revoked"},
		{
			Name: clientsapi.EventExpired, Summary: "The time of a client has ended", Notify: true,
			Screen: "/clients", Effect: "It gets no links any more, and its nodes let it in no more.",
		},
		{
			Name: clientsapi.EventQuotaReached, Summary: "The quota of a client is used up", Notify: true,
			Screen: "/clients", Effect: "It gets no links any more, and its nodes let it in no more.",
		},
	}
	for i := range kinds {
		kinds[i].Needs, kinds[i].Live, kinds[i].Data = view, true, clientsapi.News{}
	}
	return append(kinds, events.Kind{
		Name: clientsapi.EventListInstalled, Summary: "All entries of a flow have the newest list of its clients",
		Needs: view, Live: true,
	})
}

func attach(h *handlers, c *clients, owned *owners.Registry) module.Parts {
	owned.Add(c.owned())
	return module.Parts{
		Routes: h.routes(), Jobs: []jobs.Worker{c.worker(), c.accountant()},
		Schedules: []jobs.Schedule{schedule(), accounting()}, Loops: []func(context.Context) error{c.lists.Run},
		Restored: c.restored,
		Ready:    []func(context.Context) error{c.store.rekey, c.store.settle}, Metrics: c.metrics(),
	}
}
