package coretest

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/platform/testneed/freeport"
)

// proxy is a proxy of somebody else, with a password, from which one page alone is reached.
func proxy(t *testing.T, protocol string, to plan.Endpoint) (port int) {
	t.Helper()
	port = freeport.For(t)
	accounts := `"accounts":[{"user":"panel","pass":"planted"}]`
	if protocol == flowsapi.PlanSOCKS {
		accounts = `"auth":"password",` + accounts
	}
	start(t, fmt.Appendf(nil, `{"log":{"loglevel":"none"},
		"inbounds":[{"listen":"127.0.0.1","port":%d,"protocol":%q,"settings":{%s}}],
		"outbounds":[{"protocol":"freedom","settings":{"redirect":%q}}]}`, port, protocol, accounts, to.String()))
	return port
}

// leavingBy compiles a flow whose traffic leaves by a custom plan.
func leavingBy(t *testing.T, l graph.Listener, way flowsapi.CustomPlan) (flowID string, rendered []byte) {
	t.Helper()
	flowID = uuid.NewString()
	g := drawing(l, "a", nil, "")
	g.Nodes[1] = graph.Node{Key: "out", Kind: graph.Custom, PlanVersionID: "v"}
	way.VersionID, way.Name, way.Number = "v", "Upstream", 1
	reflector, _ := page(t, "reflected")
	r := plan.Compile(plan.Input{
		FlowID: flowID, Graph: g, Root: root, Clients: []plan.Client{client}, Reflector: reflector,
		Nodes: map[string]plan.Node{"a": {ID: "a", Address: "127.0.0.1", Core: "26.3.27"}},
		Plans: map[string]flowsapi.CustomPlan{"v": way},
	})
	require.Empty(t, r.Plan.Errors)
	return flowID, plan.Render([]plan.Fragment{r.Fragments["a"]})
}

// A real client's traffic leaves by the proxy of a custom plan, which lets it through with the right password alone;
// private addresses of the node stay closed, and what the drawing blocks goes nowhere.
func TestTrafficLeavesByACustomPlan(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{flowsapi.PlanSOCKS, flowsapi.PlanHTTP} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			behind, _ := page(t, "behind the proxy")
			_, private := page(t, "private")
			way := flowsapi.CustomPlan{
				Way: protocol, Address: "127.0.0.1", Port: proxy(t, protocol, behind), User: "panel", Password: "planted",
			}
			l := listenerOf(t, "vmess", "raw")
			flowID, rendered := leavingBy(t, l, way)
			start(t, rendered)
			person := asClient(t, plan.ProbeClient(flowID, root, "in", "", l, "127.0.0.1"))
			text, err := through(t, person, elsewhere)
			require.NoError(t, err)
			require.Equal(t, "behind the proxy", text)
			text, err = through(t, person, private)
			require.False(t, err == nil && text == "private", "the node itself stays closed: %s", text)
			text, err = through(t, person, "http://blocked.example/")
			require.Error(t, err, text)

			l.Port, way.Password = freeport.For(t), "wrong"
			flowID, rendered = leavingBy(t, l, way)
			start(t, rendered)
			person = asClient(t, plan.ProbeClient(flowID, root, "in", "", l, "127.0.0.1"))
			text, err = through(t, person, elsewhere)
			require.False(t, err == nil && text == "behind the proxy", "a wrong password lets nothing through: %s", text)
		})
	}
}

// A way out from the node itself may be of one family, and its connections may be split at their beginning.
func TestACustomPlanLeavesFromTheNodeItself(t *testing.T) {
	t.Parallel()
	behind, _ := page(t, "from the node")
	l := listenerOf(t, "vmess", "raw")
	flowID, rendered := leavingBy(t, l, flowsapi.CustomPlan{
		Way: flowsapi.PlanDirect, Family: "ipv4",
		Fragment: &flowsapi.Fragment{Packets: "1-3", Length: "5-10", Interval: "1-2"},
	})
	var d struct {
		Outbounds []struct {
			Protocol string
			Settings map[string]any
		}
	}
	require.NoError(t, json.Unmarshal(rendered, &d))
	families := 0
	for _, o := range d.Outbounds {
		if o.Settings["domainStrategy"] == "ForceIPv4" && o.Settings["fragment"] != nil {
			families++
		}
	}
	require.Equal(t, 1, families)
	instance(t, rendered)
	start(t, leading(t, rendered, behind))
	person := asClient(t, plan.ProbeClient(flowID, root, "in", "", l, "127.0.0.1"))
	text, err := through(t, person, elsewhere)
	require.NoError(t, err)
	require.Equal(t, "from the node", text)
}
