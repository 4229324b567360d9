// Package plan turns the drawing of a flow into configurations of servers and a plan that people can read.
//
// Compile is pure: the same input gives the same bytes, it reads no clock and no database, and its cost follows the
// servers that the flow touches. Secrets are derived from the flow's one sealed root, so a preview stores nothing.
package plan

import (
	"time"

	"panel/modules/flows/internal/graph"
)

// CompilerVersion changes when the same input may give other bytes.
const CompilerVersion = "2"

// Plan is what installing a draft would do. It never changes; Readiness is joined when it is read.
type Plan struct {
	ID              string            `json:"id" doc:"Empty in a preview"`
	FlowID          string            `json:"flow_id"`
	Revision        int               `json:"revision" doc:"Draft revision it was compiled from"`
	CompilerVersion string            `json:"compiler_version"`
	Hash            string            `json:"hash"`
	IsNoop          bool              `json:"is_noop" doc:"Installing it would change nothing"`
	CreatedAt       time.Time         `json:"created_at"`
	CreatedBy       string            `json:"created_by"`
	ExpiresAt       time.Time         `json:"expires_at"`
	State           string            `json:"state" enum:"preview,ready,applied,stale,expired"`
	Errors          []graph.Problem   `json:"errors"`
	Warnings        []graph.Problem   `json:"warnings"`
	Conflicts       []Conflict        `json:"conflicts"`
	Readiness       []Check           `json:"readiness"`
	Steps           []Step            `json:"steps"`
	Diff            Diff              `json:"diff"`
	Rendered        map[string]string `json:"rendered" doc:"Node id to SHA-256 of its whole configuration"`
}

// Conflict is a port that somebody else holds; it is never overridden.
type Conflict struct {
	Kind   string       `json:"kind" enum:"port"`
	NodeID string       `json:"node_id"`
	L4     string       `json:"l4" enum:"tcp,udp"`
	Port   int          `json:"port"`
	Path   string       `json:"path"`
	With   ConflictWith `json:"with"`
}

// ConflictWith names the holder: another flow's listener or a process that is not ours.
type ConflictWith struct {
	FlowID   string `json:"flow_id,omitempty"`
	Listener string `json:"listener,omitempty"`
	Process  string `json:"process,omitempty"`
}

// Groups and states of readiness. Only evidence confirms; nothing is confirmed by default.
const (
	GroupListeners = "listeners"
	GroupFirewall  = "firewall"
	GroupTarget    = "target"
	Confirmed      = "confirmed"
	Unconfirmed    = "unconfirmed"
	Failed         = "failed"
)

// Check is one readiness question about one server, with the evidence found so far.
type Check struct {
	Key        string     `json:"key"`
	Group      string     `json:"group" enum:"listeners,firewall,target"`
	NodeID     string     `json:"node_id"`
	Summary    string     `json:"summary"`
	Status     string     `json:"status" enum:"confirmed,unconfirmed,failed"`
	ObservedAt *time.Time `json:"observed_at"`
	Evidence   string     `json:"evidence"`
	Ask        Ask        `json:"-"`
}

// Ask is the question of a Check in the form that probes take.
type Ask struct {
	L4         string `json:"l4,omitempty"`
	IP         string `json:"ip,omitempty"`
	Port       int    `json:"port,omitempty"`
	Host       string `json:"host,omitempty"`
	ServerName string `json:"server_name,omitempty"`
	Private    bool   `json:"private,omitempty"` // the target may be inside the server or a private network
	Path       string `json:"path,omitempty"`    // field of the drawing that it is about
}

// Actions of a step and what users of the server notice.
const (
	ActionConfigure = "configure"
	ActionRemove    = "remove"
	NoInterruption  = "none"
	Reload          = "reload"
)

// Step is the work on one server; lower orders go first, exits before entries.
type Step struct {
	Order        int    `json:"order"`
	NodeID       string `json:"node_id"`
	NodeName     string `json:"node_name"`
	Role         string `json:"role" enum:"exit,transit,entry,none"`
	Action       string `json:"action" enum:"configure,remove"`
	Interruption string `json:"interruption" enum:"none,reload,restart"`
	Detail       string `json:"detail"`
}

// Diff is what changes against the installed revision.
type Diff struct {
	Listeners  []Change `json:"listeners"`
	Routes     []Change `json:"routes"`
	Clients    []Change `json:"clients"`
	Firewall   []Change `json:"firewall"`
	DNS        []Change `json:"dns"`
	CDN        []Change `json:"cdn"`
	ProxyPanel []Change `json:"proxypanel"`
}

// Change is one object, or one field of it, before and after.
type Change struct {
	Op     string `json:"op" enum:"added,changed,removed"`
	NodeID string `json:"node_id"`
	Name   string `json:"name"`
	Field  string `json:"field,omitempty"`
	From   string `json:"from,omitempty"`
	To     string `json:"to,omitempty"`
}
