// Package cdn puts a content delivery network in front of the entries of flows: the host names of bindings with the
// mode cdn lead to a network, which passes on to the node.
//
// A network is that of the DNS service itself, which answers for proxied records, or a CDN with an account of its own:
// the host name is then an alias of what the CDN has made for it.
//
// All of it happens inside an apply. What is made at the network is noted before it is asked, so that whoever goes on
// after a panel that died makes nothing twice and leaves nothing behind; a record that somebody else made is never
// changed or removed.
package cdn

import (
	"context"
	"time"

	"github.com/jonboulle/clockwork"

	"panel/modules/cdn-dns/internal/provider"
	"panel/modules/cdn-dns/internal/records"
	"panel/modules/domains/domainsapi"
	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
)

// Mode is that of the bindings whose host names lead to a network.
const Mode = "cdn"

// Tools are what an engine works with.
type Tools struct {
	DB      *database.DB
	Journal audit.Journal
	Bus     *events.Bus
	Clock   clockwork.Clock
	Domains domainsapi.Domains
	Fleet   nodesapi.Fleet
	// Find gives the holder of the zone that a host name lies in; provider.ErrNoZone when no integration opens it.
	Find func(ctx context.Context, hostname string) (records.Holder, error)
	// Held tells the same without asking the service: which kind of service holds the zone, and the zone.
	Held func(ctx context.Context, hostname string) (kind *provider.Kind, zone string, err error)
	// Open gives the client of an integration; not_found when it was removed.
	Open func(ctx context.Context, integrationID string) (*provider.Client, error)
	// Leaving tells whether a record is one of the panel's that is about to be removed, because its binding had another
	// mode before.
	Leaving func(ctx context.Context, domainID string, r provider.Record) (bool, error)
}

// Engine makes and removes what stands at networks.
type Engine struct{ Tools }

// New makes an engine.
func New(tools Tools) *Engine { return &Engine{tools} }

func (e *Engine) now() time.Time { return e.Clock.Now().UTC().Truncate(time.Microsecond) }

// The words for what happens at networks.
const (
	KindProvisioned = "cdn.provisioned"
	KindFailed      = "cdn.failed"
)

// Provisioned is the data of the event that a network stands in front of a host name.
type Provisioned struct {
	Hostname string `json:"hostname"`
	Network  string `json:"network"`
}

// Failure is the data of the event that a network could not be put in front of a host name.
type Failure struct {
	Hostname string `json:"hostname"`
	Reason   string `json:"reason"`
}

// EventKinds are what is emitted about networks; needs is the permission to see them.
func EventKinds(needs access.Key) []events.Kind {
	return []events.Kind{
		{
			Name: KindProvisioned, Summary: "A CDN stands in front of a host name", Notify: true, Subject: "domain",
			Needs: needs, Live: true, Screen: "/domains", Resolves: []string{KindFailed}, Data: Provisioned{},
		},
		{
			Name: KindFailed, Summary: "A CDN could not be put in front of a host name", Severity: events.Warning,
			Notify: true, Subject: "domain", Needs: needs, Live: true, Screen: "/domains", Data: Failure{},
			Effect: "The apply that needed it ended; what was installed before serves on.",
		},
	}
}

func (e *Engine) emit(ctx context.Context, kind, domainID string, data any) error {
	return e.Bus.Emit(ctx, events.Event{Kind: kind, SubjectID: domainID, At: e.now(), Data: data})
}
