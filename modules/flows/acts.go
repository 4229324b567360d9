package flows

import (
	"context"
	"fmt"
	"slices"

	"panel/modules/flows/flowsapi"
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
		}))
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
// Faults: plan_stale, port_conflict (409), compile_failed, agent_offline (422).
func (s *service) enable(ctx context.Context, id string) (*applyRow, error) {
	f, err := s.store.flow(ctx, id)
	if err != nil {
		return nil, err
	}
	if f.InstalledVersionID == nil {
		return nil, stale("the flow was never installed; compile the draft and apply it")
	}
	a, result, err := s.again(ctx, f, kindEnable)
	if err != nil {
		return nil, err
	}
	return a, s.start(ctx, f, a, result)
}

// again makes an apply of the installed version with today's clients and nodes.
func (s *service) again(ctx context.Context, f *flowRow, kind string) (*applyRow, plan.Result, error) {
	version, err := s.store.version(ctx, f.ID, *f.InstalledVersionID)
	if err != nil {
		return nil, plan.Result{}, err
	}
	result, nodes, err := s.compiled(ctx, f, version.Graph)
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
		return portConflict(result.Plan.Conflicts)
	}
	if len(result.Plan.Errors) > 0 {
		return compileFailed(result.Plan.Errors)
	}
	if away := offline(result.Plan.Steps, nodes); len(away) > 0 {
		return agentOffline(away)
	}
	return nil
}

// stop ends an apply that is not decided yet: it fails, and everything is reverted. Whether it or the commit was first
// is decided by the lock of the row. An apply that fails already, or has failed, stays as it is.
// Faults: not_found (404), apply_committed (409).
func (s *service) stop(ctx context.Context, flowID, id string) error {
	if !database.IsID(id) {
		return fault.Missing(fault.NoSuchThing)
	}
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		f, err := s.store.flow(ctx, flowID)
		if err != nil {
			return err
		}
		var rows []applyRow
		err = s.db.In(ctx).NewSelect().Model(&rows).Column("id", "kind", "stage", "error", "finished_at", "stopped_at").
			Where("id = ? and flow_id = ?", id, flowID).For("update").Scan(ctx)
		switch {
		case err != nil:
			return database.Fault(err, nil)
		case len(rows) == 0:
			return fault.Missing(fault.NoSuchThing)
		case rows[0].Stage == phaseCommitting, rows[0].Stage == stateApplied:
			return fault.Conflict("apply_committed",
				"the apply is installed already; apply an earlier version to go back")
		case rows[0].FinishedAt != nil, rows[0].StoppedAt != nil, rows[0].Error != nil:
			return nil
		}
		return s.noteStop(ctx, f, &rows[0])
	})
	return database.Fault(err, nil)
}

func (s *service) noteStop(ctx context.Context, f *flowRow, a *applyRow) error {
	_, err := s.db.In(ctx).NewRaw("update flow_applies set stopped_by = ?, stopped_at = ? where id = ?",
		access.From(ctx).Username, s.now(), a.ID).Exec(ctx)
	if err != nil {
		return database.Fault(err, nil)
	}
	if err := s.record(ctx, flowsapi.EventApplyStopped, f, map[string]audit.Change{"apply": {To: a.ID}}); err != nil {
		return err
	}
	if err := s.emit(ctx, flowsapi.EventApplyStopped, f.ID, a.news(f)); err != nil {
		return err
	}
	return s.wakeApply(ctx, a.ID)
}
