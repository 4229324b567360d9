// Package clientsapi is what other modules may know and ask of clients: who may use a flow, with which credentials, and
// who holds a subscription.
package clientsapi

import (
	"context"
	"errors"
	"time"
)

// ErrUnknown means that there is no such client, flow or token.
var ErrUnknown = errors.New("there is no such client or flow")

// Kinds of events about clients. Their subject is the client, their data News.
const (
	EventCreated = "client.created"
	EventUpdated = "client.updated"
	EventRevoked = "client.revoked"
	EventExpired = "client.expired"

	EventQuotaReached = "client.quota_reached"

	// EventListInstalled says that all entries of a flow have the newest list of its clients. Its subject is the flow,
	// and it has no data.
	EventListInstalled = "flow.client_list_installed"
)

// News is the data of an event about a client.
type News struct {
	Label string `json:"label"`
}

// Limits of what is given to a client.
const (
	MostDays      = 3650 // of a time that begins with its next use
	MostAddresses = 1000 // from which it uses a node at once
)

// States of a client.
const (
	Active   = "active"
	Disabled = "disabled" // by a person, who may enable it again
	Expired  = "expired"
	Spent    = "spent"   // its quota is used up
	Revoked  = "revoked" // for good
)

// Client is a person or a device that uses flows.
type Client struct {
	ID      string
	Label   string
	State   string
	FlowIDs []string // that it may use while it is active, oldest first
}

// Access is what a client has on one flow.
type Access struct {
	ClientID  string
	Ref       string // names the client with this secret: one that is given the flow again has another Ref
	Label     string
	State     string // of the client; Revoked where its access alone was revoked
	Installed bool   // the entries of the flow let it in
	ByApply   bool   // an apply of the flow changes that; else it is done at once
	Elsewhere bool   // proxy panels serve all entries to users of their own; no apply would let it in
	Public    bool   // the client has a subscription
	CreatedAt time.Time
	RevokedAt *time.Time
}

// Counts are how many clients use a flow.
type Counts struct {
	Total   int `json:"total"` // all but revoked ones
	Active  int `json:"active"`
	Waiting int `json:"waiting"` // for an apply: to be let in, or to be shut out because they are not active
}

// Credentials are how a client shows on a flow who it is.
type Credentials struct {
	ClientID string
	Ref      string
	Label    string
	UUID     string
	Key      []byte
	Number   int64  // of the access, where a protocol knows clients by addresses
	Password string // that it came with, instead of one of the key; may be empty
}

// Installed is how the installed parts of a flow know its clients.
type Installed struct {
	NodeIDs []string // of entries whose agents hold the clients as a document of their own
	Fixed   bool     // some entry has its clients in its configuration, where they change by an apply
	Refs    []string // those who are there

	Elsewhere bool // proxy panels serve all entries to users of their own; no apply would let in a client
}

// Subscriber is who holds the token of a subscription.
type Subscriber struct {
	Client
	ExpiresAt *time.Time
	LastsDays int   // from its next use; 0: its time has begun, or has no end
	Up, Down  int64 // bytes in the period of the quota
	Quota     int64 // bytes; 0: as much as it likes
	// Uses are what it has on each of its flows while it is active, in the order of FlowIDs.
	Uses []SubscriberUse
}

// SubscriberUse is how the holder of a subscription shows on a flow who it is.
type SubscriberUse struct {
	FlowID string
	Credentials
	Holding []string // nodes whose agents let it in
}

// Brought is a client that comes from elsewhere with its secrets.
type Brought struct {
	Label     string
	Note      string
	Tags      []string
	Disabled  bool
	ExpiresAt *time.Time
	LastsDays int    // in place of ExpiresAt, from its first use; 0: its time has begun, or has no end
	Quota     int64  // bytes; 0: as much as it likes
	Reset     string // of the quota: never, daily, weekly or monthly
	Up, Down  int64  // bytes that it has used of it
	Addresses int    // from which it uses a node at once; 0: as many as it likes
	Uses      []BroughtUse
	// Token is that of the subscription which its programs have already; it is taken where no client has it.
	Token string
}

// BroughtUse is how a client shows on a flow who it is. What is left out is made up.
type BroughtUse struct {
	FlowID   string
	UUID     string
	Password string // of protocols that ask for one
	Key      []byte // of Shadowsocks 2022, at most 32 bytes
}

// Clients tells about clients. Its calls take part in the context's transaction.
type Clients interface {
	// Add makes a client that may use a flow. It belongs to the caller of the context.
	Add(ctx context.Context, flowID, label string) error
	// Import adds clients that bring their secrets, all of them or none. They belong to the caller of the context.
	Import(ctx context.Context, clients []Brought) error
	// OfFlow gives what clients have on a flow, revoked ones too, oldest first; at most so many of them, or all with 0.
	OfFlow(ctx context.Context, flowID string, most int) ([]Access, error)
	// CountsSQL gives the text of a query for one that lists flows to join: flow_id and what Counts has, as
	// clients_total, clients_active and clients_waiting. It takes what the ids of flows are compared with and the
	// expression of the moment; a flow without clients is absent.
	CountsSQL(flowIDs, at string) string
	// Credentials opens those of the live clients of a flow, oldest first; of one of them alone when it is named.
	Credentials(ctx context.Context, flowID, clientID string) ([]Credentials, error)
	// Among gives which of the flows each of the clients may use, or might before its access was revoked. Who has to do
	// with none of them is absent.
	Among(ctx context.Context, flowIDs, clientIDs []string) (map[string][]string, error)
	// Labels gives the names of those of the clients that are there, revoked ones too.
	Labels(ctx context.Context, ids ...string) (map[string]string, error)
	// Any reports whether a flow has an active client.
	Any(ctx context.Context, flowID string) (bool, error)
	// Reach has the agents of nodes hold the clients of a flow, beside those that do already: before the flow is
	// installed there.
	Reach(ctx context.Context, flowID string, nodeIDs ...string) error
	// Holding gives the nodes whose agents hold the clients of a flow; those that let a client in where one is named.
	Holding(ctx context.Context, flowID, clientID string) (nodeIDs []string, err error)
	// SetInstalled takes how the installed parts of a flow know its clients. Agents of other nodes hold them no more.
	SetInstalled(ctx context.Context, flowID string, by Installed) error
	// Forget takes a flow that is being deleted from its clients; those that have no other one are deleted.
	Forget(ctx context.Context, flowID string) error
	// Client gives a client that was not revoked by its id, or ErrUnknown.
	Client(ctx context.Context, id string) (Client, error)
	// Subscriber gives who holds a token, or ErrUnknown.
	Subscriber(ctx context.Context, token string) (Subscriber, error)
}

// Changes of a flow that a change of its clients brings with it.
const (
	FlowClientAdded       = "flow.client_added"
	FlowClientRevoked     = "flow.client_revoked"
	FlowClientsImported   = "flow.clients_imported"
	FlowPublicLinkIssued  = "flow.public_link_issued"
	FlowPublicLinkRevoked = "flow.public_link_revoked"
)

// Flows is what clients ask of flows. Its calls take part in the context's transaction.
type Flows interface {
	// Names gives the names of those of the flows that are there.
	Names(ctx context.Context, ids ...string) (map[string]string, error)
	// Find gives the ids of flows by what people call them, their names or ids; what is unknown is left out.
	Find(ctx context.Context, named ...string) (map[string]string, error)
	// Changed keeps others from changing a flow until the transaction ends, and writes that a client of this label was
	// added, revoked or given a subscription, or that so many were imported. It gives ErrUnknown for a flow that is not
	// there.
	Changed(ctx context.Context, flowID, change, label string) error
}

// Registry takes who knows the flows, while the panel is composed.
type Registry interface {
	Serve(flows Flows)
}
