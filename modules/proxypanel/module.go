// Package proxypanel joins the panel with an external proxy panel, a Remnawave: its users live there, the fleet here.
//
// A connection is the access to one such panel (connections.go). Each is looked at once a minute and says what is wrong
// by its cause (looks.go); what it holds is read into internal/shadow by internal/syncs, sooner where a
// webhook names it (internal/webhooks). A fresh one gets its first
// administrator and our token in the first installation (bootstrap.go). How a Remnawave is asked is in
// internal/remnawave; remnawavetest stands in for one in tests.
package proxypanel

import (
	"embed"
	"slices"
	"time"

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
		Name:    "proxypanel",
		Summary: "External proxy panels, whose users the fleet serves: connections and their state",
		Russian: russian,
		Permissions: []access.Permission{
			{Key: View, Summary: "See connections with external proxy panels"},
			{Key: Manage, Summary: "Manage connections with external proxy panels"},
		},
		Features: []entitlement.Feature{{Key: feature, Summary: "External proxy panel"}},
		Faults:   faults(),
		Journal: audit.Kinds{
			Actions: []string{
				connectionAdded, connectionChanged, connectionRemoved, bootstrapped, syncStarted,
				webhookChanged,
			},
			Objects: []string{object},
		},
		Events:     eventKinds(),
		Secrets:    secrets(),
		Tidy:       append([]jobs.Tidy{tidyPaces, tidyBootstraps, syncs.Tidy(), webhooks.Tidy()}, shadow.Tidy()...),
		Migrations: module.SQL(files),
		Commands:   commands,
		Checks:     []doctor.Check{check()},
		Reference:  []module.Page{{Name: "proxy-panel-scopes", Text: scopesPage}},
		Private: []any{
			shadow.New, shadow.NewLists, newStore, newPace, newDoor, newConnections, newSyncs, newWebhooks,
			newBootstrap, newHandlers,
		},
		Attach: attach,
	}
}

func attach(h *handlers, c *connections, s *syncs.Syncs, w *webhooks.Webhooks) module.Parts {
	return module.Parts{
		Routes:    h.routes(),
		Jobs:      []jobs.Worker{c.worker(), s.Worker(), w.Worker()},
		Schedules: []jobs.Schedule{lookSchedule(), syncs.Schedule(feature)},
		Metrics:   c.metrics(),
	}
}

func secrets() []vault.Column {
	return []vault.Column{
		{Table: "proxypanel_connections", ID: "id", Column: "sealed"},
		{Table: "proxypanel_bootstraps", ID: "base_url", Column: "sealed"},
		webhooks.Column,
	}
}

func faults() []fault.Declared {
	return slices.Concat([]fault.Declared{
		{
			Kind: fault.KindConflict, Code: "bootstrap_disabled",
			Summary: "A fresh proxy panel may be set up only while PANEL_PROXYPANEL_BOOTSTRAP is on",
		},
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
	}
	for i := range kinds {
		kinds[i].Needs, kinds[i].Live = View, true
	}
	return kinds
}
