package plan_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
)

// drawnPair draws two drawings over the same nodes and compiles the second one on top of the first; back is the input
// of the way back to the first.
func drawnPair(t *rapid.T) (back plan.Input, before, after plan.Result, sound bool) {
	in := drawnInput(t)
	in.Reflector = plan.Endpoint{}
	for id, n := range in.Nodes { // what others hold decides which drawing fits, and nothing else
		n.Others = nil
		in.Nodes[id] = n
	}
	first := in.Graph
	before = plan.Compile(in)
	in.Graph = drawnGraph(t)
	in.Installed, in.Hosts = before.Fragments, before.Hosts
	after = plan.Compile(in)
	in.Graph, in.Installed, in.Hosts = first, after.Fragments, after.Hosts
	return in, before, after, len(before.Plan.Errors)+len(after.Plan.Errors) == 0
}

// The work on a fleet has one step for each node whose part changes, in an order in which no node forwards to one that
// is not ready: exits, hops, entries, and at the end what the flow leaves.
func TestEveryNodeThatChangesHasOneStepInTheOrderOfTraffic(t *testing.T) {
	t.Parallel()
	ranks := []string{"exit", "transit", "entry", "none"}
	rapid.Check(t, func(t *rapid.T) {
		_, before, after, sound := drawnPair(t)
		if !sound {
			return
		}
		stepped, last := map[string]plan.Step{}, 0
		for i, s := range after.Plan.Steps {
			require.Equal(t, i+1, s.Order)
			require.NotContains(t, stepped, s.NodeID)
			require.GreaterOrEqual(t, slices.Index(ranks, s.Role), last)
			stepped[s.NodeID], last = s, slices.Index(ranks, s.Role)
		}
		ours(before.Fragments)
		ours(after.Fragments)
		for id, was := range before.Fragments {
			is, stays := after.Fragments[id]
			s, works := stepped[id]
			switch {
			case !stays:
				require.Equal(t, []string{plan.ActionRemove, "leaves"}, []string{s.Action, s.DetailCode})
			case was.Hash() == is.Hash():
				require.False(t, works, "nothing changes on %s", id)
			default:
				require.Equal(t, []string{plan.ActionConfigure, "changes"}, []string{s.Action, s.DetailCode})
			}
		}
		for id := range after.Fragments {
			if _, was := before.Fragments[id]; !was {
				require.Equal(t, []string{plan.ActionConfigure, "adds", plan.NoInterruption},
					[]string{stepped[id].Action, stepped[id].DetailCode, stepped[id].Interruption})
			}
		}
	})
}

// ours leaves out where nothing is our core's business.
func ours(fragments map[string]plan.Fragment) {
	maps.DeleteFunc(fragments, func(_ string, f plan.Fragment) bool { return f.OnlyServed() })
}

// changesOf are all differences of a plan in one list. A changed link names the node that it leads to, which is another
// one on the way back, so its node is left out.
func changesOf(p plan.Plan) []plan.Change {
	all := slices.Concat(p.Diff.Listeners, p.Diff.Routes, p.Diff.Clients, p.Diff.Firewall, p.Diff.ProxyPanel)
	for i := range all {
		if all[i].Field == "host" {
			all[i].NodeID = ""
		}
	}
	return all
}

// The way back names the same differences the other way round: what one plan adds the other removes.
func TestTheWayBackIsTheSameDifferenceTurnedRound(t *testing.T) {
	t.Parallel()
	turned := map[string]string{"added": "removed", "removed": "added", "changed": "changed"}
	rapid.Check(t, func(t *rapid.T) {
		back, before, after, sound := drawnPair(t)
		again := plan.Compile(back)
		if !sound || again.Plan.Hash != before.Plan.Hash { // a hop keeps the port that it has at last
			return
		}
		there, mirrored := changesOf(after.Plan), changesOf(again.Plan)
		for i, c := range mirrored {
			c.Op, c.From, c.To, c.FromFields, c.ToFields = turned[c.Op], c.To, c.From, c.ToFields, c.FromFields
			mirrored[i] = c
		}
		require.ElementsMatch(t, there, mirrored)
		for _, c := range there {
			require.Equal(t, c.Op == "removed", c.FromFields != nil, "%+v", c)
			require.Equal(t, c.Op == "added", c.ToFields != nil, "%+v", c)
			require.True(t, c.Op != "changed" || c.From != c.To, "%+v", c)
		}
	})
}

// A plan that changes nothing has no steps and asks nothing; one without steps, which changes what proxy panels serve
// at most, asks for the targets of REALITY alone.
func TestAPlanAsksForWhatItChanges(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		_, _, after, sound := drawnPair(t)
		if !sound {
			return
		}
		if len(after.Plan.Steps) == 0 { // what proxy panels serve may change all the same
			for _, c := range after.Plan.Readiness {
				require.Equal(t, plan.GroupTarget, c.Group, "no agent has anything to do")
			}
		}
		if after.Plan.IsNoop {
			require.Empty(t, after.Plan.Readiness)
			require.Empty(t, after.Plan.Steps)
			require.Empty(t, changesOf(after.Plan))
		}
		keys := map[string]bool{}
		for _, c := range after.Plan.Readiness {
			require.False(t, keys[c.Key], "%s is asked twice", c.Key)
			keys[c.Key] = true
			require.Equal(t, plan.Unconfirmed, c.Status, "nothing is confirmed by default")
			require.Contains(t, after.Fragments, c.NodeID)
		}
	})
}

// What was installed is read back as it was: the same bytes, the same hash, the same configuration.
func TestAStoredFragmentIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		for _, f := range plan.Compile(drawnInput(t)).Fragments {
			read, err := plan.ReadFragment(f.Bytes())
			require.NoError(t, err)
			require.Equal(t, f.Bytes(), read.Bytes())
			require.Equal(t, f.Hash(), read.Hash())
			require.Equal(t, plan.Render([]plan.Fragment{f}), plan.Render([]plan.Fragment{read}))
		}
	})
	_, err := plan.ReadFragment([]byte(`{"inbounds":`))
	require.ErrorContains(t, err, "read an installed fragment")
}

// A configuration is one JSON document, whatever flows it is made of; none of them is left out, and a node without
// flows has one that serves nobody.
func TestAConfigurationHoldsEveryFlowOfItsNode(t *testing.T) {
	t.Parallel()
	type rendered struct {
		Inbounds  []struct{ Tag string }
		Outbounds []struct{ Tag string }
	}
	rapid.Check(t, func(t *rapid.T) {
		var all []plan.Fragment
		tags := []string{}
		for i := range rapid.IntRange(0, 3).Draw(t, "flows") {
			in := drawnInput(t)
			in.FlowID = fmt.Sprintf("flow%d", i)
			for _, f := range plan.Compile(in).Fragments {
				all = append(all, f)
				for _, inbound := range f.Inbounds {
					tags = append(tags, inbound.Tag)
				}
				break
			}
		}
		var config rendered
		require.NoError(t, json.Unmarshal(plan.Render(all), &config))
		require.Len(t, config.Inbounds, len(tags))
		for _, inbound := range config.Inbounds {
			require.Contains(t, tags, inbound.Tag)
		}
		require.Equal(t, "block", config.Outbounds[0].Tag, "what no rule takes goes nowhere")
	})
}

// secretsOf are the secrets of an input in the forms in which a configuration has them.
func secretsOf(in plan.Input) []string {
	found := []string{base64.StdEncoding.EncodeToString(in.Root), base64.RawURLEncoding.EncodeToString(in.Root)}
	for _, c := range in.Clients {
		found = append(found, c.UUID, base64.StdEncoding.EncodeToString(c.Key),
			base64.StdEncoding.EncodeToString(c.Key[:16]))
	}
	return found
}

// A plan is stored and shown as it is, so no secret is in it; nor is one in a configuration that is shown to a person.
func TestNoPlanAndNoShownConfigurationHoldsASecret(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := drawnInput(t)
		r := plan.Compile(in)
		shown, err := json.Marshal(r.Plan)
		require.NoError(t, err)
		for _, f := range r.Fragments {
			tree, err := plan.Masked(plan.Render([]plan.Fragment{f}))
			require.NoError(t, err)
			masked, err := json.Marshal(tree)
			require.NoError(t, err)
			shown = append(shown, masked...)
			facts, err := json.Marshal(f.Facts)
			require.NoError(t, err)
			shown = append(shown, facts...)
		}
		for _, secret := range secretsOf(in) {
			require.NotContains(t, string(shown), secret)
		}
	})
}

// A client who is removed is in no configuration any more, and the others keep what they have.
func TestARemovedClientLeavesNothingAndTheOthersStay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := drawnInput(t)
		stays := in.Clients[0]
		gone := plan.Client{
			ID:    "c0",
			Label: "Boris",
			UUID:  "6ba7b810-9dad-41d1-80b4-00c04fd430c9",
			Key:   bytes.Repeat([]byte{5}, 32),
		}
		alone := plan.Compile(in)
		in.Clients = rapid.Permutation([]plan.Client{gone, stays}).Draw(t, "clients")
		both := plan.Compile(in)
		in.Clients = []plan.Client{stays}
		in.Installed, in.Hosts = both.Fragments, both.Hosts
		left := plan.Compile(in)
		require.Equal(t, alone.Fragments, left.Fragments)
		for id, f := range left.Fragments {
			require.NotContains(t, string(f.Bytes()), gone.UUID)
			require.Equal(t, both.Fragments[id].Listens, f.Listens, "a client holds no port")
			require.Equal(t, both.Fragments[id].Outbounds, f.Outbounds, "nor a way")
			require.NotContains(t, f.Clients, gone.ID)
		}
	})
}

// The number of the revision, the places of blocks on the canvas and the labels of clients are for people: they change
// no configuration.
func TestWhatIsForPeopleChangesNoConfiguration(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := drawnInput(t)
		first := plan.Compile(in)
		in.Revision += 41
		in.Graph.Nodes = slices.Clone(in.Graph.Nodes)
		for i := range in.Graph.Nodes {
			in.Graph.Nodes[i].Position = &graph.Position{X: rapid.Float64Range(-1e6, 1e6).Draw(t, "x"), Y: 3}
		}
		in.Clients = slices.Clone(in.Clients)
		in.Clients[0].Label = rapid.String().Draw(t, "label")
		second := plan.Compile(in)
		require.Equal(t, first.Plan.Rendered, second.Plan.Rendered)
		require.Equal(t, first.Plan.Hash, second.Plan.Hash)
	})
}

// A port that another flow holds is found by the compiler and by the check right before an apply alike.
func TestATakenPortIsFoundByBothChecks(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := drawnInput(t)
		r := plan.Compile(in)
		if len(r.Plan.Errors)+len(r.Plan.Conflicts) > 0 {
			return
		}
		require.False(t, plan.Taken(in, r.Fragments))
		for id, f := range r.Fragments {
			for _, held := range f.Listens {
				n := in.Nodes[id]
				before := n
				held.FlowID = "thief"
				n.Reserved = append(slices.Clone(n.Reserved), held)
				in.Nodes[id] = n
				require.True(t, plan.Taken(in, r.Fragments), "%v on %s", held, id)
				in.Nodes[id] = before
			}
		}
	})
}

// Two sets of ports meet exactly if there is a port and an address that both would hold.
func TestSetsMeetWhereBothWouldHoldTheSame(t *testing.T) {
	t.Parallel()
	addresses := []string{"0.0.0.0", "192.0.2.1", "192.0.2.2"}
	drawn := func(t *rapid.T, name string) plan.Listen {
		from := rapid.IntRange(1, 8).Draw(t, name+" from")
		return plan.Listen{
			L4: rapid.SampledFrom([]string{"tcp", "udp"}).Draw(t, name+" l4"), From: from,
			To: from + rapid.IntRange(0, 4).Draw(t, name+" more"), IP: rapid.SampledFrom(addresses).Draw(t, name+" ip"),
		}
	}
	held := func(l plan.Listen) map[string]bool {
		sockets := map[string]bool{}
		for port := l.From; port <= l.To; port++ {
			for _, ip := range addresses[1:] {
				if l.IP == ip || l.IP == "0.0.0.0" {
					sockets[fmt.Sprint(l.L4, " ", ip, " ", port)] = true
				}
			}
		}
		return sockets
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawn(t, "a"), drawn(t, "b")
		common := false
		for socket := range held(a) {
			common = common || held(b)[socket]
		}
		require.Equal(t, common, a.Overlaps(b), "%v and %v", a, b)
		require.Equal(t, a.Overlaps(b), b.Overlaps(a))
		require.True(t, a.Overlaps(a))
	})
}

// A trace follows the drawing: each rule that is passed over or taken leaves from where the traffic is, rules are tried
// by their priority, and the one that is taken leads on.
func TestATraceFollowsTheDrawing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := drawnGraph(t)
		d := plan.Destination{
			Domain:   rapid.SampledFrom([]string{"", "example.net", "a.example", "ads.example.org"}).Draw(t, "domain"),
			IP:       rapid.SampledFrom([]string{"", "10.1.2.3", "192.0.2.1", "2001:db8::1"}).Draw(t, "ip"),
			Port:     rapid.SampledFrom([]int{0, 25, 443, 1500}).Draw(t, "port"),
			Protocol: rapid.SampledFrom([]string{"", "tls", "bittorrent"}).Draw(t, "protocol"),
		}
		trace := plan.Explain(g, "", d)
		at := g.Nodes[0].Key
		for i, s := range trace.Steps {
			e := g.Edges[s.Edge]
			require.Equal(t, []string{at, e.From, e.To}, []string{s.From, s.From, s.To})
			require.NotEmpty(t, s.Reason)
			switch s.Result {
			case "taken":
				at = s.To
			case "no_data":
				require.Equal(t, len(trace.Steps)-1, i, "nothing is guessed beyond what is not known")
				require.Equal(t, "unknown", trace.Result)
			default:
				require.Equal(t, "passed_over", s.Result)
			}
		}
		end := g.Nodes[g.Find(at)]
		if trace.Result != "unknown" {
			require.Equal(t, trace.Result, string(end.Kind))
		}
		require.True(t, end.NodeID == "" || trace.NodeID == end.NodeID)
	})
}
