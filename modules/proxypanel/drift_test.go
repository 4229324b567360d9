package proxypanel

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/platform/database"
	"panel/platform/paneltest"
)

func (o *offering) drift() (list DriftList) {
	o.t.Helper()
	o.Admin().Post(connectionsPath+"/"+o.connection+"/drift", nil).Is(http.StatusOK).JSON(&list)
	return list
}

func (o *offering) settle(object, act string) (list DriftList) {
	o.t.Helper()
	o.Admin().Post(connectionsPath+"/"+o.connection+"/drift/"+object+"/"+act, nil).Is(http.StatusOK).JSON(&list)
	return list
}

// offered is a bench with one flow that a proxy panel serves.
func offered(t *testing.T) (o *offering, ours, theirs string) {
	t.Helper()
	o = newOffering(t)
	ours, theirs = o.node("ams", "192.0.2.1")
	flow := database.NewID()
	o.install(flow, nil, []flowsapi.Entry{o.entry(flow, ours, 8443)})
	require.Empty(t, o.drift().Items, "what was written stands")
	return o, ours, theirs
}

// Rule: drift is shown as a diff and is overwritten or taken over by an explicit act, never by itself; it is told once.
func TestWhatOthersChangedIsShownAndOverwritten(t *testing.T) {
	t.Parallel()
	o, ours, theirs := offered(t)
	stands, news := o.dump(), o.Follow()
	o.there.EditProfile(func(config map[string]any) {
		config["outbounds"].([]any)[0].(map[string]any)["protocol"] = "freedom"
	})
	o.there.LeaveSquads()
	o.there.ChangeHost(o.host()["uuid"].(string), map[string]any{"port": 1234})
	o.there.RunDefault(theirs)
	changed := o.dump()
	list := o.drift()
	require.Equal(t, changed, o.dump(), "nothing is overwritten by itself")
	require.NotNil(t, list.LookedAt)
	kinds := map[string]string{}
	for _, one := range list.Items {
		kinds[one.Kind] = one.Object
		require.Equal(t, ours, one.NodeID)
		require.False(t, one.Adoptable)
	}
	require.Len(t, kinds, 4, list.Items)
	require.Equal(t, "main", paneltest.NextData[Drifted](news, driftFound).Label)
	require.Len(t, o.drift().Items, 4)

	o.Admin().Post(connectionsPath+"/"+o.connection+"/drift/"+kinds["host"]+"/adopt", nil).
		Refused(http.StatusConflict, "drift_not_adoptable")
	o.Admin().Post(connectionsPath+"/"+o.connection+"/drift/host-x/overwrite", nil).Refused(http.StatusNotFound, "not_found")
	for _, kind := range []string{"node", "profile", "squad", "host"} {
		list = o.settle(kinds[kind], "overwrite")
	}
	require.Empty(t, list.Items)
	require.Equal(t, stands, o.dump())
	require.Equal(t, "main", paneltest.NextData[Named](news, driftOver).Label)
}

// A remark that somebody wrote there is taken over: later applies leave it, until the flow names another one.
func TestARemarkIsTakenOver(t *testing.T) {
	t.Parallel()
	o, ours, _ := offered(t)
	o.there.ChangeHost(o.host()["uuid"].(string), map[string]any{"remark": "Theirs"})
	list := o.drift()
	require.Len(t, list.Items, 1)
	require.True(t, list.Items[0].Adoptable)
	require.Equal(t, "Europe", list.Items[0].Ours)
	require.Equal(t, "Theirs", list.Items[0].Theirs)
	require.Empty(t, o.settle(list.Items[0].Object, "adopt").Items)
	var flow string
	require.NoError(t, o.DB.NewRaw("select flow_id::text from proxypanel_parts").Scan(t.Context(), &flow))
	before, after := o.entry(flow, ours, 8443), o.entry(flow, ours, 9443)
	o.install(flow, []flowsapi.Entry{before}, []flowsapi.Entry{after})
	require.Equal(t, "Theirs", o.host()["remark"])
	require.Empty(t, o.drift().Items)
	named := after
	named.Offer = &flowsapi.Offer{ConnectionID: o.connection, SquadIDs: []string{o.squad}, Remark: "New"}
	o.install(flow, []flowsapi.Entry{after}, []flowsapi.Entry{named})
	require.Equal(t, "New", o.host()["remark"])
}

// What is gone there is told, and made again by an explicit act; a node that is gone is told and cannot be.
func TestWhatIsGoneIsToldAndMadeAgain(t *testing.T) {
	t.Parallel()
	o, _, theirs := offered(t)
	o.there.RemoveHost(o.host()["uuid"].(string))
	list := o.drift()
	require.Len(t, list.Items, 1)
	require.Equal(t, "gone", list.Items[0].Field)
	require.Empty(t, o.settle(list.Items[0].Object, "overwrite").Items)
	require.Equal(t, false, o.host()["isDisabled"])

	o.there.RemoveNode(theirs)
	list = o.drift()
	require.Equal(t, "node", list.Items[0].Kind)
	require.Equal(t, "gone", list.Items[0].Field)
	require.Equal(t, "gone", o.mapping().Items[0].State)
	o.Admin().Post(connectionsPath+"/"+o.connection+"/drift/"+list.Items[0].Object+"/overwrite", nil).
		Refused(http.StatusConflict, "panel_object_gone")
}

// The schedule compares each proxy panel that has adopted nodes, and brings to its end what was committed and left.
func TestTheScheduleComparesAndEndsWhatWasCommitted(t *testing.T) {
	t.Parallel()
	o, _, _ := offered(t)
	var flow string
	require.NoError(t, o.DB.NewRaw("select flow_id::text from proxypanel_parts").Scan(t.Context(), &flow))
	_, err := o.DB.ExecContext(t.Context(), "update proxypanel_parts set phase = 'leaving', updated_at = now() - interval '1 hour'")
	require.NoError(t, err)
	o.RunSchedule(driftKind)
	require.Eventually(t, func() bool { return len(o.ours()) == 0 }, 20*time.Second, 20*time.Millisecond)
	require.Contains(t, o.Scrape(), "panel_proxypanel_nodes_adopted 1")
}
