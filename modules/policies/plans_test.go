package policies

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func upstream(password string) fields {
	return fields{"name": "Upstream", "body": fields{
		"way": "socks", "address": "127.0.0.1", "port": 40000, "user": "panel", "password": password,
	}}
}

func (w *world) plan() (plan CustomPlan) {
	w.t.Helper()
	w.admin.Post(plansPath, upstream("planted-password")).Is(201).JSON(&plan)
	return plan
}

// draws saves a draft whose traffic leaves by a version of a custom plan.
func (w *world) draws(flow, versionID string) {
	w.t.Helper()
	g := w.drawing(443)
	g["nodes"].([]fields)[1] = fields{"key": "out", "kind": "custom", "plan_version_id": versionID}
	revision := w.admin.Get(units + flow + "/draft").Is(200).Value("revision")
	w.admin.Put(units+flow+"/draft", fields{"revision": revision, "graph": g}).Is(200)
}

func (w *world) enable(plan CustomPlan, number int, policyID string, on bool) (after CustomPlan) {
	w.t.Helper()
	w.admin.Post(plansPath+"/"+plan.ID+"/versions/"+string(rune('0'+number))+"/enable",
		fields{"policy_id": policyID, "enabled": on}).Is(200).JSON(&after)
	return after
}

// Saving a custom plan grants nothing; a version works only when a policy of the flow enables it.
func TestAVersionWorksOnlyWhenAPolicyOfTheFlowEnablesIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	plan := w.plan()
	require.Empty(t, plan.Versions[0].EnabledIn)
	w.draws(w.flow, plan.Versions[0].ID)
	w.compile(w.flow).Refused(422, "custom_plan_not_enabled")
	mine, other := w.policy("Mine", "security"), w.policy("Other", "security")
	w.enable(plan, 1, other.ID, true)
	w.enable(plan, 1, mine.ID, true)
	w.compile(w.flow).Refused(422, "custom_plan_not_enabled")
	mine = w.assign(mine, w.flow)
	w.compile(w.flow).Is(201)
	require.Equal(t, []AllowedPlan{{plan.Versions[0].ID, plan.ID, "Upstream", 1}}, mine.AllowedPlans)

	var second CustomPlan
	w.admin.Post(plansPath+"/"+plan.ID+"/versions", fields{"revision": 1, "body": fields{"way": "direct", "family": "ipv4"}}).
		Is(201).JSON(&second)
	require.Equal(t, 2, second.Versions[0].Number, "editing makes a new version")
	require.Empty(t, second.Versions[0].EnabledIn, "which nothing enables")
	require.Len(t, second.Versions[1].EnabledIn, 2)
	w.draws(w.flow, second.Versions[0].ID)
	w.compile(w.flow).Refused(422, "custom_plan_not_enabled")
	w.draws(w.flow, plan.Versions[0].ID)
	after := w.enable(plan, 1, mine.ID, false)
	require.Equal(t, []NamedPolicy{{other.ID, "Other"}}, after.Versions[1].EnabledIn)
	require.Equal(t, []PlanUser{{NamedFlow{w.flow, "Europe"}, false}}, after.Versions[1].UsedBy)
	w.compile(w.flow).Refused(422, "custom_plan_not_enabled")
	w.enable(plan, 1, mine.ID, false)
	require.Equal(t, []string{
		"custom_plan.created", "custom_plan.enabled", "custom_plan.enabled", "custom_plan.version_added", "custom_plan.disabled",
	}, w.panel.Recorded("custom_plan", plan.ID), "disabling what is disabled is no news")
}

// Passwords are sealed and never shown, and never go to another proxy than the one that they were given for.
func TestPasswordsOfCustomPlansStayWithTheirProxy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	plan := w.plan()
	require.True(t, plan.Versions[0].HasPassword)
	var stored string
	require.NoError(t, w.panel.DB.NewRaw("select row_to_json(v)::text from custom_plan_versions v").Scan(t.Context(), &stored))
	require.NotContains(t, stored, "planted-password")
	require.NotContains(t, string(w.admin.Get(plansPath).Is(200).Body), "planted-password")
	path := plansPath + "/" + plan.ID + "/versions"
	body := upstream("")["body"].(fields)
	delete(body, "password")
	w.admin.Post(path, fields{"revision": 1, "body": body}).Is(201)
	w.draws(w.flow, must[CustomPlan](w, plansPath+"/"+plan.ID).Versions[0].ID)
	body["address"] = "attacker.example"
	refused := w.admin.Post(path, fields{"revision": 2, "body": body}).Refused(422, "invalid_value")
	require.Equal(t, "body.password", said(refused).Errors[0].Field)
	body["password"] = ""
	var after CustomPlan
	w.admin.Post(path, fields{"revision": 2, "body": body}).Is(201).JSON(&after)
	require.False(t, after.Versions[0].HasPassword)
	require.True(t, after.Versions[1].HasPassword)
	require.NotEqual(t, after.Versions[0].SchemaHash, after.Versions[1].SchemaHash)
	require.Equal(t, after.Versions[1].SchemaHash, after.Versions[2].SchemaHash, "of the same body")
}

func TestCustomPlansAreChecked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, c := range map[string]struct {
		field string
		body  fields
	}{
		"no address":      {"body.address", fields{"way": "socks", "port": 1}},
		"no port":         {"body.port", fields{"way": "http", "address": "a.example"}},
		"odd address":     {"body.address", fields{"way": "http", "address": "a b", "port": 1}},
		"zone":            {"body.address", fields{"way": "http", "address": "fe80::1%eth0", "port": 1}},
		"family of proxy": {"body.way", fields{"way": "http", "address": "a.example", "port": 1, "family": "ipv4"}},
		"nobody's":        {"body.user", fields{"way": "http", "address": "a.example", "port": 1, "password": "x"}},
		"line break":      {"body.user", fields{"way": "http", "address": "a.example", "port": 1, "user": "a\r\nHost: b"}},
		"proxy of direct": {"body.way", fields{"way": "direct", "address": "a.example", "port": 1}},
		"plain direct":    {"body.way", fields{"way": "direct"}},
		"no bytes": {"body.fragment.length", fields{"way": "direct", "fragment": fields{
			"packets": "tlshello", "length": "0-5", "interval": "1",
		}}},
		"backwards": {"body.fragment.interval", fields{"way": "direct", "fragment": fields{
			"packets": "1-3", "length": "10", "interval": "9-1",
		}}},
	} {
		refused := w.admin.Post(plansPath, fields{"name": name, "body": c.body}).Refused(422, "invalid_value")
		require.Equal(t, c.field, said(refused).Errors[0].Field, name)
	}
	w.admin.Post(plansPath, fields{"name": " ", "body": fields{"way": "direct", "family": "ipv4"}}).Refused(422, "invalid_value")
	w.admin.Post(plansPath, fields{"name": "x", "body": fields{"way": "tunnel"}}).Refused(422, "invalid_value")
	plan := w.plan()
	w.admin.Post(plansPath, upstream("x")).Refused(409, "name_taken")
	path := plansPath + "/" + plan.ID
	w.admin.Post(path+"/versions", fields{"revision": 9, "body": fields{"way": "direct", "family": "ipv4"}}).
		Refused(409, "revision_conflict")
	w.admin.Post(path+"/versions/7/enable", fields{"policy_id": plan.ID}).Refused(404, "not_found")
	w.admin.Post(path+"/versions/1/enable", fields{"policy_id": plan.ID}).Refused(422, "invalid_value")
	require.EqualValues(t, 1, w.admin.Get(plansPath+"?q="+strings.ToLower("UPSTR")).Is(200).Value("total"))
	w.draws(w.flow, plan.Versions[0].ID)
	w.admin.Delete(path).Refused(409, "custom_plan_in_use")
	w.admin.Put(units+w.flow+"/draft", fields{"revision": 2, "graph": w.drawing(443)}).Is(200)
	w.admin.Delete(path).Is(204)
	w.admin.Get(path+"/versions").Refused(404, "not_found")
}
