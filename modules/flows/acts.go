package flows

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"panel/modules/domains/domainsapi"
	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/conflicts"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
)

// disable takes the flow off its nodes; enable puts the installed version back with today's clients.
func (s *service) disable(ctx context.Context, id string) (*applyRow, error) {
	f, err := s.store.flow(ctx, id)
	if err != nil {
		return nil, err
	}
	return s.remove(ctx, f, kindDisable)
}

// delete removes the flow: at once when it was never installed, else after its nodes were told to drop it.
func (s *service) delete(ctx context.Context, id string) (*applyRow, error) {
	f, err := s.store.flow(ctx, id)
	if err != nil {
		return nil, err
	}
	return s.remove(ctx, f, kindDelete)
}

func (s *service) remove(ctx context.Context, f *flowRow, kind string) (*applyRow, error) {
	installed, err := s.store.installed(ctx, f.ID)
	if err != nil {
		return nil, err
	}
	before, err := s.store.installedGraph(ctx, f)
	if err != nil {
		return nil, err
	}
	a := s.newApply(ctx, f, kind, plan.Result{}, before, graph.Graph{})
	maps.DeleteFunc(installed, func(_ string, part plan.Fragment) bool { return part.OnlyServed() })
	nodes, err := s.nodes.byID(ctx, slicesOfKeys(installed))
	if err != nil {
		return nil, fmt.Errorf("look up the nodes of a flow: %w", err)
	}
	for i, id := range slicesOfKeys(installed) {
		a.Steps = append(a.Steps, newStep(plan.Step{
			Order:        i + 1,
			NodeID:       id,
			NodeName:     nodeName(nodes, id),
			Role:         "none",
			Action:       plan.ActionRemove,
			Interruption: plan.Reload,
			Detail:       "the flow leaves this node",
			DetailCode:   "leaves",
		}, graph.Graph{}))
	}
	return a, s.start(ctx, f, a, plan.Result{Fragments: map[string]plan.Fragment{}})
}

func slicesOfKeys(m map[string]plan.Fragment) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// enable installs the drawing of the installed version again.
// Faults: plan_stale, port_conflict, domain_conflict (409), compile_failed, custom_plan_not_enabled,
// agent_offline (422).
func (s *service) enable(ctx context.Context, id string) (*applyRow, error) {
	f, err := s.store.flow(ctx, id)
	if err != nil {
		return nil, err
	}
	if f.InstalledVersionID == nil {
		return nil, stale("the flow was never installed; compile the draft and apply it")
	}
	a, result, err := s.again(ctx, f, kindEnable)
	if err == nil {
		err = s.permitted(ctx, f, drawnOr(a.Graph))
	}
	if err != nil {
		return nil, err
	}
	return a, s.start(ctx, f, a, result)
}

// again makes an apply of the installed version with today's clients and nodes, and the catalogue that it was compiled
// with: what runs follows neither a newer catalogue nor a changed policy by itself.
func (s *service) again(ctx context.Context, f *flowRow, kind string) (*applyRow, plan.Result, error) {
	version, err := s.store.version(ctx, f.ID, *f.InstalledVersionID)
	if err != nil {
		return nil, plan.Result{}, err
	}
	result, nodes, err := s.compiled(ctx, f, version.Graph, nil, version.CatalogueVersion)
	if err != nil {
		return nil, result, err
	}
	if err := installable(result, nodes); err != nil {
		return nil, result, err
	}
	a := s.newApply(ctx, f, kind, result, version.Graph, version.Graph)
	if !f.Enabled {
		a.Change.Change.Before = []flowsapi.Entry{}
	}
	a.Revision, a.VersionID = version.Revision, &version.ID
	return a, result, nil
}

func installable(result plan.Result, nodes map[string]nodesapi.Node) error {
	if len(result.Plan.Conflicts) > 0 {
		return conflicts.Fault(result.Plan.Conflicts)
	}
	if len(result.Plan.Errors) > 0 {
		return compileFailed(result.Plan.Errors)
	}
	if away := offline(result.Plan.Steps, nodes); len(away) > 0 {
		return agentOffline(away)
	}
	return nil
}

// NodeDrift is how what runs on one node differs from what the flow has installed there.
type NodeDrift struct {
	NodeID          string    `json:"node_id"`
	NodeName        string    `json:"node_name"`
	State           string    `json:"state" enum:"in_sync,drifted,unknown"`
	Online          bool      `json:"online" doc:"Its agent answers, so that the node can be restored now"`
	VersionNumber   *int      `json:"version_number" doc:"The installed version"`
	RunningRevision int64     `json:"running_revision" doc:"Configuration of the node that runs; 0 for none"`
	WantedRevision  int64     `json:"wanted_revision" doc:"Configuration that the node shall serve"`
	Known           bool      `json:"known" doc:"The panel knows what runs; without it there is no difference to show"`
	PartSame        bool      `json:"part_same" doc:"The flow's own part runs as it is installed"`
	RestSame        bool      `json:"rest_same" doc:"So does everything else on the node"`
	Diff            plan.Diff `json:"diff" doc:"What restoring changes"`
}

// nodeDrift compares what a node runs with what the flow has installed there. Fault: not_found (404).
func (s *service) nodeDrift(ctx context.Context, id, nodeID string) (NodeDrift, error) {
	f, n, _, err := s.installedOn(ctx, id, nodeID)
	if err != nil {
		return NodeDrift{}, err
	}
	numbers, err := s.versionNumbers(ctx, f.ID)
	if err != nil {
		return NodeDrift{}, err
	}
	out := NodeDrift{
		NodeID: n.ID, NodeName: n.Name, Online: n.Online, RunningRevision: n.RevisionInstalled,
		WantedRevision: n.RevisionDesired, PartSame: true, RestSame: true, Diff: plan.NoDiff(), State: "in_sync",
	}
	if f.InstalledVersionID != nil {
		if number, known := numbers[*f.InstalledVersionID]; known {
			out.VersionNumber = &number
		}
	}
	if err := s.compareRunning(ctx, f, n, &out); err != nil {
		return out, err
	}
	hosts, err := s.hostsNow(ctx, f, nodeID, n)
	for i, now := range hosts {
		if before := f.InstalledHosts[i]; before.Host != now.Host {
			out.State = "drifted"
			out.Diff.Listeners = append(out.Diff.Listeners, plan.Change{
				Op: "changed", NodeID: nodeID, Name: now.Block, Field: "host", From: before.Host, To: now.Host,
			})
		}
	}
	return out, err
}

// installedOn gives a flow, one of its nodes and its part there. Fault: not_found (404).
func (s *service) installedOn(ctx context.Context, id, nodeID string) (*flowRow, nodesapi.Node, plan.Fragment, error) {
	f, err := s.store.flow(ctx, id)
	if err != nil {
		return nil, nodesapi.Node{}, plan.Fragment{}, err
	}
	parts, err := s.store.fragments(ctx, "flow_id = ? and node_id = ?", id, nodeID)
	if err != nil {
		return nil, nodesapi.Node{}, plan.Fragment{}, err
	}
	nothing := fault.Missing(fault.NoSuchThing)
	if len(parts) == 0 {
		return nil, nodesapi.Node{}, plan.Fragment{}, nothing
	}
	n, err := s.nodes.Node(ctx, nodeID)
	if errors.Is(err, nodesapi.ErrUnknown) {
		return nil, n, plan.Fragment{}, nothing
	}
	return f, n, parts[0], err
}

// compareRunning fills in what is known of the configuration that runs: nothing where the node is silent, or where it
// is not one that the panel has stored.
func (s *service) compareRunning(ctx context.Context, f *flowRow, n nodesapi.Node, out *NodeDrift) error {
	if n.RevisionInstalled == n.RevisionDesired {
		out.Known = true
		if !n.Online {
			out.State = "unknown"
		}
		return nil
	}
	out.State = "drifted"
	if !n.Online {
		out.State = "unknown"
	}
	runs, err := s.stored(ctx, n, n.RevisionInstalled, n.HashInstalled)
	if err != nil || runs == nil {
		return err
	}
	wanted, err := s.stored(ctx, n, n.RevisionDesired, "")
	if err != nil || wanted == nil {
		return err
	}
	before, err := plan.ReadRunning(f.ID, runs.Core)
	if err != nil {
		return err
	}
	after, err := plan.ReadRunning(f.ID, wanted.Core)
	if err != nil {
		return err
	}
	labels, err := s.labels(ctx, f.ID)
	out.Known = true
	out.Diff, out.PartSame, out.RestSame = plan.Differences(n.ID, before, after, labels)
	return err
}

// stored gives a configuration of a node; nil when the panel does not have it, or has another one of this number.
func (s *service) stored(ctx context.Context, n nodesapi.Node, revision int64, hash string) (*nodesapi.Config, error) {
	if revision == 0 {
		return &nodesapi.Config{NodeID: n.ID}, nil
	}
	c, err := s.nodes.Stored(ctx, n.ID, revision)
	if errors.Is(err, nodesapi.ErrUnknown) || err == nil && hash != "" && c.Hash != hash {
		return nil, nil //nolint:nilnil // it is not there, which is an answer
	}
	if err != nil {
		return nil, fmt.Errorf("read what a node runs: %w", err)
	}
	return &c, nil
}

func (s *service) labels(ctx context.Context, flowID string) (map[string]string, error) {
	found, err := s.clients.OfFlow(ctx, flowID, everyClient)
	labels := make(map[string]string, len(found))
	for _, c := range found {
		labels[c.ClientID] = c.Label
	}
	return labels, err
}

// hostsNow is what links name, with today's address or domain of one node.
func (s *service) hostsNow(ctx context.Context, f *flowRow, nodeID string, n nodesapi.Node) ([]plan.Host, error) {
	hosts, ids := slices.Clone(f.InstalledHosts), []string{}
	for _, h := range hosts {
		if h.NodeID == nodeID && h.DomainID != "" {
			ids = append(ids, h.DomainID)
		}
	}
	bound := map[string]domainsapi.Domain{}
	if len(ids) > 0 {
		var err error
		if bound, err = s.nodes.ByIDs(ctx, ids...); err != nil {
			return nil, fmt.Errorf("look up domain bindings: %w", err)
		}
	}
	for i, h := range hosts {
		if d, known := bound[h.DomainID]; known {
			hosts[i].Host = d.Hostname
		} else if h.NodeID == nodeID && h.DomainID == "" {
			hosts[i].Host = n.Address
		}
	}
	return hosts, nil
}

// restore installs the flow's part on one node again, as it is installed; drafts and new clients have no part in it.
// Faults: not_found (404), apply_active (409), agent_offline (422).
func (s *service) restore(ctx context.Context, id, nodeID string) (*applyRow, error) {
	f, n, part, err := s.installedOn(ctx, id, nodeID)
	if err != nil {
		return nil, err
	}
	if !n.Online && !part.OnlyServed() {
		return nil, agentOffline([]awayNode{{n.ID, n.Name}})
	}
	drawn, err := s.store.installedGraph(ctx, f)
	if err != nil {
		return nil, err
	}
	result := plan.Result{}
	if result.Fragments, err = s.store.installed(ctx, f.ID); err != nil {
		return nil, err
	}
	if result.Hosts, err = s.hostsNow(ctx, f, nodeID, n); err != nil {
		return nil, err
	}
	result.Plan.Steps = []plan.Step{{
		Order: 1, NodeID: n.ID, NodeName: n.Name, Role: part.Role, Action: plan.ActionConfigure,
		Interruption: plan.Reload, Detail: "install the flow's part again", DetailCode: "restores",
	}}
	if part.OnlyServed() { // a proxy panel serves there, and gets its part again
		result.Plan.Steps = nil
	}
	a := s.newApply(ctx, f, kindRestore, result, drawn, drawn)
	a.VersionID = f.InstalledVersionID
	if f.InstalledRevision != nil {
		a.Revision = *f.InstalledRevision
	}
	return a, s.start(ctx, f, a, result)
}

// stop ends an apply that is not decided yet: it fails, and everything is reverted. Whether it or the commit was first
// is decided by the lock of the row. An apply that fails already, or has failed, stays as it is.
// Faults: not_found (404), apply_committed (409).
func (s *service) stop(ctx context.Context, flowID, id string) error {
	return s.stopWith(ctx, flowID, id, flowsapi.EventApplyStopped)
}

// abort is stop for an apply with a canary. Further fault: not_in_canary (409).
func (s *service) abort(ctx context.Context, flowID, id string) error {
	return s.stopWith(ctx, flowID, id, flowsapi.EventCanaryAborted)
}

// stopWith stops an apply and tells it by a kind of event.
func (s *service) stopWith(ctx context.Context, flowID, id, kind string) error {
	if !database.IsID(id) {
		return fault.Missing(fault.NoSuchThing)
	}
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		f, err := s.store.flow(ctx, flowID)
		if err != nil {
			return err
		}
		var rows []applyRow
		err = s.db.In(ctx).NewSelect().Model(&rows).
			Column("id", "kind", "stage", "error", "finished_at", "stopped_at", "canary").
			Where("id = ? and flow_id = ?", id, flowID).For("update").Scan(ctx)
		switch {
		case err != nil:
			return database.Fault(err, nil)
		case len(rows) == 0:
			return fault.Missing(fault.NoSuchThing)
		case kind == flowsapi.EventCanaryAborted && rows[0].Canary == nil:
			return notInCanary()
		case rows[0].Stage == phaseCommitting, rows[0].Stage == stateApplied:
			return fault.Conflict("apply_committed",
				"the apply is installed already; apply an earlier version to go back")
		case rows[0].FinishedAt != nil, rows[0].StoppedAt != nil, rows[0].Error != nil:
			return nil
		}
		return s.noteStop(ctx, f, &rows[0], kind)
	})
	return database.Fault(err, nil)
}

func (s *service) noteStop(ctx context.Context, f *flowRow, a *applyRow, kind string) error {
	_, err := s.db.In(ctx).NewRaw("update flow_applies set stopped_by = ?, stopped_at = ? where id = ?",
		access.From(ctx).Username, s.now(), a.ID).Exec(ctx)
	if err != nil {
		return database.Fault(err, nil)
	}
	if err := s.record(ctx, kind, f, map[string]audit.Change{"apply": {To: a.ID}}); err != nil {
		return err
	}
	if err := s.emit(ctx, kind, f.ID, a.news(f)); err != nil {
		return err
	}
	return s.wakeApply(ctx, a.ID)
}
