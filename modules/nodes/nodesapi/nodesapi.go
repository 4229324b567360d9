// Package nodesapi is what other modules may know and ask of nodes: who they are, what they shall serve, and orders to
// them.
package nodesapi

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// ErrUnknown says that there is no such node, configuration or command.
var ErrUnknown = errors.New("there is no such thing among the nodes")

// Node is one server as other modules see it, at the moment of asking.
type Node struct {
	ID                string
	Name              string
	Address           string   // host name or IP address that others dial; may be empty before the agent enrolled
	Addresses         []string // of the host's interfaces
	State             string   // pending, online, degraded, offline, maintenance, disabled
	Online            bool     // its agent reported within two heartbeats
	Roles             []string
	Tags              []string
	Provider          string // whoever hosts the server, in the operator's words; empty: unknown
	Country           string // ISO 3166 code, XX when unknown
	AgentVersion      string
	Capabilities      []string
	CoreKind          string
	CoreVersion       string
	CoreState         string
	RevisionDesired   int64
	RevisionInstalled int64
	HashInstalled     string
	Sockets           []Socket
	Firewall          []Firewall
	SeenAt            time.Time // zero: never
}

// Can reports whether the node's agent has named the capability.
func (n Node) Can(capability string) bool {
	for _, one := range n.Capabilities {
		if one == capability {
			return true
		}
	}
	return false
}

// Socket is a listening socket that the agent saw on the host.
type Socket struct {
	L4      string
	IP      string
	Port    int
	Process string
	Own     bool // it belongs to the agent or its core
}

// Firewall is a host firewall that the agent found.
type Firewall struct {
	Kind   string
	Active bool
	Detail string
}

// Fleet tells about nodes.
type Fleet interface {
	// Node gives one node, or ErrUnknown.
	Node(ctx context.Context, id string) (Node, error)
	// Nodes gives the nodes with these ids, or all without any; unknown ids are left out. Ordered by name.
	Nodes(ctx context.Context, ids ...string) ([]Node, error)
	// Hold keeps nodes from being deleted until the context's transaction ends, and gives the ids of those that are not
	// there, sorted. Whoever begins something on nodes holds them, and answers Guards from then on.
	Hold(ctx context.Context, ids ...string) (missing []string, err error)
	// Able gives some nodes, at most so many, whose agents answer and can do what the capability says; any of them.
	Able(ctx context.Context, capability string, most int) ([]Node, error)
}

// Listener is one socket that a configuration makes the core open.
type Listener struct {
	Key    string `json:"key"`
	FlowID string `json:"flow_id"`
	L4     string `json:"l4"`
	IP     string `json:"ip"`
	Port   int    `json:"port"`
}

// Config is one numbered configuration of a node. Its content never changes.
type Config struct {
	NodeID    string
	Revision  int64
	Hash      string
	Core      json.RawMessage // empty: no core runs
	Listeners []Listener
}

// Candidate is a configuration that a node may be wanted to serve.
type Candidate struct {
	NodeID    string
	Core      json.RawMessage
	Listeners []Listener
}

// Configs keeps what nodes shall serve. Whole fleets change at once, so writing takes many nodes for the price of one.
type Configs interface {
	// PutCandidates stores configurations without wanting them yet, at most one for a node, and gives each a revision
	// and a hash, in the sequence of the candidates. The same content as the newest one of a node gives that one again;
	// an unknown node gives revision 0. All are stored or, with an error, none.
	PutCandidates(ctx context.Context, candidates ...Candidate) ([]Config, error)
	// SetDesired makes stored configurations, revisions by node, the ones that the nodes shall serve, and tells their
	// agents. It gives the nodes of which there is no such configuration; they stay as they are.
	SetDesired(ctx context.Context, revisions map[string]int64) (unknown []string, err error)
	// Desired gives what the node shall serve; revision 0 when nothing was ever wanted.
	Desired(ctx context.Context, nodeID string) (Config, error)
	// Stored gives any stored configuration, or ErrUnknown.
	Stored(ctx context.Context, nodeID string, revision int64) (Config, error)
}

// Order is a command to one node. Kind is a word of the closed list in platform/agentapi, Args its argument type.
type Order struct {
	NodeID   string
	Kind     string
	Args     any
	Deadline time.Time
	By       string // who asked, for the operation shown on the node's page
}

// Result is how an order ended.
type Result struct {
	ID         string
	NodeID     string
	Kind       string
	OK         bool
	Code       string // a ResultCode of platform/agentapi; expired when the agent did not answer in time
	Error      string
	Stage      string
	StderrTail string
	Data       json.RawMessage
	FinishedAt time.Time
}

// Commands gives orders to agents. An order survives restarts of the panel and of the agent; it runs once.
type Commands interface {
	// Send stores the orders, in the context's transaction, and wakes the agents after its commit; the ids come in the
	// same sequence. A kind that is not in the closed list gives ErrUnknownKind. An order to a node that is gone has
	// ended at once, with the code expired.
	Send(ctx context.Context, orders ...Order) ([]string, error)
	// Await waits until all have ended or the context ends, and gives the results in the sequence of the ids.
	// An order whose deadline has passed, and one that is gone with its node, ends with the code expired.
	Await(ctx context.Context, ids ...string) ([]Result, error)
	// Results gives those that have ended, without waiting.
	Results(ctx context.Context, ids ...string) (map[string]Result, error)
}
