// Package proxypanel joins the panel with an external proxy panel, a Remnawave: its users live there, the fleet here.
//
// A connection is the access to one such panel (connections.go). Each is looked at once a minute and says what is wrong
// by its cause (looks.go); what it holds is read into internal/shadow by internal/syncs, sooner where a webhook names
// it (internal/webhooks). A fresh one gets its first administrator and our token in the first installation
// (bootstrap.go). How a Remnawave is asked is in internal/remnawave; remnawavetest stands in for one in tests.
//
// A node there is adopted for a node of ours (adopt.go); then it may serve entries of flows, whose profile, inbound and
// host are made, changed and removed inside the applies of the flows (offering.go, internal/offers). What is not there
// as it was written is told as drift (drift.go). The hosts of a node that is down can be hidden for a time (hosts.go).
package proxypanel

import (
	"embed"
	"slices"
	"time"

	"panel/modules/flows/flowsapi"
	"panel/modules/nodes/nodesapi"
	"panel/modules/proxypanel/internal/mapping"
	"panel/modules/proxypanel/internal/offers"
	"panel/modules/proxypanel/internal/shadow"
	"panel/modules/proxypanel/internal/syncs"
	"panel/modules/proxypanel/internal/webhooks"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/doctor"
	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/jobs"
	"panel/platform/module"
	"panel/platform/vault"
)

//go:embed migrations
var files embed.FS

//go:embed russian.txt
var russian string

// The words for what happens here, in the journal and as events.
const (
	object = "proxypanel_connection"

	connectionAdded   = "proxypanel.connection_added"
	connectionChanged = "proxypanel.connection_changed"
	connectionRemoved = "proxypanel.connection_removed"
	connectionFailed  = "proxypanel.connection_failed"
	connectionWorks   = "proxypanel.connection_works"
	tokenExpiring     = "proxypanel.token_expiring"
	bootstrapped      = "proxypanel.bootstrapped"
	syncStarted       = "proxypanel.sync_started"
	webhookChanged    = "proxypanel.webhook_changed"
)

// Named is the data of an event about a connection.
type Named struct {
	Label string `json:"label"`
}

// Failed is the data of the event that a connection works no more.
type Failed struct {
	Label string `json:"label"`
	State string `json:"state"`
	Cause string `json:"cause"`
}

// Expiring is the data of the event that a token ends soon.
type Expiring struct {
	Label     string    `json:"label"`
	ExpiresAt time.Time `json:"expires_at"`
}

// Module is the manifest.
func Module() module.Module {
	return module.Module{
		Name:     "proxypanel",
		Requires: []string{"flows", "nodes"},
		Summary:  "External proxy panels, whose users the fleet serves: connections and their state",
		Russian:  russian,
		Permissions: []access.Permission{
			{Key: View, Summary: "See connections with external proxy panels"},
			{Key: Manage, Summary: "Manage connections with external proxy panels"},
		},
		Features: []entitlement.Feature{{Key: feature, Summary: "External proxy panel"}},
		Faults:   faults(),
		Journal: audit.Kinds{
			Actions: []string{
				connectionAdded, connectionChanged, connectionRemoved, bootstrapped, syncStarted, webhookChanged,
				nodeAdopted, nodeReleased, driftAdopted, driftOverwritten,
			},
			Objects: []string{object},
		},
		Events:     eventKinds(),
		Secrets:    secrets(),
		Tidy:       append([]jobs.Tidy{tidyPaces, tidyBootstraps, syncs.Tidy(), webhooks.Tidy()}, shadow.Tidy()...),
		Migrations: module.SQL(files),
		Commands:   commands,
		Checks:     []doctor.Check{check(), offersCheck()},
		Reference:  []module.Page{{Name: "proxy-panel-scopes", Text: scopesPage}},
		Private: []any{
			shadow.New, shadow.NewLists, newStore, newPace, newDoor, newConnections, newSyncs, newWebhooks,
			newBootstrap, newHandlers, newMappings, newOffers, newAdopting, newDrifts, newHiding,
		},
		Exports: []any{exportPeople, exportHosts, exportNodes},
		Attach:  attach,
	}
}

func attach(
	h *handlers, c *connections, s *syncs.Syncs, w *webhooks.Webhooks, d *drifts, e *offers.Engine, hosts *hiding,
	stages flowsapi.Stages, panels flowsapi.ProxyPanels, guards nodesapi.Guards,
) module.Parts {
	takePart(e, stages, panels, guards)
	return module.Parts{
		Routes:    h.routes(),
		Jobs:      []jobs.Worker{c.worker(), s.Worker(), w.Worker(), d.worker(), hosts.worker()},
		Schedules: []jobs.Schedule{lookSchedule(), syncs.Schedule(feature), driftSchedule(), hostsSchedule()},
		Metrics:   append(c.metrics(), d.metrics()...),
	}
}

func secrets() []vault.Column {
	return slices.Concat([]vault.Column{
		{Table: "proxypanel_connections", ID: "id", Column: "sealed"},
		{Table: "proxypanel_bootstraps", ID: "base_url", Column: "sealed"},
		webhooks.Column,
	}, mapping.Secrets(), offers.Secrets())
}

func faults() []fault.Declared {
	return slices.Concat([]fault.Declared{
		{
			Kind: fault.KindConflict, Code: "bootstrap_disabled",
			Summary: "A fresh proxy panel may be set up only while PANEL_PROXYPANEL_BOOTSTRAP is on",
		},
		{Kind: fault.KindConflict, Code: "panel_in_use", Summary: "Nodes of the proxy panel are adopted; release them first"},
		{Kind: fault.KindConflict, Code: "panel_node_adopted", Summary: "One of the two nodes is adopted already"},
		{Kind: fault.KindConflict, Code: "panel_node_in_use", Summary: "Flows are served by the node; flow_ids names them"},
		{
			Kind: fault.KindConflict, Code: "panel_node_serves",
			Summary: "The node of the proxy panel runs a profile; replace says that it may be replaced",
		},
		{
			Kind: fault.KindConflict, Code: "drift_not_adoptable",
			Summary: "What differs there cannot be taken over; overwrite it, or change the flow",
		},
		{
			Kind: fault.KindConflict, Code: "panel_object_changed",
			Summary: "Somebody else has changed an object at the proxy panel; name says which, and nothing is overwritten",
		},
		{Kind: fault.KindConflict, Code: "panel_object_gone", Summary: "An object is not at the proxy panel any more; name says which"},
		{Kind: fault.KindConflict, Code: "proxy_panel_busy", Summary: "The panel writes to the proxy panel just now"},
		{Kind: fault.KindConflict, Code: "panel_connected", Summary: "There is a connection with this proxy panel already"},
		{
			Kind: fault.KindInvalid, Code: "already_registered",
			Summary: "The proxy panel has its first administrator; make an API token there",
		},
		{Kind: fault.KindUpstream, Code: "proxypanel_error", Summary: "The proxy panel refused or cannot be used; cause says why"},
		{Kind: fault.KindUpstreamTimeout, Code: "proxypanel_timeout", Summary: "The proxy panel did not answer in time"},
	}, syncs.Faults(), webhooks.Faults())
}

func eventKinds() []events.Kind {
	const screen = "/proxypanel"
	kinds := []events.Kind{
		{Name: connectionAdded, Summary: "A connection with a proxy panel was added", Data: Named{}},
		{Name: connectionChanged, Summary: "A connection with a proxy panel was changed", Data: Named{}},
		{Name: connectionRemoved, Summary: "A connection with a proxy panel was removed", Data: Named{}},
		{
			Name: connectionFailed, Summary: "A connection with a proxy panel works no more", Severity: events.Warning,
			Notify: true, Effect: "Users there are served as before; nothing is read or changed until it works again.",
			Screen: screen, Data: Failed{},
		},
		{
			Name: connectionWorks, Summary: "A connection with a proxy panel works again", Notify: true, Screen: screen,
			Resolves: []string{connectionFailed}, Data: Named{},
		},
		{
			Name: tokenExpiring, Summary: "The token for a proxy panel ends soon", Severity: events.Warning, Notify: true,
			Effect: "From then on the panel can read and change nothing there.", Screen: screen, Data: Expiring{},
		},
		{Name: nodeAdopted, Summary: "A node of a proxy panel was adopted", Data: AdoptedNode{}},
		{Name: nodeReleased, Summary: "A node of a proxy panel was released", Data: AdoptedNode{}},
		{
			Name: driftFound, Summary: "A proxy panel does not hold what was written to it", Severity: events.Warning,
			Notify: true, Effect: "Users there may be served otherwise than the flows say; nothing is overwritten by itself.",
			Screen: screen, Data: Drifted{},
		},
		{
			Name: driftOver, Summary: "A proxy panel holds again what was written to it", Notify: true, Screen: screen,
			Resolves: []string{driftFound}, Data: Named{},
		},
	}
	for i := range kinds {
		kinds[i].Needs, kinds[i].Live = View, true
	}
	return kinds
}
