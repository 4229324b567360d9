package geo

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/geo/geoapi"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/jobs"
)

// document is what nodes hold files by, and capability what agents name that can.
const document = string(agentapi.DocumentAssets)

var capability = string(agentapi.DocumentAssets.Capability())

// States of an asset on a node.
const (
	nodeCurrent     = "current"
	nodeWaiting     = "waiting"
	nodeFailed      = "failed"
	nodeOffline     = "offline"
	nodeUnsupported = "not_supported"
)

// tell has nodes hold a version of an asset from now on, in the context's transaction.
func (s *service) tell(ctx context.Context, assetID, sha256 string, nodeIDs []string) error {
	if err := s.observe(ctx, nodeIDs); err != nil {
		return err
	}
	_, err := s.store.db.In(ctx).NewRaw(`update geo_nodes set wanted = ?, told_at = ?
		where asset_id = ? and node_id = any(?::uuid[])`, sha256, s.now(), assetID, pgdialect.Array(nodeIDs)).Exec(ctx)
	if err != nil {
		return database.Fault(err, nil)
	}
	return s.write(ctx, nodeIDs)
}

// observe writes down what nodes hold before they are told of something else: from then on their word is about that.
func (s *service) observe(ctx context.Context, nodeIDs []string) error {
	if _, err := s.store.onNodes(ctx, true, nodeIDs...); err != nil {
		return err
	}
	states, err := s.docs.States(ctx, document, nodeIDs...)
	if err != nil {
		return fmt.Errorf("read what nodes hold: %w", err)
	}
	var applied []string
	for id, state := range states {
		if state.State == nodesapi.DocumentApplied {
			applied = append(applied, id)
		}
	}
	_, err = s.store.db.In(ctx).NewRaw(`update geo_nodes set held = wanted where node_id = any(?::uuid[]) and held <> wanted`,
		pgdialect.Array(applied)).Exec(ctx)
	return database.Fault(err, nil)
}

// write gives nodes the document of all files that they shall hold.
func (s *service) write(ctx context.Context, nodeIDs []string) error {
	if len(nodeIDs) == 0 {
		return nil
	}
	var rows []struct {
		NodeID, Name, SHA256 string
		Size                 int64
	}
	err := s.store.db.In(ctx).NewRaw(`select n.node_id, a.name, v.sha256, v.size from geo_nodes n
		join geo_assets a on a.id = n.asset_id join geo_versions v on v.asset_id = n.asset_id and v.sha256 = n.wanted
		where n.node_id = any(?::uuid[]) order by a.name`, pgdialect.Array(nodeIDs)).Scan(ctx, &rows)
	if err != nil {
		return database.Fault(err, nil)
	}
	wanted := map[string]*agentapi.Assets{}
	for _, id := range nodeIDs {
		wanted[id] = &agentapi.Assets{Files: []agentapi.AssetFile{}}
	}
	for _, r := range rows {
		held := wanted[r.NodeID]
		held.Files = append(held.Files, agentapi.AssetFile{Name: r.Name, SHA256: r.SHA256, Size: r.Size})
	}
	documents := make([]nodesapi.Document, 0, len(wanted))
	for id, content := range wanted {
		documents = append(documents, nodesapi.Document{NodeID: id, Name: document, Content: content})
	}
	slices.SortFunc(documents, func(a, b nodesapi.Document) int { return strings.Compare(a.NodeID, b.NodeID) })
	if err := s.docs.Set(ctx, documents...); err != nil {
		return fmt.Errorf("tell nodes what files to hold: %w", err)
	}
	return nil
}

// placedTogether gathers nodes that come at once.
const placedTogether = time.Second

// placeArgs have nodes told what to hold that no roll-out has told.
type placeArgs struct{}

// Kind names the worker.
func (placeArgs) Kind() string { return "geo.place" }

// listener has nodes that come hold what the others hold.
func (s *service) listener() events.Listener {
	return events.Listener{
		Name: "geo.follow", Kinds: []string{nodesapi.NodeEnrolled, nodesapi.NodeOnline}, Feature: feature,
		ReadOnly: entitlement.GoesOn, Blocked: entitlement.GoesOn,
		Handle: func(ctx context.Context, _ events.Event) error {
			return s.queue.Insert(ctx, placeArgs{}, jobs.Together(s.now(), placedTogether))
		},
	}
}

// place brings nodes that came after a roll-out, or whose agents could not hold files then, to where the others are.
// While a roll-out goes on it tells them, and after one that failed they get the version before.
func (s *service) place(ctx context.Context) error {
	rows, err := s.store.all(ctx)
	if err != nil {
		return err
	}
	all, err := s.fleet.Nodes(ctx)
	if err != nil {
		return fmt.Errorf("read the nodes: %w", err)
	}
	for i := range rows {
		if rows[i].OnNodes && rows[i].Version != nil {
			if err := s.placeOne(ctx, rows[i].ID, all); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *service) placeOne(ctx context.Context, assetID string, all []nodesapi.Node) error {
	return s.store.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.store.one(ctx, assetID, true)
		if fault.KindOf(err) == fault.KindMissing {
			return nil
		}
		if err != nil {
			return err
		}
		held, err := s.store.nodesOf(ctx, assetID)
		if err != nil {
			return err
		}
		state, err := s.lastRollOut(ctx, &row)
		if err != nil {
			return err
		}
		rolling, stopped := state == rollRunning, state == rollFailed
		wanted := map[string]string{}
		for _, one := range held {
			wanted[one.NodeID] = one.Wanted
		}
		version := row.Version
		if stopped {
			version = row.Previous
		}
		var fresh []nodeRow
		var behind []string
		for _, n := range all {
			now, there := wanted[n.ID]
			if !there {
				fresh = append(fresh, nodeRow{AssetID: assetID, NodeID: n.ID, Ring: lastRing})
			}
			stays := stopped && now != ""
			if version != nil && !rolling && !stays && n.Can(capability) && now != *version {
				behind = append(behind, n.ID)
			}
		}
		if len(fresh) > 0 {
			ids := make([]string, len(fresh))
			for i := range fresh {
				ids[i] = fresh[i].NodeID
			}
			gone, err := s.fleet.Hold(ctx, ids...)
			if err != nil {
				return fmt.Errorf("hold the nodes: %w", err)
			}
			fresh = slices.DeleteFunc(fresh, func(r nodeRow) bool { return slices.Contains(gone, r.NodeID) })
		}
		if len(fresh) > 0 {
			_, err := s.store.db.In(ctx).NewInsert().Model(&fresh).Column("asset_id", "node_id", "ring").
				On("conflict do nothing").Exec(ctx)
			if err != nil {
				return database.Fault(err, nil)
			}
		}
		if len(fresh) == 0 && len(behind) == 0 {
			return nil
		}
		if len(behind) > 0 {
			if err := s.tell(ctx, assetID, *version, behind); err != nil {
				return err
			}
		}
		return s.emit(ctx, geoapi.Moved, &row, geoapi.News{})
	})
}

// onNode is how one node holds one asset.
type onNode struct {
	nodeRow

	Name  string // of the node
	State string
	Error string
}

// nodeStates gives how nodes hold assets, by asset. What agents said is asked once for all of them.
func (s *service) nodeStates(ctx context.Context, assets ...assetRow) (map[string][]onNode, error) {
	out := map[string][]onNode{}
	byID := map[string]*assetRow{}
	var ids []string
	for i := range assets {
		if assets[i].OnNodes && assets[i].Version != nil {
			byID[assets[i].ID] = &assets[i]
			ids = append(ids, assets[i].ID)
		}
	}
	if len(ids) == 0 {
		return out, nil
	}
	rows, err := s.store.nodesOf(ctx, ids...)
	if err != nil || len(rows) == 0 {
		return out, err
	}
	return out, s.judge(ctx, rows, byID, func(one onNode) { out[one.AssetID] = append(out[one.AssetID], one) })
}

// judge tells of rows what their nodes hold.
func (s *service) judge(ctx context.Context, rows []nodeRow, assets map[string]*assetRow, take func(onNode)) error {
	ids := make([]string, 0, len(rows))
	for _, r := range rows {
		ids = append(ids, r.NodeID)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	list, err := s.fleet.Nodes(ctx, ids...)
	if err != nil {
		return fmt.Errorf("read the nodes of geo files: %w", err)
	}
	nodes := make(map[string]*nodesapi.Node, len(list))
	for i := range list {
		nodes[list[i].ID] = &list[i]
	}
	states, err := s.docs.States(ctx, document, ids...)
	if err != nil {
		return fmt.Errorf("read what nodes hold: %w", err)
	}
	for _, r := range rows {
		n := nodes[r.NodeID]
		if n != nil && n.AgentVersion != "" && assets[r.AssetID] != nil { // one without an agent takes nothing yet
			take(judged(r, n, states[r.NodeID], *assets[r.AssetID].Version))
		}
	}
	return nil
}

// judged is how a node holds an asset whose version is the given one.
func judged(r nodeRow, n *nodesapi.Node, said nodesapi.DocumentState, version string) onNode {
	one := onNode{nodeRow: r, Name: n.Name, State: nodeWaiting}
	if said.State == nodesapi.DocumentApplied {
		one.Held = r.Wanted
	}
	switch {
	case one.Held == version:
		one.State = nodeCurrent
	case !n.Can(capability):
		one.State = nodeUnsupported
	case said.State == nodesapi.DocumentFailed && r.Wanted == version:
		one.State, one.Error = nodeFailed, said.Error
	case !n.Online:
		one.State = nodeOffline
	}
	return one
}

func counted(all []onNode) (c NodeCounts) {
	c.Total = len(all)
	for _, one := range all {
		switch one.State {
		case nodeCurrent:
			c.Current++
		case nodeFailed:
			c.Failed++
		default:
			c.Waiting++
		}
	}
	return c
}

var nodeList = httpapi.ShortList[NodeState]{
	ID: func(n NodeState) string { return n.NodeID },
	Sorts: map[string]func(a, b NodeState) int{
		"node_name": func(a, b NodeState) int { return strings.Compare(a.NodeName, b.NodeName) },
		"ring":      func(a, b NodeState) int { return a.Ring - b.Ring },
		"state":     func(a, b NodeState) int { return strings.Compare(a.State, b.State) },
	},
	Usual: "ring",
}

// nodePage lists how nodes hold an asset. Fault: not_found (404).
func (s *service) nodePage(ctx context.Context, in *nodesInput) (page httpapi.Page[NodeState], err error) {
	row, err := s.store.one(ctx, in.ID, false)
	if err != nil {
		return page, err
	}
	states, err := s.nodeStates(ctx, row)
	if err != nil {
		return page, err
	}
	rows := []NodeState{}
	for _, one := range states[row.ID] {
		if in.State == "" || in.State == one.State {
			rows = append(rows, NodeState{
				NodeID: one.NodeID, NodeName: one.Name, SHA256: one.Held, State: one.State, Error: one.Error,
				At: one.ToldAt, Ring: one.Ring,
			})
		}
	}
	return nodeList.Page(rows, in.PageQuery)
}

// assetsOf lists what a node shall hold. Fault: not_found (404).
func (s *service) assetsOf(ctx context.Context, nodeID string) (NodeAssets, error) {
	out := NodeAssets{Items: []NodeAsset{}}
	if !database.IsID(nodeID) {
		return out, fault.Missing(fault.NoSuchThing)
	}
	if found, err := s.fleet.Nodes(ctx, nodeID); err != nil || len(found) == 0 {
		if err == nil {
			err = fault.Missing(fault.NoSuchThing)
		}
		return out, err
	}
	assets, err := s.store.all(ctx)
	if err != nil {
		return out, err
	}
	byID := map[string]*assetRow{}
	for i := range assets {
		if assets[i].OnNodes && assets[i].Version != nil {
			byID[assets[i].ID] = &assets[i]
		}
	}
	rows, err := s.store.onNodes(ctx, false, nodeID)
	if err != nil {
		return out, err
	}
	err = s.judge(ctx, rows, byID, func(one onNode) {
		out.Items = append(out.Items, NodeAsset{
			AssetID: one.AssetID, Name: byID[one.AssetID].Name, SHA256: one.Held, WantedSHA256: one.Wanted,
			State: one.State, Error: one.Error, At: one.ToldAt,
		})
	})
	slices.SortFunc(out.Items, func(a, b NodeAsset) int { return strings.Compare(a.Name, b.Name) })
	return out, err
}
