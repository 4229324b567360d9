package clients

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
)

// holder is a core that notes what it was given.
type holder struct{ given []agentapi.Clients }

func (h *holder) Clients(_ context.Context, wanted agentapi.Clients) error {
	h.given = append(h.given, wanted)
	return errors.New("not yet")
}

func document(t *testing.T, clients ...agentapi.Client) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(agentapi.Clients{Flows: []agentapi.FlowClients{{FlowID: "f", Clients: clients}}})
	require.NoError(t, err)
	return raw
}

// Lists that cannot be told apart or hold no secret are refused as a whole, without a word of them; the core never sees
// them. What the core cannot do yet is tried again.
func TestListsThatCannotBeUsedAreRefused(t *testing.T) {
	t.Parallel()
	core, key := &holder{}, make([]byte, 32)
	do := apply(core)
	good := agentapi.Client{ID: "a", UUID: "u", Key: key}
	for what, content := range map[string]json.RawMessage{
		"another form": json.RawMessage(`{"flows":[{"flow_id":"hunter2","clients":"hunter2"}]}`),
		"no flow":      json.RawMessage(`{"flows":[{"clients":[]}]}`),
		"flow twice":   json.RawMessage(`{"flows":[{"flow_id":"f"},{"flow_id":"f"}]}`),
		"no id":        document(t, agentapi.Client{UUID: "hunter2", Key: key}),
		"no uuid":      document(t, agentapi.Client{ID: "a", Key: key}),
		"short key":    document(t, agentapi.Client{ID: "a", UUID: "hunter2", Key: key[:31]}),
		"client twice": document(t, good, good),
	} {
		err := do(t.Context(), content)
		require.Error(t, err, what)
		require.False(t, strings.Contains(err.Error(), "hunter2"), what)
		require.Empty(t, core.given, what)
	}
	require.EqualError(t, do(t.Context(), document(t, good)), "not yet")
	require.Len(t, core.given, 1)
	require.Equal(t, "a", core.given[0].Flows[0].Clients[0].ID)
}
