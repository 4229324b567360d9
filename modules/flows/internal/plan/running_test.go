package plan_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/internal/plan"
)

const (
	ranBefore = `{"inbounds":[
		{"tag":"flow.a.in.moscow","listen":"0.0.0.0","port":"443","protocol":"vless",
			"settings":{"clients":[{"id":"secret-one","email":"flow.a.client.1"}]},
			"streamSettings":{"network":"tcp","security":"reality","realitySettings":{"privateKey":"old-key","target":"x.org:443"}}},
		{"tag":"flow.b.in.other","listen":"0.0.0.0","port":"80","protocol":"vless","settings":{"clients":[]}}],
		"outbounds":[{"tag":"flow.a.out.moscow.lon","protocol":"shadowsocks","settings":{"address":"192.0.2.1","port":20001}}],
		"routing":{"rules":[{"inboundTag":["flow.a.in.moscow"],"outboundTag":"flow.a.out.moscow.lon"}]}}`
	wantedNow = `{"inbounds":[
		{"tag":"flow.a.in.moscow","listen":"0.0.0.0","port":"8443","protocol":"vless",
			"settings":{"clients":[{"id":"secret-one","email":"flow.a.client.1"},{"id":"secret-two","email":"flow.a.client.2"}]},
			"streamSettings":{"network":"tcp","security":"reality","realitySettings":{"privateKey":"new-key","target":"x.org:443"}}},
		{"tag":"flow.b.in.other","listen":"0.0.0.0","port":"80","protocol":"vless","settings":{"clients":[]}}],
		"outbounds":[{"tag":"flow.a.out.moscow.lon","protocol":"shadowsocks","settings":{"address":"192.0.2.1","port":20001}}],
		"routing":{"rules":[
			{"inboundTag":["flow.a.in.moscow"],"domain":["domain:x.org"],"outboundTag":"block"},
			{"inboundTag":["flow.a.in.moscow"],"outboundTag":"flow.a.out.moscow.lon"}]}}`
)

func running(t *testing.T, flow, core string) plan.Running {
	t.Helper()
	r, err := plan.ReadRunning(flow, []byte(core))
	require.NoError(t, err)
	return r
}

func TestADifferenceSpeaksOfListenersRulesAndClientsAndNeverOfKeys(t *testing.T) {
	t.Parallel()
	d, same, rest := plan.Differences("n1", running(t, "a", ranBefore), running(t, "a", wantedNow),
		map[string]string{"2": "anna"})
	require.False(t, same)
	require.True(t, rest)
	require.Equal(t, []plan.Change{
		{Op: "changed", NodeID: "n1", Name: "moscow", Field: "listen", From: "0.0.0.0:443", To: "0.0.0.0:8443"},
		{Op: "changed", NodeID: "n1", Name: "moscow", Field: "secrets", From: plan.Stars, To: plan.Stars},
	}, d.Listeners)
	require.Len(t, d.Clients, 1)
	require.Equal(t, "anna", d.Clients[0].Name)
	require.Len(t, d.Routes, 1)
	require.Equal(t, "moscow to block", d.Routes[0].Name)
	require.Equal(t, "domain:x.org", d.Routes[0].ToFields["match"])
	for _, c := range append(append(d.Listeners, d.Clients...), d.Routes...) {
		require.False(t, strings.Contains(c.From+c.To, "secret-") || strings.Contains(c.From+c.To, "-key"))
	}
}

func TestADifferenceTellsTheOwnPartFromTheRest(t *testing.T) {
	t.Parallel()
	changed := strings.Replace(ranBefore, `"port":"80"`, `"port":"81"`, 1)
	_, same, rest := plan.Differences("n1", running(t, "a", ranBefore), running(t, "a", changed), nil)
	require.True(t, same)
	require.False(t, rest)

	d, same, _ := plan.Differences("n1", running(t, "a", ""), running(t, "a", ranBefore), nil)
	require.False(t, same)
	require.Equal(t, "added", d.Listeners[0].Op)

	_, err := plan.ReadRunning("a", []byte("{"))
	require.Error(t, err)
}
