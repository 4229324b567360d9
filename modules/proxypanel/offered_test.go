package proxypanel

import (
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/modules/proxypanel/remnawavetest"
	"panel/platform/database"
)

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
