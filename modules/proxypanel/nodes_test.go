package proxypanel

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/proxypanel/proxypanelapi"
	"panel/platform/paneltest"
)

// A node of ours is deleted: the node there is released by itself, and may be adopted for another one.
func TestTheNodeOfADeletedNodeIsReleased(t *testing.T) {
	t.Parallel()
	o := newOffering(t)
	ours, theirs := o.node("ams", "192.0.2.1")
	other, _ := o.node("fra", "192.0.2.2")
	o.Admin().Delete("/api/v1/nodes/" + ours).Is(http.StatusNoContent)
	news := o.Follow()
	o.RunSchedule(driftKind)
	gone := paneltest.NextData[AdoptedNode](news, nodeReleased)
	require.Equal(t, AdoptedNode{"main", "ams", ours}, gone)
	var left []string
	require.NoError(t, o.DB.NewRaw("select node_id::text from proxypanel_mappings").Scan(t.Context(), &left))
	require.Equal(t, []string{other}, left)
	o.adopt(theirs, o.Admin().AddNode("ams", "address", "192.0.2.9"), true).Is(http.StatusOK)
}

// What others are told of adopted nodes is what the proxy panel said last, and nothing where that is too old.
func TestAdoptedNodesAreAsTheirPanelSays(t *testing.T) {
	t.Parallel()
	o := newOffering(t)
	ours, theirs := o.node("ams", "192.0.2.1")
	state := func() string {
		found, err := adoptedNodes{o.DB}.States(t.Context())
		require.NoError(t, err)
		require.Len(t, found, 1)
		require.Equal(t, [2]string{o.connection, ours}, [2]string{found[0].ConnectionID, found[0].NodeID})
		return found[0].State
	}
	require.Equal(t, proxypanelapi.NodeUnread, state(), "nothing was read yet")
	o.read(o.connection)
	require.Equal(t, proxypanelapi.NodeConnected, state())
	o.there.Empty(theirs)
	o.read(o.connection)
	require.Equal(t, proxypanelapi.NodeDisabled, state())
	_, err := o.DB.ExecContext(t.Context(), "update proxypanel_sync_states set objects_at = now() - interval '6 minutes'")
	require.NoError(t, err)
	require.Equal(t, proxypanelapi.NodeUnread, state())
	o.there.RemoveNode(theirs)
	o.read(o.connection)
	require.Equal(t, proxypanelapi.NodeGone, state())
}
