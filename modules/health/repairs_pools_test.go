package health

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/health/healthapi"
	"panel/modules/health/internal/repair"
	"panel/modules/nodes/nodesapi"
	"panel/modules/pools/poolsapi"
	"panel/platform/paneltest"
)

// inPool are the places of nodes in pools of a test. It is poolsapi.Members.
type inPool struct {
	mu        sync.Mutex
	places    map[string][]poolsapi.Place
	withdrawn map[string]string // why by member
	listed    []poolsapi.Pool
	blocked   []string // flows
}

func (p *inPool) Blocked(context.Context) ([]string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.blocked), nil
}

// block says of which flows pools block traffic.
func (p *inPool) block(flowIDs ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.blocked = flowIDs
}

func (p *inPool) Pools(_ context.Context, ids ...string) (found []poolsapi.Pool, _ error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, pool := range p.listed {
		if len(ids) == 0 || slices.Contains(ids, pool.ID) {
			found = append(found, pool)
		}
	}
	return found, nil
}

func (p *inPool) Places(_ context.Context, nodeIDs ...string) (map[string][]poolsapi.Place, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := map[string][]poolsapi.Place{}
	for _, id := range nodeIDs {
		for _, place := range p.places[id] {
			if p.withdrawn[place.MemberID] == "" {
				place.Withdrawn = len(p.withdrawn)
				place.Usable -= len(p.withdrawn)
				out[id] = append(out[id], place)
			}
		}
	}
	return out, nil
}

func (p *inPool) Withdraw(_ context.Context, why string, memberIDs ...string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, id := range memberIDs {
		p.withdrawn[id] = why
	}
	return nil
}

func (p *inPool) Return(_ context.Context, why string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, by := range p.withdrawn {
		if by == why {
			delete(p.withdrawn, id)
		}
	}
	return nil
}

// out gives the members that are withdrawn, sorted.
func (p *inPool) out() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.withdrawn))
}

// pooled makes all nodes members of a pool; a member has the name of its node.
func (w *world) pooled() {
	w.pools.places, w.pools.withdrawn = map[string][]poolsapi.Place{}, map[string]string{}
	for _, n := range w.fleet.nodes {
		w.pools.places[n.ID] = []poolsapi.Place{{
			PoolID: "p", Pool: "Europe", MemberID: n.Name, Members: len(w.fleet.nodes), Usable: len(w.fleet.nodes) - 1,
		}}
	}
}

// The ladder is climbed as long as nothing helps: a restart, what is installed put there again, the node withdrawn from
// its pools, each after the cool-down. What was withdrawn is given back when the node has been well for a minute.
func TestTheLadderIsClimbedAndWhatItChangedGivenBack(t *testing.T) {
	t.Parallel()
	w := broken(t, "auto")
	w.pooled()
	w.mode("auto", "withdraw_from_pool", "restart_core", "reapply_installed")
	w.drives()
	w.heal()
	w.reaches("running")
	w.orders.end(nodesapi.Result{OK: true})
	require.Equal(t, "restart_core", w.reaches("succeeded").Act)

	w.passes(6 * time.Minute)
	w.heal()
	a := w.reaches("running")
	require.Equal(t, []string{"reapply_installed", "apply-1"}, []string{a.Act, a.ApplyID})
	w.orders.apply("the core does not take its configuration")
	require.Equal(t, "the core does not take its configuration", w.reaches("failed").Error)
	require.Equal(t, []string{w.node("ams")}, w.orders.reinstalled)

	w.passes(6 * time.Minute)
	w.heal()
	a = w.reaches("succeeded")
	require.Equal(t, "withdraw_from_pool", a.Act)
	require.Equal(t, []repair.Effect{{Kind: "pool", ID: "p", Name: "Europe", To: "withdrawn"}}, a.Effects)
	require.True(t, a.Undoable)
	require.Equal(t, []string{"ams"}, w.pools.out())
	require.Equal(t, "mitigated", w.incidentState(*a.IncidentID), "the other members carry its traffic")
	w.passes(6 * time.Minute)
	w.heal()
	require.Len(t, w.actions(), 3, "the ladder ends")

	w.core("ams", "running")
	w.heal()
	require.Equal(t, []string{"ams"}, w.pools.out(), "it has been well for a moment only")
	w.passes(time.Minute)
	news := w.Follow()
	w.heal()
	require.Empty(t, w.pools.out())
	a = w.actions()[0]
	require.Equal(t, []string{"undone", ""}, []string{a.State, a.UndoneBy})
	require.Equal(t, a.ID, paneltest.NextData[healthapi.ActionNews](news, healthapi.EventActionUndone).ActionID)
	require.Equal(t, []string{healthapi.EventActionRun, healthapi.EventActionUndone}, w.Recorded(repair.Object, a.ID))
}

func (w *world) incidentState(id string) string {
	w.t.Helper()
	return w.admin.Get("/api/v1/health/incidents/" + id).Is(http.StatusOK).Text("state")
}

// No more members are withdrawn than the policy's share, the first one always where another is usable; also when all
// fail at once.
func TestAPoolKeepsItsShareOfMembers(t *testing.T) {
	t.Parallel()
	w := broken(t, "auto")
	w.pooled()
	w.mode("auto", "withdraw_from_pool")
	w.core("ber", "failed")
	w.heal()
	w.drives()
	require.Eventually(t, func() bool {
		w.passes(time.Second)
		return !slices.ContainsFunc(w.actions(), func(a repair.Action) bool { return a.State == "approved" })
	}, within, every)
	require.Len(t, w.pools.out(), 1)
	states := map[string]string{}
	for _, a := range w.actions() {
		states[a.State] = a.Reason
	}
	require.Equal(t, map[string]string{"succeeded": "", "skipped": repair.PoolShare}, states)
}

// A person may give back what was withdrawn; then the incident goes on, and the node is not withdrawn again.
func TestAPersonGivesBackWhatWasWithdrawn(t *testing.T) {
	t.Parallel()
	w := broken(t, "auto")
	w.pooled()
	w.mode("auto", "withdraw_from_pool")
	w.heal()
	w.drives()
	a := w.reaches("succeeded")
	undo := actionsPath + "/" + a.ID + "/undo"
	w.As("health.view").Post(undo, nil).Refused(http.StatusForbidden, "permission_denied")
	for range 2 {
		require.Equal(t, "undone", w.admin.Post(undo, nil).Is(http.StatusOK).Text("state"))
	}
	require.Empty(t, w.pools.out())
	require.NotEmpty(t, w.actions()[0].UndoneBy)
	require.Equal(t, "open", w.incidentState(*a.IncidentID))
	w.passes(10 * time.Minute)
	w.heal()
	require.Empty(t, w.pools.out())
	w.admin.Post(actionsPath+"/nothing/undo", nil).Refused(http.StatusNotFound, "not_found")
}

// A restart has changed nothing that could be given back.
func TestWhatCannotBeGivenBackIsSaid(t *testing.T) {
	t.Parallel()
	w := broken(t, "suggest")
	w.heal()
	w.admin.Post(actionsPath+"/"+w.actions()[0].ID+"/undo", nil).Refused(http.StatusConflict, "action_not_undoable")
}

// While everything automatic is stopped nothing is given back by itself, and it is as soon as the panel may act again.
func TestNothingIsGivenBackWhileEverythingAutomaticIsStopped(t *testing.T) {
	t.Parallel()
	w := broken(t, "auto")
	w.pooled()
	w.mode("auto", "withdraw_from_pool")
	w.heal()
	kill := w.drives()
	w.reaches("succeeded")
	kill()
	w.admin.Post("/api/v1/system/automation/stop", fields{"reason": "strange"}).Is(http.StatusOK)
	w.core("ams", "running")
	w.passes(time.Hour)
	w.heal()
	require.Equal(t, []string{"ams"}, w.pools.out())
	w.admin.Post("/api/v1/system/automation/resume", nil).Is(http.StatusOK)
	w.heal()
	require.Empty(t, w.pools.out())
}
