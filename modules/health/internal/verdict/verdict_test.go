package verdict_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/health/internal/verdict"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func sight(state string, more ...func(*verdict.Sight)) verdict.Sight {
	s := verdict.Sight{State: state, Fresh: true, At: noon}
	if state == verdict.Down {
		s.Reason = "timeout"
	}
	for _, one := range more {
		one(&s)
	}
	return s
}

func panel(s *verdict.Sight)   { s.Panel = true }
func old(s *verdict.Sight)     { s.Fresh = false }
func expired(s *verdict.Sight) { s.Reason = "certificate_expired" }

const (
	up      = verdict.Up
	down    = verdict.Down
	unknown = verdict.Unknown
)

// Domain 4.6: down only if a quorum of vantages says so; "down for 3 of 4 agents, the panel sees it" is a matter of the
// route and not of the node.
func TestACheckIsDownOnlyWhenAQuorumSaysSoAndNobodySeesIt(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		sights []verdict.Sight
		want   verdict.Verdict
	}{
		"nobody looked": {nil, verdict.Verdict{State: unknown, Reason: verdict.NoEvidence}},
		"all see it":    {[]verdict.Sight{sight(up), sight(up, panel)}, verdict.Verdict{State: up}},
		"two of two":    {[]verdict.Sight{sight(down), sight(down)}, verdict.Verdict{State: down, Reason: "timeout"}},
		"the only one there is": {
			[]verdict.Sight{sight(down, panel)}, verdict.Verdict{State: down, Reason: "timeout"},
		},
		"one of many, the others silent": {
			[]verdict.Sight{sight(down), sight(up, old), sight(up, old), sight(down, old)},
			verdict.Verdict{State: unknown, Reason: verdict.FewVantages},
		},
		"three of four agents, the panel sees it": {
			[]verdict.Sight{sight(down), sight(down), sight(down), sight(up, panel)},
			verdict.Verdict{State: verdict.Degraded, Reason: verdict.PartlyThere, Hint: verdict.HintRoute},
		},
		"the panel alone does not": {
			[]verdict.Sight{sight(down, panel), sight(up)},
			verdict.Verdict{State: verdict.Degraded, Reason: verdict.PartlyThere, Hint: verdict.HintPanelRoute},
		},
		"a certificate that has ended, and one has not looked since": {
			[]verdict.Sight{sight(down, expired), sight(down, expired, panel), sight(up)},
			verdict.Verdict{State: verdict.Degraded, Reason: "certificate_expired", Hint: verdict.HintCert},
		},
		"one of four does not": {
			[]verdict.Sight{sight(down, panel), sight(up), sight(up), sight(up)}, verdict.Verdict{State: up},
		},
		"all old": {
			[]verdict.Sight{sight(up, old), sight(up, old)},
			verdict.Verdict{State: unknown, Reason: verdict.EvidenceOld},
		},
	} {
		require.Equal(t, one.want, verdict.Together(one.sights, 2).Verdict, name)
	}
}

func anySights(r *rand.Rand) []verdict.Sight {
	out := make([]verdict.Sight, r.IntN(9))
	for i := range out {
		out[i] = sight([]string{up, down, unknown}[r.IntN(3)])
		out[i].Fresh, out[i].Panel = r.IntN(4) > 0, r.IntN(5) == 0
	}
	return out
}

// Whatever the evidence: never down without the quorum or against who sees it well, never up without fresh evidence,
// and the order of the vantages does not matter.
func TestVerdictsHoldTheirRulesForAnyEvidence(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		sights, quorum := anySights(r), 1+r.IntN(5)
		cell := verdict.Together(sights, quorum)
		require.Equal(t, len(sights), cell.Up+cell.Down+cell.Unknown)
		switch cell.State {
		case down:
			require.Zero(t, cell.Up)
			require.GreaterOrEqual(t, cell.Down, min(quorum, len(sights)))
			require.NotEmpty(t, cell.Reason)
		case up:
			require.Positive(t, cell.Up)
			require.Greater(t, cell.Up, cell.Down)
		case verdict.Degraded:
			require.Positive(t, cell.Up)
			require.Positive(t, cell.Down)
		}
		r.Shuffle(len(sights), func(i, j int) { sights[i], sights[j] = sights[j], sights[i] })
		require.Equal(t, cell, verdict.Together(sights, quorum))

		node := anyNode(r, cell)
		judged := verdict.OfNode(node)
		if judged.State == up {
			require.Equal(t, verdict.Heard, node.Heartbeat, "old evidence is never green")
			require.NotEqual(t, "failed", node.Core)
		}
		if judged.State == down && node.CutOff && node.Heartbeat != verdict.Heard {
			require.Equal(t, down, cell.State, "silence alone is no node that is down while the panel is cut off")
		}
		require.Equal(t, judged.State == up, judged.Reason == "")
	}
}

func anyNode(r *rand.Rand, cell verdict.Cell) verdict.Node {
	return verdict.Node{
		Heartbeat: []string{verdict.Heard, verdict.Silent, verdict.Lost}[r.IntN(3)],
		Core:      []string{"running", "failed", "stopped", "starting"}[r.IntN(4)],
		HasConfig: r.IntN(2) == 0, CutOff: r.IntN(3) == 0, Reach: cell,
	}
}

func reach(state string) verdict.Cell {
	return verdict.Cell{Verdict: verdict.Verdict{State: state, Reason: "x"}, Assigned: 3}
}

func TestANodeIsJudgedByItsAgentItsCoreAndWhatOthersReach(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		node verdict.Node
		want verdict.Verdict
	}{
		"well":         {verdict.Node{Heartbeat: verdict.Heard, Core: "running"}, verdict.Verdict{State: up}},
		"core is dead": {verdict.Node{Heartbeat: verdict.Heard, Core: "failed"}, verdict.Verdict{down, verdict.CoreFailed, verdict.HintCore}},
		"core stands still": {
			verdict.Node{Heartbeat: verdict.Heard, Core: "stopped", HasConfig: true},
			verdict.Verdict{down, verdict.CoreStopped, verdict.HintCore},
		},
		"no core wanted": {verdict.Node{Heartbeat: verdict.Heard, Core: "stopped"}, verdict.Verdict{State: up}},
		"nobody gets there, the agent talks": {
			verdict.Node{Heartbeat: verdict.Heard, Core: "running", Reach: reach(down)},
			verdict.Verdict{down, verdict.Unreachable, verdict.HintUnreachable},
		},
		"late": {
			verdict.Node{Heartbeat: verdict.Silent, Reach: reach(up)},
			verdict.Verdict{verdict.Degraded, verdict.AgentSilent, verdict.HintAgent},
		},
		"late, nobody gets there": {
			verdict.Node{Heartbeat: verdict.Silent, Reach: reach(down)},
			verdict.Verdict{down, verdict.Unreachable, verdict.HintUnreachable},
		},
		"lost, others get there": {
			verdict.Node{Heartbeat: verdict.Lost, Reach: reach(up)},
			verdict.Verdict{verdict.Degraded, verdict.AgentUnheard, verdict.HintAgent},
		},
		"lost, nobody gets there": {
			verdict.Node{Heartbeat: verdict.Lost, Reach: reach(down)},
			verdict.Verdict{down, verdict.Unreachable, verdict.HintUnreachable},
		},
		"lost, nobody else looks": {
			verdict.Node{Heartbeat: verdict.Lost}, verdict.Verdict{down, verdict.AgentLost, verdict.HintUnreachable},
		},
		"lost, who looks says nothing": {
			verdict.Node{Heartbeat: verdict.Lost, Reach: reach(unknown)}, verdict.Verdict{unknown, "x", ""},
		},
		"the panel is cut off": {
			verdict.Node{Heartbeat: verdict.Lost, CutOff: true, Reach: reach(unknown)},
			verdict.Verdict{unknown, verdict.PanelCutOff, verdict.HintPanelRoute},
		},
		"the panel is cut off, others get there": {
			verdict.Node{Heartbeat: verdict.Lost, CutOff: true, Reach: reach(up)},
			verdict.Verdict{verdict.Degraded, verdict.AgentUnheard, verdict.HintPanelRoute},
		},
		"it reaches no name": {
			verdict.Node{Heartbeat: verdict.Heard, Own: []verdict.Own{{Check: "dns", Cell: reach(down)}}},
			verdict.Verdict{verdict.Degraded, verdict.Egress, verdict.HintDNS},
		},
		"disabled": {verdict.Node{Resting: verdict.Disabled}, verdict.Verdict{unknown, verdict.Disabled, ""}},
	} {
		require.Equal(t, one.want, verdict.OfNode(one.node), name)
	}
}

func entry(states ...string) (e verdict.Entry) {
	for _, state := range states {
		e.Cells = append(e.Cells, reach(state))
	}
	return e
}

func TestAFlowIsJudgedByItsEntriesAndNodes(t *testing.T) {
	t.Parallel()
	expired := reach(down)
	expired.Reason = "certificate_expired"
	for name, one := range map[string]struct {
		flow verdict.Flow
		want verdict.Verdict
	}{
		"well":         {verdict.Flow{Entries: []verdict.Entry{entry(up, up), entry(up)}}, verdict.Verdict{State: up}},
		"one of two":   {verdict.Flow{Entries: []verdict.Entry{entry(up), entry(down)}}, verdict.Verdict{verdict.Degraded, verdict.Unreachable, verdict.HintUnreachable}},
		"all":          {verdict.Flow{Entries: []verdict.Entry{entry(down), entry(down)}}, verdict.Verdict{down, verdict.Unreachable, verdict.HintUnreachable}},
		"certificate":  {verdict.Flow{Entries: []verdict.Entry{{Cells: []verdict.Cell{reach(up), expired}}}}, verdict.Verdict{down, "certificate_expired", verdict.HintCert}},
		"its node":     {verdict.Flow{Entries: []verdict.Entry{{Cells: []verdict.Cell{reach(unknown)}, NodeDown: true}}}, verdict.Verdict{down, verdict.NodeDown, verdict.HintNode}},
		"its exit":     {verdict.Flow{Entries: []verdict.Entry{entry(up)}, NodesDown: 1}, verdict.Verdict{verdict.Degraded, verdict.NodeDown, verdict.HintNode}},
		"its pool":     {verdict.Flow{Entries: []verdict.Entry{entry(up)}, Blocked: true, NodesDown: 1}, verdict.Verdict{verdict.Degraded, verdict.PoolBlocked, ""}},
		"pool, entry":  {verdict.Flow{Entries: []verdict.Entry{entry(down)}, Blocked: true}, verdict.Verdict{down, verdict.Unreachable, verdict.HintUnreachable}},
		"not known":    {verdict.Flow{Entries: []verdict.Entry{entry(up), entry(unknown)}}, verdict.Verdict{unknown, "x", ""}},
		"no check":     {verdict.Flow{Entries: []verdict.Entry{entry()}}, verdict.Verdict{unknown, verdict.NoEvidence, ""}},
		"no entry":     {verdict.Flow{}, verdict.Verdict{unknown, verdict.NoEvidence, ""}},
		"switched off": {verdict.Flow{Resting: verdict.Disabled, Entries: []verdict.Entry{entry(down)}}, verdict.Verdict{unknown, verdict.Disabled, ""}},
	} {
		require.Equal(t, one.want, verdict.OfFlow(one.flow), name)
	}
}

// Domain 4.18: three failures and two successes in a row turn the state; the first success ends not knowing at once.
func TestAStreakTurnsAtItsThresholds(t *testing.T) {
	t.Parallel()
	thresholds := verdict.Thresholds{Failures: 3, Successes: 2}
	s, states := verdict.Streak{State: unknown}, []string{}
	for i, ok := range []bool{true, false, false, true, false, false, false, true, false, true, true} {
		r := verdict.Result{At: noon.Add(time.Duration(i) * time.Second), OK: ok}
		if !ok {
			r.Reason = "refused"
		}
		s = s.After(r, thresholds)
		states = append(states, s.State)
		require.Equal(t, ok, *s.OK)
	}
	require.Equal(t, []string{up, up, up, up, up, up, down, down, down, down, up}, states)
	require.Equal(t, noon.Add(10*time.Second), s.Since)
}

// What comes twice or late changes nothing, whatever the order in which it comes again.
func TestAResultThatComesAgainChangesNothing(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	thresholds := verdict.Thresholds{Failures: 3, Successes: 2}
	for range 2000 {
		var results []verdict.Result
		s := verdict.Streak{State: unknown}
		for i := range 1 + r.IntN(20) {
			one := verdict.Result{At: noon.Add(time.Duration(i) * time.Second), OK: r.IntN(2) == 0}
			results = append(results, one)
			s = s.After(one, thresholds)
		}
		for range 5 {
			require.Equal(t, s, s.After(results[r.IntN(len(results))], thresholds))
		}
		require.NotEqual(t, s.Failures > 0, s.Successes > 0)
	}
}

func TestEvidenceIsOldAfterThreeIntervals(t *testing.T) {
	t.Parallel()
	for age, fresh := range map[time.Duration]bool{0: true, 2 * time.Minute: true, 3 * time.Minute: false} {
		require.Equal(t, fresh, verdict.Fresh(noon.Add(-age), noon, 30*time.Second), age)
	}
	require.False(t, verdict.Fresh(time.Time{}, noon, time.Hour))
}

// The panel doubts itself when it hears almost nobody, not when many are gone.
func TestThePanelIsCutOffWhenItHearsAlmostNobody(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		silent, all int
		cut         bool
	}{
		{0, 0, false},
		{1, 1, false},
		{1, 2, false},
		{2, 2, true},
		{2, 3, true},
		{2, 4, false},
		{30, 100, false},
		{89, 100, false},
		{90, 100, true},
		{100, 100, true},
	} {
		require.Equal(t, one.cut, verdict.CutOff(one.silent, one.all), one)
	}
}
