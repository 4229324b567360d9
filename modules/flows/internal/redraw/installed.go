package redraw

import (
	"context"
	"fmt"

	"panel/modules/flows/flowsapi"
	"panel/platform/database"
	"panel/platform/fault"
)

// ErrOpenDraft refuses to change a draft that somebody is at work on.
var ErrOpenDraft = fault.Conflict("draft_not_installed", // flowsapi.CodeOpenDraft
	"the draft of the flow has changes that are not installed; install or undo them first")

// Installs are the ways of a draft to the nodes.
type Installs struct {
	// Compile makes a plan of a draft.
	Compile func(ctx context.Context, flowID string) (planID string, revision int, err error)
	// Checking tells whether nodes are still being asked about a plan.
	Checking func(ctx context.Context, flowID, planID string) (bool, error)
	// Apply begins to install a plan.
	Apply func(ctx context.Context, flowID, planID string, revision int, force bool) (applyID string, err error)
}

// Replacements are flowsapi.Replacements.
type Replacements struct {
	*Redraws

	installs Installs
}

// Replacements gives what other modules need to put a node in the place of another, in what is installed too.
func (r *Redraws) Replacements(i Installs) *Replacements { return &Replacements{r, i} }

// UsesOf gives the flows that have a node. The draft of a flow that is not installed anywhere has no open changes: to
// change it changes nothing that serves.
func (r *Replacements) UsesOf(ctx context.Context, nodeID string) (uses []flowsapi.NodeUse, err error) {
	err = r.db.In(ctx).NewRaw(`select f.id as flow_id, f.name, x.drawn, x.installed, x.placed, `+open+` as open,
			exists (select from flow_applies a where a.flow_id = f.id and a.finished_at is null) as applying
		from flows f cross join lateral (select
			exists (select from jsonb_array_elements(f.graph -> 'nodes') b where b ->> 'node_id' = ?0) as drawn,
			exists (select from flow_versions v, jsonb_array_elements(v.graph -> 'nodes') b
				where v.id = f.installed_version_id and b ->> 'node_id' = ?0) as placed,
			exists (select from flow_fragments g where g.flow_id = f.id and g.node_id::text = ?0) as installed) x
		where not f.deleting and (x.drawn or x.installed) order by f.name, f.id`, nodeID).Scan(ctx, &uses)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read the flows of a node: %w", err), nil)
	}
	return uses, nil
}

// open tells of a flow as f whether it serves and its draft has changes that are not installed. How many they are is
// not known of flows that were installed long ago.
const open = `(f.enabled and f.installed_version_id is not null and
	coalesce(f.draft_changes > 0, f.draft_revision is distinct from f.installed_revision))`

// Redraw puts another node in the place of one in a draft.
func (r *Replacements) Redraw(ctx context.Context, flowID, nodeID, byNodeID string) (revision int, err error) {
	var now struct {
		Revision    int
		Drawn, Open bool
	}
	err = r.db.In(ctx).NewRaw(`select f.draft_revision as revision, `+open+` as open,
			exists (select from jsonb_array_elements(f.graph -> 'nodes') b where b ->> 'node_id' = ?) as drawn
		from flows f where f.id = ? and not f.deleting for update of f`, nodeID, flowID).Scan(ctx, &now)
	switch {
	case err != nil:
		return 0, database.Fault(fmt.Errorf("read the draft of a flow: %w", err), nil)
	case !now.Drawn:
		return 0, nil
	case now.Open:
		return 0, ErrOpenDraft
	}
	return now.Revision + 1, r.put(ctx, flowID, now.Revision, nodeID, byNodeID)
}

// Compile makes a plan of the draft.
func (r *Replacements) Compile(ctx context.Context, flowID string) (planID string, revision int, err error) {
	return r.installs.Compile(ctx, flowID)
}

// Apply begins to install a plan, or finds the apply that a panel has begun and could not note any more.
func (r *Replacements) Apply(
	ctx context.Context, flowID, planID string, revision int, force bool,
) (applyID string, err error) {
	var begun []string
	err = r.db.In(ctx).NewRaw("select id from flow_applies where plan_id = ? order by started_at limit 1", planID).
		Scan(ctx, &begun)
	if err != nil || len(begun) > 0 {
		return first(begun), database.Fault(err, nil)
	}
	checking, err := r.installs.Checking(ctx, flowID, planID)
	switch {
	case err != nil:
		return "", err
	case checking:
		return "", flowsapi.ErrChecking
	}
	return r.installs.Apply(ctx, flowID, planID, revision, force)
}

func first(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return ids[0]
}

// Rest moves the host names of a node that no flow has.
func (r *Replacements) Rest(ctx context.Context, nodeID, byNodeID string) error {
	return r.move(ctx, nodeID, byNodeID)
}
