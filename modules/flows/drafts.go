package flows

import (
	"bytes"
	"context"
	"slices"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
)

// saveDraft replaces the drawing. It installs nothing, and saving the same drawing again changes nothing. A drawing
// that is a version's says so in the journal. Faults: revision_conflict (409), invalid_value with node_domain_unknown
// (422).
func (s *service) saveDraft(
	ctx context.Context,
	id string,
	revision int,
	g graph.Graph,
	versionID string,
) (*flowRow, error) {
	var saved *flowRow
	var loaded *versionRow
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		f, err := s.store.locked(ctx, id)
		if err != nil {
			return err
		}
		if saved = f; f.DraftRevision != revision {
			return revisionConflict(f.DraftRevision)
		}
		if loaded, err = s.loaded(ctx, f, g, versionID); err != nil {
			return err
		}
		if same(f.Graph, g) {
			return nil
		}
		return s.storeDraft(ctx, f, g, loaded)
	})
	return saved, database.Fault(err, nil)
}

func same(a, b graph.Graph) bool { return bytes.Equal(graph.Encode(a), graph.Encode(b)) }

// loaded gives the version that the drawing is said to be. Fault: invalid_value (422) when it is not.
func (s *service) loaded(ctx context.Context, f *flowRow, g graph.Graph, versionID string) (*versionRow, error) {
	if versionID == "" {
		return nil, nil
	}
	if !database.IsID(versionID) {
		return nil, fault.InvalidValue("version_id", "there is no such version of this flow")
	}
	v, err := s.store.version(ctx, f.ID, versionID)
	switch {
	case err != nil && fault.KindOf(err) == fault.KindMissing:
		return nil, fault.InvalidValue("version_id", "there is no such version of this flow")
	case err != nil:
		return nil, err
	case !same(v.Graph, g):
		return nil, fault.InvalidValue("version_id", "the drawing is not that of this version; leave the version out")
	}
	return v, nil
}

func (s *service) storeDraft(ctx context.Context, f *flowRow, g graph.Graph, loaded *versionRow) error {
	if err := s.bindings(ctx, f.OwnerID, g); err != nil {
		return err
	}
	before, changes := bindingIDs(f.Graph), drawnChanges(f.Graph, g)
	f.Graph, f.DraftRevision = g, f.DraftRevision+1
	f.DraftUpdatedAt, f.DraftUpdatedBy = s.now(), access.From(ctx).Username
	installed, err := s.store.installedGraph(ctx, f)
	if err != nil {
		return err
	}
	f.counted(installed)
	if err := s.store.updateFlow(ctx, f, "graph", "draft_revision", "draft_updated_at", "draft_updated_by",
		"draft_changes"); err != nil {
		return err
	}
	if !slices.Equal(before, bindingIDs(g)) {
		if err := s.use(ctx, f); err != nil {
			return err
		}
	}
	action := "flow.draft_saved"
	changes["draft_revision"] = audit.Change{From: f.DraftRevision - 1, To: f.DraftRevision}
	if loaded != nil {
		action, changes["version"] = "flow.version_loaded", audit.Change{To: loaded.Number}
	}
	if err := s.record(ctx, action, f, changes); err != nil {
		return err
	}
	return s.emitDraft(ctx, f, loaded)
}

// counted notes in how much the draft differs from what is installed.
func (f *flowRow) counted(installed graph.Graph) {
	if f.InstalledVersionID == nil {
		f.DraftChanges = nil
		return
	}
	count := graph.Count(installed, f.Graph)
	f.DraftChanges = &count
}

// drawnChanges are what the journal tells of a saved drawing: each block and way that differs.
func drawnChanges(before, after graph.Graph) map[string]audit.Change {
	named, left := graph.Changes(before, after)
	changes := map[string]audit.Change{}
	for _, one := range named {
		changes[one.Name] = audit.Change{From: one.From, To: one.To}
	}
	if left > 0 {
		changes["further_changes"] = audit.Change{To: left}
	}
	return changes
}

// emitDraft tells every change of a draft alike, and the loading of a version besides.
func (s *service) emitDraft(ctx context.Context, f *flowRow, loaded *versionRow) error {
	news := flowsapi.DraftNews{Name: f.Name, DraftRevision: f.DraftRevision}
	if err := s.emit(ctx, flowsapi.EventDraftSaved, f.ID, news); err != nil || loaded == nil {
		return err
	}
	return s.emit(ctx, flowsapi.EventVersionLoaded, f.ID,
		flowsapi.VersionNews{Name: f.Name, VersionID: loaded.ID, Number: loaded.Number})
}

// explain traces one destination through the draft, edge by edge.
func (s *service) explain(ctx context.Context, in *explainInput) (Explanation, error) {
	f, err := s.store.flow(ctx, in.ID)
	if err != nil {
		return Explanation{}, err
	}
	if in.Domain == "" && in.IP == "" && in.Port == 0 && in.Protocol == "" {
		return Explanation{}, fault.Malformed("missing_field",
			"say where the traffic goes: domain, ip, port or protocol")
	}
	trace := plan.Explain(f.Graph, plan.Destination{Domain: in.Domain, IP: in.IP, Port: in.Port, Protocol: in.Protocol})
	out := Explanation{Steps: []ExplainStep{}, Result: trace.Result, NodeID: trace.NodeID}
	for _, step := range trace.Steps {
		out.Steps = append(out.Steps, ExplainStep(step))
	}
	return out, nil
}
