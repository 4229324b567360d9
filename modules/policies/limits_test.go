package policies

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/policies/internal/rules"
)

// The catalogue takes as much as the API says, in one save, and every flow may use it; one more is refused.
func TestTheCatalogueTakesAsMuchAsItSays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sets, presets, tokens := make([]fields, 200), make([]fields, 100), make([]string, 2000)
	for i := range sets {
		sets[i] = fields{"name": fmt.Sprint("set-", i), "domain": []string{fmt.Sprintf("d%d.example", i)}}
	}
	for i := range presets {
		presets[i] = fields{"name": fmt.Sprint("preset-", i), "protocol": "vless", "security": "tls"}
	}
	for i := range tokens {
		tokens[i] = fmt.Sprint("geosite:category-", i)
	}
	whole := fields{"revision": 0, "sets": sets, "presets": presets, "geo_tokens": tokens}
	var saved Catalogue
	w.admin.Put(cataloguePath, whole).Is(http.StatusOK).JSON(&saved)
	require.Equal(t, []int{1, 200, 100, 2000},
		[]int{saved.Version, len(saved.Sets), len(saved.Presets), len(saved.GeoTokens)})
	w.admin.Put(cataloguePath, fields{
		"revision": 1, "sets": append(sets, sets[0]), "presets": presets, "geo_tokens": tokens,
	}).Refused(http.StatusUnprocessableEntity, "invalid_value")
	flow := w.newFlow("Last set", 8443, fields{"from": "in", "to": "stop", "priority": 1, "match": fields{"sets": []string{"set-199"}}})
	w.compile(flow).Is(http.StatusCreated)
}

// Of two versions of a custom plan that start from the same one, one counts.
func TestOfTwoVersionsOfAPlanAtOnceOneCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	plan := w.plan()
	answers := make(chan int, 2)
	for _, family := range []string{"ipv4", "ipv6"} {
		go func() {
			answers <- w.admin.Post(plansPath+"/"+plan.ID+"/versions",
				fields{"revision": 1, "body": fields{"way": "direct", "family": family}}).Status
		}()
	}
	require.ElementsMatch(t, []int{http.StatusCreated, http.StatusConflict}, []int{<-answers, <-answers})
	require.Len(t, must[CustomPlan](w, plansPath+"/"+plan.ID).Versions, 2)
}

// Two policies of one kind that take a flow at once: it obeys one of them, and the other is told which.
func TestOfTwoPoliciesThatTakeAFlowAtOnceOneHasIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	both := []Policy{w.policy("First", rules.Limits), w.policy("Second", rules.Limits)}
	answers := make(chan int, len(both))
	for _, p := range both {
		go func() {
			answers <- w.admin.Put(policiesPath+"/"+p.ID+"/flows",
				fields{"revision": p.Revision, "flow_ids": []string{w.flow}}).Status
		}()
	}
	require.ElementsMatch(t, []int{http.StatusOK, http.StatusConflict}, []int{<-answers, <-answers})
	var n int
	require.NoError(t, w.panel.DB.NewRaw("select count(*) from policy_flows where flow_id = ?", w.flow).Scan(t.Context(), &n))
	require.Equal(t, 1, n)
}

// A flow that is deleted leaves its policies, which may go then; policies never keep a flow from being deleted.
func TestADeletedFlowLeavesItsPolicies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.assign(w.policy("Strict", rules.Limits), w.flow)
	w.admin.Delete(policiesPath+"/"+p.ID).Refused(http.StatusConflict, "policy_in_use")
	w.admin.Delete(units + w.flow).Is(http.StatusAccepted)
	gone := func() bool { return w.admin.Get(units+w.flow).Status == http.StatusNotFound }
	require.Eventually(t, gone, time.Minute, 50*time.Millisecond)
	require.Empty(t, must[Policy](w, policiesPath+"/"+p.ID).UsedBy)
	w.admin.Delete(policiesPath + "/" + p.ID).Is(http.StatusNoContent)
}

// A flow whose deletion still goes on is seen nowhere, and keeps no policy either.
func TestAFlowThatIsBeingDeletedKeepsNoPolicy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.assign(w.policy("Strict", rules.Limits), w.flow)
	_, err := w.panel.DB.NewRaw("update flows set deleting = true where id = ?", w.flow).Exec(t.Context())
	require.NoError(t, err)
	require.Empty(t, must[Policy](w, policiesPath+"/"+p.ID).UsedBy)
	w.admin.Delete(policiesPath + "/" + p.ID).Is(http.StatusNoContent)
	w.admin.Get(policiesPath+"/"+p.ID).Refused(http.StatusNotFound, "not_found")
}

// Enabling is undone by removing the policy or the plan: nothing is left that would enable a version of the same
// number.
func TestWhatWasEnabledGoesWithItsPlan(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	plan, p := w.plan(), w.policy("Mine", rules.Security)
	w.enable(plan, 1, p.ID, true)
	require.Len(t, must[Policy](w, policiesPath+"/"+p.ID).AllowedPlans, 1)
	w.admin.Delete(plansPath + "/" + plan.ID).Is(http.StatusNoContent)
	require.Empty(t, must[Policy](w, policiesPath+"/"+p.ID).AllowedPlans)
	again := w.plan()
	require.Empty(t, again.Versions[0].EnabledIn, "a plan of the same name is another one")
	w.admin.Post(plansPath+"/"+plan.ID+"/versions/1/enable", fields{"policy_id": p.ID}).
		Refused(http.StatusNotFound, "not_found")
}
