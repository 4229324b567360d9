package repair

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/health/healthapi"
	"panel/modules/health/internal/rules"
	"panel/modules/health/internal/verdict"
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
	for name, one := range map[string]struct {
		change func(c *Case)
		want   Decision
	}{
		"nothing":     {func(*Case) {}, Decision{rules.RestartCore, Approved, ""}},
		"suggest":     {func(c *Case) { c.Repair.Mode = rules.Suggest }, Decision{rules.RestartCore, Proposed, ""}},
		"observe":     {func(c *Case) { c.Repair.Mode = rules.Observe }, Decision{rules.RestartCore, Skipped, Observing}},
		"no mode":     {func(c *Case) { c.Repair.Mode = "" }, Decision{rules.RestartCore, Skipped, Observing}},
		"maintenance": {func(c *Case) { c.Subject.Maintenance = true }, Decision{rules.RestartCore, Skipped, Maintenance}},
		"an apply":    {func(c *Case) { c.Applying = true }, Decision{rules.RestartCore, Skipped, Applying}},
		"the switch":  {func(c *Case) { c.Why = automation.Switched }, Decision{rules.RestartCore, Skipped, "stopped"}},
		"read-only":   {func(c *Case) { c.Why = automation.ReadOnly }, Decision{rules.RestartCore, Skipped, "read_only"}},
		"cool-down":   {acted(4*time.Minute, Failed), Decision{rules.RestartCore, Skipped, Cooldown}},
		"cooled down": {acted(6*time.Minute, Succeeded), Decision{rules.RestartCore, Approved, ""}},
		"tried":       {acted(30*time.Second, Failed), Decision{}},
		"proposed":    {acted(30*time.Second, Proposed), Decision{}},
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
				Subject: node, Policy: "p", Act: d.Act, State: []string{Running, Succeeded, Failed}[random.IntN(3)], At: now,
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
