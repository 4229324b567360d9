package proxypanel

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/modules/proxypanel/internal/remnawave"
	"panel/modules/proxypanel/internal/shadow"
	"panel/modules/proxypanel/remnawavetest"
	"panel/platform/database"
)

func (o *offering) mapping() (list MappingList) {
	o.t.Helper()
	o.Admin().Get(connectionsPath + "/" + o.connection + "/mapping").Is(http.StatusOK).JSON(&list)
	return list
}

// see puts the nodes there into what is known of the proxy panel, as a synchronisation does.
func (o *offering) see() {
	o.t.Helper()
	s := shadow.New(o.DB)
	at, err := o.engine.Open(o.t.Context(), o.connection)
	require.NoError(o.t, err)
	defer at.Client.Close()
	for _, kind := range []string{remnawave.KindNode, remnawave.KindProfile, remnawave.KindSquad} {
		listed, err := at.Client.List(o.t.Context(), kind)
		require.NoError(o.t, err)
		now, err := s.Now(o.t.Context())
		require.NoError(o.t, err)
		_, err = s.PutObjects(o.t.Context(), o.connection, kind, listed, now)
		require.NoError(o.t, err)
	}
}

// A node there is proposed by its address, adopted by an explicit act alone, and nothing changes there by it.
func TestANodeIsAdoptedAndReleased(t *testing.T) {
	t.Parallel()
	o := newOffering(t)
	ours := o.Admin().AddNode("ams", "address", "192.0.2.1")
	theirs := o.there.AddNode("There", "192.0.2.1", true)
	o.there.AddNode("Alone", "192.0.2.9", false)
	o.see()
	list := o.mapping()
	require.Len(t, list.Items, 2)
	require.Equal(t, "disconnected", list.Items[0].State)
	require.Nil(t, list.Items[0].Proposal)
	require.Equal(t, &NodeMatch{ours, "ams"}, list.Items[1].Proposal)
	require.Equal(t, "Default-Profile", list.Items[1].Runs)
	require.Nil(t, list.Items[1].Mapping, "nothing is adopted by itself")

	before, news := o.dump(), o.Follow()
	o.adopt(theirs, ours, false).Refused(http.StatusConflict, "panel_node_serves")
	var adopted PanelNodeView
	o.adopt(theirs, ours, true).Is(http.StatusOK).JSON(&adopted)
	require.Equal(t, "Default-Profile", adopted.Mapping.Replaces)
	require.Equal(t, "ams", adopted.Mapping.NodeName)
	require.Regexp(t, `^panel_[0-9a-f]{8}$`, adopted.Mapping.ProfileName)
	require.Equal(t, o.connection, news.Next(nodeAdopted).SubjectID)
	o.adopt(theirs, ours, true).Is(http.StatusOK)
	require.Equal(t, before, o.dump())
	require.Len(t, o.mapping().Items, 2)
	require.Nil(t, o.mapping().Items[1].Proposal)

	path := connectionsPath + "/" + o.connection
	o.Admin().Delete(path).Refused(http.StatusConflict, "panel_in_use")
	o.Admin().Delete(path + "/nodes/" + theirs + "/mapping").Is(http.StatusNoContent)
	require.Equal(t, o.connection, news.Next(nodeReleased).SubjectID)
	o.Admin().Delete(path+"/nodes/"+theirs+"/mapping").Refused(http.StatusNotFound, "not_found")
	require.Equal(t, before, o.dump())
	o.Admin().Delete(path).Is(http.StatusNoContent)
}

func TestWhatIsNoNodeIsNotAdopted(t *testing.T) {
	t.Parallel()
	o := newOffering(t)
	ours, theirs := o.node("ams", "192.0.2.1")
	other, elsewhere := o.Admin().AddNode("fra", "address", "192.0.2.2"), o.there.AddNode("fra", "192.0.2.2", true)
	o.adopt(database.NewID(), other, true).Refused(http.StatusUnprocessableEntity, "invalid_value")
	o.adopt(elsewhere, database.NewID(), true).Refused(http.StatusUnprocessableEntity, "invalid_value")
	o.adopt(theirs, other, true).Refused(http.StatusConflict, "panel_node_adopted")
	o.adopt(elsewhere, ours, true).Refused(http.StatusConflict, "panel_node_adopted")
	o.Admin().Post(connectionsPath+"/"+database.NewID()+"/adopt", fields{"panel_node_id": theirs, "node_id": ours}).
		Refused(http.StatusNotFound, "not_found")
	o.there.Gate(func(w http.ResponseWriter, _ *http.Request) { remnawavetest.Destroy(w) })
	o.adopt(elsewhere, other, true).Refused(http.StatusBadGateway, "proxypanel_error")
}

// A node that flows need is neither released nor deleted; a node that only is adopted may be deleted.
func TestANodeThatServesStays(t *testing.T) {
	t.Parallel()
	o := newOffering(t)
	ours, theirs := o.node("ams", "192.0.2.1")
	flow := database.NewID()
	entry := o.entry(flow, ours, 8443)
	o.install(flow, nil, []flowsapi.Entry{entry})
	release := connectionsPath + "/" + o.connection + "/nodes/" + theirs + "/mapping"
	o.Admin().Delete(release).Refused(http.StatusConflict, "panel_node_in_use")
	o.Admin().Delete("/api/v1/nodes/"+ours).Refused(http.StatusConflict, "node_in_use")
	require.Equal(t, []string{flow}, o.mapping().Items[0].Mapping.FlowIDs)
	found, err := o.engine.PanelNodes(t.Context(), o.connection, []string{ours, database.NewID()})
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Equal(t, []flowsapi.PanelPort{{Port: 8443, L4: "tcp", Tag: entry.Tag}}, found[ours].Ports)

	o.install(flow, []flowsapi.Entry{entry}, nil)
	o.Admin().Delete("/api/v1/nodes/" + ours).Is(http.StatusNoContent)
	require.Empty(t, o.mapping().Items[0].Mapping.NodeName)
	o.Admin().Delete(release).Is(http.StatusNoContent)
}

// What a node runs when the first flow comes is what is put back, and a profile that it came to run meanwhile is not
// replaced without a word.
func TestANodeThatCameToRunSomethingElseIsNotReplaced(t *testing.T) {
	t.Parallel()
	o := newOffering(t)
	flow := database.NewID()
	theirs := o.there.AddNode("ams", "192.0.2.1", true)
	o.there.Empty(theirs)
	ours := o.Admin().AddNode("ams", "address", "192.0.2.1")
	o.adopt(theirs, ours, false).Is(http.StatusOK)
	o.there.RunDefault(theirs)
	before := o.dump()
	a := o.apply(flow, nil, []flowsapi.Entry{o.entry(flow, ours, 8443)})
	_, err := o.offer.Do(t.Context(), a)
	require.ErrorContains(t, err, "runs the profile Default-Profile now")
	require.NoError(t, o.offer.Undo(t.Context(), a))
	require.Equal(t, before, o.dump())
	o.adopt(theirs, ours, false).Refused(http.StatusConflict, "panel_node_serves")
	o.adopt(theirs, ours, true).Is(http.StatusOK)
	require.Equal(t, flowsapi.Done, o.done(o.offer, a))
}
