package health

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/health/healthapi"
	"panel/modules/health/internal/repair"
	"panel/modules/nodes/nodesapi"
	"panel/platform/doctor"
	"panel/platform/paneltest"
)

const actionsPath = "/api/v1/health/self-heal/actions"

// orders are what agents were told, and where something is being installed. It is nodesapi.Commands and
// flowsapi.Applies.
type orders struct {
	nodesapi.Commands
	mu    sync.Mutex
	sent  []nodesapi.Order
	ended map[string]nodesapi.Result
	busy  []string

	reinstalled []string // nodes
	applied     bool     // their applies are over
	failure     string
}

func (o *orders) Send(_ context.Context, all ...nodesapi.Order) (ids []string, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, one := range all {
		o.sent = append(o.sent, one)
		ids = append(ids, strconv.Itoa(len(o.sent)))
	}
	return ids, nil
}

func (o *orders) Results(context.Context, ...string) (map[string]nodesapi.Result, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.ended, nil
}

// end ends all orders like this.
func (o *orders) end(result nodesapi.Result) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = map[string]nodesapi.Result{}
	for i := range o.sent {
		o.ended[strconv.Itoa(i+1)] = result
	}
}

func (o *orders) count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.sent)
}

func (o *orders) OnNodes(_ context.Context, ids ...string) (map[string]bool, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	busy := map[string]bool{}
	for _, id := range ids {
		busy[id] = slices.Contains(o.busy, id)
	}
	return busy, nil
}

func (o *orders) Reinstall(_ context.Context, nodeID string) (string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.reinstalled = append(o.reinstalled, nodeID)
	return "apply-" + strconv.Itoa(len(o.reinstalled)), nil
}

func (o *orders) Ended(context.Context, string) (bool, string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.applied, o.failure, nil
}

// applies end from now on, with a failure or without.
func (o *orders) apply(failure string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.applied, o.failure = true, failure
}

// mode has all nodes repaired like this, by some acts or by restarts alone.
func (w *world) mode(mode string, acts ...string) {
	w.t.Helper()
	if len(acts) == 0 {
		acts = []string{"restart_core"}
	}
	policy := w.admin.Get(policiesPath + "/" + defaultID).Is(http.StatusOK)
	w.admin.Patch(policiesPath+"/"+defaultID, fields{"revision": policy.Value("revision"), "repair": fields{
		"mode": mode, "actions": acts, "limits": fields{"max_actions_per_hour": 10, "cooldown_s": 300},
	}}).Is(http.StatusOK)
}

// core has the agent of a node say how its core is.
func (w *world) core(name, state string) {
	w.t.Helper()
	w.fleet.set(func(n *nodesapi.Node) { n.CoreState, n.RevisionDesired = state, 1 }, w.node(name))
	w.passes(20 * time.Second)
	w.beat()
	w.round()
}

// heal decides once.
func (w *world) heal() {
	w.t.Helper()
	require.NoError(w.t, w.heals.Look(w.t.Context()))
}

func (w *world) actions() (all []repair.Action) {
	w.t.Helper()
	var page struct{ Items []repair.Action }
	w.admin.Get(actionsPath).Is(http.StatusOK).JSON(&page)
	return page.Items
}

// drives lets repairs come to their end on a panel of their own, until the test ends it.
func (w *world) drives() (kill func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var over sync.WaitGroup
	over.Go(func() { _ = w.heals.Run(ctx) })
	kill = func() { cancel(); over.Wait() }
	w.t.Cleanup(kill)
	return kill
}

// state waits until the newest action is in a state; its clock goes on meanwhile.
func (w *world) reaches(state string) (a repair.Action) {
	w.t.Helper()
	require.Eventually(w.t, func() bool {
		w.passes(time.Second)
		all := w.actions()
		if len(all) > 0 {
			a = all[0]
		}
		return a.State == state
	}, within, every, "the newest action becomes %s", state)
	return a
}

// fails lets the panel die while an action runs, which another one ends as failed and with nothing to give back.
func (w *world) fails(problem string) {
	w.t.Helper()
	kill := w.drives()
	w.reaches("running")
	kill()
	w.drives()
	w.passes(3 * time.Minute)
	a := w.reaches("failed")
	require.Equal(w.t, problem, a.Error)
	require.Empty(w.t, a.Effects)
	require.False(w.t, a.Undoable)
}

func broken(t *testing.T, mode string) *world {
	t.Helper()
	w := newWorld(t, "ams", "ber", "fra")
	w.place()
	w.settled()
	w.mode(mode)
	w.core("ams", "failed")
	return w
}

// A core that does not run is restarted by itself, once, with its evidence; the journal says that the panel did it.
func TestACoreThatDoesNotRunIsRestarted(t *testing.T) {
	t.Parallel()
	w := broken(t, "auto")
	news := w.Follow()
	w.heal()
	w.heal()
	require.Len(t, w.actions(), 1, "once, however often it is looked at")
	w.drives()
	a := w.reaches("running")
	require.Equal(t, "core_failed", a.Evidence.Hint)
	require.Empty(t, a.ApprovedBy)
	require.Equal(t, []string{"restart_core", w.node("ams"), "self-repair"},
		[]string{w.orders.sent[0].Kind, w.orders.sent[0].NodeID, w.orders.sent[0].By})
	w.orders.end(nodesapi.Result{OK: true})
	w.reaches("succeeded")
	require.Equal(t, "succeeded", paneltest.NextData[healthapi.ActionNews](news, healthapi.EventActionRun).State)
	require.Equal(t, []string{healthapi.EventActionRun}, w.Recorded(repair.Object, a.ID))
	require.Equal(t, 1, w.orders.count())
}

// A repair that fails says why and is not repeated for the same cause.
func TestARepairThatFailsSaysWhy(t *testing.T) {
	t.Parallel()
	w := broken(t, "auto")
	w.heal()
	w.drives()
	w.reaches("running")
	w.orders.end(nodesapi.Result{Code: "failed", Error: "the core does not take its configuration"})
	require.Equal(t, "the core does not take its configuration", w.reaches("failed").Error)
	w.passes(time.Hour)
	w.heal()
	require.Len(t, w.actions(), 1)
}

// A panel that dies after the order neither forgets nor repeats it: another one reads how it ended.
func TestARepairOutlivesItsPanel(t *testing.T) {
	t.Parallel()
	w := broken(t, "auto")
	w.heal()
	kill := w.drives()
	w.reaches("running")
	kill()
	w.orders.end(nodesapi.Result{OK: true})
	w.drives()
	w.reaches("succeeded")
	require.Equal(t, 1, w.orders.count())
}

// Two panels that look at the same moment decide once.
func TestTwoPanelsDecideOnce(t *testing.T) {
	t.Parallel()
	w := broken(t, "auto")
	var both sync.WaitGroup
	for range 8 {
		both.Go(func() { _ = w.heals.Look(t.Context()) })
	}
	both.Wait()
	require.Len(t, w.actions(), 1)
	w.drives()
	w.drives()
	w.reaches("running")
	w.orders.end(nodesapi.Result{OK: true})
	w.reaches("succeeded")
	require.Equal(t, 1, w.orders.count())
}

// In the mode suggest a person approves; the proposal is withdrawn when the node gets well by itself.
func TestAProposalWaitsForAPerson(t *testing.T) {
	t.Parallel()
	w := broken(t, "suggest")
	w.heal()
	w.drives()
	a := w.actions()[0]
	require.Equal(t, "proposed", a.State)
	w.As("health.view").Post(actionsPath+"/"+a.ID+"/approve", nil).Refused(http.StatusForbidden, "permission_denied")
	w.admin.Post(actionsPath+"/"+a.ID+"/approve", nil).Is(http.StatusOK)
	require.NotEmpty(t, w.reaches("running").ApprovedBy)
	w.orders.end(nodesapi.Result{OK: true})
	w.reaches("succeeded")
	w.admin.Post(actionsPath+"/"+a.ID+"/approve", nil).Refused(http.StatusConflict, "action_not_proposed")
	w.admin.Post(actionsPath+"/"+defaultID+"/approve", nil).Refused(http.StatusNotFound, "not_found")
	require.Equal(t, []string{repair.ActionApproved, healthapi.EventActionRun}, w.Recorded(repair.Object, a.ID))

	w.core("ber", "failed")
	w.heal()
	require.Equal(t, "proposed", w.actions()[0].State)
	w.core("ber", "running")
	w.heal()
	require.Equal(t, []string{"skipped", repair.Recovered}, []string{w.actions()[0].State, w.actions()[0].Reason})
}

// While everything automatic is stopped nothing is done, and it is said once; what a person approves is done.
func TestNothingIsRepairedWhileEverythingAutomaticIsStopped(t *testing.T) {
	t.Parallel()
	w := broken(t, "auto")
	news := w.Follow()
	w.admin.Post("/api/v1/system/automation/stop", fields{"reason": "strange"}).Is(http.StatusOK)
	w.heal()
	w.heal()
	require.Equal(t, "stopped", paneltest.NextData[healthapi.ActionNews](news, healthapi.EventActionSkipped).Reason)
	require.Len(t, w.actions(), 1)
	require.Zero(t, w.orders.count())
	w.admin.Post("/api/v1/system/automation/resume", nil).Is(http.StatusOK)
	w.heal()
	w.drives()
	w.reaches("running")
}

// Between the decision and the act the world is looked at again: an apply, maintenance and a node that is well keep the
// act from happening.
func TestWhatHasChangedSinceTheDecisionKeepsTheAct(t *testing.T) {
	t.Parallel()
	for reason, change := range map[string]func(w *world){
		repair.Applying:  func(w *world) { w.orders.busy = []string{w.node("ams")} },
		repair.Recovered: func(w *world) { w.core("ams", "running") },
		repair.Maintenance: func(w *world) {
			w.fleet.set(func(n *nodesapi.Node) { n.State = "maintenance" }, w.node("ams"))
			w.passes(20 * time.Second)
			w.beat()
			w.round()
		},
		"stopped": func(w *world) {
			w.admin.Post("/api/v1/system/automation/stop", fields{"reason": "strange"}).Is(http.StatusOK)
		},
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			w := broken(t, "auto")
			w.heal()
			change(w)
			w.drives()
			require.Equal(t, reason, w.reaches("skipped").Reason)
			require.Zero(t, w.orders.count())
		})
	}
}

// A core that comes and goes costs no more than the budget, and what is left is said once an hour.
func TestFlappingKeepsTheBudget(t *testing.T) {
	t.Parallel()
	w := broken(t, "auto")
	w.drives()
	w.orders.end(nodesapi.Result{OK: true})
	for range 30 {
		w.core("ams", "failed")
		w.heal()
		require.Eventually(t, func() bool {
			w.orders.end(nodesapi.Result{OK: true})
			w.passes(time.Second)
			return !slices.ContainsFunc(w.actions(), func(a repair.Action) bool {
				return a.State == "approved" || a.State == "running"
			})
		}, within, every)
		w.core("ams", "running")
		w.heal()
	}
	require.LessOrEqual(t, w.orders.count(), repair.PerSubject)
	require.Positive(t, w.orders.count())
	left := map[string]int{}
	for _, a := range w.actions() {
		if a.State == "skipped" {
			left[a.Reason]++
		}
	}
	for reason, n := range left {
		require.LessOrEqual(t, n, 1, reason)
	}
}

// The dry run counts what would have been done last week, within the limits that it is asked with.
func TestTheDryRunCountsLastWeek(t *testing.T) {
	t.Parallel()
	w := broken(t, "observe")
	w.core("ams", "running")
	w.core("ams", "failed")
	w.core("ber", "failed")
	var out repair.DryRun
	w.admin.Get("/api/v1/health/self-heal/dry-run").Is(http.StatusOK).JSON(&out)
	counted := out
	counted.Items = nil
	require.Equal(t, repair.DryRun{Days: 7, Cases: 3, Actions: 2, Spared: 1, Nodes: 2}, counted, "the second of ams is too soon")
	require.Len(t, out.Items, 3)
	require.Equal(t, []string{"ber", "approved", "", "ams", "skipped", "cooldown"}, []string{
		out.Items[0].NodeName, out.Items[0].State, out.Items[0].Reason,
		out.Items[1].NodeName, out.Items[1].State, out.Items[1].Reason,
	}, "the newest first")
	w.admin.Get("/api/v1/health/self-heal/dry-run?max_actions_per_hour=1").Is(http.StatusOK).JSON(&out)
	require.Equal(t, 1, out.Actions)
	w.heal()
	require.Equal(t, "skipped", w.actions()[0].State, "a policy that only observes does nothing")
	require.Equal(t, repair.Observing, w.actions()[0].Reason)
}

// Whether a repair helped is the verdict's to say: the node is well after it, or is not after five minutes. The
// incident tells what was done about it, and is mitigated when the repair helped.
func TestARepairSaysWhetherItHelped(t *testing.T) {
	t.Parallel()
	w := broken(t, "auto")
	w.heal()
	w.drives()
	w.reaches("running")
	w.orders.end(nodesapi.Result{OK: true})
	a := w.reaches("succeeded")
	require.Empty(t, a.Outcome, "nobody knows yet")
	require.NotNil(t, a.IncidentID)
	var incident struct {
		State   string
		Actions []repair.Action
	}
	w.admin.Get("/api/v1/health/incidents/" + *a.IncidentID).Is(http.StatusOK).JSON(&incident)
	require.Equal(t, "open", incident.State)
	require.Len(t, incident.Actions, 1)
	w.core("ams", "running")
	w.heal()
	require.Equal(t, "helped", w.actions()[0].Outcome)
	w.admin.Get("/api/v1/health/incidents/" + *a.IncidentID).Is(http.StatusOK).JSON(&incident)
	require.Equal(t, []string{"mitigated", "helped"}, []string{incident.State, incident.Actions[0].Outcome})

	w.passes(10 * time.Minute)
	w.core("ams", "failed")
	w.heal()
	w.reaches("running")
	w.orders.end(nodesapi.Result{OK: true})
	w.reaches("succeeded")
	w.heal()
	require.Empty(t, w.actions()[0].Outcome)
	w.passes(5 * time.Minute)
	w.heal()
	require.Equal(t, "not_helped", w.actions()[0].Outcome)
	counts, err := repair.Counts(t.Context(), w.DB)
	require.NoError(t, err)
	require.Equal(t, []float64{1, 1, 0}, []float64{counts["succeeded"], counts["not_helped"], counts["failed"]})
}

// What a person does not want is not done, and is not proposed again before the node has been well.
func TestADismissedProposalIsNotMadeAgain(t *testing.T) {
	t.Parallel()
	w := broken(t, "suggest")
	w.heal()
	a := w.actions()[0]
	w.As("health.view").Post(actionsPath+"/"+a.ID+"/dismiss", nil).Refused(http.StatusForbidden, "permission_denied")
	for range 2 {
		w.admin.Post(actionsPath+"/"+a.ID+"/dismiss", nil).Is(http.StatusOK)
	}
	a = w.actions()[0]
	require.Equal(t, []string{"skipped", repair.Dismissed}, []string{a.State, a.Reason})
	require.NotEmpty(t, a.Dismisser)
	require.Equal(t, []string{repair.ActionDismissed}, w.Recorded(repair.Object, a.ID))
	w.admin.Post(actionsPath+"/"+a.ID+"/approve", nil).Refused(http.StatusConflict, "action_not_proposed")
	w.passes(time.Hour)
	w.heal()
	require.Len(t, w.actions(), 1)
	w.core("ams", "running")
	w.core("ams", "failed")
	w.heal()
	require.Equal(t, "proposed", w.actions()[0].State)
	require.Zero(t, w.orders.count())
}

// What somebody approves is an operation of that person, with the id of the action, and ends as the action ends.
func TestAnApprovedRepairIsAnOperationOfThatPerson(t *testing.T) {
	t.Parallel()
	w := broken(t, "suggest")
	w.heal()
	a := w.actions()[0]
	w.admin.Post(actionsPath+"/"+a.ID+"/approve", nil).Is(http.StatusOK)
	operation := func() map[string]any {
		var out map[string]any
		w.admin.Get("/api/v1/operations/" + a.ID).Is(http.StatusOK).JSON(&out)
		return out
	}
	require.Equal(t, []any{"queued", repair.Operation}, []any{operation()["state"], operation()["kind"]})
	w.drives()
	w.reaches("running")
	require.Equal(t, "running", operation()["state"])
	w.orders.end(nodesapi.Result{Code: "failed", Error: "no such file"})
	w.reaches("failed")
	require.Equal(t, []any{"failed", "no such file"}, []any{operation()["state"], operation()["error"]})
}

// The list is read by state, by node and by incident; strange words are refused.
func TestRepairsAreFound(t *testing.T) {
	t.Parallel()
	w := broken(t, "suggest")
	w.core("ber", "failed")
	w.heal()
	found := func(query string) int {
		var page struct{ Items []repair.Action }
		w.admin.Get(actionsPath + "?" + query).Is(http.StatusOK).JSON(&page)
		return len(page.Items)
	}
	require.Equal(t, 2, found("state=open"))
	require.Equal(t, 1, found("node_id="+w.node("ber")))
	require.Equal(t, 1, found("incident_id="+*w.actions()[0].IncidentID+"&node_id="+w.actions()[0].NodeID))
	require.Zero(t, found("state=failed"))
	require.Zero(t, found("incident_id=nothing"))
	w.admin.Get(actionsPath+"?state=strange").Refused(http.StatusBadRequest, "bad_parameter")
	w.admin.Get(actionsPath+"/nothing").Refused(http.StatusNotFound, "not_found")
	w.admin.Post(actionsPath+"/nothing/dismiss", nil).Refused(http.StatusNotFound, "not_found")
}

// Rule of Doctor: it names proposals that wait, and repairs that were done for nothing.
func TestDoctorSaysWhatBecameOfRepairs(t *testing.T) {
	t.Parallel()
	w := broken(t, "suggest")
	require.Equal(t, doctor.OK, w.asks(repairCheck(), w.clock.Now()).Status)
	w.heal()
	found := w.asks(repairCheck(), w.clock.Now())
	require.Equal(t, doctor.Warning, found.Status)
	require.Equal(t, "восстановлений, которые ждут одобрения: 1", found.Found.In(doctor.Russian))
	w.admin.Post(actionsPath+"/"+w.actions()[0].ID+"/approve", nil).Is(http.StatusOK)
	w.drives()
	w.reaches("running")
	w.orders.end(nodesapi.Result{Code: "failed", Error: "no such file"})
	w.reaches("failed")
	require.Equal(t, 1, w.asks(repairCheck(), w.clock.Now()).Data["failed"])
	require.Contains(t, w.Scrape(), `panel_self_repair_actions{state="failed"} 1`)
}

// A panel that dies while an apply goes on leaves it to another one; the apply is begun once.
func TestAReinstallationOutlivesItsPanel(t *testing.T) {
	t.Parallel()
	w := broken(t, "auto")
	w.mode("auto", "reapply_installed")
	w.heal()
	kill := w.drives()
	w.reaches("running")
	kill()
	w.orders.apply("")
	w.drives()
	w.reaches("succeeded")
	require.Len(t, w.orders.reinstalled, 1)
}
