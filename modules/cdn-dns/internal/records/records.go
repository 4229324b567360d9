// Package records sees to it that the host names of bindings lead to their nodes: it writes the records that a binding
// wants into its zone, where an integration holds it, and watches what name servers answer.
//
// Each binding has one row, which is looked at again and again, for as long as the binding is there and until the
// records that were made for it are removed. A record is noted before the provider is asked for it, together with what
// stood there before, so that whoever goes on after a panel that died knows which records are the panel's own: no other
// is ever changed or removed.
package records

import (
	"context"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/modules/cdn-dns/internal/lookup"
	"panel/modules/cdn-dns/internal/provider"
	"panel/modules/domains/domainsapi"
	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/automation"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/lease"
)

// Holder is who holds the zone of a host name.
type Holder struct {
	IntegrationID string
	Zone          provider.Zone
	Client        *provider.Client
}

// Tools are what an engine works with.
type Tools struct {
	DB       *database.DB
	Listener *database.Listener
	Journal  audit.Journal
	Bus      *events.Bus
	Clock    clockwork.Clock
	Log      *zap.Logger
	Resolver *lookup.Resolver
	Domains  domainsapi.Domains
	Fleet    nodesapi.Fleet
	Stop     *automation.Switch
	// Find gives the holder of the zone that a host name lies in; provider.ErrNoZone when no integration opens it.
	Find func(ctx context.Context, hostname string) (Holder, error)
	// Open gives the client of an integration; not_found when it was removed.
	Open func(ctx context.Context, integrationID string) (*provider.Client, error)
	// Fronted tells whether anything stands at a network for a binding of the mode cdn.
	Fronted func(ctx context.Context, domainID string) (bool, error)
}

// Engine looks at bindings. Run does it on this panel.
type Engine struct {
	Tools
	*lease.Driver
	zones zones
}

const (
	parallel     = 32
	stepLimit    = time.Minute
	firstPause   = 2 * time.Second
	longestPause = 5 * time.Minute
)

// New makes an engine.
func New(tools Tools) *Engine {
	e := &Engine{Tools: tools, zones: zones{known: map[string]servers{}}}
	e.Driver = lease.New(tools.DB, tools.Listener, tools.Clock, tools.Log, lease.Process{
		Name: "look at a host name", Step: e.step, Parallel: parallel, StepLimit: stepLimit,
		FirstPause: firstPause, LongestPause: longestPause,
		Table: lease.Table{Name: "domain_watches", Key: "domain_id", Open: "true", Order: "next_at", Due: "next_at"},
	})
	return e
}

func (e *Engine) now() time.Time { return e.Clock.Now().UTC().Truncate(time.Microsecond) }

// States of a host name.
const (
	Pending     = "pending"     // nobody has looked yet, or there is no address to lead to
	Propagating = "propagating" // the zone has the record, and not everybody sees it
	OK          = "ok"
	Mismatch    = "mismatch" // name servers answer something else
	Failed      = "error"    // no name server answers
)

// The words for what happens to host names, in the journal and as events.
const (
	Object = "dns_name"

	ActionWritten = "dns.record_written"
	ActionRemoved = "dns.record_removed"
	KindOK        = "domain.dns_ok"
	KindMismatch  = "domain.dns_mismatch"
)

// Seen is the data of an event about what name servers answer.
type Seen struct {
	Hostname string   `json:"hostname"`
	Wanted   []string `json:"wanted"`
	Seen     []string `json:"seen"`
}

// EventKinds are what is emitted about host names; needs is the permission to see them.
func EventKinds(needs access.Key) []events.Kind {
	return []events.Kind{
		{
			Name: KindOK, Summary: "A host name leads to its node", Notify: true, Subject: "domain", Needs: needs,
			Live: true, Screen: "/dns", Resolves: []string{KindMismatch}, Data: Seen{},
		},
		{
			Name: KindMismatch, Summary: "A host name leads to its node no more", Severity: events.Warning, Notify: true,
			Subject: "domain", Needs: needs, Live: true, Screen: "/dns", Data: Seen{},
			Effect: "Clients that connect by the name reach something else, or nothing.",
		},
	}
}
