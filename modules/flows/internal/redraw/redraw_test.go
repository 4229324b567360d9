package redraw_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/redraw"
	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/fault"
)

// tables are as much of those of flows as changes of drafts need.
const tables = `create table flows (id uuid primary key, name text not null, draft_revision int not null default 1,
		graph jsonb not null, deleting boolean not null default false);
	create table flow_redraws (id uuid primary key, operation_id uuid not null, kind text not null, wanted jsonb not null,
		items jsonb not null, checks jsonb not null, written integer not null default 0, started_by text not null,
		account_id text not null, started_at timestamptz not null, finished_at timestamptz)`

const (
	old   = "old.example.org:443"
	fresh = "new.example.org:443"
	nodeA = "0190aaaa-0000-7000-8000-000000000001"
	nodeB = "0190aaaa-0000-7000-8000-000000000002"
)

// bench is a database with flows, and checks that end as the test says.
type bench struct {
	t       *testing.T
	db      *database.DB
	id      string
	flows   []string
	saved   []string                // flows, in the order in which their drafts were changed
	started []string                // nodes, in the order in which a check was started on them
	found   []flowsapi.FoundTarget  // by earlier searches
	ends    map[string]checked      // of checks, by node
	broken  func(node string) error // what starting a check fails with
	save    redraw.Saver
}

type checked = flowsapi.CheckedTarget

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, db: dbtest.New(t), id: database.NewID(), ends: map[string]checked{}}
	b.save, b.broken = b.store, func(string) error { return nil }
	_, err := b.db.NewRaw(tables).Exec(t.Context())
	require.NoError(t, err)
	return b
}

// reality is an entry with a target.
func reality(node, target string, names ...string) graph.Node {
	return graph.Node{
		Key: "in", Kind: graph.Entry, NodeID: node, Params: graph.Params{Listener: &graph.Listener{
			Protocol: "vless", Port: 443, Security: "reality", Reality: &graph.Reality{Target: target, ServerNames: names},
		}},
	}
}

func (b *bench) flow(blocks ...graph.Node) string {
	b.t.Helper()
	id := database.NewID()
	_, err := b.db.NewRaw("insert into flows (id, name, graph) values (?, ?, ?)", id, fmt.Sprint("flow ", len(b.flows)),
		graph.Graph{Nodes: blocks, Edges: []graph.Edge{}}).Exec(b.t.Context())
	require.NoError(b.t, err)
	b.flows = append(b.flows, id)
	return id
}

// store changes a draft as flows do.
func (b *bench) store(ctx context.Context, flowID string, revision int, action string, g graph.Graph) error {
	require.Equal(b.t, redraw.ActionTarget, action)
	done, err := b.db.In(ctx).NewRaw(`update flows set graph = ?, draft_revision = draft_revision + 1
		where id = ? and draft_revision = ?`, g, flowID, revision).Exec(ctx)
	require.NoError(b.t, err)
	if n, _ := done.RowsAffected(); n == 0 {
		return fault.Conflict("revision_conflict", "the draft has moved on")
	}
	b.saved = append(b.saved, flowID)
	return nil
}

// Name is a part of flowsapi.TargetChecks, as are the next four.
func (b *bench) Name(_, written string) (string, error) { return written, nil }

func (b *bench) Able(_ context.Context, node string) error { return b.broken(node) }

func (b *bench) Fresh(context.Context, string, ...string) ([]flowsapi.FoundTarget, error) {
	return b.found, nil
}

func (b *bench) Check(_ context.Context, node, target, name string) (string, error) {
	require.Equal(b.t, fresh, target)
	require.NotEmpty(b.t, name)
	b.started = append(b.started, node)
	return node, b.broken(node)
}

func (b *bench) Checked(_ context.Context, ids ...string) (map[string]checked, error) {
	ended := map[string]checked{}
	for _, id := range ids {
		if end, over := b.ends[id]; over {
			ended[id] = end
		}
	}
	return ended, nil
}

func (b *bench) redraws() *redraw.Redraws {
	save := func(ctx context.Context, flow string, revision int, action string, g graph.Graph) error {
		return b.save(ctx, flow, revision, action, g)
	}
	names := func(context.Context, []string) (map[string]string, error) {
		return map[string]string{nodeA: "ams-01", nodeB: "bru-01"}, nil
	}
	return redraw.New(b.db, clockwork.NewRealClock(), nil, nil,
		redraw.Parts{Save: save, NodeNames: names, Checks: func() flowsapi.TargetChecks { return b }})
}

// preview asks what would be done.
func (b *bench) preview(in redraw.NewTarget) redraw.Change {
	b.t.Helper()
	in.DryRun, in.Target = true, fresh
	told, err := b.redraws().ChangeTarget(b.t.Context(), in)
	require.NoError(b.t, err)
	require.Empty(b.t, told.ID)
	return told
}

// begun stores a change as its start does, and gives its run.
func (b *bench) begun(in redraw.NewTarget) func() error {
	b.t.Helper()
	told := b.preview(in)
	checks, seen := []map[string]string{}, map[string]bool{}
	for _, item := range told.Items {
		for _, block := range item.Blocks {
			if block.Check == redraw.CheckNeeded && !seen[block.NodeID] {
				seen[block.NodeID] = true
				checks = append(checks, map[string]string{"node_id": block.NodeID, "sni": block.Name})
			}
		}
	}
	_, err := b.db.NewRaw(`insert into flow_redraws (id, operation_id, kind, wanted, items, checks, started_by, account_id,
		started_at) values (?, ?, ?, ?, ?, ?, 'ann', '', now())`, b.id, database.NewID(), redraw.KindTarget,
		map[string]string{"target": fresh, "from": in.From}, told.Items, checks).Exec(b.t.Context())
	require.NoError(b.t, err)
	return func() error { return b.redraws().Run(b.t.Context(), b.id, noProgress) }
}

func (b *bench) items() []redraw.Item {
	b.t.Helper()
	ended, err := b.redraws().Get(b.t.Context(), b.id)
	require.NoError(b.t, err)
	require.NotNil(b.t, ended.FinishedAt)
	return ended.Items
}

func states(items []redraw.Item) (list []string) {
	for _, item := range items {
		list = append(list, item.State+" "+item.Code)
	}
	return list
}

// drawn is the listener of a flow's entry as it is stored.
func (b *bench) drawn(id string) (*graph.Reality, int) {
	b.t.Helper()
	var flows []struct {
		Graph         graph.Graph `bun:",type:jsonb"`
		DraftRevision int
	}
	require.NoError(b.t, b.db.NewRaw("select graph, draft_revision from flows where id = ?", id).Scan(b.t.Context(), &flows))
	return flows[0].Graph.Nodes[0].Params.Listener.Reality, flows[0].DraftRevision
}

func good(node string) flowsapi.FoundTarget {
	return flowsapi.FoundTarget{
		ID: "result of " + node, NodeID: node, Target: fresh, ServerName: "new.example.org", Suitable: true,
	}
}

// Rule: each node is asked for itself: where nobody has found the target suitable within 24 hours it is checked, once
// for all flows on the node; flows without a suitable result are left out by name, the rest get one revision.
func TestATargetIsCheckedFromEachNode(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	one, two, three := b.flow(reality(nodeA, old)), b.flow(reality(nodeB, old, "old.example.org", "own.example.net")),
		b.flow(reality(nodeB, old))
	other := b.flow(reality(nodeA, "other.example.org:443"))
	b.found = []flowsapi.FoundTarget{good(nodeA)}
	told := b.preview(redraw.NewTarget{From: "OLD.example.org"})
	require.Len(t, told.Items, 3, "flows with another target are none of its business")
	require.Equal(t, redraw.CheckFresh, told.Items[0].Blocks[0].Check)
	require.Equal(t, "bru-01", told.Items[1].Blocks[0].NodeName)
	require.Equal(t, redraw.CheckNeeded, told.Items[1].Blocks[0].Check)
	require.Empty(t, b.started, "a dry run starts no search")

	bad := good(nodeB)
	bad.Suitable = false
	b.ends[nodeB] = checked{Found: &bad, Why: "it does not speak TLS 1.3"}
	require.Error(t, b.begun(redraw.NewTarget{From: old})())
	require.Equal(t, []string{nodeB}, b.started)
	require.Equal(t, []string{"changed ", "left_out target_unsuitable", "left_out target_unsuitable"}, states(b.items()))
	require.Equal(t, "bru-01: it does not speak TLS 1.3", b.items()[1].Error)
	drawn, revision := b.drawn(one)
	require.Equal(t, fresh, drawn.Target)
	require.Equal(t, "result of "+nodeA, drawn.TargetResultID)
	require.Equal(t, 2, revision)
	for _, id := range []string{two, three} {
		drawn, revision = b.drawn(id)
		require.Equal(t, old, drawn.Target, "nothing is lost")
		require.Equal(t, 1, revision)
	}
	drawn, _ = b.drawn(other)
	require.Equal(t, "other.example.org:443", drawn.Target)
}

// Rule: names of the listener follow the target where they followed the old one; names of the operator's own stay.
func TestNamesFollowTheTarget(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, after []string }{
		"none":        {nil, nil},
		"its host":    {[]string{"old.example.org"}, []string{"new.example.org"}},
		"among more":  {[]string{"own.example.net", "OLD.example.org"}, []string{"own.example.net", "new.example.org"}},
		"both":        {[]string{"old.example.org", "new.example.org"}, []string{"new.example.org"}},
		"other names": {[]string{"own.example.net"}, []string{"own.example.net"}},
	} {
		b := newBench(t)
		id := b.flow(reality(nodeA, old, c.before...))
		own := good(nodeA)
		own.ServerName = "own.example.net"
		b.found = []flowsapi.FoundTarget{good(nodeA), own}
		require.NoError(t, b.begun(redraw.NewTarget{FlowIDs: []string{id}})(), name)
		drawn, _ := b.drawn(id)
		require.Equal(t, c.after, drawn.ServerNames, name)
	}
}

// Rule: a panel that dies between any two statements is continued by another: no draft is changed twice, none is
// forgotten.
func TestAChangeThatIsKilledGoesOn(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, node := range []string{nodeA, nodeB, nodeA, nodeB} {
		b.flow(reality(node, old))
	}
	for _, node := range []string{nodeA, nodeB} {
		found := good(node)
		b.ends[node] = checked{Found: &found}
	}
	killed := errors.New("killed")
	run, kills := b.begun(redraw.NewTarget{From: old}), 0
	b.broken = func(node string) error { // after the search has begun, before it is noted
		if node == nodeB && len(b.started) == 2 {
			return killed
		}
		return nil
	}
	b.save = func(ctx context.Context, flow string, revision int, action string, g graph.Graph) error {
		err := b.store(ctx, flow, revision, action, g)
		if kills++; kills%2 == 1 { // after the draft was changed, before that is noted
			b.saved = b.saved[:len(b.saved)-1]
			return errors.Join(killed, err)
		}
		return err
	}
	for range 5 {
		require.ErrorIs(t, run(), killed)
	}
	require.NoError(t, run())
	require.Equal(t, []string{nodeA, nodeB, nodeB}, b.started)
	require.Equal(t, b.flows, b.saved, "each once")
	for _, id := range b.flows {
		_, revision := b.drawn(id)
		require.Equal(t, 2, revision)
	}
	require.NoError(t, run(), "one that has ended changes nothing")
	require.Equal(t, b.flows, b.saved)
}

// Rule: two at once: a draft that somebody else has changed meanwhile is left out by name and keeps what it has; a
// panel that comes back too late writes nothing.
func TestADraftThatMovedOnIsLeftOut(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	one, two := b.flow(reality(nodeA, old)), b.flow(reality(nodeA, old))
	b.found = []flowsapi.FoundTarget{good(nodeA)}
	run := b.begun(redraw.NewTarget{From: old})
	_, err := b.db.NewRaw("update flows set draft_revision = 7 where id = ?", one).Exec(t.Context())
	require.NoError(t, err)
	b.save = func(ctx context.Context, flow string, revision int, action string, g graph.Graph) error {
		b.save = b.store
		require.Error(t, b.redraws().Run(t.Context(), b.id, noProgress)) // another panel, while this one is frozen
		return b.store(ctx, flow, revision, action, g)
	}
	require.Error(t, run())
	require.Equal(t, []string{"left_out revision_conflict", "changed "}, states(b.items()))
	require.Equal(t, []string{two}, b.saved)
	drawn, revision := b.drawn(one)
	require.Equal(t, old, drawn.Target)
	require.Equal(t, 7, revision)
}

// Rule: what cannot be is told per flow before anything changes.
func TestWhatCannotBeIsToldBefore(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	nowhere, plain := b.flow(reality("", old)), b.flow(graph.Node{Key: "out", Kind: graph.Direct})
	away, done := b.flow(reality(nodeB, old)), b.flow(reality(nodeA, fresh))
	b.broken = func(node string) error {
		if node == nodeB {
			return fault.Invalid("agent_offline", "the node's agent is not connected")
		}
		return nil
	}
	b.found = []flowsapi.FoundTarget{good(nodeA)}
	_, err := b.db.NewRaw(`update flows set graph = jsonb_set(graph, '{nodes,0,params,listener,reality,target_result_id}', ?)
		where id = ?`, `"result of `+nodeA+`"`, done).Exec(t.Context())
	require.NoError(t, err)
	told := b.preview(redraw.NewTarget{FlowIDs: []string{nowhere, plain, away, done}})
	require.Equal(t, []string{
		"left_out node_missing", "left_out nothing_to_change", "left_out agent_offline", "left_out nothing_to_change",
	}, states(told.Items))
	require.Contains(t, told.Items[2].Error, "bru-01")

	for name, in := range map[string]redraw.NewTarget{
		"nothing": {}, "unknown": {FlowIDs: []string{database.NewID()}}, "hostile": {FlowIDs: []string{"'; drop table flows"}},
		"no flow has it": {From: "none.example.org"},
	} {
		in.Target, in.DryRun = fresh, true
		_, err := b.redraws().ChangeTarget(t.Context(), in)
		require.Equal(t, fault.KindInvalid, fault.KindOf(err), name)
	}
}

// A check that comes to nothing leaves out the flows on its node, with what was wrong.
func TestACheckThatComesToNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.flow(reality(nodeA, old))
	b.flow(reality(nodeB, old))
	run := b.begun(redraw.NewTarget{From: old})
	b.ends[nodeA] = checked{Why: "the agent did not answer"}
	b.broken = func(node string) error {
		if node == nodeB {
			return fault.Throttled(60)
		}
		return nil
	}
	require.Error(t, run())
	require.Equal(t, []string{"left_out target_unchecked", "left_out throttled"}, states(b.items()))
	require.Equal(t, redraw.CheckFailed, b.items()[0].Blocks[0].Check)
	require.Empty(t, b.saved)
}

func noProgress(context.Context, int) error { return nil }
