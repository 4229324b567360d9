package proxypanel

import (
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/proxypanel/proxypanelapi"
)

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
