package flows

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/explain"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/moves"
	"panel/modules/flows/internal/plan"
	"panel/modules/flows/internal/served"
	"panel/platform/access"
	"panel/platform/agentapi"
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
	before, changes, left := bindingIDs(f.Graph), drawnChanges(f.Graph, g), moves.Left(f.Graph, g)
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
	if err := moves.Settle(ctx, s.db, s.nodes.Domains, left...); err != nil {
		return err
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

// explain traces one destination through a drawing, edge by edge, with what nodes have seen of the pools on its way.
func (s *service) explain(
	ctx context.Context, f *flowRow, of, entry string, to plan.Destination,
) (explain.Explanation, error) {
	out := explain.Explanation{Of: explain.Draft, Revision: f.DraftRevision}
	if to == (plan.Destination{}) {
		return out, fault.Malformed("missing_field", "say where the traffic goes: domain, ip, port or protocol")
	}
	g, catalogue := f.Graph, 0
	if of == explain.Installed {
		if f.InstalledVersionID == nil {
			return out, nothingInstalled()
		}
		version, err := s.store.version(ctx, f.ID, *f.InstalledVersionID)
		if err != nil {
			return out, err
		}
		g, catalogue = version.Graph, version.CatalogueVersion
		out.Of, out.Revision = explain.Installed, *f.InstalledRevision
	}
	if at := g.Find(entry); entry != "" && (at < 0 || g.Nodes[at].Kind != graph.Entry) {
		return out, fault.InvalidValue("entry", "the drawing has no such entry")
	}
	named, err := s.hooks.policies.Resolve(ctx, g, catalogue)
	if err != nil {
		return out, err
	}
	if out.ServedBy, err = s.hooks.panels.Serves(ctx, g, entry); err != nil {
		return out, err
	}
	err = s.explained(ctx, f.ID, plan.Explain(named.Graph, entry, to), &out)
	return out, err
}

func nothingInstalled() error {
	return fault.Invalid("invalid_value", "nothing of this flow is installed").
		Field("of", "not_installed", "install a version first")
}

func (s *service) explained(ctx context.Context, flowID string, trace plan.Trace, out *explain.Explanation) error {
	views, err := s.hooks.poolViews(ctx, flowID, explain.PoolIDs(trace))
	if err != nil {
		return err
	}
	nodes, err := s.nodes.byID(ctx, validIDs(append(explain.NodeIDs(views), trace.NodeID)))
	if err != nil {
		return fmt.Errorf("look up the nodes of a way: %w", err)
	}
	names, err := s.store.names(ctx, explain.FlowIDs(views)...)
	if err != nil {
		return err
	}
	for id, n := range nodes {
		names[id] = n.Name
	}
	out.Steps, out.Result = explain.Steps(trace), trace.Result
	out.Pools = explain.Pools(flowID, trace, views, names)
	out.NodeID = explain.Leaves(trace, out.Pools)
	out.NodeName = names[out.NodeID]
	return nil
}

// probe lets agents try the installed way to a destination: the entry's goes in as a client, the last node's dials.
// Faults: missing_field (400), not_found (404), invalid_value (422).
func (s *service) probe(ctx context.Context, id, entry string, to plan.Destination) (explain.ProbeAnswer, error) {
	out := explain.ProbeAnswer{At: s.now()}
	f, err := s.store.flow(ctx, id)
	if err != nil {
		return out, err
	}
	if !f.Enabled {
		return out, nothingInstalled()
	}
	if out.Explanation, err = s.explain(ctx, f, explain.Installed, entry, to); err != nil {
		return out, err
	}
	if out.Explanation.ServedBy != nil {
		return out, servedElsewhere("entry")
	}
	from, client, err := s.probeClient(ctx, f, entry)
	if err != nil {
		return out, err
	}
	way := out.Explanation
	nodes, err := s.nodes.byID(ctx, validIDs(append(explain.MemberNodes(way), from, way.NodeID)))
	if err != nil {
		return out, fmt.Errorf("look up the nodes of a way: %w", err)
	}
	prober := explain.Prober{Commands: s.nodes, Now: s.now, By: access.From(ctx).Username}
	if out.Through, err = prober.Through(ctx, nodes[from], client); err != nil {
		return out, err
	}
	last, known := nodes[explain.Met(way, out.Through.ExitIP, nodes)]
	if host := cmp.Or(to.Domain, to.IP); known && host != "" && way.Result != string(graph.Block) {
		out.Exit, err = prober.Exit(ctx, last, host, to.Port)
	}
	return out, err
}

// probeClient is the panel's own client of an installed entry on the node of that entry, and that node.
func (s *service) probeClient(ctx context.Context, f *flowRow, key string) (string, *agentapi.ThroughProbe, error) {
	entry, err := s.installedEntry(ctx, f, key)
	if err != nil {
		return "", nil, err
	}
	return entry.block.NodeID, entry.client(dialable(*entry.block.Params.Listener)), nil
}

// installedEntry is an entry of what is installed of a flow, with what the panel's own client needs.
type installedEntry struct {
	flow  *flowRow
	graph graph.Graph
	block graph.Node
	root  []byte
	keys  map[string]string
}

// client goes in at the entry, which it finds at an address.
func (e *installedEntry) client(dial string) *agentapi.ThroughProbe {
	return throughEntry(e.flow.ID, e.root, e.keys, e.flow.InstalledHosts, e.block, dial)
}

// installedEntry reads the entry with a key, or the first one where there is none.
func (s *service) installedEntry(ctx context.Context, f *flowRow, key string) (*installedEntry, error) {
	g, err := s.store.installedGraph(ctx, f)
	if err != nil {
		return nil, err
	}
	root, err := s.store.root(f)
	if err != nil {
		return nil, err
	}
	keys, err := s.store.keys(ctx, f.ID, g, nil)
	if err != nil {
		return nil, err
	}
	entries := plan.Entries(g)
	at := max(0, slices.IndexFunc(entries, func(n graph.Node) bool { return n.Key == key }))
	return &installedEntry{flow: f, graph: g, block: entries[at], root: root, keys: keys}, nil
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

// probes is flowsapi.Probes.
type probes struct{ *service }

// byPanel is who goes through flows, in the words of the agents' orders.
const byPanel = "panel"

// Through goes in at an installed entry from another node.
func (p probes) Through(ctx context.Context, flowID, entry, fromNodeID string) (flowsapi.Probe, error) {
	f, err := p.store.flow(ctx, flowID)
	if err = unknown(err); err == nil && (!f.Enabled || f.InstalledVersionID == nil) {
		err = flowsapi.ErrUnknown
	}
	if err != nil {
		return flowsapi.Probe{}, err
	}
	installed, err := p.installedEntry(ctx, f, entry)
	if err != nil {
		return flowsapi.Probe{}, err
	}
	host := hostIn(f.InstalledHosts, entry)
	if installed.block.Key != entry || host == "" || served.Offer(installed.block) != nil {
		return flowsapi.Probe{}, flowsapi.ErrUnknown
	}
	way, err := p.mainWay(ctx, f, entry)
	if err != nil {
		return flowsapi.Probe{}, err
	}
	nodes, err := p.nodes.byID(ctx, validIDs(slices.Concat(explain.MemberNodes(way), []string{way.NodeID, fromNodeID},
		explain.Drawn(installed.graph))))
	if err != nil {
		return flowsapi.Probe{}, fmt.Errorf("look up the nodes of a way: %w", err)
	}
	prober := explain.Prober{Commands: p.nodes, Now: p.now, By: byPanel}
	met, err := prober.Through(ctx, nodes[fromNodeID], installed.client(host))
	if err != nil {
		return flowsapi.Probe{}, err
	}
	return flowsapi.Probe{
		OK: met.OK, Millis: met.Millis, ExitIP: met.ExitIP, Code: met.Code, Error: met.Error,
		Elsewhere: explain.Elsewhere(way, met.ExitIP, nodes, explain.Drawn(installed.graph)),
	}, nil
}

// mainWay is the installed way of what no rule chooses.
func (s *service) mainWay(ctx context.Context, f *flowRow, entry string) (out explain.Explanation, err error) {
	version, err := s.store.version(ctx, f.ID, *f.InstalledVersionID)
	if err != nil {
		return out, err
	}
	named, err := s.hooks.policies.Resolve(ctx, version.Graph, version.CatalogueVersion)
	if err != nil {
		return out, err
	}
	return out, s.explained(ctx, f.ID, plan.ExplainRest(named.Graph, entry), &out)
}
