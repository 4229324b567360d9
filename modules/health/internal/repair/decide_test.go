package repair

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/cdn-dns/cdndnsapi"
	"panel/modules/health/healthapi"
	"panel/modules/health/internal/rules"
	"panel/modules/health/internal/verdict"
	"panel/modules/pools/poolsapi"
	"panel/platform/automation"
)

var start = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// broken is a node whose core does not run, under a policy that acts by itself.
func broken() Case {
	r := rules.DefaultRepair()
	r.Mode = rules.Auto
	return Case{
		Now: start, PolicyID: "p", Repair: r,
		Subject: Subject{ID: "n", State: healthapi.Down, Hint: verdict.HintCore, Since: start.Add(-time.Minute), Heard: true},
	}
}

// Each thing that speaks against an act is said; what nobody knows leads to nothing at all.
func TestWhatSpeaksAgainstAnAct(t *testing.T) {
	t.Parallel()
	acted := func(ago time.Duration, state string) func(c *Case) {
		return func(c *Case) {
			c.Past = append(c.Past, Past{Subject: "n", Policy: "p", Act: rules.RestartCore, State: state, At: start.Add(-ago)})
		}
	}
	restarted := func(ago time.Duration) func(c *Case) { // and what is installed could be put there again
		return func(c *Case) {
			c.Subject.Installed, c.Past = true, []Past{{
				Subject: "n", Policy: "p", Act: rules.RestartCore, State: Succeeded,
				At: start.Add(-time.Minute), Ended: start.Add(-ago),
			}}
		}
	}
	for name, one := range map[string]struct {
		change func(c *Case)
		want   Decision
	}{
		"just ended well":     {restarted(29 * time.Second), Decision{}},
		"has not helped soon": {restarted(30 * time.Second), Decision{rules.Reapply, Skipped, Cooldown}},
		"nothing":             {func(*Case) {}, Decision{rules.RestartCore, Approved, ""}},
		"suggest":             {func(c *Case) { c.Repair.Mode = rules.Suggest }, Decision{rules.RestartCore, Proposed, ""}},
		"observe":             {func(c *Case) { c.Repair.Mode = rules.Observe }, Decision{rules.RestartCore, Skipped, Observing}},
		"no mode":             {func(c *Case) { c.Repair.Mode = "" }, Decision{rules.RestartCore, Skipped, Observing}},
		"maintenance":         {func(c *Case) { c.Subject.Maintenance = true }, Decision{rules.RestartCore, Skipped, Maintenance}},
		"an apply":            {func(c *Case) { c.Applying = true }, Decision{rules.RestartCore, Skipped, Applying}},
		"the switch":          {func(c *Case) { c.Why = automation.Switched }, Decision{rules.RestartCore, Skipped, "stopped"}},
		"read-only":           {func(c *Case) { c.Why = automation.ReadOnly }, Decision{rules.RestartCore, Skipped, "read_only"}},
		"cool-down":           {acted(4*time.Minute, Failed), Decision{rules.RestartCore, Skipped, Cooldown}},
		"cooled down":         {acted(6*time.Minute, Succeeded), Decision{rules.RestartCore, Approved, ""}},
		"tried":               {acted(30*time.Second, Failed), Decision{}},
		"proposed":            {acted(30*time.Second, Proposed), Decision{}},
		"under way":           {acted(10*time.Minute, Running), Decision{}},
		"waits for somebody": {
			func(c *Case) {
				c.Subject.Installed, c.Past = true, []Past{{Subject: "n", Act: rules.RestartCore, State: Proposed, At: start}}
			}, Decision{},
		},
		"another waits": {
			func(c *Case) { c.Past = []Past{{Subject: "m", Act: rules.RestartCore, State: Proposed, At: start}} },
			Decision{rules.RestartCore, Approved, ""},
		},
		"dismissed": {
			func(c *Case) {
				c.Past = append(c.Past, Past{Subject: "n", Act: rules.RestartCore, State: Skipped, At: start, Dismissed: true})
			}, Decision{},
		},
		"put off":     {acted(30*time.Second, Skipped), Decision{rules.RestartCore, Approved, ""}},
		"not allowed": {func(c *Case) { c.Repair.Actions = nil }, Decision{}},
		"unknown":     {func(c *Case) { c.Subject.State = healthapi.Unknown }, Decision{}},
		"well":        {func(c *Case) { c.Subject.State = healthapi.Up }, Decision{}},
		"another cause": {
			func(c *Case) { c.Subject.Hint = verdict.HintUnreachable }, Decision{},
		},
		"agent silent": {func(c *Case) { c.Subject.Heard = false }, Decision{}},
	} {
		c := broken()
		one.change(&c)
		require.Equal(t, one.want, Decide(c), name)
	}
}

// The budget of the policy is one for all its nodes, and that of others does not count.
func TestThePolicyHasOneBudgetForAllItsNodes(t *testing.T) {
	t.Parallel()
	c := broken()
	c.Repair.Limits.MaxActionsPerHour = 2
	other := func(policy string, ago time.Duration) {
		c.Past = append(c.Past, Past{Subject: "m", Policy: policy, Act: rules.RestartCore, State: Succeeded, At: start.Add(-ago)})
	}
	other("p", time.Minute)
	other("q", time.Minute)
	other("p", 61*time.Minute)
	require.Equal(t, Approved, Decide(c).State)
	other("p", 59*time.Minute)
	require.Equal(t, Budget, Decide(c).Reason)
}

// Whatever happens in whatever order, in no hour is more done than the budgets allow, never twice within the cool-down,
// and never about what is unknown, well, in maintenance or being installed.
func TestBudgetsAreNeverExceeded(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 7))
		limits := rules.Limits{MaxActionsPerHour: 1 + random.IntN(6), CooldownS: 60 + random.IntN(1200)}
		states := []string{healthapi.Up, healthapi.Down, healthapi.Degraded, healthapi.Unknown}
		nodes := []string{"a", "b", "c", "d"}
		since := map[string]time.Time{}
		state := map[string]string{}
		var past []Past
		now := start
		for range 600 {
			now = now.Add(time.Duration(1+random.IntN(40)) * time.Second)
			node := nodes[random.IntN(len(nodes))]
			if random.IntN(2) == 0 || state[node] == "" {
				state[node], since[node] = states[random.IntN(len(states))], now
			}
			c := Case{
				Now: now, PolicyID: "p", Past: past, Applying: random.IntN(5) == 0,
				Repair: rules.Repair{Mode: rules.Auto, Actions: rules.Ladder, Limits: limits},
				Subject: Subject{
					ID: node, State: state[node], Hint: verdict.HintCore, Since: since[node], Heard: true,
					Maintenance: random.IntN(5) == 0,
				},
			}
			d := Decide(c)
			if d.State != Approved {
				continue
			}
			require.Contains(t, []string{healthapi.Down, healthapi.Degraded}, state[node])
			require.False(t, c.Applying || c.Subject.Maintenance)
			past = append(past, Past{
				Subject: node, Policy: "p", Act: d.Act, State: []string{Undone, Succeeded, Failed}[random.IntN(3)], At: now,
			})
			holds(t, past, limits)
		}
		require.NotEmpty(t, past, "the test never acts: it shows nothing")
	}
}

// holds checks what was done against budgets, counted from each act back.
func holds(t *testing.T, past []Past, limits rules.Limits) {
	t.Helper()
	last := past[len(past)-1]
	all, same := 0, 0
	for _, p := range past {
		if last.At.Sub(p.At) < time.Hour {
			all++
			if p.Subject == last.Subject {
				same++
			}
		}
		if p.Subject == last.Subject && p != last {
			require.GreaterOrEqual(t, last.At.Sub(p.At), time.Duration(limits.CooldownS)*time.Second)
		}
	}
	require.LessOrEqual(t, all, limits.MaxActionsPerHour)
	require.LessOrEqual(t, same, PerSubject)
}

// The ladder: each act where it could help, the next one when the one before did not.
func TestEachActIsForWhatItCouldHelp(t *testing.T) {
	t.Parallel()
	places := []poolsapi.Place{{PoolID: "e", MemberID: "m", Members: 4, Usable: 3}}
	unreachable := Subject{ID: "n", State: healthapi.Down, Hint: verdict.HintUnreachable, Since: start}
	with := func(s Subject, change func(s *Subject)) Subject { change(&s); return s }
	named := with(unreachable, func(s *Subject) {
		s.Heard, s.Installed, s.Since = true, true, start.Add(-time.Minute)
		s.Names = []cdndnsapi.Name{{Hostname: "n1.example.com"}}
	})
	core := broken().Subject
	core.Installed, core.Places = true, places
	for name, one := range map[string]struct {
		subject Subject
		tried   []string
		want    string
	}{
		"core":                     {core, nil, rules.RestartCore},
		"restarted":                {core, []string{rules.RestartCore}, rules.Reapply},
		"reinstalled":              {core, []string{rules.RestartCore, rules.Reapply}, rules.Withdraw},
		"all tried":                {core, rules.Ladder, ""},
		"nothing installed":        {with(core, func(s *Subject) { s.Installed = false }), []string{rules.RestartCore}, rules.Withdraw},
		"only degraded":            {with(core, func(s *Subject) { s.State = healthapi.Degraded }), []string{rules.RestartCore, rules.Reapply}, ""},
		"unreachable, in a pool":   {with(unreachable, func(s *Subject) { s.Places = places }), nil, rules.Withdraw},
		"unreachable, in none":     {unreachable, nil, ""},
		"unreachable but heard":    {with(unreachable, func(s *Subject) { s.Heard, s.Installed = true, true }), nil, rules.Reapply},
		"another address":          {named, []string{rules.Reapply}, rules.SwitchDNS},
		"pools before names":       {with(named, func(s *Subject) { s.Places = places }), []string{rules.Reapply}, rules.Withdraw},
		"names of a silent node":   {with(named, func(s *Subject) { s.Heard = false }), nil, ""},
		"names without a core":     {with(named, func(s *Subject) { s.Hint = verdict.HintCore }), []string{rules.RestartCore, rules.Reapply}, ""},
		"unknown, though in pools": {with(unreachable, func(s *Subject) { s.State, s.Places = healthapi.Unknown, places }), nil, ""},
	} {
		c := broken()
		c.Subject = one.subject
		for _, act := range one.tried {
			c.Past = append(c.Past, Past{Subject: "n", Act: act, State: Failed, At: start.Add(-10 * time.Second)})
		}
		require.Equal(t, one.want, Decide(c).Act, name)
	}
}

// Names lead to a further address when the one before did not help and they lead back: not while they lead to it, not
// where the record could not be written, and not where a person had them lead back.
func TestNamesLeadToAFurtherAddressWhenOneWasInVain(t *testing.T) {
	t.Parallel()
	c := broken()
	c.Subject.Hint, c.Subject.Heard, c.Subject.Installed = verdict.HintUnreachable, true, false
	c.Subject.State, c.Subject.Names = healthapi.Down, []cdndnsapi.Name{{Hostname: "n1.example.com"}}
	for name, one := range map[string]struct {
		past Past
		want string
	}{
		"in vain":        {Past{State: Undone}, rules.SwitchDNS},
		"by a person":    {Past{State: Undone, Dismissed: true}, ""},
		"not written":    {Past{State: Failed}, ""},
		"it leads there": {Past{State: Succeeded, Ended: start.Add(-time.Hour)}, ""},
	} {
		one.past.Subject, one.past.Act, one.past.At = "n", rules.SwitchDNS, start
		c.Past = []Past{one.past}
		require.Equal(t, one.want, Decide(c).Act, name)
	}
}

// Rule of the share: a pool loses no more than the policy says, never its last usable member, and may always lose one.
func TestAPoolSparesNoMoreThanItsShare(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		members, withdrawn, usable, share int
		want                              bool
	}{
		{2, 0, 1, 30, true},
		{2, 0, 0, 30, false},
		{1, 0, 0, 100, false},
		{3, 1, 1, 30, false},
		{3, 1, 1, 70, true},
		{10, 2, 7, 30, true},
		{10, 3, 6, 30, false},
		{10, 9, 0, 100, false},
	} {
		place := poolsapi.Place{Members: one.members, Withdrawn: one.withdrawn, Usable: one.usable}
		require.Equal(t, one.want, len(spares([]poolsapi.Place{place}, one.share)) == 1, "%+v", one)
	}
	c := broken()
	c.Repair.Actions = []string{rules.Withdraw}
	c.Subject.Places = []poolsapi.Place{{Members: 3, Withdrawn: 1, Usable: 1}}
	require.Equal(t, Decision{rules.Withdraw, Skipped, PoolShare}, Decide(c))
}

// A replay climbs the ladder as long as a node stayed as it was, and keeps the budgets of the week.
func TestAReplayClimbsTheLadder(t *testing.T) {
	t.Parallel()
	minutes := func(n int) time.Time { return start.Add(time.Duration(n) * time.Minute) }
	down := func(id string, at int) change {
		return change{
			SubjectID: id, Name: id, PolicyID: "p", State: healthapi.Down, Hint: verdict.HintCore, Installed: true, At: minutes(at),
		}
	}
	well := func(id string, at int) change {
		return change{SubjectID: id, Name: id, PolicyID: "p", State: healthapi.Up, At: minutes(at)}
	}
	places := map[string][]poolsapi.Place{"a": {{Members: 3, Usable: 2}}}
	out := replay([]change{down("a", 0), down("b", 1), well("b", 3), well("a", 30), down("b", 31)}, around{places: places},
		rules.DefaultRepair(), minutes(32))
	acts := []string{}
	for _, item := range out.Items {
		acts = append(acts, item.NodeID+" "+item.Act+" "+item.State+" "+item.Reason)
	}
	require.Equal(t, []string{
		"b restart_core approved ", "a withdraw_from_pool approved ", "a reapply_installed approved ",
		"b restart_core approved ", "a restart_core approved ",
	}, acts)
	require.Equal(t, []int{5, 5, 0, 2}, []int{out.Cases, out.Actions, out.Spared, out.Nodes})
	limited := rules.DefaultRepair()
	limited.Limits.MaxActionsPerHour = 2
	out = replay([]change{down("a", 0), down("b", 1)}, around{places: places}, limited, minutes(20))
	require.Equal(t, []int{2, 2}, []int{out.Actions, out.Spared}, "spared once for each act of each node")
}
