package proxypanel

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/modules/proxypanel/internal/offers"
	"panel/modules/proxypanel/internal/profile"
	"panel/modules/proxypanel/internal/shadow"
	"panel/modules/proxypanel/proxypanelapi"
	"panel/modules/proxypanel/remnawavetest"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/jobs"
	"panel/platform/module"
	"panel/platform/outbound"
	"panel/platform/paneltest"
	"panel/platform/vault"
)

// offering is a bench whose stages are called as an apply calls them, with parts of the test's own.
type offering struct {
	*bench
	connection string
	squad      string
	engine     *offers.Engine
	shows      proxypanelapi.Hosts
	offer      flowsapi.Stage
	hosts      flowsapi.Stage
	mutex      sync.Mutex
	served     map[string][]offers.Part // by apply
}

func newOffering(t *testing.T, more ...module.Module) *offering {
	t.Helper()
	o := &offering{served: map[string][]offers.Part{}}
	asking := module.Module{
		Name: "asking", Summary: "Lets the test ask", Requires: []string{"proxypanel"},
		Attach: func(
			db *database.DB, n *outbound.Network, v *vault.Vault, j audit.Journal, b *events.Bus, q *jobs.Enqueuer,
			clock clockwork.Clock, shows proxypanelapi.Hosts,
		) module.Parts {
			o.shows = shows
			o.engine = engineOf(db, n, v, j, b, q, clock, o.parts)
			return module.Parts{}
		},
	}
	o.bench = newBenchOf(t, built(append(more, asking)...))
	stages := o.engine.Stages()
	o.offer, o.hosts = stages[0], stages[1]
	o.connection, o.squad = o.add().ID, o.there.AddSquad("All")
	return o
}

// engineOf makes an engine on a panel's database that asks the other panel without a pause.
func engineOf(
	db *database.DB, n *outbound.Network, v *vault.Vault, j audit.Journal, b *events.Bus, q *jobs.Enqueuer,
	clock clockwork.Clock, served func(context.Context, string) ([]offers.Part, error),
) *offers.Engine {
	d := newDoor(n, &pace{db, clock, time.Millisecond}, clock)
	c := newConnections(newStore(db), d, v, j, b, q, clock)
	return offers.New(offers.Tools{
		DB: db, Vault: v, Bus: b, Clock: clock, Mappings: newMappings(db, v), Shadow: shadow.New(db), Open: c.opened,
		Usable: c.usable, Served: served,
	})
}

func (o *offering) parts(_ context.Context, applyID string) ([]offers.Part, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.served[applyID], nil
}

// node is a node of ours with one there that was adopted for it.
func (o *offering) node(name, address string) (ours, theirs string) {
	o.t.Helper()
	ours, theirs = o.Admin().AddNode(name, "address", address), o.there.AddNode(name, address, true)
	o.adopt(theirs, ours, true).Is(http.StatusOK)
	return ours, theirs
}

func (o *offering) adopt(theirs, ours string, replace bool) *paneltest.Answer {
	o.t.Helper()
	return o.Admin().Post(connectionsPath+"/"+o.connection+"/adopt", fields{
		"panel_node_id": theirs, "node_id": ours, "replace": replace,
	})
}

// entry is one on a node that the proxy panel serves.
func (o *offering) entry(flowID, node string, port int) flowsapi.Entry {
	return flowsapi.Entry{
		Block: "in", NodeID: node, Host: "edge.example.com", Port: fmt.Sprint(port), Transport: "raw", Security: "none",
		Protocol: "vless", L4: "tcp", Tag: "flow." + flowID + ".in.in",
		Offer: &flowsapi.Offer{ConnectionID: o.connection, SquadIDs: []string{o.squad}, Remark: "Europe"},
	}
}

// part is what serves an entry; way changes its routing.
func part(e flowsapi.Entry, way string) offers.Part {
	return offers.Part{
		Block: e.Block, NodeID: e.NodeID, ConnectionID: e.Offer.ConnectionID, SquadIDs: e.Offer.SquadIDs,
		Remark: e.Offer.Remark, Part: profile.Part{
			Tag: e.Tag, Inbound: json.RawMessage(fmt.Sprintf(
				`{"tag":%q,"port":%s,"protocol":"vless","settings":{"clients":[],"decryption":"none"}}`, e.Tag, e.Port)),
			Outbounds: []json.RawMessage{json.RawMessage(fmt.Sprintf(`{"tag":"%s.%s","protocol":"freedom"}`, e.Tag, way))},
			Rules: []json.RawMessage{
				json.RawMessage(fmt.Sprintf(`{"inboundTag":[%q],"outboundTag":"%s.%s"}`, e.Tag, e.Tag, way)),
			},
		},
	}
}

// apply is one that installs entries in place of others.
func (o *offering) apply(flowID string, before, after []flowsapi.Entry) flowsapi.Apply {
	a := flowsapi.Apply{ID: database.NewID(), By: "anna", Change: flowsapi.Change{
		FlowID: flowID, FlowName: "Europe", Kind: flowsapi.KindApply, Before: before, After: after,
	}}
	o.mutex.Lock()
	defer o.mutex.Unlock()
	for _, e := range after {
		o.served[a.ID] = append(o.served[a.ID], part(e, "out"))
	}
	return a
}

// done calls a stage again, as an apply does, until it has nothing to wait for.
func (o *offering) done(stage flowsapi.Stage, a flowsapi.Apply) flowsapi.Result {
	o.t.Helper()
	for range 20 {
		outcome, err := stage.Do(o.t.Context(), a)
		require.NoError(o.t, err)
		if outcome.Result != flowsapi.Again {
			return outcome.Result
		}
		<-o.Clock.After(50 * time.Millisecond)
	}
	require.Fail(o.t, "the stage waits for ever")
	return ""
}

// install brings an apply to its end.
func (o *offering) install(flowID string, before, after []flowsapi.Entry) flowsapi.Apply {
	o.t.Helper()
	a := o.apply(flowID, before, after)
	o.done(o.offer, a)
	o.done(o.hosts, a)
	return a
}

// dump is all that stands there, without when it was written last.
func (o *offering) dump() string {
	o.t.Helper()
	all := o.there.Dump()
	delete(all, "users")
	for _, rows := range all {
		for _, row := range rows {
			delete(row, "updatedAt")
			delete(row, "nodes.nodes")
		}
	}
	for _, row := range all["config-profiles"] { // which nodes run it is computed when it is asked for
		delete(row, "nodes")
	}
	for _, row := range all["internal-squads"] {
		delete(row, "info")
	}
	text, err := json.MarshalIndent(all, "", " ")
	require.NoError(o.t, err)
	return string(text)
}

// ours are the objects there that the panel has made, by name.
func (o *offering) ours() (names []string) {
	all := o.there.Dump()
	for _, row := range all["config-profiles"] {
		if row["uuid"] != remnawavetest.DefaultProfile {
			names = append(names, "profile")
		}
	}
	for range all["hosts"] {
		names = append(names, "host")
	}
	return names
}

func (o *offering) host() map[string]any {
	o.t.Helper()
	all := o.there.Dump()["hosts"]
	require.Len(o.t, all, 1)
	return all[0]
}

func (o *offering) nodeThere(id string) map[string]any {
	o.t.Helper()
	for _, row := range o.there.Dump()["nodes"] {
		if row["uuid"] == id {
			return row
		}
	}
	require.Fail(o.t, "there is no such node")
	return nil
}

func inboundID(t *testing.T, host map[string]any) string {
	t.Helper()
	id, _ := host["inbound"].(map[string]any)["configProfileInboundUuid"].(string)
	require.NotEmpty(t, id)
	return id
}

// Rule: connect, adopt, draw a flow, apply: profile, inbound and host exist; change port: same inbound id; delete:
// nothing of ours left, nothing of theirs touched, the full dump compared.
func TestAFlowIsOfferedChangedAndRemoved(t *testing.T) {
	t.Parallel()
	o := newOffering(t)
	flow := database.NewID()
	ours, theirs := o.node("ams", "192.0.2.1")
	bare := o.dump()
	entry := o.entry(flow, ours, 8443)

	a := o.apply(flow, nil, []flowsapi.Entry{entry})
	diffs, checks, err := o.offer.Preview(t.Context(), a.Change)
	require.NoError(t, err)
	require.Equal(t, bare, o.dump(), "a plan changes nothing")
	require.Equal(t, []string{"added profile", "changed runs", "added inbound", "added squads", "added host"}, shapes(diffs))
	require.Equal(t, "Default-Profile", diffs[1].From)
	require.Equal(t, ours, diffs[0].NodeID)
	require.Contains(t, codes(checks), "panel_sessions_drop")

	require.Equal(t, flowsapi.Done, o.done(o.offer, a))
	host := o.host()
	require.Equal(t, true, host["isDisabled"], "nobody sees it before the commit")
	require.Equal(t, "Europe", host["remark"])
	inbound := inboundID(t, host)
	require.Equal(t, flowsapi.Done, o.done(o.hosts, a))
	require.Equal(t, false, o.host()["isDisabled"])
	require.Len(t, o.there.Dump()["internal-squads"][0]["inbounds"], 1)
	require.NotEqual(t, remnawavetest.DefaultProfile, o.nodeThere(theirs)["configProfile"].(map[string]any)["activeConfigProfileUuid"])

	moved := entry
	moved.Port = "9443"
	next := o.apply(flow, []flowsapi.Entry{entry}, []flowsapi.Entry{moved})
	require.Equal(t, flowsapi.Done, o.done(o.offer, next))
	require.EqualValues(t, 8443, o.host()["port"], "it leads to the new place from the commit on")
	require.Equal(t, flowsapi.Done, o.done(o.hosts, next))
	require.EqualValues(t, 9443, o.host()["port"])
	require.Equal(t, inbound, inboundID(t, o.host()), "a tag that stays keeps its inbound")
	require.Equal(t, host["uuid"], o.host()["uuid"])

	away := o.apply(flow, []flowsapi.Entry{moved}, nil)
	away.Change.Kind = flowsapi.KindDelete
	require.Equal(t, flowsapi.Nothing, o.done(o.offer, away))
	require.Len(t, o.ours(), 2, "it serves until the flow is gone")
	require.Equal(t, flowsapi.Done, o.done(o.hosts, away))
	require.Equal(t, bare, o.dump(), "as if it had never been there")
	require.Equal(t, flowsapi.Nothing, o.done(o.hosts, away))
}

func shapes(diffs []flowsapi.Diff) (all []string) {
	for _, d := range diffs {
		all = append(all, d.Op+" "+d.Field)
	}
	return all
}

func codes(checks []flowsapi.Check) (all []string) {
	for _, c := range checks {
		all = append(all, c.Finding.Code)
	}
	return all
}

// Rule: revert on a failing node: everything there as before. Both for a flow that is new there and for a change.
func TestARevertLeavesEverythingAsBefore(t *testing.T) {
	t.Parallel()
	o := newOffering(t)
	flow := database.NewID()
	ours, _ := o.node("ams", "192.0.2.1")
	entry := o.entry(flow, ours, 8443)
	bare := o.dump()
	fresh := o.apply(flow, nil, []flowsapi.Entry{entry})
	require.Equal(t, flowsapi.Done, o.done(o.offer, fresh))
	require.NoError(t, o.offer.Undo(t.Context(), fresh))
	require.Equal(t, bare, o.dump())
	require.NoError(t, o.offer.Undo(t.Context(), fresh), "it is idempotent")

	o.install(flow, nil, []flowsapi.Entry{entry})
	stands := o.dump()
	second := o.there.AddSquad("Second")
	withSecond := o.dump()
	changed := entry
	changed.Port, changed.Host = "9443", "other.example.com"
	changed.Offer = &flowsapi.Offer{ConnectionID: o.connection, SquadIDs: []string{second}, Remark: "Other"}
	next := o.apply(flow, []flowsapi.Entry{entry}, []flowsapi.Entry{changed})
	require.Equal(t, flowsapi.Done, o.done(o.offer, next))
	require.NotEqual(t, withSecond, o.dump())
	require.NoError(t, o.offer.Undo(t.Context(), next))
	require.Equal(t, withSecond, o.dump())
	require.NotEqual(t, bare, stands)
}

// Two flows share the profile of a node; each leaves without the other, and the second goes on with its inbound.
func TestTwoFlowsOnOneNode(t *testing.T) {
	t.Parallel()
	o := newOffering(t)
	ours, theirs := o.node("ams", "192.0.2.1")
	bare := o.dump()
	first, second := database.NewID(), database.NewID()
	one, other := o.entry(first, ours, 8443), o.entry(second, ours, 9443)
	var both sync.WaitGroup
	for flow, entry := range map[string]flowsapi.Entry{first: one, second: other} {
		both.Go(func() { o.install(flow, nil, []flowsapi.Entry{entry}) })
	}
	both.Wait()
	require.Len(t, o.nodeThere(theirs)["configProfile"].(map[string]any)["activeInbounds"], 2)
	require.Equal(t, []string{"profile", "host", "host"}, o.ours())
	o.install(first, []flowsapi.Entry{one}, nil)
	require.Equal(t, []string{"profile", "host"}, o.ours())
	require.EqualValues(t, 9443, o.host()["port"])
	inboundID(t, o.host())
	require.Len(t, o.there.Dump()["internal-squads"][0]["inbounds"], 1)
	o.install(second, []flowsapi.Entry{other}, nil)
	require.Equal(t, bare, o.dump())
}

// An entry that moves to another node takes its host along: the tag is there once, so it moves after the commit, and a
// revert before it has nothing to undo.
func TestAnEntryMovesToAnotherNode(t *testing.T) {
	t.Parallel()
	o := newOffering(t)
	flow := database.NewID()
	ams, amsThere := o.node("ams", "192.0.2.1")
	fra, fraThere := o.node("fra", "192.0.2.2")
	from, to := o.entry(flow, ams, 8443), o.entry(flow, fra, 8443)
	to.Host = "fra.example.com"
	o.install(flow, nil, []flowsapi.Entry{from})
	before, host := o.dump(), o.host()
	a := o.apply(flow, []flowsapi.Entry{from}, []flowsapi.Entry{to})
	require.Equal(t, flowsapi.Done, o.done(o.offer, a))
	require.Equal(t, before, o.dump())
	require.NoError(t, o.offer.Undo(t.Context(), a))
	require.Equal(t, before, o.dump())

	o.install(flow, []flowsapi.Entry{from}, []flowsapi.Entry{to})
	now := o.host()
	require.Equal(t, host["uuid"], now["uuid"])
	require.Equal(t, "fra.example.com", now["address"])
	require.Equal(t, false, now["isDisabled"])
	inboundID(t, now)
	require.Equal(t, remnawavetest.DefaultProfile, running(o.nodeThere(amsThere)))
	require.NotEqual(t, remnawavetest.DefaultProfile, running(o.nodeThere(fraThere)))
}

func running(node map[string]any) any {
	return node["configProfile"].(map[string]any)["activeConfigProfileUuid"]
}

// A node that ran nothing is enabled for the flow, and is without a profile again, disabled by its panel, after it.
func TestANodeThatRanNothingIsEnabledAndDisabledAgain(t *testing.T) {
	t.Parallel()
	o := newOffering(t)
	flow := database.NewID()
	theirs := o.there.AddNode("ams", "192.0.2.1", true)
	o.there.Empty(theirs)
	ours := o.Admin().AddNode("ams", "address", "192.0.2.1")
	o.adopt(theirs, ours, false).Is(http.StatusOK)
	entry := o.entry(flow, ours, 8443)
	o.install(flow, nil, []flowsapi.Entry{entry})
	require.Equal(t, false, o.nodeThere(theirs)["isDisabled"])
	o.install(flow, []flowsapi.Entry{entry}, nil)
	node := o.nodeThere(theirs)
	require.Equal(t, true, node["isDisabled"])
	require.Nil(t, running(node))
	require.Empty(t, o.ours())
}

// A disabled host stays disabled whatever an apply changes of it, and what others have changed of it stays.
func TestAHostKeepsWhatOthersHaveMadeOfIt(t *testing.T) {
	t.Parallel()
	o := newOffering(t)
	flow := database.NewID()
	ours, _ := o.node("ams", "192.0.2.1")
	entry := o.entry(flow, ours, 8443)
	o.install(flow, nil, []flowsapi.Entry{entry})
	o.there.ChangeHost(o.host()["uuid"].(string), map[string]any{"isDisabled": true, "remark": "Theirs", "fingerprint": "x"})
	moved := entry
	moved.Port = "9443"
	o.install(flow, []flowsapi.Entry{entry}, []flowsapi.Entry{moved})
	host := o.host()
	require.EqualValues(t, 9443, host["port"])
	require.Equal(t, true, host["isDisabled"])
	require.Equal(t, "Theirs", host["remark"])
	require.Equal(t, "x", host["fingerprint"])
}

// Rule: a profile changed by somebody else between plan and apply is an error that names it, and is not overwritten.
func TestAProfileThatSomebodyElseChangedStopsTheApply(t *testing.T) {
	t.Parallel()
	o := newOffering(t)
	flow := database.NewID()
	ours, _ := o.node("ams", "192.0.2.1")
	entry := o.entry(flow, ours, 8443)
	o.install(flow, nil, []flowsapi.Entry{entry})
	o.there.EditProfile(func(config map[string]any) { config["dns"] = map[string]any{"servers": []any{"1.1.1.1"}} })
	theirs := o.dump()
	moved := entry
	moved.Port = "9443"
	a := o.apply(flow, []flowsapi.Entry{entry}, []flowsapi.Entry{moved})
	_, err := o.offer.Do(t.Context(), a)
	var changed *offers.Changed
	require.ErrorAs(t, err, &changed)
	require.Contains(t, err.Error(), changed.Name)
	require.Equal(t, theirs, o.dump())
	require.ErrorAs(t, o.offer.Undo(t.Context(), a), &changed, "nor is it undone over their change")
	away := o.apply(flow, []flowsapi.Entry{entry}, nil)
	_, err = o.hosts.Do(t.Context(), away)
	require.ErrorAs(t, err, &changed, "and it is not removed with their change in it")
}

// A squad or a node that is gone there is an error that names it.
func TestWhatIsGoneThereIsNamed(t *testing.T) {
	t.Parallel()
	o := newOffering(t)
	flow := database.NewID()
	ours, theirs := o.node("ams", "192.0.2.1")
	entry := o.entry(flow, ours, 8443)
	entry.Offer = &flowsapi.Offer{ConnectionID: o.connection, SquadIDs: []string{database.NewID()}}
	a := o.apply(flow, nil, []flowsapi.Entry{entry})
	var missing *offers.Missing
	_, err := o.offer.Do(t.Context(), a)
	require.ErrorAs(t, err, &missing)
	require.Equal(t, "squad", missing.Kind)
	require.NoError(t, o.offer.Undo(t.Context(), a))
	require.Empty(t, o.ours())

	entry = o.entry(flow, ours, 8443)
	o.install(flow, nil, []flowsapi.Entry{entry})
	o.there.RemoveNode(theirs)
	moved := entry
	moved.Port = "9443"
	next := o.apply(flow, []flowsapi.Entry{entry}, []flowsapi.Entry{moved})
	_, err = o.offer.Do(t.Context(), next)
	require.ErrorAs(t, err, &missing)
	require.Equal(t, "node", missing.Kind)
	require.NoError(t, o.offer.Undo(t.Context(), next))
	o.install(flow, []flowsapi.Entry{entry}, nil)
	require.Empty(t, o.ours(), "a flow leaves a node that is gone")
}

// Hosts are shown once the node there is connected.
func TestHostsWaitForTheirNode(t *testing.T) {
	t.Parallel()
	o := newOffering(t)
	flow := database.NewID()
	theirs := o.there.AddNode("ams", "192.0.2.1", false)
	ours := o.Admin().AddNode("ams", "address", "192.0.2.1")
	o.adopt(theirs, ours, true).Is(http.StatusOK)
	a := o.apply(flow, nil, []flowsapi.Entry{o.entry(flow, ours, 8443)})
	o.done(o.offer, a)
	outcome, err := o.hosts.Do(t.Context(), a)
	require.NoError(t, err)
	require.Equal(t, flowsapi.Again, outcome.Result)
	require.Equal(t, "waiting_for_panel_node", outcome.Detail.Code)
	require.Equal(t, true, o.host()["isDisabled"])
	o.there.ConnectNode(theirs)
	require.Equal(t, flowsapi.Done, o.done(o.hosts, a))
	require.Equal(t, false, o.host()["isDisabled"])
}

// A flow goes from one proxy panel to another: it is at the second before the commit, and not at the first after it.
func TestAFlowGoesFromOneProxyPanelToAnother(t *testing.T) {
	t.Parallel()
	o := newOffering(t)
	flow := database.NewID()
	ours, _ := o.node("ams", "192.0.2.1")
	bare := o.dump()
	from := o.entry(flow, ours, 8443)
	o.install(flow, nil, []flowsapi.Entry{from})
	first, firstID := o.there, o.connection
	o.there = remnawavetest.New(t)
	o.connection, o.squad = o.add(fields{"label": "second"}).ID, o.there.AddSquad("All")
	o.adopt(o.there.AddNode("ams", "192.0.2.1", true), ours, true).Is(http.StatusOK)
	to := o.entry(flow, ours, 8443)
	a := o.apply(flow, []flowsapi.Entry{from}, []flowsapi.Entry{to})
	require.Equal(t, flowsapi.Done, o.done(o.offer, a))
	require.Len(t, first.Dump()["hosts"], 1)
	require.Len(t, o.there.Dump()["hosts"], 1)
	require.Equal(t, flowsapi.Done, o.done(o.hosts, a))
	require.Len(t, o.there.Dump()["hosts"], 1)
	o.there, o.connection = first, firstID
	require.Equal(t, bare, o.dump())
}
