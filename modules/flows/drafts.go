package flows

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
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
		g, keys, err := withoutKeys(g)
		if err != nil {
			return err
		}
		if loaded, err = s.loaded(ctx, f, g, versionID); err != nil {
			return err
		}
		if same(f.Graph, g) {
			return nil
		}
		if err := s.store.keepKeys(ctx, f.ID, g, keys, s.now()); err != nil {
			return err
		}
		return s.storeDraft(ctx, f, g, loaded, "flow.draft_saved")
	})
	return saved, database.Fault(err, nil)
}

// redraw replaces a drawing by one that was made of it, with a word of its own in the journal. Faults: not_found (404),
// revision_conflict (409), invalid_value with node_domain_unknown (422).
func (s *service) redraw(ctx context.Context, id string, revision int, action string, g graph.Graph) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		f, err := s.store.locked(ctx, id)
		if err != nil {
			return err
		}
		if f.DraftRevision != revision {
			return revisionConflict(f.DraftRevision)
		}
		if same(f.Graph, g) {
			return nil
		}
		return s.storeDraft(ctx, f, g, nil, action)
	})
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

func (s *service) storeDraft(
	ctx context.Context, f *flowRow, g graph.Graph, loaded *versionRow, action string,
) error {
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
	changes["draft_revision"] = audit.Change{From: f.DraftRevision - 1, To: f.DraftRevision}
	if loaded != nil {
		action, changes["version"] = "flow.version_loaded", audit.Change{To: loaded.Number}
	}
	if err := s.record(ctx, action, f, changes); err != nil {
		return err
	}
	return s.emitDraft(ctx, f, loaded)
}

// changeVersion names a version or pins it. Faults: not_found (404), too_many_pinned (409).
func (s *service) changeVersion(ctx context.Context, flowID, id string, to versionPatchBody) (Version, error) {
	if !database.IsID(id) {
		return Version{}, fault.Missing("there is no such version of this flow")
	}
	var shown Version
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		f, err := s.store.locked(ctx, flowID)
		if err != nil {
			return err
		}
		v, err := s.store.version(ctx, f.ID, id)
		if err != nil {
			return err
		}
		shown, err = s.storeVersion(ctx, f, v, to)
		return err
	})
	return shown, database.Fault(err, nil)
}

// storeVersion writes what is another now; a change that changes nothing leaves no trace.
func (s *service) storeVersion(ctx context.Context, f *flowRow, v *versionRow, to versionPatchBody) (Version, error) {
	changes := map[string]audit.Change{}
	if to.Note != nil && *to.Note != v.Note {
		changes["note"] = audit.Change{From: v.Note, To: *to.Note}
		v.Note = *to.Note
	}
	if to.Pinned != nil && *to.Pinned != v.Pinned {
		if err := s.mayPin(ctx, f, *to.Pinned); err != nil {
			return Version{}, err
		}
		changes["pinned"] = audit.Change{From: v.Pinned, To: *to.Pinned}
		v.Pinned = *to.Pinned
	}
	if len(changes) == 0 {
		return shownVersion(*v, f), nil
	}
	changes["version"] = audit.Change{From: v.Number, To: v.Number}
	if err := s.store.updateVersion(ctx, v); err != nil {
		return Version{}, err
	}
	return shownVersion(*v, f), s.changed(ctx, flowsapi.EventVersionChanged, f, changes)
}

func (s *service) mayPin(ctx context.Context, f *flowRow, pin bool) error {
	if !pin {
		return nil
	}
	count, err := s.store.countPinned(ctx, f.ID)
	if err != nil || count < mostPinned {
		return err
	}
	return fault.Conflict("too_many_pinned", "as many versions are pinned as a flow can keep; unpin one first")
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
	named, err := s.hooks.policies.Resolve(ctx, f.Graph, 0)
	if err != nil {
		return Explanation{}, err
	}
	to := plan.Destination{Domain: in.Domain, IP: in.IP, Port: in.Port, Protocol: in.Protocol}
	trace := plan.Explain(named.Graph, to)
	out := Explanation{Steps: []ExplainStep{}, Result: trace.Result, NodeID: trace.NodeID}
	for _, step := range trace.Steps {
		out.Steps = append(out.Steps, ExplainStep(step))
	}
	return out, nil
}

// drafts is flowsapi.Drafts.
type drafts struct{ *service }

// drawings are judged like those that come as the body of a request.
var drawings = httpapi.Strictly[graph.Graph]()

// Draft gives the draft of a flow without its secrets, and without the names of secrets that no other flow has.
func (d drafts) Draft(ctx context.Context, flowID string) (flowsapi.Draft, error) {
	f, err := d.store.flow(ctx, flowID)
	if err != nil {
		return flowsapi.Draft{}, err
	}
	return flowsapi.Draft{
		Name: f.Name, Description: f.Description, Tags: f.Tags, Drawing: graph.Encode(withoutNames(f.Graph)),
	}, nil
}

// Check lists what keeps a drawing from running.
func (d drafts) Check(drawing json.RawMessage) ([]flowsapi.Problem, error) {
	return CheckDrawing(drawing)
}

// CheckDrawing lists what keeps a drawing from running. It needs no panel. Faults: those of a body that is none.
func CheckDrawing(drawing json.RawMessage) ([]flowsapi.Problem, error) {
	g, err := drawings.Read(drawing)
	if err != nil {
		return nil, err
	}
	found := graph.Check(*g)
	out := make([]flowsapi.Problem, len(found))
	for i, p := range found {
		out[i] = flowsapi.Problem{Code: p.Code, Path: p.Path, Message: p.Message}
	}
	return out, nil
}

// Create makes a flow of the caller without any client.
func (d drafts) Create(ctx context.Context, given flowsapi.Draft) (string, error) {
	g, err := drawings.Read(given.Drawing)
	if err != nil {
		return "", err
	}
	nobody := func(context.Context, string) error { return nil }
	return d.createWith(ctx, given.Name, given.Description, given.Tags, *g, nobody)
}

// Taken gives those of the names that flows have already.
func (d drafts) Taken(ctx context.Context, names ...string) ([]string, error) {
	found, err := d.store.named(ctx, names...)
	return slices.Sorted(maps.Keys(found)), err
}
