package plan_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
)

const (
	connection = "0190a000-0000-7000-8000-00000000c011"
	squad      = "0190a000-0000-4000-8000-00000000a001"
)

func toPanel() *graph.ProxyPanel {
	return &graph.ProxyPanel{ConnectionID: connection, SquadIDs: []string{squad}, Remark: "Europe"}
}

func panelNode(name string, ports ...flowsapi.PanelPort) flowsapi.PanelNode {
	return flowsapi.PanelNode{
		ID: "there", Name: name, Connection: "Remnawave", Core: "26.3.27", Ports: ports, Squads: []string{squad},
	}
}

// offered is across whose entry a proxy panel serves.
func offered() plan.Input {
	in := input(across())
	in.Graph.Nodes[0].Params.ProxyPanel = toPanel()
	in.Panels = plan.Panels{connection: {nodeA: panelNode("de-1")}}
	return in
}

// panelCore is what the core of a proxy panel reads of a served part.
type panelCore struct {
	Inbound struct {
		Tag      string
		Port     int
		Protocol string
		Settings struct{ Clients []any }
		Stream   struct {
			Reality struct{ PrivateKey string } `json:"realitySettings"`
		} `json:"streamSettings"`
	}
	Outbounds []panelOutbound
	Rules     []plan.Rule
}

type panelOutbound struct {
	Tag, Protocol string
	Settings      struct{ Address, Password string }
}

func read(t require.TestingT, part flowsapi.ServedPart) (r panelCore) {
	require.NoError(t, json.Unmarshal(part.Inbound, &r.Inbound))
	outbounds, err := json.Marshal(part.Outbounds)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(outbounds, &r.Outbounds))
	rules, err := json.Marshal(part.Rules)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(rules, &r.Rules))
	return r
}

func TestAServedEntryIsRenderedForItsPanelAlone(t *testing.T) {
	t.Parallel()
	r := plan.Compile(offered())
	require.Empty(t, r.Plan.Errors)
	require.Len(t, r.Plan.Steps, 1, "our core on the entry's node has nothing to do")
	require.Equal(t, nodeB, r.Plan.Steps[0].NodeID)
	parts := plan.ServedParts(r.Fragments)
	require.Len(t, parts, 1)
	require.Equal(t, plan.InboundTag(flowID, "in"), parts[0].Tag)
	require.Equal(t, connection, parts[0].ConnectionID)
	require.True(t, parts[0].Resolves, "private addresses are told by the addresses of names")
	require.NotContains(t, string(plan.Render([]plan.Fragment{r.Fragments[nodeA]})), "flow.", "no agent gets any of it")

	there := read(t, parts[0])
	require.Equal(t, 443, there.Inbound.Port)
	require.Equal(t, "vless", there.Inbound.Protocol)
	require.Empty(t, there.Inbound.Settings.Clients)
	require.NotEmpty(t, there.Inbound.Stream.Reality.PrivateKey)
	at := slices.IndexFunc(there.Outbounds, func(o panelOutbound) bool { return o.Protocol == "shadowsocks" })
	exit := r.Fragments[nodeB].Inbounds[0]
	require.Equal(t, "192.0.2.2", there.Outbounds[at].Settings.Address)
	require.Len(t, exit.Settings.Clients, 1, "the exit lets in the entry, and no probe that could not come this way")
	require.True(t, strings.HasSuffix(there.Outbounds[at].Settings.Password, ":"+exit.Settings.Clients[0].Password))

	facts := r.Fragments[nodeA].Facts
	told := slices.IndexFunc(facts, func(f plan.Fact) bool { return f.Group == "listeners" })
	require.Equal(t, "Remnawave (de-1)", facts[told].Fields["served_by"])
	require.False(t, slices.ContainsFunc(r.Plan.Readiness, func(c plan.Check) bool {
		return c.NodeID == nodeA && c.Group != plan.GroupTarget
	}), "nobody has to bind the port there")
	require.Empty(t, plan.Entries(offered().Graph), "clients of the flow cannot use it")
	require.Equal(t, -1, plan.RelayEntry(offered().Graph), "nor can pools")
	require.False(t, offered().WantsClients())
}

// What a proxy panel runs is whole in itself: it names nothing that is not in it, lets nothing out that no rule chose,
// keeps private addresses closed, has tags that nobody else has there, and names nobody who may use it.
func TestServedPartsAreWholeInThemselves(t *testing.T) {
	t.Parallel()
	seen := 0
	rapid.Check(t, func(t *rapid.T) {
		in := drawnInput(t)
		for i := range in.Graph.Nodes {
			in.Graph.Nodes[i].Params.Private = ""
		}
		r, tags := plan.Compile(in), map[string]bool{}
		for _, part := range plan.ServedParts(r.Fragments) {
			seen++
			there := read(t, part)
			require.Equal(t, part.Tag, there.Inbound.Tag)
			require.NotNil(t, there.Inbound.Settings.Clients)
			require.Empty(t, there.Inbound.Settings.Clients)
			free := map[string]bool{}
			for _, o := range there.Outbounds {
				require.False(t, tags[o.Tag], "%s is there twice", o.Tag)
				require.True(t, strings.HasPrefix(o.Tag, "flow."+flowID+"."))
				tags[o.Tag] = true
				free[o.Tag] = o.Protocol == "freedom"
			}
			for i, rule := range there.Rules {
				require.Equal(t, []string{part.Tag}, rule.InboundTag)
				require.Contains(t, free, rule.OutboundTag)
				if free[rule.OutboundTag] {
					open := slices.Contains(rule.IP, "0.0.0.0/0") || slices.Contains(rule.IP, "10.0.0.0/8")
					before := there.Rules[max(0, i-1)]
					require.NotEmpty(t, rule.IP)
					require.True(t, !open || strings.Contains(before.OutboundTag, ".block.") && len(before.IP) > 0)
				}
			}
			last := there.Rules[len(there.Rules)-1]
			require.Empty(t, len(last.Domain)+len(last.IP)+len(last.Port)+len(last.Protocol)+len(last.User))
			require.NotContains(t, string(plan.Render([]plan.Fragment{r.Fragments[part.NodeID]})), part.Tag+`"`)
		}
	})
	require.NotZero(t, seen)
}

// Both ends of a hop that a served entry begins know the same credential.
func TestAServedEntryIsLetInByItsHops(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := plan.Compile(drawnInput(t))
		let := map[string]bool{}
		for _, f := range r.Fragments {
			for _, in := range f.Inbounds {
				for _, u := range in.Settings.Clients {
					let[u.Password+u.ID] = true
				}
			}
		}
		for _, part := range plan.ServedParts(r.Fragments) {
			for _, raw := range part.Outbounds {
				var o struct{ Settings struct{ ID, Password string } }
				require.NoError(t, json.Unmarshal(raw, &o))
				_, own, _ := strings.Cut(o.Settings.Password, ":")
				require.True(t, o.Settings.ID+own == "" || let[own+o.Settings.ID], "%s", raw)
			}
		}
	})
}

// No probe of the panel comes from a served entry, so that its exit lets out whoever arrives and keeps no rule for
// probes, which would take everybody's traffic.
func TestAnExitBehindAServedEntryHasNoRulesForProbes(t *testing.T) {
	t.Parallel()
	in := offered()
	require.NotEmpty(t, in.Reflector.Host)
	in.Graph.Nodes[1].Params.Private = "allow"
	r := plan.Compile(in)
	require.Empty(t, r.Plan.Errors)
	rules := r.Fragments[nodeB].Rules
	require.Len(t, rules, 1)
	require.NotEqual(t, "block", rules[0].OutboundTag)
	rapid.Check(t, func(t *rapid.T) {
		for _, f := range plan.Compile(drawnInput(t)).Fragments {
			for _, o := range f.Outbounds {
				if strings.HasSuffix(o.Tag, ".probe") {
					require.True(t, slices.ContainsFunc(f.Rules, func(rule plan.Rule) bool {
						return rule.OutboundTag == o.Tag && len(rule.User) > 0
					}), "only probes leave by %s", o.Tag)
				}
			}
		}
	})
}

func TestAServedEntryNeedsItsPanelsNode(t *testing.T) {
	t.Parallel()
	const panel = "nodes[0].params.proxypanel"
	there := func(change func(n *flowsapi.PanelNode)) func(*plan.Input) {
		return func(in *plan.Input) {
			n := panelNode("de-1")
			change(&n)
			in.Panels = plan.Panels{connection: {nodeA: n}}
		}
	}
	for name, c := range map[string]struct {
		change func(in *plan.Input)
		want   string
	}{
		"nobody knows the panel": {func(in *plan.Input) { in.Panels = nil }, "panel_node_unknown " + panel + ".connection_id"},
		"another node was adopted": {
			func(in *plan.Input) { in.Panels = plan.Panels{connection: {nodeB: panelNode("nl-1")}} },
			"panel_node_unknown " + panel + ".connection_id",
		},
		"a squad that is gone": {
			there(func(n *flowsapi.PanelNode) { n.Squads = nil }), "panel_squad_unknown " + panel + ".squad_ids[0]",
		},
		"an old core there": {
			func(in *plan.Input) {
				there(func(n *flowsapi.PanelNode) { n.Core = "1.8.24" })(in)
				in.Graph.Nodes[0].Params.Listener.Transport = "xhttp"
			}, "transport_not_supported nodes[0].params.listener.transport",
		},
		"a core there that is not known": {
			func(in *plan.Input) {
				there(func(n *flowsapi.PanelNode) { n.Core = "" })(in)
				in.Graph.Nodes[0].Params.Listener.Transport = "xhttp"
			}, "",
		},
		"an agent that cannot install": {
			func(in *plan.Input) {
				n := in.Nodes[nodeA]
				n.Can, n.Core = []string{"nothing"}, ""
				in.Nodes[nodeA] = n
			}, "",
		},
	} {
		in := offered()
		c.change(&in)
		r, told := plan.Compile(in), ""
		for _, p := range r.Plan.Errors {
			told += p.Code + " " + p.Path
		}
		require.Equal(t, c.want, told, name)
	}
}

// Two cores on one machine share its ports: neither takes one of the other, and no apply hands one over.
func TestPortsBetweenOurCoreAndAPanels(t *testing.T) {
	t.Parallel()
	conflicting := func(in plan.Input) []plan.Conflict {
		r := plan.Compile(in)
		require.Empty(t, r.Plan.Errors)
		return r.Plan.Conflicts
	}
	held := func(port flowsapi.PanelPort) plan.Input {
		in := offered()
		in.Panels[connection][nodeA] = panelNode("de-1", port)
		return in
	}
	taken := conflicting(held(flowsapi.PanelPort{Port: 443, L4: "tcp", Tag: "VLESS"}))
	require.Len(t, taken, 1)
	require.Equal(t, plan.ConflictWith{Process: "Remnawave", Listener: "VLESS"}, taken[0].With)
	require.Equal(t, "nodes[0].params.listener.port", taken[0].Path)
	require.Empty(t, conflicting(held(flowsapi.PanelPort{Port: 443, L4: "udp", Tag: "HY"})))
	require.Empty(t, conflicting(held(flowsapi.PanelPort{Port: 443, L4: "tcp", Tag: plan.InboundTag(flowID, "in")})))

	in := offered()
	n := in.Nodes[nodeA]
	n.Sockets = []plan.Socket{{L4: "tcp", IP: "0.0.0.0", Port: 443, Process: "rw-core"}}
	in.Nodes[nodeA] = n
	require.Empty(t, conflicting(in), "the panel's own core has the inbound already")
	n.Sockets[0].Process = "nginx"
	require.Len(t, conflicting(in), 1)

	in = offered()
	in.Graph.Nodes[1].NodeID, in.Graph.Nodes[1].Params.Hop = nodeA, vless(443)
	require.Equal(t, "port_duplicate", plan.Compile(in).Plan.Errors[0].Code)

	own := input(across())
	installed := plan.Compile(own).Fragments
	in = offered()
	in.Installed = installed
	moved := conflicting(in)
	require.Len(t, moved, 1)
	require.Equal(t, flowID, moved[0].With.FlowID)
	in.Graph.Nodes[0].Params.Listener.Port = 8443
	require.Empty(t, conflicting(in))
	own.Installed = plan.Compile(offered()).Fragments
	require.Len(t, conflicting(own), 1, "nor back")
}

// An entry that moves between our agent and a proxy panel says so, and our core lets go of it.
func TestAnEntryMovesToAPanel(t *testing.T) {
	t.Parallel()
	in := offered()
	in.Installed = plan.Compile(input(across())).Fragments
	in.Graph.Nodes[0].Params.Listener.Port = 8443
	r := plan.Compile(in)
	require.True(t, slices.ContainsFunc(r.Plan.Diff.Listeners, func(c plan.Change) bool {
		return c.Op == "changed" && c.Name == "in" && c.Field == "served_by" && c.To == "Remnawave (de-1)"
	}))
	last := r.Plan.Steps[len(r.Plan.Steps)-1]
	require.Equal(t, nodeA, last.NodeID)
	require.Equal(t, plan.ActionRemove, last.Action)
}

// A change of what a proxy panel runs alone is a change, and none of our cores has a part in it.
func TestAChangeOfTheServedPartAloneTouchesNoCore(t *testing.T) {
	t.Parallel()
	in := offered()
	first := plan.Compile(in)
	in.Installed, in.Hosts = first.Fragments, first.Hosts
	require.True(t, plan.Compile(in).Plan.IsNoop)

	in.Graph.Nodes[0].Params.Listener.Port = 8443
	r := plan.Compile(in)
	require.False(t, r.Plan.IsNoop)
	require.Empty(t, r.Plan.Steps)
	require.NotEqual(t, first.Plan.Hash, r.Plan.Hash)
	require.NotEqual(t, first.Fragments[nodeA].Identity(), r.Fragments[nodeA].Identity())
	require.Equal(t, first.Plan.Rendered[nodeB], r.Plan.Rendered[nodeB])
	require.NotEmpty(t, r.Plan.Diff.Listeners)
	require.Len(t, r.Plan.Readiness, 1, "the site that strangers see is looked at from there")
	require.Equal(t, plan.GroupTarget, r.Plan.Readiness[0].Group)

	in.Graph = across()
	in.Graph.Nodes[0].NodeID, in.Graph.Nodes[0].Params.ProxyPanel = nodeA, nil
	in.Graph.Nodes[0].Params.Listener.Port = 9443
	back := plan.Compile(in)
	require.Len(t, back.Plan.Steps, 2, "our core takes it, and its exit lets in the probe")
	require.Equal(t, "adds", back.Plan.Steps[1].DetailCode, "to our core the flow is new there")
}

// What follows behind an entry is part of the profile there: a change of a rule alone is told as a change at the proxy
// panel, and one of the port alone is left to the stage that knows the inbound's line.
func TestAChangedWayOfAServedEntryIsToldAtItsPanel(t *testing.T) {
	t.Parallel()
	in := offered()
	first := plan.Compile(in)
	require.Empty(t, first.Plan.Diff.ProxyPanel, "what is new is told by the stage")
	in.Installed, in.Hosts = first.Fragments, first.Hosts
	require.Empty(t, plan.Compile(in).Plan.Diff.ProxyPanel)

	in.Graph.Nodes[0].Params.Listener.Port = 8443
	require.Empty(t, plan.Compile(in).Plan.Diff.ProxyPanel)
	in.Graph.Nodes[0].Params.Listener.Port = 443

	in.Graph.Edges = append(in.Graph.Edges, graph.Edge{
		From: "in", To: "stop", Priority: 3, Match: &graph.Match{Domain: []string{"domain:bad.example"}},
	})
	r := plan.Compile(in)
	require.Empty(t, r.Plan.Errors)
	require.Len(t, r.Plan.Diff.ProxyPanel, 1)
	change := r.Plan.Diff.ProxyPanel[0]
	require.Equal(t, []string{"changed", nodeA, plan.InboundTag(flowID, "in"), "ways"},
		[]string{change.Op, change.NodeID, change.Name, change.Field})
	require.Len(t, change.From, 12)
	require.NotEqual(t, change.From, change.To)
	require.NotEmpty(t, r.Plan.Diff.Routes, "the rule itself is told where rules are")
}

// Our own exit beside the core of a proxy panel is reached without leaving the machine, and keeps its own ports.
func TestAnExitOfOursBesideThePanelsCore(t *testing.T) {
	t.Parallel()
	in := offered()
	in.Graph.Nodes[1].NodeID = nodeA
	r := plan.Compile(in)
	require.Empty(t, r.Plan.Errors)
	require.Len(t, r.Fragments, 1)
	f := r.Fragments[nodeA]
	require.Len(t, f.Inbounds, 1)
	require.Equal(t, plan.InboundTag(flowID, "out"), f.Inbounds[0].Tag)
	require.Equal(t, "exit", f.Role)
	there := read(t, f.Served[0])
	dialled := false
	for _, o := range there.Outbounds {
		dialled = dialled || o.Settings.Address == "127.0.0.1"
	}
	require.True(t, dialled)
	in.Graph.Nodes[1].Params.Hop = &graph.Listener{Protocol: "shadowsocks2022", ListenIP: "192.0.2.77", Port: 21000}
	require.Contains(t, string(plan.Compile(in).Fragments[nodeA].Served[0].Outbounds[0])+
		string(plan.Compile(in).Fragments[nodeA].Served[0].Outbounds[1]), `"192.0.2.77"`)
}

// Who looks at what is installed sees what a proxy panel runs, without its secrets.
func TestServedPartsAreShownWithoutSecrets(t *testing.T) {
	t.Parallel()
	f := plan.Compile(offered()).Fragments[nodeA]
	shown, err := plan.MaskedParts([]plan.Fragment{f})
	require.NoError(t, err)
	require.Len(t, shown, 1)
	raw, err := json.Marshal(shown)
	require.NoError(t, err)
	there := read(t, f.Served[0])
	require.Contains(t, string(raw), there.Inbound.Tag)
	require.NotContains(t, string(raw), there.Inbound.Stream.Reality.PrivateKey)
	for _, o := range there.Outbounds {
		if o.Settings.Password != "" {
			require.NotContains(t, string(raw), o.Settings.Password)
		}
	}
	none, err := plan.MaskedParts(nil)
	require.NoError(t, err)
	require.Equal(t, []map[string]any{}, none)
}

// A fragment that is stored and read again gives the same parts.
func TestServedPartsSurviveTheirStorage(t *testing.T) {
	t.Parallel()
	in := offered()
	first := plan.Compile(in)
	in.Installed, in.Hosts = map[string]plan.Fragment{}, first.Hosts
	for id, f := range first.Fragments {
		stored, err := plan.ReadFragment(f.Bytes())
		require.NoError(t, err)
		require.Equal(t, f.Identity(), stored.Identity())
		in.Installed[id] = stored
	}
	require.True(t, plan.Compile(in).Plan.IsNoop)
}
