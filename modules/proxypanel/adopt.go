package proxypanel

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jonboulle/clockwork"

	"panel/modules/nodes/nodesapi"
	"panel/modules/proxypanel/internal/mapping"
	"panel/modules/proxypanel/internal/offers"
	"panel/modules/proxypanel/internal/remnawave"
	"panel/modules/proxypanel/internal/shadow"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
)

// The words for nodes of proxy panels.
const (
	nodeAdopted  = "proxypanel.node_adopted"
	nodeReleased = "proxypanel.node_released"
)

// AdoptedNode is the data of the events about the nodes of a proxy panel.
type AdoptedNode struct {
	Label     string `json:"label"`
	PanelNode string `json:"panel_node"`
	NodeID    string `json:"node_id"`
}

// PanelNodeView is a node of a proxy panel with the node of ours that it is or may be.
type PanelNodeView struct {
	PanelNodeID string       `json:"panel_node_id" format:"uuid"`
	Name        string       `json:"name" doc:"There"`
	Address     string       `json:"address" doc:"There"`
	State       string       `json:"state" enum:"connected,disconnected,disabled,gone"`
	CoreVersion string       `json:"core_version" doc:"Of Xray there; empty: unknown"`
	Runs        string       `json:"runs" doc:"Name of the profile that it runs, its id while that is not known; empty: none"`
	Mapping     *NodeMapping `json:"mapping" doc:"null: it is not adopted"`
	Proposal    *NodeMatch   `json:"proposal" doc:"Node of ours that has its address; null: none, or it is adopted"`
}

// NodeMapping is the node of ours that a node there was adopted for.
type NodeMapping struct {
	NodeID      string    `json:"node_id"`
	NodeName    string    `json:"node_name" doc:"Empty: it is not there any more"`
	ProfileName string    `json:"profile_name" doc:"That it runs for flows"`
	Replaces    string    `json:"replaces" doc:"Profile that is put back when the last flow leaves; empty: none"`
	FlowIDs     []string  `json:"flow_ids" doc:"That it serves"`
	AdoptedBy   string    `json:"adopted_by"`
	AdoptedAt   time.Time `json:"adopted_at"`
}

// NodeMatch is a node of ours.
type NodeMatch struct {
	NodeID   string `json:"node_id"`
	NodeName string `json:"node_name"`
}

// MappingList are the nodes of a proxy panel.
type MappingList struct {
	Items []PanelNodeView `json:"items"`
}

// Adoption says which node there is which of ours.
type Adoption struct {
	PanelNodeID string `json:"panel_node_id" format:"uuid"`
	NodeID      string `json:"node_id" format:"uuid"`
	Replace     bool   `json:"replace,omitempty" default:"false" doc:"Its profile may be replaced as long as it serves flows"`
}

// adopting is which nodes of proxy panels serve flows.
type adopting struct {
	connections *connections
	mappings    *mapping.Store
	shadow      *shadow.Shadow
	offers      *offers.Engine
	fleet       nodesapi.Fleet
	clock       clockwork.Clock
}

func newAdopting(
	c *connections, m *mapping.Store, s *shadow.Shadow, e *offers.Engine, f nodesapi.Fleet, clock clockwork.Clock,
) *adopting {
	return &adopting{c, m, s, e, f, clock}
}

var (
	errServes = fault.Conflict("panel_node_serves",
		"this node of the proxy panel runs a profile; say that it may be replaced")
	errNodeInUse = fault.Conflict("panel_node_in_use", "flows are served by this node; take them off it first")
	errMapped    = fault.Conflict("panel_in_use", "nodes of this proxy panel are adopted; release them first")
)

// list shows the nodes of a proxy panel as they were seen last, with nodes of ours that have their addresses.
// Fault: not_found (404).
func (a *adopting) list(ctx context.Context, connectionID string) (MappingList, error) {
	shown := MappingList{Items: []PanelNodeView{}}
	if _, err := a.connections.store.get(ctx, connectionID); err != nil {
		return shown, err
	}
	there, err := a.shadow.Objects(ctx, connectionID, remnawave.KindNode)
	if err != nil {
		return shown, err
	}
	names, err := a.profileNames(ctx, connectionID)
	if err != nil {
		return shown, err
	}
	for i := range there {
		view, err := viewOf(&there[i], names)
		if err != nil {
			return shown, err
		}
		shown.Items = append(shown.Items, view)
	}
	return shown, a.place(ctx, connectionID, &shown)
}

func viewOf(object *shadow.Object, profiles map[string]string) (PanelNodeView, error) {
	var fields remnawave.NodeFields
	err := object.Into(&fields)
	state := mapping.Mapping{Connected: fields.Connected, Disabled: fields.Disabled}
	return PanelNodeView{
		PanelNodeID: object.ExternalID, Name: object.Name, Address: fields.Address, State: state.State(),
		CoreVersion: fields.CoreVersion, Runs: cmp.Or(profiles[fields.ProfileID], fields.ProfileID),
	}, err
}

func (a *adopting) profileNames(ctx context.Context, connectionID string) (map[string]string, error) {
	profiles, err := a.shadow.Objects(ctx, connectionID, remnawave.KindProfile)
	names := map[string]string{}
	for _, one := range profiles {
		names[one.ExternalID] = one.Name
	}
	return names, err
}

// place adds what is adopted, also what is gone there, and proposes nodes of ours for the rest.
func (a *adopting) place(ctx context.Context, connectionID string, shown *MappingList) error {
	adopted, err := a.mappings.Of(ctx, connectionID)
	if err != nil {
		return err
	}
	ours, err := a.fleet.Nodes(ctx)
	if err != nil {
		return err
	}
	flows, err := a.flowsAt(ctx, adopted)
	if err != nil {
		return err
	}
	taken := map[string]bool{}
	for i := range adopted {
		m := &adopted[i]
		taken[m.NodeID] = true
		at := slices.IndexFunc(shown.Items, func(v PanelNodeView) bool { return v.PanelNodeID == m.PanelNodeID })
		if at < 0 {
			shown.Items = append(shown.Items, PanelNodeView{
				PanelNodeID: m.PanelNodeID, Name: m.Name, Address: m.Address, State: m.State(), CoreVersion: m.Core,
			})
			at = len(shown.Items) - 1
		}
		shown.Items[at].Mapping = shownMapping(m, ours, flows[m.ID])
	}
	for i := range shown.Items {
		if view := &shown.Items[i]; view.Mapping == nil {
			view.Proposal = match(view.Address, ours, taken)
		}
	}
	return nil
}

func (a *adopting) flowsAt(ctx context.Context, adopted []mapping.Mapping) (map[string][]string, error) {
	ids := make([]string, 0, len(adopted))
	for _, m := range adopted {
		ids = append(ids, m.ID)
	}
	return a.offers.FlowsAt(ctx, ids...)
}

func shownMapping(m *mapping.Mapping, ours []nodesapi.Node, flows []string) *NodeMapping {
	shown := &NodeMapping{
		NodeID: m.NodeID, ProfileName: m.ProfileName, Replaces: m.Ran().ProfileName,
		FlowIDs: append([]string{}, flows...), AdoptedBy: m.AdoptedBy, AdoptedAt: m.AdoptedAt.UTC(),
	}
	for _, node := range ours {
		if node.ID == m.NodeID {
			shown.NodeName = node.Name
		}
	}
	return shown
}

// match finds the one node of ours that has an address; none where several have it.
func match(address string, ours []nodesapi.Node, taken map[string]bool) (found *NodeMatch) {
	for _, node := range ours {
		if taken[node.ID] || address == "" || node.Address != address && !slices.Contains(node.Addresses, address) {
			continue
		}
		if found != nil {
			return nil
		}
		found = &NodeMatch{node.ID, node.Name}
	}
	return found
}

// adopt takes a node there for one of ours. Nothing changes there by it; what it runs is remembered, and put back when
// the last flow leaves it. Faults: not_found (404), panel_node_serves, panel_node_adopted (409), invalid_value (422),
// those of calls.
func (a *adopting) adopt(ctx context.Context, connectionID string, in Adoption) (PanelNodeView, error) {
	row, err := a.connections.store.get(ctx, connectionID)
	if err != nil {
		return PanelNodeView{}, err
	}
	if _, err := a.fleet.Node(ctx, in.NodeID); errors.Is(err, nodesapi.ErrUnknown) {
		return PanelNodeView{}, fault.InvalidValue("node_id", "there is no such node")
	} else if err != nil {
		return PanelNodeView{}, err
	}
	node, before, err := a.ask(ctx, &row, in.PanelNodeID)
	if err != nil {
		return PanelNodeView{}, err
	}
	m := a.newMapping(ctx, &row, in, node)
	err = a.mappings.DB.InTx(ctx, func(ctx context.Context) error { return a.insert(ctx, &row, m, in, before) })
	if err != nil {
		return PanelNodeView{}, err
	}
	return a.shown(ctx, connectionID, in.PanelNodeID, node, before)
}

// ask reads a node there and what it runs.
func (a *adopting) ask(
	ctx context.Context, row *connectionRow, panelNodeID string,
) (node remnawave.NodeState, before mapping.Before, err error) {
	at, err := a.connections.reached(row)
	if err != nil {
		return node, before, err
	}
	defer at.Client.Close()
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	node, err = at.Client.NodeState(ctx, panelNodeID)
	if remnawave.Gone(err) {
		return node, before, fault.InvalidValue("panel_node_id", "the proxy panel has no such node")
	}
	if err != nil || node.Runs.ProfileID == "" {
		return node, before, asFault(err)
	}
	before = mapping.Before{ProfileID: node.Runs.ProfileID, Inbounds: node.InboundIDs()}
	profiles, err := at.Client.Profiles(ctx)
	for _, one := range profiles {
		if one.ID == before.ProfileID {
			before.ProfileName = one.Name
		}
	}
	return node, before, asFault(err)
}

func (a *adopting) newMapping(
	ctx context.Context, row *connectionRow, in Adoption, node remnawave.NodeState,
) *mapping.Mapping {
	now := a.connections.now()
	m := &mapping.Mapping{
		ID: database.NewID(), ConnectionID: row.ID, PanelNodeID: in.PanelNodeID, NodeID: in.NodeID, Name: node.Name,
		Address: node.Address, Core: node.Versions.Core, Connected: node.Connected, Disabled: node.Disabled,
		SeenAt: now, AdoptedBy: access.From(ctx).Username, AdoptedAt: now,
	}
	const tail = 8 // of the id: its random part
	m.ProfileName = "panel_" + m.ID[len(m.ID)-tail:]
	return m
}

// insert adds the mapping, or remembers anew what the node runs where it is adopted already and serves nothing.
func (a *adopting) insert(
	ctx context.Context, row *connectionRow, m *mapping.Mapping, in Adoption, before mapping.Before,
) error {
	have, err := a.mappings.Of(ctx, row.ID)
	if err != nil {
		return err
	}
	for i := range have {
		if have[i].PanelNodeID == in.PanelNodeID && have[i].NodeID == in.NodeID {
			return a.again(ctx, &have[i], in, before)
		}
	}
	if before.ProfileID != "" && !in.Replace {
		return errServes.With("profile", before.ProfileName)
	}
	if missing, err := a.fleet.Hold(ctx, in.NodeID); err != nil || len(missing) > 0 {
		return errors.Join(err, fault.InvalidValue("node_id", "there is no such node"))
	}
	m.Remember(before)
	if err := a.mappings.Insert(ctx, m); err != nil {
		return err
	}
	return a.publish(ctx, nodeAdopted, row, m)
}

func (a *adopting) again(ctx context.Context, m *mapping.Mapping, in Adoption, before mapping.Before) error {
	flows, err := a.offers.FlowsAt(ctx, m.ID)
	if err != nil || len(flows[m.ID]) > 0 || before.ProfileID == m.Ran().ProfileID {
		return err
	}
	if before.ProfileID != "" && !in.Replace {
		return errServes.With("profile", before.ProfileName)
	}
	m.Remember(before)
	return a.mappings.Save(ctx, m, "before")
}

func (a *adopting) publish(ctx context.Context, kind string, row *connectionRow, m *mapping.Mapping) error {
	changes := map[string]audit.Change{"panel_node": {To: m.Name}, "node_id": {To: m.NodeID}}
	return a.connections.publishWith(ctx, kind, row, changes, AdoptedNode{row.Label, m.Name, m.NodeID})
}

func (a *adopting) shown(
	ctx context.Context, connectionID, panelNodeID string, node remnawave.NodeState, before mapping.Before,
) (PanelNodeView, error) {
	list, err := a.list(ctx, connectionID)
	for _, view := range list.Items {
		if view.PanelNodeID == panelNodeID {
			state := mapping.Mapping{Connected: node.Connected, Disabled: node.Disabled}
			view.State, view.Runs = state.State(), before.ProfileName
			return view, err
		}
	}
	return PanelNodeView{}, err
}

// release forgets that a node there is one of ours. What it ran before has been put back when the last flow left it.
// Faults: not_found (404), panel_node_in_use (409), those of calls where something of ours is there still.
func (a *adopting) release(ctx context.Context, connectionID, panelNodeID string) error {
	row, err := a.connections.store.get(ctx, connectionID)
	if err != nil {
		return err
	}
	if err := a.unused(ctx, connectionID, panelNodeID); err != nil {
		return err
	}
	if err := a.offers.Clear(ctx, connectionID, panelNodeID); err != nil {
		return asFault(err)
	}
	return a.mappings.DB.InTx(ctx, func(ctx context.Context) error {
		m, err := a.mappings.Lock(ctx, connectionID, panelNodeID)
		if err != nil {
			return err
		}
		if err := a.unused(ctx, connectionID, panelNodeID); err != nil {
			return err
		}
		if err := a.mappings.Remove(ctx, m.ID); err != nil {
			return err
		}
		return a.publish(ctx, nodeReleased, &row, &m)
	})
}

// releaseGone releases nodes there whose node of ours was deleted. Where a flow is served still, its next apply comes
// first.
func (a *adopting) releaseGone(ctx context.Context, connectionID string) error {
	adopted, err := a.mappings.Of(ctx, connectionID)
	if err != nil || len(adopted) == 0 {
		return err
	}
	ids := make([]string, len(adopted))
	for i := range adopted {
		ids[i] = adopted[i].NodeID
	}
	there, err := a.fleet.Nodes(ctx, ids...)
	if err != nil {
		return err
	}
	for i := range adopted {
		m := &adopted[i]
		if slices.ContainsFunc(there, func(n nodesapi.Node) bool { return n.ID == m.NodeID }) {
			continue
		}
		err := a.release(ctx, connectionID, m.PanelNodeID)
		if err != nil && fault.Code(err) != fault.Code(errNodeInUse) {
			return err
		}
	}
	return nil
}

// unused refuses where flows are served. Faults: not_found (404), panel_node_in_use (409).
func (a *adopting) unused(ctx context.Context, connectionID, panelNodeID string) error {
	adopted, err := a.mappings.Of(ctx, connectionID)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(adopted, func(m mapping.Mapping) bool { return m.PanelNodeID == panelNodeID })
	if at < 0 {
		return fault.Missing(fault.NoSuchThing)
	}
	flows, err := a.offers.FlowsAt(ctx, adopted[at].ID)
	if err == nil && len(flows[adopted[at].ID]) > 0 {
		return errNodeInUse.With("flow_ids", flows[adopted[at].ID])
	}
	return err
}
