package flowsapi

import (
	"context"
	"encoding/json"
)

// Offer says that a proxy panel serves an entry to its users.
type Offer struct {
	ConnectionID string   `json:"connection_id"`
	SquadIDs     []string `json:"squad_ids"` // whose users may use it
	Remark       string   `json:"remark,omitempty"`
}

// ServedPart is what the node of a proxy panel runs for one entry. It holds secrets: keep it sealed.
type ServedPart struct {
	FlowID       string            `json:"flow_id"`
	Block        string            `json:"block"`
	NodeID       string            `json:"node_id"`
	ConnectionID string            `json:"connection_id"`
	Tag          string            `json:"tag"`       // of the inbound, the same for the life of the block
	Inbound      json.RawMessage   `json:"inbound"`   // without clients
	Outbounds    []json.RawMessage `json:"outbounds"` // their tags are unique over the whole proxy panel
	Rules        []json.RawMessage `json:"rules"`     // of that inbound alone; the last one takes what no other took
	Resolves     bool              `json:"resolves"`  // rules need addresses of names: domainStrategy IPOnDemand

	SquadIDs []string `json:"squad_ids"` // sorted
	Remark   string   `json:"remark,omitempty"`
}

// Served tells what proxy panels are to run.
type Served interface {
	// OfApply gives the parts that an apply wants proxy panels to run, by their blocks: none for one that takes the
	// flow off its nodes. For an apply that is over it gives what is installed of its flow now, so that a stage after
	// the commit, and an undoing that took longer than the apply, end at what is to be there.
	OfApply(ctx context.Context, applyID string) ([]ServedPart, error)
}

// ServedEntry is an installed entry that the node of a proxy panel serves.
type ServedEntry struct {
	FlowID string
	Block  string
	NodeID string
	Tag    string // of the inbound
}

// ServedEntries tells where our own agents see nothing of who comes in. Its calls take part in the context's
// transaction.
type ServedEntries interface {
	// ServedOn gives the entries on some nodes, on all where none is named, by node and tag.
	ServedOn(ctx context.Context, nodeIDs ...string) ([]ServedEntry, error)
}

// ProxyPanels collects who knows the nodes of proxy panels.
type ProxyPanels interface {
	// Add takes one more, while the panel is composed. It is asked for each connection that a drawing names, once per
	// compilation, and gives what it knows of those of the nodes that were adopted from the connection, by our ids of
	// nodes.
	Add(
		name string,
		ask func(ctx context.Context, connectionID string, nodeIDs []string) (map[string]PanelNode, error),
	)
}

// PanelNode is a node as its proxy panel knows it.
type PanelNode struct {
	ID         string      `json:"id"`   // there
	Name       string      `json:"name"` // there
	Connection string      `json:"connection"`
	Core       string      `json:"core"`   // version of the core there; empty: not known
	Ports      []PanelPort `json:"ports"`  // that its other inbounds have
	Squads     []string    `json:"squads"` // ids of those that are there
}

// PanelPort is a port that an inbound of a proxy panel has on a node.
type PanelPort struct {
	Port int    `json:"port"`
	L4   string `json:"l4"` // tcp or udp
	Tag  string `json:"tag"`
}
