package updates

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/audit"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/release"
)

type handlers struct{ *service }

func newHandlers(s *service) *handlers { return &handlers{s} }

type none struct{}

type body[T any] struct{ Body T }

const mostShown = 500

// rings shows everything that a screen of updates needs before a rollout.
func (h *handlers) rings(ctx context.Context, _ *none) (*body[Rings], error) {
	settings, err := h.store.rings(ctx, h.db)
	if err != nil {
		return nil, err
	}
	nodes, err := h.fleet.Nodes(ctx)
	if err != nil {
		return nil, err
	}
	out := Rings{
		FirstNodes: settings.FirstNodes, PauseSeconds: settings.PauseSeconds, Parallel: settings.Parallel,
		Revision: settings.Revision, Versions: versionsOf(nodes),
	}
	list := []nodesapi.Node{}
	found, problem := h.builds.newest(ctx)
	if out.BuildProblem = problem; found != nil {
		out.Build = found.shown()
		list = behind(nodes, found.Version, settings.FirstNodes)
	}
	out.Behind = len(list)
	out.Rings, out.First = ringsOf(list, settings.Sizes), firstOf(nodes, settings.FirstNodes)
	active, err := h.active(ctx)
	if err == nil && active != nil {
		out.Active, err = h.shown(ctx, active)
	}
	return &body[Rings]{out}, err
}

// ringsOf tells which of the nodes belong to which ring; they come in the order in which they go.
func ringsOf(list []nodesapi.Node, sizes []int) []Ring {
	const mostMembers = 20
	rings := make([]Ring, len(sizes))
	for at, size := range sizes {
		rings[at] = Ring{Ring: at + 1, Size: size, Unit: "percent", Members: []RingNode{}}
	}
	rings[0].Unit = "nodes"
	for place, number := range ringOf(len(list), sizes) {
		ring := &rings[number-1]
		ring.Nodes++
		if ring.Nodes <= mostMembers {
			ring.Members = append(ring.Members, RingNode{ID: list[place].ID, Name: list[place].Name})
		}
	}
	return rings
}

// firstOf names the nodes that go first; one that was removed is left out.
func firstOf(nodes []nodesapi.Node, ids []string) []RingNode {
	first := []RingNode{}
	for _, id := range ids {
		if at := slices.IndexFunc(nodes, func(n nodesapi.Node) bool { return n.ID == id }); at >= 0 {
			first = append(first, RingNode{ID: id, Name: nodes[at].Name})
		}
	}
	return first
}

func versionsOf(nodes []nodesapi.Node) []VersionCount {
	counted := map[string]int{}
	for _, n := range nodes {
		counted[n.AgentVersion]++
	}
	list := []VersionCount{}
	for version, n := range counted {
		list = append(list, VersionCount{Version: version, Nodes: n})
	}
	slices.SortFunc(list, func(a, b VersionCount) int {
		return cmp.Or(-release.Compare(a.Version, b.Version), -cmp.Compare(a.Version, b.Version))
	})
	return list
}

func (h *handlers) shown(ctx context.Context, o *rolloutRow) (*Rollout, error) {
	counts, err := h.tallies(ctx, []string{o.ID})
	if err != nil {
		return nil, err
	}
	r := o.shown(counts)
	return &r, nil
}

type ringsInput struct {
	Body struct {
		Sizes        []int    `json:"sizes" minItems:"1" maxItems:"6" minimum:"1" maximum:"10000" doc:"Nodes in ring 1, then shares of the fleet in percent; the last ring is always the rest"`
		FirstNodes   []string `json:"first_nodes,omitempty" maxItems:"100" format:"uuid" doc:"Nodes that go first, in this order"`
		PauseSeconds int      `json:"pause_seconds" minimum:"0" maximum:"604800" doc:"How long a ring is watched before the next begins"`
		Parallel     int      `json:"parallel" minimum:"1" maximum:"200" doc:"Nodes that are updated at the same time"`
		Revision     int64    `json:"revision" doc:"Revision that the change starts from"`
	}
}

func (h *handlers) setRings(ctx context.Context, in *ringsInput) (*body[Rings], error) {
	for at, size := range in.Body.Sizes[1:] {
		if size > 100 || at > 0 && size <= in.Body.Sizes[at] {
			return nil, fault.InvalidValue("sizes",
				"from the second ring on sizes are rising shares in percent, at most 100")
		}
	}
	if err := h.known(ctx, in.Body.FirstNodes); err != nil {
		return nil, err
	}
	row := &ringsRow{
		Sizes: in.Body.Sizes, FirstNodes: append([]string{}, in.Body.FirstNodes...), PauseSeconds: in.Body.PauseSeconds,
		Parallel: in.Body.Parallel,
	}
	err := h.db.WithTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		before, err := h.store.rings(ctx, tx)
		if err != nil {
			return err
		}
		if err := h.putRings(ctx, tx, row, in.Body.Revision); err != nil {
			return err
		}
		return h.journal.Record(
			ctx,
			tx,
			audit.Entry{Action: "node.rings_changed", Object: audit.Object{Type: "rings"}, Changes: changes(before,
				row)},
		)
	})
	if err != nil {
		return nil, err
	}
	return h.rings(ctx, nil)
}

func (h *handlers) known(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	found, err := h.fleet.Nodes(ctx, ids...)
	if err != nil {
		return err
	}
	if len(found) < len(ids) {
		return fault.InvalidValue("first_nodes", "names a node that does not exist, or one twice")
	}
	return nil
}

func changes(before, after *ringsRow) map[string]audit.Change {
	list := map[string]audit.Change{}
	if !slices.Equal(before.Sizes, after.Sizes) {
		list["sizes"] = audit.Change{From: before.Sizes, To: after.Sizes}
	}
	if !slices.Equal(before.FirstNodes, after.FirstNodes) {
		list["first_nodes"] = audit.Change{From: before.FirstNodes, To: after.FirstNodes}
	}
	if before.PauseSeconds != after.PauseSeconds {
		list["pause_seconds"] = audit.Change{From: before.PauseSeconds, To: after.PauseSeconds}
	}
	if before.Parallel != after.Parallel {
		list["parallel"] = audit.Change{From: before.Parallel, To: after.Parallel}
	}
	return list
}

type versionBody struct {
	Version string `json:"version,omitempty" maxLength:"64" doc:"The version that was seen; another one on the panel refuses the start"`
}

type startInput struct {
	Ring int `path:"ring" minimum:"1" maximum:"6"`
	Body versionBody
}

func (h *handlers) startRollout(ctx context.Context, in *startInput) (*body[Rollout], error) {
	return h.answer(h.start(ctx, in.Ring, in.Body.Version))(ctx)
}

type nodeInput struct {
	ID   string `path:"id" maxLength:"64"`
	Body struct {
		Version    string `json:"version,omitempty" maxLength:"64" doc:"The version that was seen; another one on the panel refuses the start"`
		AllowOlder bool   `json:"allow_older,omitempty" doc:"Go back to the panel's build also where the agent is newer"`
	}
}

func (h *handlers) updateNode(ctx context.Context, in *nodeInput) (*body[Rollout], error) {
	return h.answer(h.startNode(ctx, in.ID, in.Body.Version, in.Body.AllowOlder))(ctx)
}

// answer shows the rollout that a call began or stopped.
func (h *handlers) answer(o *rolloutRow, err error) func(context.Context) (*body[Rollout], error) {
	return func(ctx context.Context) (*body[Rollout], error) {
		if err != nil {
			return nil, err
		}
		r, err := h.shown(ctx, o)
		if err != nil {
			return nil, err
		}
		return &body[Rollout]{*r}, nil
	}
}

type listInput struct{ httpapi.PageQuery }

func (h *handlers) list(ctx context.Context, in *listInput) (*body[httpapi.Page[Rollout]], error) {
	if in.Sort == "" {
		in.Sort = newestFirst
	}
	if in.Sort != newestFirst && in.Sort != oldestFirst {
		return nil, httpapi.ErrSort
	}
	rows, total, err := h.page(ctx, in.PageQuery)
	if err != nil {
		return nil, err
	}
	out := httpapi.Page[Rollout]{Items: []Rollout{}, Total: total}
	if len(rows) > in.Limit {
		rows = rows[:in.Limit]
		last := rows[in.Limit-1]
		out.NextCursor = httpapi.Cursor{
			Sort: in.Sort, Value: last.StartedAt.UTC().Format(time.RFC3339Nano),
			ID: last.ID,
		}.Text()
	}
	ids := make([]string, len(rows))
	for i := range rows {
		ids[i] = rows[i].ID
	}
	counts, err := h.tallies(ctx, ids)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		out.Items = append(out.Items, rows[i].shown(counts))
	}
	return &body[httpapi.Page[Rollout]]{out}, nil
}

type rolloutPath struct {
	ID string `path:"id" maxLength:"64"`
}

func (h *handlers) show(ctx context.Context, in *rolloutPath) (*body[Rollout], error) {
	o, err := h.rollout(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	r, err := h.shown(ctx, o)
	if err != nil {
		return nil, err
	}
	targets, err := h.shownTargets(ctx, o.ID, mostShown)
	if err != nil {
		return nil, err
	}
	for i := range targets {
		r.Nodes = append(r.Nodes, targets[i].shown())
	}
	return &body[Rollout]{*r}, nil
}

func (h *handlers) stop(ctx context.Context, in *rolloutPath) (*body[Rollout], error) {
	return h.answer(h.service.stop(ctx, in.ID))(ctx)
}

func (h *handlers) offered(ctx context.Context, _ *none) (*body[agentapi.Update], error) {
	return &body[agentapi.Update]{h.builds.offer(ctx)}, nil
}
