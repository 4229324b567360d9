// Package plan turns the drawing of a flow into configurations of nodes and a plan that people can read.
//
// Compile is pure: the same input gives the same bytes, it reads no clock and no database, and its cost follows the
// nodes that the flow touches. Secrets are derived from the flow's one sealed root, so a preview stores nothing.
package plan

import (
	"encoding/json"
	"time"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
)

// CompilerVersion changes when the same input may give other bytes.
const CompilerVersion = "3"

// Plan is what installing a draft would do. It never changes; Readiness is joined when it is read.
type Plan struct {
	ID              string            `json:"id" doc:"Empty in a preview"`
	FlowID          string            `json:"flow_id"`
	Revision        int               `json:"revision" doc:"Draft revision it was compiled from"`
	CompilerVersion string            `json:"compiler_version"`
	Catalogue       int               `json:"catalogue_version" doc:"Version of the policy catalogue whose sets it holds; 0: it names none"`
	Geo             GeoFiles          `json:"geo" doc:"Versions of geo files that it was compiled against"`
	Hash            string            `json:"hash"`
	IsNoop          bool              `json:"is_noop" doc:"Installing it would change nothing"`
	CreatedAt       time.Time         `json:"created_at"`
	CreatedBy       string            `json:"created_by"`
	ExpiresAt       time.Time         `json:"expires_at"`
	State           string            `json:"state" enum:"preview,ready,applied,stale,expired"`
	Errors          []graph.Problem   `json:"errors"`
	Warnings        []graph.Problem   `json:"warnings"`
	Conflicts       []Conflict        `json:"conflicts"`
	Sharing         []Share           `json:"sharing" doc:"Listeners of other flows that have the same port"`
	Readiness       []Check           `json:"readiness"`
	Checking        bool              `json:"checking" doc:"Nodes are being asked about readiness at this moment"`
	Obstacles       []Obstacle        `json:"obstacles" doc:"What keeps the plan from being applied, also with force"`
	Steps           []Step            `json:"steps"`
	Canary          *Canary           `json:"canary" doc:"Nodes that go first; null when all go at once"`
	Diff            Diff              `json:"diff"`
	Rendered        map[string]string `json:"rendered" doc:"Node id to SHA-256 of its whole configuration"`
}

// GeoFiles is a list that JSON writes as one, also of a plan that was stored before there were any.
type GeoFiles []flowsapi.GeoFile

// MarshalJSON writes the list.
func (g GeoFiles) MarshalJSON() ([]byte, error) {
	return json.Marshal(append([]flowsapi.GeoFile{}, g...))
}

// Kinds of conflicts.
const (
	ConflictPort   = "port"     // somebody else holds the port
	ConflictPath   = "sni_path" // another flow answers to the same host name and path there
	ConflictDomain = "domain"   // another flow takes the same host name there as a whole
	ConflictRecord = "dns_record"
)

// Conflict is something that somebody else holds: a port, a host name with a path, a host name, a DNS record. It is
// never overridden.
type Conflict struct {
	Kind   string       `json:"kind" enum:"port,sni_path,domain,dns_record"`
	NodeID string       `json:"node_id"`
	L4     string       `json:"l4" enum:"tcp,udp"`
	Port   int          `json:"port"`
	Path   string       `json:"path" doc:"Field of the drawing that asks for it"`
	Host   string       `json:"host,omitempty" doc:"Host name that both want"`
	With   ConflictWith `json:"with"`
}

// Ways in which listeners at one port are told apart.
const (
	ByHost = "host"
	ByPath = "path"
)

// Share is a listener of another flow that has the same port of a node as one of this flow.
type Share struct {
	Block  string       `json:"block" doc:"Entry of this flow"`
	NodeID string       `json:"node_id"`
	Port   int          `json:"port"`
	By     string       `json:"by" enum:"host,path" doc:"What tells the two apart"`
	Host   string       `json:"host" doc:"Host name of the other one"`
	With   ConflictWith `json:"with"`
}

// Obstacle is a reason that no force passes.
type Obstacle struct {
	Code     string `json:"code" enum:"agent_offline,capability_missing,port_conflict,domain_conflict,record_conflict,target_private,target_suitability_stale,stage_blocked"`
	NodeID   string `json:"node_id"`
	NodeName string `json:"node_name"`
	Path     string `json:"path,omitempty" doc:"Field of the drawing that it is about"`
	Finding  Text   `json:"finding"`
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
	GroupStages    = "stages" // asked by a stage of another module
	Confirmed      = "confirmed"
	Unconfirmed    = "unconfirmed"
	Failed         = "failed"
)

// Text is a sentence with its stable code and what fills it, so that a screen can say it in another language.
type Text struct {
	Code   string            `json:"code"`
	Params map[string]string `json:"params,omitempty"`
	Text   string            `json:"text" doc:"The same in English"`
}

// Say makes a text; params are names and values in turn.
func Say(code, text string, params ...string) Text {
	t := Text{Code: code, Text: text}
	for i := 0; i+1 < len(params); i += 2 {
		if t.Params == nil {
			t.Params = map[string]string{}
		}
		t.Params[params[i]] = params[i+1]
	}
	return t
}

// Check is one readiness question about one node, with the evidence found so far.
type Check struct {
	Key        string     `json:"key"`
	Group      string     `json:"group" enum:"listeners,firewall,target,stages"`
	Stage      string     `json:"stage,omitempty" doc:"Stage of a module that asks; empty for the panel's own checks"`
	NodeID     string     `json:"node_id"`
	NodeName   string     `json:"node_name"`
	Summary    string     `json:"summary"`
	Status     string     `json:"status" enum:"confirmed,unconfirmed,failed"`
	ObservedAt *time.Time `json:"observed_at"`
	Evidence   string     `json:"evidence"`
	Finding    Text       `json:"finding" doc:"The evidence with its code"`
	Forceable  bool       `json:"forceable" doc:"It is not confirmed, and force_apply passes it"`
	Blocks     bool       `json:"blocks" doc:"No force passes it as it is now"`
	Probe      Probe      `json:"-"`
}

// Probe is the question of a Check in the form that agents take; the zero value asks no node.
type Probe struct {
	L4         string `json:"l4,omitempty"`
	IP         string `json:"ip,omitempty"`
	Port       int    `json:"port,omitempty"`
	Host       string `json:"host,omitempty"`
	ServerName string `json:"server_name,omitempty"`
	Private    bool   `json:"private,omitempty"` // the target may be inside the node or a private network
	MLDSA65    bool   `json:"mldsa65,omitempty"` // the target must hide a signature by ML-DSA-65
	Path       string `json:"path,omitempty"`    // field of the drawing that it is about
}

// Actions of a step and what users of the node notice.
const (
	ActionConfigure = "configure"
	ActionRemove    = "remove"
	NoInterruption  = "none"
	Reload          = "reload"
)

// Step is the work on one node; lower orders go first, exits before entries.
type Step struct {
	Order        int    `json:"order"`
	NodeID       string `json:"node_id"`
	NodeName     string `json:"node_name"`
	Role         string `json:"role" enum:"exit,transit,entry,none"`
	Action       string `json:"action" enum:"configure,remove"`
	Interruption string `json:"interruption" enum:"none,reload,restart"`
	Detail       string `json:"detail"`
	DetailCode   string `json:"detail_code" enum:"adds,changes,leaves,restores"`
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
	Other      []Change `json:"other" doc:"Of modules that have no group of their own"`
}

// Change is one object, or one field of it, before and after.
type Change struct {
	Op     string `json:"op" enum:"added,changed,removed"`
	NodeID string `json:"node_id"`
	Name   string `json:"name"`
	Field  string `json:"field,omitempty"`
	From   string `json:"from,omitempty"`
	To     string `json:"to,omitempty"`
	Stage  string `json:"stage,omitempty" doc:"Stage of a module that makes the change; empty for the nodes' own part"`

	FromFields map[string]string `json:"from_fields,omitempty" doc:"What from says, field by field"`
	ToFields   map[string]string `json:"to_fields,omitempty" doc:"What to says, field by field"`
}
