package flowsapi

import (
	"context"
	"time"
)

// Point is where in an apply a stage has its turn.
type Point string

// The points of an apply.
const (
	// BeforePrepare runs before any node is locked. It may wait for long; the plan is rendered again afterwards.
	BeforePrepare Point = "before_prepare"
	// BeforeSwitch runs when the core of every node has accepted its configuration, and nothing that serves has
	// changed. A stage that has to wait there gives the nodes back; they are prepared again when it goes on.
	BeforeSwitch Point = "before_switch"
	// AfterCommit runs when the new configuration is the installed one. It is repeated until it holds and reverts
	// nothing.
	AfterCommit Point = "after_commit"
)

// CallLimit is how long one call of Do or Undo may take. What needs longer begins it, answers Again and looks later.
const CallLimit = time.Minute

// Stage is the part that a module takes in plans and applies: CDN, certificates, a proxy panel.
//
// A panel may die between a call and the note of its outcome, so Do and Undo are called again for the same apply until
// one outcome is noted: both must be idempotent. An apply that fails or is stopped before its commit undoes every stage
// that was begun, the last one first. The order within a point is that of the names.
type Stage struct {
	// Name is the module's name and a verb, "cdndns.provision". It stands in the records of applies.
	Name string
	// At is the point of its turn.
	At Point
	// Part is the group of the differences that the stage makes, GroupCDN; the apply's record sums up by it. May be
	// empty.
	Part string
	// Limit is how long the stage may take in all, waiting included, and its undoing again as long; ten minutes when
	// zero. A stage at AfterCommit has none.
	Limit time.Duration
	// Needs says which capabilities of agents the stage will use: agentapi's Capability() of documents, commands and
	// batches, by node. It is asked at every compilation and looks at nothing but its argument; an agent that lacks one
	// is an error of the compilation. Nil when the stage asks nothing of agents.
	Needs func(w Wanted) map[string][]string
	// Preview says what the stage would do, for the plan. It is asked once per plan, may be nil, and changes nothing.
	Preview func(ctx context.Context, c Change) ([]Diff, []Check, error)
	// Do does it. An error before the commit makes the apply fail; after it, Do is repeated until it holds.
	Do func(ctx context.Context, a Apply) (Outcome, error)
	// Undo leaves nothing behind of what Do did in this apply, also when Do did not get to its end. Nil when Do changes
	// nothing.
	Undo func(ctx context.Context, a Apply) error
}

// Stages collects the stages of all modules; they are added while the panel is composed.
type Stages interface {
	Add(stages ...Stage)
}

// Kinds of changes.
const (
	KindApply    = "apply"    // a plan is installed
	KindEnable   = "enable"   // the installed version is put back
	KindRerender = "rerender" // the installed version is rendered again
	KindRestore  = "restore"  // a node gets its part of the installed version again
	KindDisable  = "disable"  // the flow is taken off its nodes
	KindDelete   = "delete"   // and removed
)

// Change is what an apply changes about a flow.
type Change struct {
	FlowID   string  `json:"flow_id"`
	FlowName string  `json:"flow_name"`
	OwnerID  string  `json:"owner_id"`
	Kind     string  `json:"kind"`
	Before   []Entry `json:"before"` // installed; empty when nothing is
	After    []Entry `json:"after"`  // empty when the flow leaves its nodes
}

// Wanted is what a compilation would install.
type Wanted struct {
	FlowID  string
	NodeIDs []string
	Entries []Entry
}

// Entry is where clients of a flow connect.
type Entry struct {
	Block     string `json:"block"`
	NodeID    string `json:"node_id"`
	DomainID  string `json:"node_domain_id,omitempty"`
	Host      string `json:"host"` // that links name
	Port      string `json:"port"` // or a range
	Transport string `json:"transport"`
	Security  string `json:"security"`
	Path      string `json:"path,omitempty"`

	Protocol   string `json:"protocol,omitempty"` // as the listener calls it, as L4
	L4         string `json:"l4,omitempty"`
	ServerName string `json:"server_name,omitempty"` // that a handshake with TLS or REALITY asks for
	Obfuscated bool   `json:"obfuscated,omitempty"`  // its datagrams do not look like QUIC

	Tag   string `json:"tag,omitempty"`   // of the inbound
	Offer *Offer `json:"offer,omitempty"` // the node of a proxy panel serves it; nil: our own agent does
}

// Apply is one apply as a stage sees it. It is the same at every call.
type Apply struct {
	ID     string `json:"id"`
	Change Change `json:"change"`
	By     string `json:"by"` // name of the person who started it
}

// Groups of differences.
const (
	GroupDNS        = "dns"
	GroupCDN        = "cdn"
	GroupProxyPanel = "proxypanel"
	GroupOther      = "other"
)

// Diff is one thing that a stage would change.
type Diff struct {
	Group  string // one of the groups
	Op     string // added, changed or removed
	NodeID string // empty when it is about no node
	Name   string
	Field  string
	From   string
	To     string
}

// Check is a condition that a stage has found to hold or not to hold.
type Check struct {
	Key     string // unique within the stage
	NodeID  string
	Summary string // what was asked, in English
	Status  string // confirmed, unconfirmed or failed
	Finding Text   // what was seen
	Blocks  bool   // no force passes it as long as it has failed
}

// Statuses of a check.
const (
	Confirmed   = "confirmed"
	Unconfirmed = "unconfirmed"
	Failed      = "failed"
)

// Text is a sentence with its stable code and what fills it, so that a screen can say it in another language.
type Text struct {
	Code   string            `json:"code"`
	Params map[string]string `json:"params,omitempty"`
	Text   string            `json:"text"`
}

// Say makes a text of its code, its English sentence and pairs of parameter and value.
func Say(code, english string, params ...string) Text {
	t := Text{Code: code, Text: english, Params: map[string]string{}}
	for i := 0; i+1 < len(params); i += 2 {
		t.Params[params[i]] = params[i+1]
	}
	return t
}

// Outcome is how a call of Do ended without an error.
type Outcome struct {
	Result Result
	Detail Text
	At     time.Time // with Again: when to call Do again
}

// Result is what a call of Do has come to.
type Result string

// Results of a call.
const (
	Done    Result = "done"
	Nothing Result = "nothing" // this change is none of the stage's business
	Again   Result = "again"   // not yet; call again at Outcome.At
)
