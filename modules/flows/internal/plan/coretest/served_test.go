package coretest

import (
	"encoding/json"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/platform/testneed/freeport"
)

const (
	connection = "0190a000-0000-7000-8000-00000000c011"
	squad      = "0190a000-0000-4000-8000-00000000a001"
)

// theirs is the configuration of a proxy panel's node: somebody's way out, which takes what no rule does, and before it
// the served parts, with one user in each inbound as such a panel puts its users in.
func theirs(t *testing.T, parts []flowsapi.ServedPart) []byte {
	t.Helper()
	var inbounds, outbounds, rules []any
	outbounds, strategy := append(outbounds, map[string]any{"tag": "DIRECT", "protocol": "freedom"}), "AsIs"
	for _, part := range parts {
		var in map[string]any
		require.NoError(t, json.Unmarshal(part.Inbound, &in))
		in["settings"].(map[string]any)["clients"] = []any{
			map[string]any{"id": client.UUID, "email": "17", "flow": flowOf(in)},
		}
		inbounds = append(inbounds, in)
		for _, o := range part.Outbounds {
			outbounds = append(outbounds, o)
		}
		for _, r := range part.Rules {
			rules = append(rules, r)
		}
		if part.Resolves {
			strategy = "IPOnDemand"
		}
	}
	raw, err := json.Marshal(map[string]any{
		"log": map[string]any{"loglevel": "none"}, "inbounds": inbounds, "outbounds": outbounds,
		"routing": map[string]any{"domainStrategy": strategy, "rules": rules},
	})
	require.NoError(t, err)
	return raw
}

// flowOf is what such a panel gives its users: vision over raw connections with REALITY.
func flowOf(inbound map[string]any) string {
	stream := inbound["streamSettings"].(map[string]any)
	if stream["network"] == "raw" && stream["security"] == "reality" {
		return graph.Vision
	}
	return ""
}

// A user of a proxy panel goes in at the node of that panel and out at our exit, beside it or elsewhere; private
// addresses are refused by that core for what leaves from there, and by our exit for the rest.
func TestAUserOfAProxyPanelGoesOutAtOurExit(t *testing.T) {
	t.Parallel()
	_, url := page(t, "private")
	for _, transport := range []string{"", "xhttp", "grpc"} {
		for exit, private := range map[string]string{"a": "allow", "b": "block"} {
			t.Run(transport+" "+exit+" "+private, func(t *testing.T) {
				t.Parallel()
				text, err := asUser(t, listenerOf(t, "vless", transport), exit, private, false, url)
				require.Equal(t, private == "allow", err == nil && text == "private", "%v", err)
			})
		}
	}
	for _, private := range []string{"allow", "block"} {
		t.Run("from the node of the panel "+private, func(t *testing.T) {
			t.Parallel()
			text, err := asUser(t, listenerOf(t, "vless", ""), "b", private, true, url)
			require.Equal(t, private == "allow", err == nil && text == "private", "%v", err)
		})
	}
}

// asUser fetches a page through a served entry, by an exit of ours or straight from the node of the panel.
func asUser(t *testing.T, l graph.Listener, exit, private string, direct bool, url string) (string, error) {
	t.Helper()
	flowID := uuid.NewString()
	hop := &graph.Listener{Protocol: "shadowsocks2022", ListenIP: "127.0.0.1", Port: freeport.For(t)}
	g := drawing(l, exit, hop, private)
	if direct {
		g.Nodes[1] = graph.Node{Key: "out", Kind: graph.Direct, Params: graph.Params{Private: private}}
	}
	g.Nodes[0].Params.ProxyPanel = &graph.ProxyPanel{ConnectionID: connection, SquadIDs: []string{squad}}
	r := plan.Compile(plan.Input{
		FlowID: flowID, Graph: g, Root: root,
		Nodes: map[string]plan.Node{
			"a": {ID: "a", Address: "127.0.0.1", Core: "26.3.27"}, "b": {ID: "b", Address: "127.0.0.1", Core: "26.3.27"},
		},
		Panels: plan.Panels{connection: {"a": {Connection: "Remnawave", Name: "de-1", Squads: []string{squad}}}},
	})
	require.Empty(t, r.Plan.Errors)
	for _, f := range r.Fragments {
		if !f.OnlyServed() {
			start(t, plan.Render([]plan.Fragment{f}))
		}
	}
	start(t, theirs(t, plan.ServedParts(r.Fragments)))
	return through(t, asClient(t, plan.ProbeClient(flowID, root, "in", "", l, "127.0.0.1")), url)
}

// What no edge of a served entry chooses goes nowhere, not out by what the panel's configuration has first.
func TestAServedEntryLeavesNothingToOthers(t *testing.T) {
	t.Parallel()
	_, url := page(t, "private")
	l := listenerOf(t, "vless", "")
	flowID := uuid.NewString()
	g := drawing(l, "b", nil, "allow")
	g.Edges[1].Match = &graph.Match{Port: "9"}
	g.Nodes[0].Params.ProxyPanel = &graph.ProxyPanel{ConnectionID: connection, SquadIDs: []string{squad}}
	r := plan.Compile(plan.Input{
		FlowID: flowID, Graph: g, Root: root,
		Nodes:  map[string]plan.Node{"a": {ID: "a"}, "b": {ID: "b", Address: "127.0.0.1"}},
		Panels: plan.Panels{connection: {"a": {Squads: []string{squad}}}},
	})
	require.Empty(t, r.Plan.Errors)
	start(t, theirs(t, plan.ServedParts(r.Fragments)))
	_, err := through(t, asClient(t, plan.ProbeClient(flowID, root, "in", "", l, "127.0.0.1")), url)
	require.Error(t, err)
}
