package speech

import (
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
)

func dialogues() (all []Dialogue) {
	client := agentapi.Client{ID: "bench", UUID: "0198a000-0000-7000-8000-000000000001", Key: make([]byte, 32), Number: 1}
	for i := range client.Key {
		client.Key[i] = byte(i)
	}
	for _, s := range All {
		d := Dialogue{Speech: s, Client: client, Server: base64.StdEncoding.EncodeToString(client.Key[:16])}
		if s.TLS {
			block := pem.Block{Type: "CERTIFICATE", Bytes: []byte("a certificate")}
			d.Host, d.Chain, d.Key = "one.example.com", string(pem.EncodeToMemory(&block)), "a key"
		}
		all = append(all, d)
	}
	return all
}

// text is a configuration as a core reads it.
func text(t *testing.T, configuration map[string]any) string {
	t.Helper()
	content, err := json.Marshal(configuration)
	require.NoError(t, err)
	return string(content)
}

// A node gets its client from the list; a bare core has the same listener with the client in it.
func TestANodeAndABareCoreHaveTheSameListener(t *testing.T) {
	t.Parallel()
	for _, d := range dialogues() {
		node, bare := text(t, d.Listener(443, true)), text(t, d.Listener(443, false))
		require.Contains(t, node, `"flow_id":"`+Flow+`"`, d.Name)
		require.NotContains(t, node, agentapi.ClientEmail(Flow, d.Client.ID), d.Name)
		require.NotContains(t, bare, "clients_of", d.Name)
		require.Contains(t, bare, agentapi.ClientEmail(Flow, d.Client.ID), d.Name)
		for _, both := range []string{`"port":443`, `"protocol":"` + d.protocol + `"`} {
			require.Contains(t, node, both)
			require.Contains(t, bare, both)
		}
	}
}

// A client that is trusted by the listener trusts it by its own certificate alone, and listens for programs itself.
func TestAClientTrustsTheListenerAlone(t *testing.T) {
	t.Parallel()
	for _, d := range dialogues() {
		dialer := text(t, d.Dialer(443, 1080))
		require.Contains(t, dialer, `"port":1080`, d.Name)
		require.Contains(t, dialer, "443", d.Name)
		require.Equal(t, d.TLS, len(d.pin()) == 64)
		if d.TLS {
			require.Contains(t, dialer, d.pin(), d.Name)
			require.Contains(t, dialer, d.Host, d.Name)
		}
		require.NotContains(t, dialer, "a key", "of the listener")
	}
}
