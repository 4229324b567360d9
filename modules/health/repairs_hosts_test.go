package health

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/health/healthapi"
	"panel/modules/health/internal/repair"
	"panel/modules/proxypanel/proxypanelapi"
)

// shownHosts are the hosts of a test that lead to nodes. It is proxypanelapi.Hosts.
type shownHosts struct {
	mu      sync.Mutex
	at      map[string][]proxypanelapi.Host
	hidden  map[string][]string // by why
	theirs  []string            // that somebody else hides
	silent  bool                // the proxy panel does not answer
	problem string
	nodes   []proxypanelapi.NodeState
}

// States are how nodes of the proxy panels are. It is proxypanelapi.Nodes.
func (s *shownHosts) States(context.Context) ([]proxypanelapi.NodeState, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.nodes), nil
}

func (s *shownHosts) Shown(_ context.Context, nodeIDs ...string) (map[string][]proxypanelapi.Host, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string][]proxypanelapi.Host{}
	for _, id := range nodeIDs {
		for _, h := range s.at[id] {
			hides := func(ids []string) bool { return slices.Contains(ids, h.ID) }
			if !slices.ContainsFunc(s.all(), hides) {
				out[id] = append(out[id], h)
			}
		}
	}
	return out, nil
}

func (s *shownHosts) all() (out [][]string) {
	for _, ids := range s.hidden {
		out = append(out, ids)
	}
	return out
}

func (s *shownHosts) Hide(_ context.Context, why, _ string, hostIDs ...string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hidden[why] = hostIDs
	return nil
}

func (s *shownHosts) Hiding(_ context.Context, why string) (proxypanelapi.Hiding, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.silent {
		return proxypanelapi.Hiding{Waits: len(s.hidden[why]), Problem: s.problem}, nil
	}
	theirs := func(id string) bool { return slices.Contains(s.theirs, id) }
	ours := slices.DeleteFunc(slices.Clone(s.hidden[why]), theirs)
	return proxypanelapi.Hiding{Hidden: ours}, nil
}

func (s *shownHosts) Show(_ context.Context, why string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.hidden, why)
	return nil
}

// set changes them.
func (s *shownHosts) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// out are the ids of those that are hidden, sorted.
func (s *shownHosts) out() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(slices.Values(slices.Concat(s.all()...)))
}

// led is a world whose node ams is down and has two hosts, of which one can be spared.
func led(t *testing.T) *world {
	t.Helper()
	w := broken(t, "auto")
	w.hosts.set(func() {
		w.hosts.hidden = map[string][]string{}
		w.hosts.at = map[string][]proxypanelapi.Host{w.node("ams"): {
			{ID: "one", Name: "Amsterdam", Panel: "main", Spare: true}, {ID: "two", Name: "Only", Panel: "main"},
		}}
	})
	w.mode("auto", "hide_proxypanel_hosts")
	return w
}

// Hosts that lead to a node that is down are hidden where users see others, and shown when it has been well for a
// minute. The incident goes on: who has read the hosts before still suffers.
func TestHostsOfANodeThatIsDownAreHiddenUntilItIsWell(t *testing.T) {
	t.Parallel()
	w := led(t)
	w.heal()
	w.drives()
	a := w.reaches("succeeded")
	require.Equal(t, []string{"hide_proxypanel_hosts", "helped"}, []string{a.Act, a.Outcome})
	require.Equal(t, []repair.Effect{{Kind: "host", ID: "one", Name: "Amsterdam", From: "main", To: "hidden"}}, a.Effects)
	require.True(t, a.Undoable)
	require.Equal(t, []string{"one"}, w.hosts.out(), "the other one is all that its users have")
	require.Equal(t, "open", w.incidentState(*a.IncidentID))
	w.passes(6 * time.Minute)
	w.heal()
	require.Equal(t, "succeeded", w.actions()[0].State, "helped, and it is not tried again")

	w.core("ams", "running")
	w.heal()
	require.Equal(t, []string{"one"}, w.hosts.out(), "it has been well for a moment only")
	w.passes(time.Minute)
	w.heal()
	require.Empty(t, w.hosts.out())
	a = w.actions()[0]
	require.Equal(t, []string{"undone", ""}, []string{a.State, a.UndoneBy})
	require.Equal(t, []string{healthapi.EventActionRun, healthapi.EventActionUndone}, w.Recorded(repair.Object, a.ID))
}

// Where no host can be spared nothing is hidden, and it is said.
func TestTheLastHostStays(t *testing.T) {
	t.Parallel()
	w := led(t)
	w.hosts.set(func() { w.hosts.at[w.node("ams")][0].Spare = false })
	w.heal()
	a := w.actions()[0]
	require.Equal(t, []string{"skipped", repair.LastHost}, []string{a.State, a.Reason})
	require.Empty(t, w.hosts.out())

	// So it is where that changes between the decision and the act.
	w.passes(time.Hour)
	w.hosts.set(func() { w.hosts.at[w.node("ams")][0].Spare = true })
	w.heal()
	w.hosts.set(func() { w.hosts.at[w.node("ams")][0].Spare = false })
	w.drives()
	require.Equal(t, repair.LastHost, w.reaches("skipped").Reason)
	require.Empty(t, w.hosts.out())
}

// A proxy panel that does not answer ends the action with what is wrong there, and what was hidden by then is shown.
func TestHostsThatCannotBeHiddenAreAFailure(t *testing.T) {
	t.Parallel()
	w := led(t)
	w.hosts.set(func() { w.hosts.silent, w.hosts.problem = true, "the proxy panel did not answer in time" })
	w.heal()
	w.fails("the proxy panel did not answer in time")
	require.Empty(t, w.hosts.out())
}

// A host that somebody else hides is no effect of the action, and nothing of it is given back.
func TestAHostThatSomebodyElseHidesIsNotOurs(t *testing.T) {
	t.Parallel()
	w := led(t)
	w.hosts.set(func() { w.hosts.theirs = []string{"one"} })
	w.heal()
	w.drives()
	a := w.reaches("succeeded")
	require.Empty(t, a.Effects)
	require.False(t, a.Undoable)
	require.Empty(t, w.hosts.out())
}

// A person has hosts shown again although the node is down; the dry run counts what would have been hidden.
func TestAPersonHasHostsShownAgain(t *testing.T) {
	t.Parallel()
	w := led(t)
	var dry repair.DryRun
	w.admin.Get("/api/v1/health/self-heal/dry-run?actions=hide_proxypanel_hosts").Is(http.StatusOK).JSON(&dry)
	require.Equal(t, []any{1, "hide_proxypanel_hosts", "approved"}, []any{dry.Actions, dry.Items[0].Act, dry.Items[0].State})
	w.heal()
	w.drives()
	a := w.reaches("succeeded")
	require.Equal(t, "undone", w.admin.Post(actionsPath+"/"+a.ID+"/undo", nil).Is(http.StatusOK).Text("state"))
	require.Empty(t, w.hosts.out())
	require.NotEmpty(t, w.actions()[0].UndoneBy)
	w.passes(10 * time.Minute)
	w.heal()
	require.Empty(t, w.hosts.out(), "not hidden again before it has been well")
}
