package policies

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/clients"
	"panel/modules/domains"
	"panel/modules/flows"
	"panel/modules/nodes"
	"panel/modules/policies/internal/rules"
	"panel/platform/module"
	"panel/platform/paneltest"
)

type fields = map[string]any

func features() []module.Module {
	return []module.Module{nodes.Module(), domains.Module(), clients.Module(), flows.Module(), Module()}
}

// world is a panel with one node and a flow that enters and leaves there.
type world struct {
	t     *testing.T
	panel *paneltest.Panel
	admin *paneltest.Client
	node  string
	flow  string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, panel: paneltest.New(t, features()...)}
	w.admin = w.panel.Admin()
	w.node = w.admin.AddNode("fra-01", "address", "192.0.2.1")
	w.flow = w.newFlow("Europe", 443)
	return w
}

const units = "/api/v1/connection-units/"

// newFlow enters at a node and leaves there, what a match chooses by another block.
func (w *world) newFlow(name string, port int, edges ...fields) string {
	w.t.Helper()
	return w.admin.Post("/api/v1/connection-units", fields{"name": name, "graph": w.drawing(port, edges...)}).
		Is(http.StatusCreated).Text("id")
}

func (w *world) drawing(port int, edges ...fields) fields {
	return fields{
		"nodes": []fields{
			{"key": "in", "kind": "entry", "node_id": w.node, "params": fields{"listener": fields{
				"protocol": "vless", "port": port, "reality": fields{"target": "www.example.org:443"},
			}}},
			{"key": "out", "kind": "direct"},
			{"key": "stop", "kind": "block"},
		},
		"edges": append([]fields{{"from": "in", "to": "out"}}, edges...),
	}
}

func (w *world) compile(id string) *paneltest.Answer {
	return w.admin.Post(units+id+"/plan/compile", nil)
}

func (w *world) policy(name, kind string, more ...any) Policy {
	w.t.Helper()
	body := fields{"name": name, "kind": kind}
	for i := 0; i+1 < len(more); i += 2 {
		body[more[i].(string)] = more[i+1]
	}
	var p Policy
	w.admin.Post(policiesPath, body).Is(http.StatusCreated).JSON(&p)
	return p
}

// refusal is what an answer says about what it refuses.
type refusal struct {
	Errors   []struct{ Field, Code, Message string }
	Problems []struct {
		Policy   string
		Rule     string
		RuleName string `json:"rule_name"`
	}
}

func said(a *paneltest.Answer) (r refusal) {
	a.JSON(&r)
	return r
}

func (w *world) assign(p Policy, flowIDs ...string) Policy {
	w.t.Helper()
	flowIDs = append([]string{}, flowIDs...)
	w.admin.Put(policiesPath+"/"+p.ID+"/flows", fields{"revision": p.Revision, "flow_ids": flowIDs}).Is(200).JSON(&p)
	return p
}

// The manifest keeps the rules that hold for every module. It looks at all goroutines, so it runs alone.
func TestModule(t *testing.T) { //nolint:paralleltest // looks at the goroutines of the process
	paneltest.Check(t, Module(), features()[:4]...)
}

func TestAPolicyIsMadeReadChangedAndRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.policy("Strict", "limits", "rules", []fields{{"type": "max_nodes", "number": 2}})
	require.Equal(t, []rules.Rule{{Type: "max_nodes", Number: 2}}, p.Rules)
	require.Empty(t, p.UsedBy)
	w.admin.Post(policiesPath, fields{"name": "STRICT", "kind": "limits"}).Refused(409, "name_taken")
	path := policiesPath + "/" + p.ID
	w.admin.Patch(path, fields{"name": "Other"}).Refused(400, "missing_field")
	w.admin.Patch(path, fields{"revision": 7, "name": "Other"}).Refused(409, "revision_conflict")
	w.admin.Patch(path, fields{"revision": 1}).Is(200).JSON(&p)
	require.EqualValues(t, 1, p.Revision, "a change of nothing leaves no trace")
	w.admin.Patch(path, fields{"revision": 1, "name": "Tight", "allowed_protocols": []string{"vless"}}).Is(200).JSON(&p)
	require.EqualValues(t, 2, p.Revision)
	require.Equal(t, []string{"vless"}, p.AllowedProtocols)
	p = w.assign(p, w.flow)
	require.Equal(t, []NamedFlow{{w.flow, "Europe"}}, p.UsedBy)
	require.EqualValues(t, 1, w.admin.Get(policiesPath+"?flow_id="+w.flow).Is(200).Value("total"))
	require.EqualValues(t, 0, w.admin.Get(policiesPath+"?kind=security").Is(200).Value("total"))
	w.admin.Delete(path).Refused(409, "policy_in_use")
	w.assign(p)
	w.admin.Delete(path).Is(204)
	w.admin.Get(path).Refused(404, "not_found")
	require.Equal(t, []string{"policy.created", "policy.updated", "policy.assigned", "policy.assigned", "policy.deleted"},
		w.panel.Recorded("policy", p.ID))
}

func TestPoliciesRefuseWhatNoFlowCouldObey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for field, body := range map[string]fields{
		"rules[0].type":        {"kind": "limits", "rules": []fields{{"type": "securities", "values": []string{"tls"}}}},
		"rules[0].number":      {"kind": "limits", "rules": []fields{{"type": "max_nodes"}}},
		"rules[0].values[0]":   {"kind": "security", "rules": []fields{{"type": "securities", "values": []string{"x"}}}},
		"allowed_protocols[0]": {"kind": "limits", "allowed_protocols": []string{"ftp"}},
		"allowed_protocols[1]": {"kind": "limits", "allowed_protocols": []string{"vless", "vless"}},
		"name":                 {"kind": "limits", "name": "  "},
	} {
		if body["name"] == nil {
			body["name"] = "P"
		}
		require.Equal(t, field, said(w.admin.Post(policiesPath, body).Refused(422, "invalid_value")).Errors[0].Field)
	}
	p := w.policy("P", "limits")
	for _, id := range []string{"zzz", "0190a000-0000-7000-8000-00000000aaaa"} {
		w.admin.Put(policiesPath+"/"+p.ID+"/flows", fields{"revision": 1, "flow_ids": []string{id}}).
			Refused(422, "invalid_value")
	}
	w.assign(p, w.flow)
	other := w.policy("Other", "limits")
	refused := w.admin.Put(policiesPath+"/"+other.ID+"/flows", fields{"revision": 1, "flow_ids": []string{w.flow}}).
		Refused(409, "flow_has_policy")
	require.Equal(t, "P", refused.Text("policy"))
	w.assign(w.policy("Another kind", "security"), w.flow)
}

// Compile refuses what the policies of a flow forbid and names the rule; other flows are free.
func TestPoliciesLimitWhatTheirFlowsCompile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	free := w.newFlow("Free", 8443)
	p := w.assign(w.policy("Strict", "security", "allowed_protocols", []string{"trojan"}, "rules", []fields{
		{"type": "securities", "name": "Only TLS", "values": []string{"tls"}},
	}), w.flow)
	refused := w.compile(w.flow).Refused(422, "compile_failed")
	require.Equal(t, "nodes[0].params.listener.protocol", said(refused).Errors[0].Field)
	require.Equal(t, "Strict", said(refused).Problems[1].Policy)
	require.Equal(t, "Only TLS", said(refused).Problems[1].RuleName)
	require.Contains(t, said(refused).Errors[1].Message, `policy "Strict", rule "Only TLS"`)
	w.compile(free).Is(201)
	w.admin.Patch(policiesPath+"/"+p.ID, fields{"revision": p.Revision, "rules": []fields{}, "allowed_protocols": []string{}}).
		Is(200)
	w.compile(w.flow).Is(201)
	limits := w.assign(w.policy("Few", "limits", "rules", []fields{{"type": "max_clients", "number": 0}}), w.flow)
	require.Equal(t, "max_clients", said(w.compile(w.flow).Refused(422, "compile_failed")).Problems[0].Rule)
	w.assign(limits)
	w.compile(w.flow).Is(201)
	w.assign(w.policy("Blocks", "routing", "rules", []fields{{"type": "must_block", "values": []string{"protocol:bittorrent"}}}), w.flow)
	require.Equal(t, "must_block", said(w.compile(w.flow).Refused(422, "compile_failed")).Problems[0].Rule)
	w.admin.Put(units+w.flow+"/draft", fields{"revision": 1, "graph": w.drawing(443,
		fields{"from": "in", "to": "stop", "match": fields{"protocol": []string{"bittorrent"}}})}).Is(200)
	w.compile(w.flow).Is(201)
}

// The compatibility address of the specification answers byte for byte as policies do.
func TestFlowBalancersAnswerAsPolicies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const balancers = "/api/v1/flow-balancers"
	p := w.assign(w.policy("Strict", "limits"), w.flow)
	for _, rest := range []string{"", "/" + p.ID, "?kind=limits&sort=-created_at", "/zzz", "?sort=nonsense", "?limit=0"} {
		a, b := w.admin.Get(policiesPath+rest), w.admin.Get(balancers+rest)
		require.Equal(t, a.Status, b.Status, rest)
		if a.Status == http.StatusOK {
			require.Equal(t, string(a.Body), string(b.Body), rest)
		}
	}
	made := w.admin.Post(balancers, fields{"name": "By the other", "kind": "routing"}).Is(201)
	require.Equal(t, string(made.Body), string(w.admin.Get(policiesPath+"/"+made.Text("id")).Body))
	w.admin.Post(balancers, fields{"name": "By the other", "kind": "routing"}).Refused(409, "name_taken")
	w.admin.Patch(balancers+"/"+made.Text("id"), fields{"revision": 1, "name": "Renamed"}).Is(200)
	w.admin.Put(balancers+"/"+made.Text("id")+"/flows", fields{"revision": 2, "flow_ids": []string{w.flow}}).Is(200)
	require.Equal(t, "Renamed", w.admin.Get(policiesPath+"/"+made.Text("id")).Text("name"))
	w.admin.Delete(balancers+"/"+made.Text("id")).Refused(409, "policy_in_use")
}

// Who may see flows sees policies; changing them is a permission of its own, which editing flows does not include.
func TestPoliciesHaveAPermissionOfTheirOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	viewer, editor := w.panel.As("connection_units.view"), w.panel.As("connection_units.edit", "connection_units.apply")
	ruler := w.panel.As("connection_units.policies")
	viewer.Get(policiesPath).Is(200)
	editor.Post(policiesPath, fields{"name": "P", "kind": "limits"}).Refused(403, "permission_denied")
	editor.Put(cataloguePath, fields{"revision": 0, "sets": []fields{}, "presets": []fields{}, "geo_tokens": []string{}}).
		Refused(403, "permission_denied")
	ruler.Post(policiesPath, fields{"name": "P", "kind": "limits"}).Is(201)
}

// Two changes that start from the same revision: one of them is refused, whatever their order.
func TestOfTwoSavesAtOnceOneIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.policy("Strict", "limits")
	both := func(save func(i int) int) {
		got := make(chan int, 2)
		for i := range 2 {
			go func() { got <- save(i) }()
		}
		require.ElementsMatch(t, []int{200, 409}, []int{<-got, <-got})
	}
	both(func(i int) int {
		return w.admin.Patch(policiesPath+"/"+p.ID, fields{"revision": 1, "name": fmt.Sprint("Name ", i)}).Status
	})
	both(func(i int) int { return w.admin.Put(cataloguePath, catalogueOf(0, fmt.Sprint(i, ".example"))).Status })
	require.EqualValues(t, 1, w.admin.Get(cataloguePath).Is(200).Value("version"))
}

func TestCommandsShowPolicies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.assign(w.policy("Strict", "limits", "rules", []fields{{"type": "max_nodes", "number": 2}}), w.flow)
	said := w.admin.Command(features(), "policies list --plain")
	require.Contains(t, said.Out, "Strict\tlimits\t1\tany\t0\t1")
	require.Contains(t, w.admin.Command(features(), "policies show strict --plain").Out, "max_nodes\t-\t-\t2")
	w.admin.Put(cataloguePath, catalogueOf(0, "ads.example")).Is(200)
	require.Contains(t, w.admin.Command(features(), "policies catalogue --plain").Out, "ads\t0\t1\t0")
	require.Empty(t, strings.TrimSpace(w.admin.Command(features(), "policies outdated --plain").Err))
	w.admin.Post(plansPath, upstream("secret")).Is(201)
	require.Contains(t, w.admin.Command(features(), "policies plans --plain").Out, "Upstream\t1\tsocks\t127.0.0.1:40000\tnone\t0")
	require.Contains(t, w.admin.Command(features(), "policies enable upstream 1 Strict --plain").Out, "Strict")
	require.Len(t, must[Policy](w, policiesPath+"/"+p.ID).AllowedPlans, 1)
	require.NotContains(t, w.admin.Command(features(), "policies enable upstream 1 Strict --off --plain").Out, "Strict")
	require.NotZero(t, w.admin.Command(features(), "policies show nobody").Exit)
	require.NotZero(t, w.admin.Command(features(), "policies enable nothing 1 Strict").Exit)
}

func must[T any](w *world, path string) (out T) {
	w.t.Helper()
	w.admin.Get(path).Is(200).JSON(&out)
	return out
}

func TestListsWithoutMembersAreLists(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bare := w.policy("Bare", rules.Security)
	w.admin.Patch(policiesPath+"/"+bare.ID, fields{"revision": bare.Revision, "name": "Still bare", "rules": []any{}}).
		Is(http.StatusOK)
	for path, lists := range map[string][]string{
		policiesPath + "/" + bare.ID: {"rules", "allowed_protocols", "allowed_plans", "used_by"},
		"/api/v1/policy-catalogue":   {"sets", "presets", "geo_tokens"},
	} {
		var shown map[string]any
		w.admin.Get(path).Is(http.StatusOK).JSON(&shown)
		for _, list := range lists {
			require.Equal(t, []any{}, shown[list], list)
		}
	}
}
