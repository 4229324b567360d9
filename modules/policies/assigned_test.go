package policies

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/policies/internal/rules"
	"panel/modules/policies/policiesapi"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/httpapi"
)

// Rule: a flow obeys at most one policy of each kind; the refusal names the policy and the flow.
func TestAFlowObeysOnePolicyOfEachKind(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first, second := w.policy("First", "limits"), w.policy("Second", "limits")
	other := w.policy("Other kind", "security")
	first = w.assign(first, w.flow)
	w.assign(other, w.flow)
	refused := w.admin.Put(policiesPath+"/"+second.ID+"/flows", fields{"revision": 1, "flow_ids": []string{w.flow}}).
		Refused(http.StatusConflict, "flow_has_policy")
	require.Equal(t, "First", refused.Text("policy"))
	require.Equal(t, "Europe", refused.Text("flow_name"))
	require.Empty(t, must[Policy](w, policiesPath+"/"+second.ID).UsedBy)
	w.assign(first)
	w.assign(second, w.flow)
	require.EqualValues(t, 2, w.admin.Get(policiesPath+"?flow_id="+w.flow).Value("total"))
}

// Assigning says all flows of a policy: who is not named is let go. The same again is no change.
func TestAssigningSaysAllFlows(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	asia, lab := w.newFlow("Asia", 444), w.newFlow("Lab", 445)
	p := w.assign(w.policy("Strict", "limits"), lab, asia, w.flow)
	require.EqualValues(t, 2, p.Revision)
	require.Equal(t, []NamedFlow{{asia, "Asia"}, {w.flow, "Europe"}, {lab, "Lab"}}, p.UsedBy, "by their names")
	p = w.assign(p, strings.ToUpper(asia), lab, asia, w.flow)
	require.EqualValues(t, 2, p.Revision, "named twice, and in any case")
	p = w.assign(p, asia)
	require.Equal(t, []NamedFlow{{asia, "Asia"}}, p.UsedBy)
	path := policiesPath + "/" + p.ID + "/flows"
	for field, ids := range map[string][]string{
		"flow_ids[0]": {"nonsense"},
		"flow_ids[1]": {asia, database.NewID()},
	} {
		refused := w.admin.Put(path, fields{"revision": p.Revision, "flow_ids": ids}).Refused(422, "invalid_value")
		require.Equal(t, field, said(refused).Errors[0].Field)
	}
	w.admin.Put(path, fields{"revision": 1, "flow_ids": []string{}}).Refused(409, "revision_conflict")
	w.admin.Put(path, fields{"flow_ids": []string{}}).Refused(400, "missing_field")
	require.Len(t, must[Policy](w, policiesPath+"/"+p.ID).UsedBy, 1, "what is refused changes nothing")
	w.admin.Delete("/api/v1/connection-units/" + asia)
	require.Eventually(t, func() bool {
		return len(must[Policy](w, policiesPath+"/"+p.ID).UsedBy) == 0
	}, 60*time.Second, 50*time.Millisecond, "a flow that is gone obeys nothing")
}

// What is not there is not found on any route, by whatever id.
func TestPoliciesThatAreNotThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, id := range []string{database.NewID(), "nonsense", strings.Repeat("x", 60)} {
		for _, root := range []string{policiesPath, "/api/v1/flow-balancers"} {
			one := root + "/" + id
			w.admin.Get(one).Refused(404, "not_found")
			w.admin.Patch(one, fields{"revision": 1, "name": "x"}).Refused(404, "not_found")
			w.admin.Delete(one).Refused(404, "not_found")
			w.admin.Put(one+"/flows", fields{"revision": 1, "flow_ids": []string{}}).Refused(404, "not_found")
		}
		w.admin.Get(plansPath+"/"+id).Refused(404, "not_found")
		w.admin.Delete(plansPath+"/"+id).Refused(404, "not_found")
		w.admin.Post(plansPath+"/"+id+"/versions", fields{
			"revision": 1, "body": fields{"way": "direct", "family": "ipv4"},
		}).Refused(404, "not_found")
		w.admin.Post(plansPath+"/"+id+"/versions/1/enable", fields{"policy_id": id}).Refused(404, "not_found")
	}
	w.admin.Get(cataloguePath+"/versions/9").Refused(404, "not_found")
}

// Each change is told with what it changed: as an event with its data, and to the journal from what to what.
func TestChangesOfPoliciesAreTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	news := w.panel.Follow()
	p := w.policy("Strict", "limits", "rules", []fields{{"type": "max_nodes", "number": 2}})
	made := news.Next(policiesapi.EventCreated)
	require.Equal(t, p.ID, made.SubjectID)
	require.Equal(t, policiesapi.News{Name: "Strict"}, made.Data)
	path := policiesPath + "/" + p.ID
	w.admin.Patch(path, fields{
		"revision": 1, "name": "Tight", "rules": []fields{{"type": "max_nodes", "number": 3, "name": "Few"}},
	}).Is(200)
	require.Equal(t, policiesapi.News{Name: "Tight"}, news.Next(policiesapi.EventUpdated).Data)
	w.admin.Put(path+"/flows", fields{"revision": 2, "flow_ids": []string{w.flow}}).Is(200)
	news.Next(policiesapi.EventAssigned)
	w.admin.Put(path+"/flows", fields{"revision": 3, "flow_ids": []string{}}).Is(200)
	w.admin.Delete(path).Is(204)
	require.Equal(t, policiesapi.News{Name: "Tight"}, news.Next(policiesapi.EventDeleted).Data)
	lines := must[httpapi.Page[struct {
		Action  string
		Changes map[string]audit.Change
	}]](w, "/api/v1/audit?action=policy.updated&object="+p.ID).Items
	var changed []string
	for _, line := range lines {
		if line.Action == policiesapi.EventUpdated {
			for name := range line.Changes {
				changed = append(changed, name)
			}
			require.Equal(t, "Strict", line.Changes["name"].From)
			require.Equal(t, "Tight", line.Changes["name"].To)
		}
	}
	slices.Sort(changed)
	require.Equal(t, []string{"name", "rules"}, changed, "what stayed is not told")
}

// Names are compared without case and spaces at their ends, and are free again when their policy is gone.
func TestNamesOfPoliciesAreTakenOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, other := w.policy("  Strict ", "limits"), w.policy("Other", "limits")
	require.Equal(t, "Strict", p.Name)
	w.admin.Post(policiesPath, fields{"name": "strict", "kind": "security"}).Refused(409, "name_taken")
	w.admin.Patch(policiesPath+"/"+other.ID, fields{"revision": 1, "name": "STRICT "}).Refused(409, "name_taken")
	w.admin.Patch(policiesPath+"/"+p.ID, fields{"revision": 1, "name": "STRICT"}).Is(200)
	w.admin.Patch(policiesPath+"/"+p.ID, fields{"revision": 2, "name": "   "}).Refused(422, "invalid_value")
	w.admin.Delete(policiesPath + "/" + p.ID).Is(204)
	w.admin.Patch(policiesPath+"/"+other.ID, fields{"revision": 1, "name": "Strict"}).Is(200)
}

// Lists are sorted, filtered by kind, flow and a part of the name, and counted.
func TestPoliciesAreListed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i, kind := range []string{"limits", "security", "limits", "routing"} {
		w.policy(fmt.Sprintf("P %d", 4-i), kind)
	}
	read := func(query string) (names []string) {
		for _, p := range must[httpapi.Page[Policy]](w, policiesPath+query).Items {
			names = append(names, p.Name)
		}
		return names
	}
	require.Equal(t, []string{"P 1", "P 2", "P 3", "P 4"}, read(""))
	require.Equal(t, []string{"P 4", "P 3", "P 2", "P 1"}, read("?sort=-name"))
	require.Equal(t, []string{"P 2", "P 4"}, read("?kind=limits"))
	require.Equal(t, []string{"P 3"}, read("?q=p%203"))
	require.Empty(t, read("?q=nothing"))
	require.Empty(t, read("?flow_id="+w.flow))
	w.admin.Get(policiesPath+"?kind=nonsense").Refused(400, "bad_parameter")
	w.admin.Get(policiesPath+"?sort=colour").Refused(400, "bad_parameter")
}

// A policy that has changed counts from the next compilation on: a plan from before is not applied any more.
func TestAPlanFromBeforeAPolicyIsNotApplied(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	compiled := w.compile(w.flow).Is(201)
	p := w.assign(w.policy("Strict", "limits", "rules", []fields{{"type": "max_nodes", "number": 1}}), w.flow)
	order := fields{"id": compiled.Text("id"), "revision": compiled.Value("revision"), "force_apply": true}
	w.admin.Post(units+w.flow+"/apply", order).Refused(422, "agent_offline")
	w.admin.Patch(policiesPath+"/"+p.ID, fields{
		"revision": p.Revision, "allowed_protocols": []string{"trojan"},
	}).Is(200)
	refused := w.admin.Post(units+w.flow+"/apply", order).Refused(422, "compile_failed")
	require.Equal(t, "Strict", said(refused).Problems[0].Policy)
	require.Equal(t, rules.AllowedProtocols, said(refused).Problems[0].Rule, "force passes no policy")
}

// Rule: of two saves of the catalogue at once one is refused; no version is lost and none is there twice.
func TestOfTwoSavesOfTheCatalogueOneIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const people = 4
	for round := range 3 {
		answers := make(chan int, people)
		for i := range people {
			go func() {
				answers <- w.admin.Put(cataloguePath, catalogueOf(round, fmt.Sprintf("d%d-%d.example", round, i))).Status
			}()
		}
		got := map[int]int{}
		for range people {
			got[<-answers]++
		}
		require.Equal(t, map[int]int{http.StatusOK: 1, http.StatusConflict: people - 1}, got)
	}
	page := must[httpapi.Page[CatalogueVersion]](w, cataloguePath+"/versions")
	require.Len(t, page.Items, 3)
	require.Equal(t, []int{3, 2, 1}, []int{page.Items[0].Version, page.Items[1].Version, page.Items[2].Version})
}

// A version of the catalogue tells what it changed of the one before, entry by entry.
func TestWhatAVersionOfTheCatalogueChanges(t *testing.T) {
	t.Parallel()
	before := Content{
		Sets:      []Set{{Name: "ads"}, {Name: "games", Description: "play"}, {Name: "stays"}},
		Presets:   []Preset{{Name: "old", Protocol: "vless"}},
		GeoTokens: []string{"geosite:ru"},
	}
	after := Content{
		Sets:      []Set{{Name: "stays"}, {Name: "games", Description: "work"}, {Name: "new"}},
		Presets:   []Preset{{Name: "old", Protocol: "vless"}},
		GeoTokens: []string{"geosite:ru", "geoip:ru"},
	}
	changes := before.against(after)
	require.Len(t, changes, 4)
	require.Equal(t, audit.Change{From: Set{Name: "ads"}}, changes["set ads"], "what is gone has nothing after it")
	require.Equal(t, audit.Change{To: Set{Name: "new"}}, changes["set new"])
	require.Equal(t, "work", changes["set games"].To.(Set).Description)
	require.Equal(t, audit.Change{From: 1, To: 2}, changes["geo_tokens"])
	require.Empty(t, after.against(after))
}

// Sets that flows name are compared by what they hold, not by their place or their description.
func TestASetDiffersByWhatItHolds(t *testing.T) {
	t.Parallel()
	held := func(domain ...string) Content {
		s := Set{Name: "ads", Description: fmt.Sprint(len(domain))}
		s.Domain = domain
		return Content{Sets: []Set{{Name: "other"}, s}}
	}
	names := []string{"ads", "other", "unknown"}
	require.Empty(t, differing(names, held("a").sets(), held("a").sets()))
	require.Equal(t, []string{"ads"}, differing(names, held("a").sets(), held("a", "b").sets()))
	require.Equal(t, []string{"ads"}, differing(names, held("a").sets(), Content{}.sets()), "a set that is gone")
	require.Empty(t, differing([]string{"other"}, held("a").sets(), held("b").sets()))
}

// Categories are written as geo files have them.
func TestCategoriesOfTheCatalogue(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"ru", "category-ads-all", "google@cn", "a.b_c"} {
		require.True(t, category(good), good)
	}
	for _, bad := range []string{"", "a b", "реклама", "a:b", "a\n", strings.Repeat("a", 65)} {
		require.False(t, category(bad), "%q", bad)
	}
}

// Who may see flows sees custom plans without their secrets; making and enabling them needs the permission of policies.
func TestCustomPlansHaveThePermissionOfPolicies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	plan := w.plan()
	viewer := w.panel.As(string(view), "connection_units.edit", "connection_units.apply")
	viewer.Get(plansPath + "/" + plan.ID).Is(200)
	viewer.Get(cataloguePath).Is(200)
	for _, refused := range []struct {
		method, path string
		body         fields
	}{
		{http.MethodPost, plansPath, upstream("x")},
		{http.MethodPost, plansPath + "/" + plan.ID + "/versions", fields{"revision": 1, "body": fields{"way": "direct"}}},
		{http.MethodPost, plansPath + "/" + plan.ID + "/versions/1/enable", fields{"policy_id": plan.ID}},
		{http.MethodDelete, plansPath + "/" + plan.ID, nil},
		{http.MethodPut, cataloguePath, catalogueOf(0, "a.example")},
	} {
		viewer.Do(refused.method, refused.path, refused.body).Refused(http.StatusForbidden, "permission_denied")
	}
	w.panel.As("nodes.view").Get(plansPath).Refused(http.StatusForbidden, "permission_denied")
}

// A new version that is the newest one again is refused nowhere and made anew: editing makes a version, saving nothing
// makes none.
func TestVersionsOfCustomPlansStay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	plan := w.plan()
	path := plansPath + "/" + plan.ID + "/versions"
	for i := 1; i <= 3; i++ {
		w.admin.Post(path, fields{"revision": i, "body": fields{
			"way": "direct", "family": []string{"ipv4", "ipv6"}[i%2],
		}}).Is(201)
	}
	read := must[CustomPlan](w, path)
	var numbers []int
	for _, v := range read.Versions {
		numbers = append(numbers, v.Number)
		require.NotEmpty(t, v.SchemaHash)
		require.NotEmpty(t, v.CreatedBy)
	}
	require.Equal(t, []int{4, 3, 2, 1}, numbers, "the newest first")
	require.Equal(t, plan.Versions[0].ID, read.Versions[3].ID, "an older one is what it was")
	require.Equal(t, "socks", read.Versions[3].Body.Way)
	require.Equal(t, read.Versions[0].SchemaHash, read.Versions[2].SchemaHash, "of the same body")
	require.NotEqual(t, read.Versions[0].SchemaHash, read.Versions[1].SchemaHash)
}

// A policy that goes takes its enabling of custom plans along.
func TestAPolicyThatGoesEnablesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	plan, p := w.plan(), w.policy("Mine", "security")
	require.Len(t, w.enable(plan, 1, p.ID, true).Versions[0].EnabledIn, 1)
	w.admin.Delete(policiesPath + "/" + p.ID).Is(204)
	require.Empty(t, must[CustomPlan](w, plansPath+"/"+plan.ID).Versions[0].EnabledIn)
}
