package simulate

import (
	"encoding/json"
	"testing"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
)

// A simulated node has nobody to disconnect and no record, and says so like a real one.
func TestActsOfAbuseProtectionAreAnswered(t *testing.T) {
	t.Parallel()
	s := &simulated{options: Options{Clock: clockwork.NewFakeClock()}, totals: &Totals{}}
	dropped := s.carryOut(t.Context(), agentapi.Command{ID: "1", Kind: agentapi.DropSessions})
	require.True(t, dropped.OK)
	require.JSONEq(t, `{"streams":0,"sources":0}`, string(dropped.Data))
	found := s.carryOut(t.Context(), agentapi.Command{ID: "2", Kind: agentapi.FindConnections})
	require.True(t, found.OK)
	var data agentapi.FindConnectionsData
	require.NoError(t, json.Unmarshal(found.Data, &data))
	require.NotNil(t, data.Lines)
	require.True(t, data.Since.IsZero(), "there is no record")
	require.Contains(t, capabilities, agentapi.DocumentBlocks.Capability())
}
