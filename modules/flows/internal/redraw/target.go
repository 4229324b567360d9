package redraw

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/many"
	"panel/platform/database"
	"panel/platform/fault"
)

// ActionTarget is the word of a draft's change of target in the journal.
const ActionTarget = "flow.target_changed"

// NewTarget asks for another REALITY target in many drafts.
type NewTarget struct {
	Target  string   `json:"target" minLength:"1" maxLength:"260" doc:"host or host:port of the new target"`
	From    string   `json:"from,omitempty" maxLength:"260" doc:"Only listeners with this target, host or host:port. Without flow_ids: those of all flows"`
	FlowIDs []string `json:"flow_ids,omitempty" maxItems:"500" doc:"Only these flows"`
	DryRun  bool     `json:"dry_run,omitempty" doc:"Only tell what would be done; no search is started"`
}

// draft is a flow as far as redraws read it.
type draft struct {
	ID, Name string
	Revision int
	Graph    graph.Graph `bun:",type:jsonb"`
}

// ChangeTarget gives the listeners of many drafts another target, as an operation. Each node is asked first: where no
// search has found the target suitable within 24 hours, one of this target alone is started. Faults: invalid_value
// (422).
func (r *Redraws) ChangeTarget(ctx context.Context, in NewTarget) (Change, error) {
	checks := r.parts.Checks()
	if checks == nil {
		return Change{}, fault.InvalidValue("target", "this panel cannot check targets")
	}
	made, err := r.wantedTarget(ctx, checks, in)
	if err != nil {
		return Change{}, err
	}
	if !in.DryRun {
		return r.start(ctx, made)
	}
	shown := made.shown()
	shown.DryRun, shown.StartedAt = true, nil
	return shown, nil
}

func (r *Redraws) wantedTarget(ctx context.Context, checks flowsapi.TargetChecks, in NewTarget) (*row, error) {
	target, err := checks.Name("target", in.Target)
	if err != nil {
		return nil, err
	}
	from := strings.ToLower(in.From)
	if _, _, err := net.SplitHostPort(from); err != nil && from != "" {
		from = net.JoinHostPort(strings.Trim(from, "[]"), "443")
	}
	drafts, err := r.drafts(ctx, from, in.FlowIDs)
	if err != nil {
		return nil, err
	}
	made := &row{Kind: KindTarget, Wanted: wanted{Target: target, From: from}, Checks: []check{}}
	for _, d := range drafts {
		made.Items = append(made.Items, made.Wanted.item(d))
	}
	if err := r.nodeNames(ctx, made); err != nil {
		return nil, err
	}
	return made, r.plan(ctx, checks, made)
}

// drafts are those of the flows that are named, or of all that have the target.
func (r *Redraws) drafts(ctx context.Context, from string, ids []string) (list []draft, err error) {
	if from == "" && len(ids) == 0 {
		return nil, fault.InvalidValue("flow_ids", "name flows, or the target to replace as from")
	}
	where, arg := "id = any(?::uuid[])", any(pgdialect.Array(database.OnlyIDs(ids)))
	if len(ids) == 0 {
		where, arg = `exists (select from jsonb_array_elements(graph -> 'nodes') b
			where ? in (lower(b #>> '{params,listener,reality,target}'), lower(b #>> '{params,hop,reality,target}')))`, from
	}
	if list, err = r.list(ctx, where, arg); err != nil {
		return nil, err
	}
	if err := complete(list, ids); err != nil {
		return nil, err
	}
	switch {
	case len(list) == 0:
		return nil, fault.InvalidValue("from", "no flow has this target")
	case len(list) > Most:
		return nil, fault.InvalidValue("from", fmt.Sprintf("more than %d flows have this target; name some as flow_ids", Most))
	}
	return list, nil
}

// list reads drafts, one more than may change together.
func (r *Redraws) list(ctx context.Context, where string, arg any) (list []draft, err error) {
	err = r.db.In(ctx).NewRaw(`select id, name, draft_revision as revision, graph from flows where not deleting and `+where+
		` order by name, id limit ?`, arg, Most+1).Scan(ctx, &list)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read the drafts that change: %w", err), nil)
	}
	return list, nil
}

// complete refuses flows that were named and are not there. Fault: invalid_value (422).
func complete(list []draft, ids []string) error {
	for i, id := range ids {
		if !slices.ContainsFunc(list, func(d draft) bool { return d.ID == strings.ToLower(id) }) {
			return fault.InvalidValue(fmt.Sprintf("flow_ids[%d]", i), "there is no such flow")
		}
	}
	return nil
}

// each calls do with every listener that changes.
func (w wanted) each(g *graph.Graph, do func(b *graph.Node, reality *graph.Reality)) {
	for i := range g.Nodes {
		b := &g.Nodes[i]
		l := b.Params.Listener
		if b.Kind != graph.Entry {
			l = b.Params.Hop
		}
		if l == nil || l.Reality == nil || l.Reality.Target == "" || l.Filled().Security != "reality" {
			continue
		}
		if w.From == "" || strings.EqualFold(w.From, l.Reality.Target) {
			do(b, l.Reality)
		}
	}
}

func (w wanted) item(d draft) Item {
	item := Item{
		FlowID: d.ID, FlowName: d.Name, Revision: d.Revision, State: Waiting, Blocks: []Block{}, Domains: []string{},
	}
	w.each(&d.Graph, func(b *graph.Node, reality *graph.Reality) {
		item.Blocks = append(item.Blocks, Block{
			Key: b.Key, NodeID: b.NodeID, From: reality.Target, To: w.Target, Check: CheckNeeded,
			Name: asked(*reality, w.Target), ResultID: reality.TargetResultID,
		})
		if b.NodeID == "" {
			item.leave(nodeMissing, "the block "+b.Key+" stands on no node yet")
		}
	})
	if len(item.Blocks) == 0 {
		item.leave(nothingToChange, "no listener of the draft has this target")
	}
	return item
}

// follow gives the names that clients ask for with another target: the host of the old target becomes that of the new
// one, names of the operator's own stay. None stands for the host of the target.
func follow(before graph.Reality, target string) (names []string) {
	host, _, _ := net.SplitHostPort(target)
	old, _, _ := net.SplitHostPort(before.Target)
	for _, name := range before.ServerNames {
		if strings.EqualFold(name, old) {
			name = host
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// asked is the name that the target is checked with: its own, unless no client asks for that.
func asked(before graph.Reality, target string) string {
	host, _, _ := net.SplitHostPort(target)
	names := follow(before, target)
	if len(names) == 0 || slices.Contains(names, host) {
		return host
	}
	return names[0]
}

func (r *Redraws) nodeNames(ctx context.Context, of *row) error {
	names, err := r.parts.NodeNames(ctx, of.nodeIDs())
	for i := range of.Items {
		for j := range of.Items[i].Blocks {
			b := &of.Items[i].Blocks[j]
			b.NodeName = cmp.Or(names[b.NodeID], b.NodeID)
		}
	}
	return err
}

func (r *row) nodeIDs() []string {
	ids := []string{}
	for _, item := range r.Items {
		for _, b := range item.Blocks {
			if b.NodeID != "" {
				ids = append(ids, b.NodeID)
			}
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(ids)))
}

// plan takes the results that are there, and lists what has to be checked. Flows on nodes that cannot check are left
// out.
func (r *Redraws) plan(ctx context.Context, checks flowsapi.TargetChecks, of *row) error {
	held, err := r.held(ctx, checks, of)
	if err != nil {
		return err
	}
	unable := map[string]error{}
	for i := range of.Items {
		item := &of.Items[i]
		if item.take(held) && item.State == Waiting {
			item.leave(nothingToChange, "the draft has this target already")
		}
		for j := range item.Blocks {
			if b := &item.Blocks[j]; item.State == Waiting && b.Check == CheckNeeded {
				if err := r.need(ctx, checks, of, b, unable); err != nil {
					return err
				}
				if f, told := fault.As(unable[b.NodeID]); told {
					item.leave(f.Code, b.NodeName+": "+f.Detail)
				}
			}
		}
	}
	return nil
}

// take gives the blocks the results that count for them. It tells whether they have all of that already.
func (i *Item) take(held map[[2]string]string) (same bool) {
	same = true
	for j := range i.Blocks {
		b := &i.Blocks[j]
		before := b.ResultID
		if b.ResultID = held[[2]string{b.NodeID, b.Name}]; b.ResultID != "" {
			b.Check = CheckFresh
		}
		same = same && b.From == b.To && b.ResultID != "" && b.ResultID == before
	}
	return same
}

// held are the results of the target that still count, by node and name.
func (r *Redraws) held(
	ctx context.Context, checks flowsapi.TargetChecks, of *row,
) (map[[2]string]string, error) {
	fresh, err := checks.Fresh(ctx, of.Wanted.Target, of.nodeIDs()...)
	held := map[[2]string]string{}
	for _, f := range fresh {
		if f.Suitable {
			held[[2]string{f.NodeID, f.ServerName}] = f.ID
		}
	}
	return held, err
}

// need lists a check once for all blocks on its node, unless the node's agent cannot check now.
func (r *Redraws) need(
	ctx context.Context, checks flowsapi.TargetChecks, of *row, b *Block, unable map[string]error,
) error {
	why, asked := unable[b.NodeID]
	if !asked {
		why = checks.Able(ctx, b.NodeID)
		if _, told := fault.As(why); why != nil && !told {
			return why
		}
		unable[b.NodeID] = why
	}
	known := slices.ContainsFunc(of.Checks, func(c check) bool { return c.NodeID == b.NodeID && c.Name == b.Name })
	if why == nil && !known {
		of.Checks = append(of.Checks, check{NodeID: b.NodeID, Name: b.Name})
	}
	return nil
}

// checked begins the checks and looks at those that run; open while one does.
func (r *Redraws) checked(ctx context.Context, of *row) (open bool, err error) {
	for i := range of.Checks {
		if c := &of.Checks[i]; c.open() && c.SearchID == "" {
			if err := r.begin(ctx, of, c); err != nil {
				return false, err
			}
		}
	}
	if err := r.look(ctx, of); err != nil {
		return false, err
	}
	return slices.ContainsFunc(of.Checks, check.open), nil
}

// begin starts one check. One whose start a panel could not note any more is started twice, which changes nothing.
func (r *Redraws) begin(ctx context.Context, of *row, c *check) error {
	id, err := r.parts.Checks().Check(ctx, c.NodeID, of.Wanted.Target, c.Name)
	if f := many.Refusal(ctx, err); f != nil {
		c.Code, c.Error, err = f.Code, f.Detail, nil
	}
	c.SearchID = id
	if err != nil {
		return fmt.Errorf("check a target from the node %s: %w", c.NodeID, err)
	}
	of.show(*c)
	return r.Write(ctx, of)
}

// look notes the checks that have ended.
func (r *Redraws) look(ctx context.Context, of *row) error {
	ids := []string{}
	for _, c := range of.Checks {
		if c.open() {
			ids = append(ids, c.SearchID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	ended, err := r.parts.Checks().Checked(ctx, ids...)
	if err != nil || len(ended) == 0 {
		return err
	}
	for i := range of.Checks {
		c := &of.Checks[i]
		end, over := ended[c.SearchID]
		if !c.open() || !over {
			continue
		}
		switch {
		case end.Found == nil:
			c.Code, c.Error = targetUnchecked, end.Why
		case !end.Found.Suitable:
			c.Code, c.Error = targetUnsuitable, end.Why
		default:
			c.ResultID = end.Found.ID
		}
		of.show(*c)
	}
	return r.Write(ctx, of)
}

// show says in the blocks how their check stands.
func (r *row) show(c check) {
	for i := range r.Items {
		for j := range r.Items[i].Blocks {
			b := &r.Items[i].Blocks[j]
			if b.NodeID != c.NodeID || b.Name != c.Name || b.Check == CheckFresh {
				continue
			}
			switch {
			case c.ResultID != "":
				b.Check, b.ResultID = CheckFresh, c.ResultID
			case c.Code != "":
				b.Check = CheckFailed
			default:
				b.Check = CheckRuns
			}
		}
	}
}

// retarget changes the draft of a flow whose checks have ended. Faults: those of a saved draft, and the reason of a
// check that did not find the target suitable.
func (r *Redraws) retarget(ctx context.Context, of *row, item *Item) error {
	for _, b := range item.Blocks {
		if b.Check == CheckFresh {
			continue
		}
		for _, c := range of.Checks {
			if c.NodeID == b.NodeID && c.Name == b.Name {
				return fault.Conflict(c.Code, b.NodeName+": "+c.Error)
			}
		}
	}
	g, err := r.drawing(ctx, item.FlowID)
	if err != nil {
		return err
	}
	of.Wanted.each(&g, func(b *graph.Node, reality *graph.Reality) {
		reality.ServerNames = follow(*reality, of.Wanted.Target)
		reality.Target = of.Wanted.Target
		if at := slices.IndexFunc(item.Blocks, func(o Block) bool { return o.Key == b.Key }); at >= 0 {
			reality.TargetResultID = item.Blocks[at].ResultID
		}
	})
	return r.parts.Save(ctx, item.FlowID, item.Revision, ActionTarget, g)
}
