// Package flowsapi is what other modules may know and ask of flows, and how they take part in them: stages of an apply,
// states of health, blocks of a drawing.
package flowsapi

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// ErrUnknown means that there is no such flow or client.
var ErrUnknown = errors.New("there is no such flow or client")

// Flow is a flow as other modules see it, at the moment of asking.
type Flow struct {
	ID                string
	Name              string
	OwnerID           string
	Tags              []string
	Enabled           bool
	Applying          bool
	DraftRevision     int
	InstalledRevision int // 0 while nothing was installed
	InstalledAt       time.Time
	NodeIDs           []string // of the installed revision, sorted
	Entries           []Entry  // installed
}

// Client is an end user of flows.
type Client struct {
	ID      string
	FlowIDs []string // that it may use, oldest first
	Label   string
	Revoked bool
}

// GeoToken is a category of a geo file that installed flows refer to, and the nodes whose cores look it up.
type GeoToken struct {
	File    string // geosite.dat or geoip.dat
	Token   string
	FlowIDs []string
	NodeIDs []string
}

// Flows tells about flows and takes proposals. Its calls take part in the context's transaction.
type Flows interface {
	// Flow gives one flow, or ErrUnknown.
	Flow(ctx context.Context, id string) (Flow, error)
	// Page gives flows by their ids, at most so many, that come after the id; none is the end.
	Page(ctx context.Context, after string, most int) ([]Flow, error)
	// OnNode gives the flows that are installed on a node.
	OnNode(ctx context.Context, nodeID string) ([]Flow, error)
	// IDsOnNodes gives the ids of those alone, by node, at the cost of a look into an index.
	IDsOnNodes(ctx context.Context, nodeIDs ...string) (map[string][]string, error)
	// ClientOf gives the client that a user_ref of agents names, "c:<client id>", or ErrUnknown.
	ClientOf(ctx context.Context, userRef string) (Client, error)
	// GeoTokens lists the categories that installed flows refer to, by themselves or by a set of the version of the
	// catalogue that they were compiled with, sorted.
	GeoTokens(ctx context.Context) ([]GeoToken, error)
	// Propose replaces the draft of a flow, as the caller of the context and by the rules of a draft that a person
	// saves. It installs nothing. The answer is the new revision.
	Propose(ctx context.Context, flowID string, revision int, drawing json.RawMessage) (int, error)
	// PoolUses gives the flows that use one of the pools, by their names.
	PoolUses(ctx context.Context, poolIDs ...string) ([]PoolUse, error)
	// PoolsOf gives the pools that flows send traffic to, with what is installed and what is being installed, and with
	// their drafts where those are asked for.
	PoolsOf(ctx context.Context, drafts bool, flowIDs ...string) (map[string][]string, error)
	// Senders gives the flows that, as they are installed, send traffic into some flows by pools, over all hops.
	Senders(ctx context.Context, flowIDs ...string) ([]string, error)
	// Hold gives the names of flows and keeps them from being deleted until the transaction ends; those that are not
	// there, or are about to go, are left out.
	Hold(ctx context.Context, flowIDs ...string) (map[string]string, error)
	// Names gives the names of flows.
	Names(ctx context.Context, flowIDs ...string) (map[string]string, error)
	// Rerender has the installed versions on these nodes rendered and applied again, because something that they depend
	// on has changed: why, for the journal. It is done later, surely, and does nothing where the same comes out.
	Rerender(ctx context.Context, why string, nodeIDs ...string) error
	// RerenderFlows is Rerender for flows.
	RerenderFlows(ctx context.Context, why string, flowIDs ...string) error
}

// Applies tells where something is being installed, and has what is installed put there again. Its calls take part in
// the context's transaction.
type Applies interface {
	// OnNodes gives those of the nodes that an apply is at work on.
	OnNodes(ctx context.Context, nodeIDs ...string) (map[string]bool, error)
	// Reinstall begins an apply that puts what is installed on a node there again, unchanged, as the caller of the
	// context, and gives its id; empty when no flow is installed there that is not being applied. Fault: agent_offline
	// (422).
	Reinstall(ctx context.Context, nodeID string) (applyID string, err error)
	// Ended tells whether an apply is over, and why it failed; empty when it did not.
	Ended(ctx context.Context, applyID string) (over bool, failure string, err error)
}

// HealthStates collects who knows how flows are.
type HealthStates interface {
	// Add takes one more, while the panel is composed. It is asked once per page and gives healthy, degraded or down
	// for the flows that it knows about; the worst answer of all counts.
	Add(name string, states func(ctx context.Context, flowIDs []string) (map[string]string, error))
}

// CanaryEvidence collects who else sees how the nodes of a canary do.
type CanaryEvidence interface {
	// Add takes one more, while the panel is composed. It is asked in each round of probes and gives what speaks
	// against the canary, nothing when all is well. A canary fails when something does in as many rounds in a row as
	// its probes may fail. Who cannot say is left out.
	Add(name string, ask func(ctx context.Context, w CanaryWatch) ([]CanaryFinding, error))
}

// CanaryWatch is a canary that is watched.
type CanaryWatch struct {
	FlowID  string
	ApplyID string
	NodeIDs []string // that serve the new version
	Since   time.Time
}

// CanaryFinding is a reason why a canary does not do well.
type CanaryFinding struct {
	NodeID string
	Text   Text
}

// BlockSources collects who knows blocks that are not nodes.
type BlockSources interface {
	// Add takes who knows the pools of drawings, while the panel is composed. It is asked once per compilation and
	// gives the pools with these ids and those that they fall back on; unknown ones are left out.
	Add(name string, pools func(ctx context.Context, poolIDs []string) ([]Pool, error))
	// Watch takes who knows what became of pools in a flow, while the panel is composed. It is asked when somebody
	// wants to know where traffic goes, for some pools and those that they fall back on, and leaves out unknown ones.
	Watch(name string, seen func(ctx context.Context, flowID string, poolIDs []string) ([]PoolView, error))
	// Feed takes who knows which pools have a flow as a member, while the panel is composed. It is asked once per
	// compilation. Leave is asked in the transaction that begins the deletion of a flow; its fault refuses that.
	Feed(
		name string, pools func(ctx context.Context, flowID string) ([]Pool, error),
		leave func(ctx context.Context, flowID string) error,
	)
}

// Pool is what the compiler knows of a transit pool. What may change without another configuration is not in it.
type Pool struct {
	ID         string       `json:"id"`
	Name       string       `json:"name"`
	Strategy   string       `json:"strategy"` // of agentapi, as the stickiness
	Stickiness string       `json:"stickiness"`
	Members    []PoolMember `json:"members"`
	Fallback   PoolFallback `json:"fallback"`
}

// PoolMember is a node or a flow that a pool may send traffic to.
type PoolMember struct {
	ID     string `json:"id"`
	NodeID string `json:"node_id"` // empty: it is a flow
	FlowID string `json:"flow_id,omitempty"`
}

// PoolFallback is who takes over when no member is usable.
type PoolFallback struct {
	Kind     string `json:"kind"`                // one of the kinds
	MemberID string `json:"member_id,omitempty"` // of a member that is used whatever its state
	PoolID   string `json:"pool_id,omitempty"`   // of another pool
}

// PoolView is what is known of a pool in one flow at the moment of asking.
type PoolView struct {
	Pool
	Members []MemberView
	Choices []PoolChoice // of the nodes that forward to it
}

// MemberView is a member with what nodes have said of it last.
type MemberView struct {
	PoolMember
	Enabled, Drain bool
	Seen           []Sighting
}

// Sighting is the last evidence that a node has of a member, over one way.
type Sighting struct {
	NodeID string
	Way    string // tag of the outbound
	State  string // of agentapi, as the reason
	RTTMs  int64
	Reason string
	Error  string
	Held   bool // it comes and goes too often, and is kept out for a while
	Since  time.Time
	At     time.Time
}

// PoolChoice is who carries the traffic of a way since a moment, and why.
type PoolChoice struct {
	NodeID   string
	Way      string // tag of the outbound
	Serves   string // of agentapi, as the reason
	MemberID string // where it is one alone
	Usable   int
	Reason   string
	At       time.Time
}

// Kinds of fallbacks.
const (
	FallbackBlock  = "block"  // nothing is let through
	FallbackDirect = "direct" // traffic leaves from the node itself, with its own address
	FallbackMember = "member"
	FallbackPool   = "pool"
)

// PoolUse is a flow that uses a pool in its draft or in what is installed.
type PoolUse struct {
	PoolID    string
	FlowID    string
	FlowName  string
	Draft     bool
	Installed bool
	// Senders are the nodes that forward to the pool, and SenderPools the pools whose members do.
	Senders     []string
	SenderPools []string
}
