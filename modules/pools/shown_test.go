package pools

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/platform/agentapi"
	"panel/platform/database"
)

// What may be reported of a pool is told apart from everything else before anything is stored.
func TestWhatIsAReport(t *testing.T) {
	t.Parallel()
	id, member := database.NewID(), database.NewID()
	about := agentapi.PoolReport{PoolID: id, Group: "flow.f.out.in.pool", MemberID: member, State: agentapi.PoolDown}
	choice := agentapi.PoolReport{PoolID: id, Group: "flow.f.out.in.pool", Serves: agentapi.PoolServesMembers, Usable: 2}
	for _, state := range []string{
		agentapi.PoolUnknown, agentapi.PoolHealthy, agentapi.PoolDegraded, agentapi.PoolDown,
	} {
		good := about
		good.State = state
		require.True(t, reportable(good), state)
	}
	for _, who := range []string{
		agentapi.PoolServesMembers, agentapi.PoolServesOverride, agentapi.PoolServesFallback,
	} {
		good := choice
		good.Serves, good.Active = who, member
		require.True(t, reportable(good), who)
	}
	for name, spoil := range map[string]func(*agentapi.PoolReport){
		"no pool":           func(r *agentapi.PoolReport) { r.PoolID = "" },
		"a long group":      func(r *agentapi.PoolReport) { r.Group = strings.Repeat("g", 301) },
		"a long reason":     func(r *agentapi.PoolReport) { r.Reason = strings.Repeat("r", 301) },
		"less than nothing": func(r *agentapi.PoolReport) { r.Usable = -1 },
		"an odd active":     func(r *agentapi.PoolReport) { r.Active = "fra-01" },
	} {
		for _, one := range []agentapi.PoolReport{about, choice} {
			spoil(&one)
			require.False(t, reportable(one), name)
		}
	}
	odd := about
	odd.State = "resting"
	require.False(t, reportable(odd))
	odd = about
	odd.MemberID = "fra-01"
	require.False(t, reportable(odd))
	odd = choice
	odd.Serves = "nobody"
	require.False(t, reportable(odd))
}

// The words of the system are cut to what fits, by whole letters.
func TestErrorsAreCut(t *testing.T) {
	t.Parallel()
	require.Equal(t, "connection refused", cut("connection refused"))
	require.Equal(t, strings.Repeat("я", longestText), cut(strings.Repeat("я", longestText+5)))
}

// A switch is another member, another number of usable ones, or somebody else that carries the traffic.
func TestWhatIsASwitch(t *testing.T) {
	t.Parallel()
	one := "m1"
	was := choice{Serves: agentapi.PoolServesMembers, ActiveMemberID: &one, Usable: 2}
	same := agentapi.PoolReport{Serves: agentapi.PoolServesMembers, Active: one, Usable: 2}
	require.False(t, switched(was, same))
	for name, change := range map[string]func(*agentapi.PoolReport){
		"the fallback":   func(r *agentapi.PoolReport) { r.Serves = agentapi.PoolServesFallback },
		"another member": func(r *agentapi.PoolReport) { r.Active = "m2" },
		"several":        func(r *agentapi.PoolReport) { r.Active = "" },
		"one less":       func(r *agentapi.PoolReport) { r.Usable = 1 },
	} {
		other := same
		change(&other)
		require.True(t, switched(was, other), name)
	}
	require.True(t, switched(choice{Serves: agentapi.PoolServesMembers, Usable: 2}, same), "before it was several")
}

// The state of a pool follows from who carries its traffic on the nodes that forward to it.
func TestTheStateOfAPool(t *testing.T) {
	t.Parallel()
	serving := func(who string, usable int) choiceRow {
		return choiceRow{choice: choice{Serves: who, Usable: usable}}
	}
	members := serving(agentapi.PoolServesMembers, 2)
	for name, c := range map[string]struct {
		want          string
		placed        bool
		choices       []choiceRow
		minimum, down int
	}{
		"no flow has it":         {want: "unused", choices: []choiceRow{members}},
		"nobody has said":        {want: agentapi.PoolUnknown, placed: true},
		"all is well":            {want: agentapi.PoolHealthy, placed: true, choices: []choiceRow{members}, minimum: 2},
		"too few":                {want: agentapi.PoolDegraded, placed: true, choices: []choiceRow{members}, minimum: 3},
		"a member is down":       {want: agentapi.PoolDegraded, placed: true, choices: []choiceRow{members}, down: 1},
		"fallback on one":        {want: agentapi.PoolDown, placed: true, choices: []choiceRow{members, serving("fallback", 0)}},
		"somebody chose":         {want: agentapi.PoolHealthy, placed: true, choices: []choiceRow{serving("override", 1)}, minimum: 1},
		"nothing is asked of it": {want: agentapi.PoolHealthy, placed: true, choices: []choiceRow{serving("members", 0)}},
	} {
		require.Equal(t, c.want, stateOf(c.placed, c.choices, c.minimum, c.down), name)
	}
}

// The flow of a way is read from its name; ways of other things have none.
func TestTheFlowOfAWay(t *testing.T) {
	t.Parallel()
	for group, flow := range map[string]string{
		"flow.f1.out.in.pool": "f1", "flow.f1": "f1", "": "", "f1.out": "", "panel.probe": "",
	} {
		require.Equal(t, flow, flowOf(group), group)
	}
}

// What a table says of a member is the first thing that keeps traffic from it.
func TestWhatBecomesOfAMember(t *testing.T) {
	t.Parallel()
	pool := Pool{Override: &Override{MemberID: "chosen"}}
	for want, m := range map[string]Member{
		"disabled":   {Drain: true, Resting: true, State: agentapi.PoolDown},
		"drains":     {Enabled: true, Drain: true, Resting: true},
		"node rests": {Enabled: true, Resting: true, Held: true},
		"chosen":     {Enabled: true, ID: "chosen", State: agentapi.PoolDown},
		"held out":   {Enabled: true, Held: true, State: agentapi.PoolDown},
		"not used":   {Enabled: true, State: agentapi.PoolDown},
		"in use":     {Enabled: true, State: agentapi.PoolDegraded},
	} {
		require.Equal(t, want, useOf(pool, m))
	}
	require.Equal(t, "block", fallbackWord(PoolSummary{Fallback: "block"}))
	require.Equal(t, "direct, in use", fallbackWord(PoolSummary{Fallback: "direct", OnFallback: true}))
}

// Agents are told what a pool says, with its override as long as it lasts; a node that rests gets nothing new.
func TestWhatAgentsAreTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.pool("Europe", "health", fields{"interval_s": 60, "max_rtt_ms": 300, "failure_threshold": 5})
	w.flow("Main", p.ID)
	require.Eventually(t, func() bool { return len(w.told().Pools) == 1 }, within, every)
	told := w.told().Pools[0]
	require.Equal(t, 60, told.Health.IntervalSeconds)
	require.Equal(t, 300, told.Health.MaxRTTMillis)
	require.Equal(t, 5, told.Health.FailureThreshold)
	require.Equal(t, 3, told.Health.TimeoutSeconds, "the default is told, too")
	one := path + "/" + p.ID
	w.admin.Patch(one, fields{"revision": 1, "members": []fields{
		{"node_id": w.exits[0], "enabled": false},
		{"node_id": w.exits[1], "drain": true, "weight": 1000},
		{"node_id": w.exits[2], "priority": 1000},
	}}).Is(http.StatusOK)
	told = w.told().Pools[0]
	require.EqualValues(t, 2, told.Revision)
	require.Equal(t, []bool{true, false, false}, []bool{
		told.Members[0].Disabled, told.Members[1].Disabled, told.Members[2].Disabled,
	})
	require.True(t, told.Members[1].Drain)
	require.Equal(t, 1000, told.Members[1].Weight)
	require.Equal(t, 1000, told.Members[2].Priority)
	w.admin.Post("/api/v1/nodes/"+w.exits[2]+"/maintenance", fields{"on": true}).Is(http.StatusOK)
	require.Eventually(t, func() bool { return w.told().Pools[0].Members[2].Drain }, within, every)
	w.admin.Post("/api/v1/nodes/"+w.exits[2]+"/maintenance", fields{"on": false}).Is(http.StatusOK)
	require.Eventually(t, func() bool { return !w.told().Pools[0].Members[2].Drain }, within, every)
}

// Rule: of two pools that begin to fall back on each other at once, one is refused: no circle comes out of it.
func TestTwoChangesCloseNoCircle(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for round := range 3 {
		a, b := w.pool(fmt.Sprint("A", round)), w.pool(fmt.Sprint("B", round))
		answers := make(chan int, 2)
		lead := func(from, to Pool) {
			answers <- w.admin.Patch(path+"/"+from.ID, fields{
				"revision": 1, "fallback": fields{"kind": "pool", "pool_id": to.ID},
			}).Status
		}
		go lead(a, b)
		go lead(b, a)
		require.ElementsMatch(t, []int{http.StatusOK, http.StatusUnprocessableEntity}, []int{<-answers, <-answers})
	}
}

// A pool of flows and another one cannot lead to each other, however both are changed at once.
func TestTwoPoolsOfFlowsCloseNoCircle(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.pool("A"), w.pool("B")
	intoA, intoB := w.flow("Into A", a.ID), w.flow("Into B", b.ID)
	answers := make(chan int, 2)
	take := func(pool Pool, flow string) {
		answers <- w.admin.Patch(path+"/"+pool.ID, fields{"revision": 1, "members": inFlows(flow)}).Status
	}
	go take(a, intoB)
	go take(b, intoA)
	require.ElementsMatch(t, []int{http.StatusOK, http.StatusUnprocessableEntity}, []int{<-answers, <-answers})
}

// Switches are kept with their reasons and told newest first, fifty of them; older ones stay in the table for a month.
func TestSwitchesAreKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.pool("Europe")
	w.flow("Main", p.ID)
	require.Eventually(t, func() bool { return len(w.told().Pools) == 1 }, within, every)
	at := w.panel.Clock.Now().Add(-time.Hour)
	reports := []agentapi.PoolReport{serves(p, "members", 3, "started", at)}
	for i := range 60 {
		reports = append(reports,
			serves(p, "members", 1+i%2, []string{"member_down", "member_up"}[i%2], at.Add(time.Duration(i+1)*time.Second)))
	}
	w.report(reports...)
	var status Status
	w.admin.Get(path + "/" + p.ID + "/status").Is(http.StatusOK).JSON(&status)
	require.Len(t, status.Switches, shownSwitches)
	require.True(t, slices.IsSortedFunc(status.Switches, func(a, b Switch) int { return b.At.Compare(a.At) }))
	require.Equal(t, "member_up", status.Switches[0].Reason)
	var stored int
	require.NoError(t, w.panel.DB.NewRaw("select count(*) from transit_pool_switches").Scan(t.Context(), &stored))
	require.Equal(t, 60, stored)
	require.Equal(t, 30*24*time.Hour, tidy()[0].Age)
}

// A node that ceases to forward to a pool is forgotten with all that it has said, and the pool is unused again.
func TestWhoForwardsNoMoreIsForgotten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.pool("Europe")
	flow := w.flow("Main", p.ID)
	require.Eventually(t, func() bool { return len(w.told().Pools) == 1 }, within, every)
	at := w.panel.Clock.Now()
	w.report(serves(p, "fallback", 0, "all_down", at), state(p, 0, "down", at))
	require.Equal(t, "down", w.read(p.ID).State)
	w.admin.Put(units+"/"+flow+"/draft", fields{
		"revision": 1, "graph": fields{"nodes": []fields{}, "edges": []fields{}},
	}).Is(http.StatusOK)
	require.Eventually(t, func() bool { return w.read(p.ID).State == "unused" }, within, every)
	require.Equal(t, agentapi.PoolUnknown, w.read(p.ID).Members[0].State)
	require.Contains(t, w.panel.Scrape(), "panel_pools_on_fallback 0\n")
}

// A fallback is one of four, and says whom it means where it means somebody.
func TestFallbacks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	spare := w.pool("Spare")
	p := w.pool("Europe")
	one := path + "/" + p.ID
	for i, c := range []struct {
		to   fields
		want Fallback
	}{
		{fields{"kind": "direct"}, Fallback{Kind: flowsapi.FallbackDirect}},
		{fields{"kind": "member", "node_id": w.exits[1]}, Fallback{Kind: flowsapi.FallbackMember, NodeID: w.exits[1]}},
		{fields{"kind": "pool", "pool_id": strings.ToUpper(spare.ID)}, Fallback{Kind: flowsapi.FallbackPool, PoolID: spare.ID}},
		{fields{"kind": "block", "pool_id": spare.ID}, Fallback{Kind: flowsapi.FallbackBlock}},
	} {
		w.admin.Patch(one, fields{"revision": i + 1, "fallback": c.to}).Is(http.StatusOK)
		require.Equal(t, c.want, w.read(p.ID).Fallback)
	}
	for _, bad := range []fields{
		{"kind": "somewhere"},
		{"kind": "member"},
		{"kind": "member", "node_id": w.entry.NodeID},
		{"kind": "pool"},
		{"kind": "pool", "pool_id": p.ID},
		{"kind": "pool", "pool_id": "nonsense"},
	} {
		w.admin.Patch(one, fields{"revision": 5, "fallback": bad}).Refused(http.StatusUnprocessableEntity, "invalid_value")
	}
	require.EqualValues(t, 5, w.read(p.ID).Revision)
}

// What may be asked through a member is an address of the web without a secret in it.
func TestProbeAddresses(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"https://www.example.org/generate_204", "http://192.0.2.1:8080/?a=b", "https://[2001:db8::1]/"} {
		require.True(t, validProbe(good), good)
	}
	for _, bad := range []string{
		"", "example.org", "ftp://example.org/", "https://", "https://a:b@example.org/", "https://example.org/#part",
		"http://%zz", "javascript:alert(1)",
	} {
		require.False(t, validProbe(bad), bad)
	}
}
