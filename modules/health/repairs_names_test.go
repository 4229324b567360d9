package health

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/cdn-dns/cdndnsapi"
	"panel/modules/health/healthapi"
	"panel/modules/health/internal/repair"
)

// ledNames are the names of a test that could lead elsewhere. It is cdndnsapi.Names.
type ledNames struct {
	mu      sync.Mutex
	at      map[string][]cdndnsapi.Name // by node
	led     map[string][]cdndnsapi.Name // by why
	silent  bool                        // the DNS service does not answer
	problem string
}

func (l *ledNames) Elsewhere(_ context.Context, nodeIDs ...string) (map[string][]cdndnsapi.Name, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := map[string][]cdndnsapi.Name{}
	for _, id := range nodeIDs {
		if len(l.led) == 0 && len(l.at[id]) > 0 {
			out[id] = slices.Clone(l.at[id])
		}
	}
	return out, nil
}

func (l *ledNames) Lead(_ context.Context, why string, names ...cdndnsapi.Name) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.led[why] = names
	return nil
}

func (l *ledNames) Leading(_ context.Context, why string) (cdndnsapi.Leading, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	far := cdndnsapi.Leading{Names: l.led[why]}
	if l.silent {
		far.Waits, far.Problem = len(far.Names), l.problem
	}
	return far, nil
}

func (l *ledNames) LeadBack(_ context.Context, why string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.led, why)
	return nil
}

// set changes them.
func (l *ledNames) set(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
}

// out are the names that lead elsewhere, sorted.
func (l *ledNames) out() (names []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, led := range l.led {
		for _, n := range led {
			names = append(names, n.Hostname)
		}
	}
	slices.Sort(names)
	return names
}

// blocked is a world whose node ams talks with the panel while nobody reaches it, nor the flow by its name.
func blocked(t *testing.T) (w *world, flow string) {
	t.Helper()
	w = newWorld(t, "ams", "ber", "fra")
	flow = w.flow("Office", "ams")
	w.names.led, w.names.at = map[string][]cdndnsapi.Name{}, map[string][]cdndnsapi.Name{w.node("ams"): {{
		DomainID: "one", Hostname: "n1.example.com", FlowIDs: []string{flow}, From: "192.0.2.1", To: "192.0.2.101",
		TTL: time.Minute,
	}}}
	w.place()
	w.settled()
	w.mode("auto", "switch_dns")
	w.seen(flow, false, false)
	w.becomes(w.node("ams"), verdictRow{"down", "unreachable", "unreachable"})
	return w, flow
}

// seen has all vantages reach the node ams and the flow, or not.
func (w *world) seen(flow string, node, byName bool) {
	w.t.Helper()
	w.passes(10 * time.Second)
	w.beat()
	w.all(w.check(w.node("ams"), "tcp"), node)
	w.all(w.check(flow, "tls"), byName)
	is := func(subject string, ok bool, well ...string) bool {
		return ok == slices.Contains(well, w.verdict(subject).State)
	}
	require.Eventually(w.t, func() bool {
		w.round()
		return is(w.node("ams"), node, "up", "degraded") && is(flow, byName, "up", "degraded")
	}, within, every)
}

// A name leads to another address of a node that only its agent reaches, which helps when its flow is up, and back
// when the node has been well for a minute. The incident is mitigated meanwhile.
func TestANameLeadsToAnotherAddressUntilTheNodeIsWell(t *testing.T) {
	t.Parallel()
	w, flow := blocked(t)
	w.heal()
	w.drives()
	a := w.reaches("succeeded")
	require.Equal(t, []string{"switch_dns", ""}, []string{a.Act, a.Outcome}, "nobody has looked since")
	require.Equal(t, []repair.Effect{
		{Kind: "domain", ID: "one", Name: "n1.example.com", From: "192.0.2.1", To: "192.0.2.101"},
	}, a.Effects)
	require.True(t, a.Undoable)
	require.Equal(t, []string{"n1.example.com"}, w.names.out())

	w.seen(flow, false, true)
	w.heal()
	a = w.actions()[0]
	require.Equal(t, []string{"succeeded", "helped"}, []string{a.State, a.Outcome}, "the flow is up, the node is not")

	w.seen(flow, true, true)
	w.heal()
	require.Equal(t, []string{"n1.example.com"}, w.names.out(), "it has been well for a moment only")
	w.passes(time.Minute)
	w.heal()
	require.Empty(t, w.names.out())
	require.Equal(t, "undone", w.actions()[0].State)
	require.Equal(t, []string{healthapi.EventActionRun, healthapi.EventActionUndone}, w.Recorded(repair.Object, a.ID))
}

// What does not help in time, as long as resolvers keep the answer of before included, is given back and not tried
// again.
func TestANameThatHelpsNobodyLeadsBack(t *testing.T) {
	t.Parallel()
	w, flow := blocked(t)
	w.heal()
	w.drives()
	w.reaches("succeeded")
	w.passes(5 * time.Minute)
	w.seen(flow, false, false)
	w.heal()
	require.Equal(t, []string{"n1.example.com"}, w.names.out(), "resolvers may have the old address for a minute more")
	w.passes(time.Minute)
	w.heal()
	a := w.actions()[0]
	require.Equal(t, []string{"undone", "not_helped", ""}, []string{a.State, a.Outcome, a.UndoneBy})
	require.Empty(t, w.names.out())
	w.passes(time.Hour)
	w.seen(flow, false, false)
	w.heal()
	require.Len(t, w.actions(), 1)
}

// Where the first address does not help either, the name leads to the next one, until all were tried.
func TestANameLeadsToOneAddressAfterTheOther(t *testing.T) {
	t.Parallel()
	w, flow := blocked(t)
	w.names.set(func() { w.names.at[w.node("ams")][0].Others = []string{"192.0.2.102"} })
	w.drives()
	w.heal()
	require.Equal(t, "192.0.2.101", w.reaches("succeeded").Effects[0].To)
	w.passes(6 * time.Minute)
	w.seen(flow, false, false)
	w.heal()
	require.Equal(t, "192.0.2.102", w.reaches("succeeded").Effects[0].To)
	require.Equal(t, []string{"undone", "not_helped"}, []string{w.actions()[1].State, w.actions()[1].Outcome})
	w.passes(time.Hour)
	w.seen(flow, false, false)
	w.heal()
	w.heal()
	require.Len(t, w.actions(), 2, "it has no further address")
	require.Equal(t, "not_helped", w.actions()[0].Outcome)
	require.Empty(t, w.names.out())
}

// A name whose flows are all up is left alone, and so is one of a node that its agent is silent about.
func TestANameIsLeftAloneWhereNobodySuffers(t *testing.T) {
	t.Parallel()
	w, flow := blocked(t)
	w.seen(flow, false, true)
	w.heal()
	require.Empty(t, w.actions())

	w.lost(w.node("ams"))
	w.seen(flow, false, false)
	w.heal()
	require.Empty(t, w.actions(), "a machine that is gone has no other address")
}

// A DNS service that does not write ends the action with what is wrong there, also when the panel dies meanwhile.
func TestRecordsThatAreNotWrittenAreAFailure(t *testing.T) {
	t.Parallel()
	w, flow := blocked(t)
	w.names.set(func() {
		w.names.silent, w.names.problem = true, "the token lacks the right to edit the zone"
		w.names.at[w.node("ams")][0].Others = []string{"192.0.2.102"}
	})
	w.heal()
	w.fails("the token lacks the right to edit the zone")
	require.Empty(t, w.names.out())
	w.passes(time.Hour)
	w.seen(flow, false, false)
	w.heal()
	require.Len(t, w.actions(), 1, "it would write no other record either")
}

// A person approves what is proposed, and has the name lead back.
func TestAPersonHasANameLeadBack(t *testing.T) {
	t.Parallel()
	w, flow := blocked(t)
	w.mode("suggest", "switch_dns")
	w.heal()
	a := w.actions()[0]
	require.Equal(t, []string{"switch_dns", "proposed"}, []string{a.Act, a.State})
	w.admin.Post(actionsPath+"/"+a.ID+"/approve", nil).Is(http.StatusOK)
	w.drives()
	w.reaches("succeeded")
	w.names.set(func() { w.names.at[w.node("ams")][0].Others = []string{"192.0.2.102"} })
	require.Equal(t, "undone", w.admin.Post(actionsPath+"/"+a.ID+"/undo", nil).Is(http.StatusOK).Text("state"))
	require.Empty(t, w.names.out())
	w.passes(time.Hour)
	w.seen(flow, false, false)
	w.heal()
	require.Len(t, w.actions(), 1, "who takes it back does not want the next address either")
}
