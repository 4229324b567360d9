package agentapi

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHashIgnoresKeyOrderSpacesAndRevision(t *testing.T) {
	t.Parallel()
	a := NodeConfig{Revision: 1, Core: json.RawMessage(`{"a":1,"b":[1, 2.50]}`)}
	b := NodeConfig{Revision: 9, Core: json.RawMessage("{ \"b\":[1,2.50],\n\"a\":1}")}
	require.Equal(t, hashOf(t, a), hashOf(t, b))
}

func TestHashSeesEveryChange(t *testing.T) {
	t.Parallel()
	base := NodeConfig{Core: json.RawMessage(`{"a":1}`), Listeners: []Listener{{Key: "k", L4: TCP, Port: 1}}}
	port := base
	port.Listeners = []Listener{{Key: "k", L4: TCP, Port: 2}}
	core := base
	core.Core = json.RawMessage(`{"a":2}`)
	require.NotEqual(t, hashOf(t, base), hashOf(t, port))
	require.NotEqual(t, hashOf(t, base), hashOf(t, core))
	require.NotEqual(t, hashOf(t, core), hashOf(t, port))
}

func TestNoCoreAndNullAreTheSame(t *testing.T) {
	t.Parallel()
	none, null := NodeConfig{}, NodeConfig{Core: json.RawMessage(" null ")}
	require.Equal(t, hashOf(t, none), hashOf(t, null))
	require.False(t, null.HasCore())
	require.True(t, NodeConfig{Core: json.RawMessage(`{}`)}.HasCore())
}

func TestHashRefusesWhatIsNoJSON(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{"{", "{} {}", "nope"} {
		_, err := NodeConfig{Core: json.RawMessage(raw)}.ContentHash()
		require.Error(t, err, raw)
	}
}

func TestReadersIgnoreUnknownMembers(t *testing.T) {
	t.Parallel()
	var reply HeartbeatReply
	require.NoError(t, json.Unmarshal([]byte(`{"desired_revision":7,"heartbeat_seconds":15,"later":{"x":1}}`), &reply))
	require.EqualValues(t, 7, reply.DesiredRevision)
}

func hashOf(t *testing.T, c NodeConfig) string {
	t.Helper()
	h, err := c.ContentHash()
	require.NoError(t, err)
	return h
}
