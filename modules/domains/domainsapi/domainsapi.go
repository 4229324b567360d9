// Package domainsapi is what other modules may know and ask of the host names that are bound to nodes.
package domainsapi

import (
	"context"
	"errors"
	"time"
)

// Path is where the API keeps bindings.
const Path = "/api/v1/node-domains"

// ErrUnknown says that there is no such binding.
var ErrUnknown = errors.New("there is no such domain binding")

// Kinds of events about bindings. Their subject is the binding; they have no data.
const (
	Created = "domain.created"
	Updated = "domain.updated"
	Deleted = "domain.deleted"
)

// Domain is a host name bound to a node.
type Domain struct {
	ID       string
	NodeID   string
	ZoneID   string // empty: of no zone that the panel manages
	Zone     string
	Hostname string
	Mode     string // direct, cdn, relay, reality_sni, static_site
	TTL      int
	OwnerID  string
	CDNID    string // integration with a CDN that it leads through; empty: none, or the network of its DNS service

	MovingTo  string // node that it moves to with the apply of the first flow that serves it there; empty: none
	MovedFrom string // node that it has moved from, while flows are still installed there; empty: none
}

// On tells whether flows may serve the binding on a node.
func (d Domain) On(nodeID string) bool {
	return nodeID != "" && (d.NodeID == nodeID || d.MovingTo == nodeID || d.MovedFrom == nodeID)
}

// Domains gives bindings. Its calls take part in the context's transaction.
type Domains interface {
	// ByIDs gives bindings by their ids, whoever owns them; unknown ones are left out. The caller compares the owners,
	// and answers for somebody else's binding what it answers for an unknown one. Within a transaction the bindings
	// stay as they are until its end.
	ByIDs(ctx context.Context, ids ...string) (map[string]Domain, error)
	// ByHostnames gives bindings by their host names, whoever owns them; names that are bound to no node are left out.
	ByHostnames(ctx context.Context, hostnames ...string) (map[string]Domain, error)
	// All gives the bindings of all nodes by their host names: at most so many, and only those after the host name.
	All(ctx context.Context, after string, most int) ([]Domain, error)
	// SetUses notes which bindings a flow uses, in place of what was noted before; none frees them. A binding in use
	// keeps its host name, node and owner, and is not deleted. An unknown binding gives ErrUnknown and changes nothing.
	SetUses(ctx context.Context, flowID string, domainIDs ...string) error
	// OnNode gives the bindings of a node, by their host names.
	OnNode(ctx context.Context, nodeID string) ([]Domain, error)
	// Move leads bindings to another node, which is there: those that no flow uses at once, the others by Arrive.
	Move(ctx context.Context, nodeID string, domainIDs ...string) error
	// Arrive makes bindings those of the nodes that they were to move to, by their ids; others stay as they are. It is
	// called with the commit of an apply that serves them there.
	Arrive(ctx context.Context, to map[string]string) error
	// Settle forgets where bindings were to move to, or have moved from, unless a drawing names them there: named has
	// the nodes of all drawings for each binding.
	Settle(ctx context.Context, named map[string][]string) error
}

// State is what is known of a binding beside what was entered. An empty field says nothing.
type State struct {
	DNS         string // pending, propagating, ok, mismatch, error
	RecordType  string // of the record that is wanted: A, AAAA or CNAME
	ResolvedIPs []string
	Certificate *Certificate
	CDN         *CDN
}

// CDN is what stands at a network for a binding.
type CDN struct {
	Kind       string
	ResourceID string
	CNAME      string
	OriginHost string
	OriginPort int
	State      string // provisioning, ready
}

// Certificate is the state of a binding's certificate.
type Certificate struct {
	State     string // none, issuing, valid, expiring, expired, failed
	Issuer    string
	NotAfter  time.Time // zero: not known
	Challenge string
	LastError string
}

// Source knows something of the states of bindings. What it reads is a part of the query that reads the bindings, so
// that a page of them takes one statement.
type Source struct {
	Name string // for errors
	// SQL is a query of domain_id and, as JSON, known: at most one row for each of the bindings in p, which has their
	// id and hostname.
	SQL string
	// Read says what the JSON means at a moment.
	Read func(known []byte, now time.Time) (State, error)
}

// States collects who knows the states of bindings.
type States interface {
	// Add takes who knows them, while the panel is composed. What a source leaves empty is taken from those that were
	// added before it.
	Add(source Source)
	// CDNs takes who knows the accounts at CDNs, while the panel is composed. It is asked in the transaction that a
	// binding is stored in whether there is such an integration, which stays until the end of it.
	CDNs(known func(ctx context.Context, integrationID string) (bool, error))
}
