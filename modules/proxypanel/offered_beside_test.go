package proxypanel

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/modules/proxypanel/internal/offers"
	"panel/modules/proxypanel/remnawavetest"
	"panel/platform/database"
)

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
