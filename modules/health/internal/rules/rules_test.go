package rules_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/health/internal/rules"
	"panel/platform/database"
	"panel/platform/fault"
)

// Domain 4.18: every 30 s with 5 s, three failures and two successes, three quick looks 5 s apart, two vantages.
func TestTheDefaultPolicyIsRightWithoutTouchingAnything(t *testing.T) {
	t.Parallel()
	p := rules.Default()
	require.NoError(t, p.Valid())
	require.Equal(t, p, p.Filled())
	tcp, has := p.Has(rules.TCP)
	require.True(t, has)
	require.Equal(t, rules.Check{Type: "tcp", IntervalS: 30, TimeoutS: 5}, tcp)
	require.Equal(t, []int{2, 3, 2}, []int{p.Quorum, p.FailureThreshold, p.SuccessThreshold})
	require.Equal(t, rules.Recheck{Count: 3, EveryS: 5}, p.Recheck)
	_, has = p.Has(rules.HTTP)
	require.False(t, has, "no node asks somebody's page before an administrator says so")
}

func TestWhatCouldNotBeKeptIsRefusedAtItsField(t *testing.T) {
	t.Parallel()
	id := database.NewID()
	for field, change := range map[string]func(*rules.Policy){
		"scope.tag":              func(p *rules.Policy) { p.Scope = rules.Scope{Kind: rules.Tag} },
		"scope.id":               func(p *rules.Policy) { p.Scope = rules.Scope{Kind: rules.Node, ID: "zzz"} },
		"checks[1]":              func(p *rules.Policy) { p.Checks[1] = p.Checks[0] },
		"checks[2].page":         func(p *rules.Policy) { p.Checks[2] = rules.Check{Type: rules.HTTP, Page: "ftp://a.example"} },
		"checks[3].page":         func(p *rules.Policy) { p.Checks[3].Page = "https://a.example" },
		"checks[2].name":         func(p *rules.Policy) { p.Checks[2] = rules.Check{Type: rules.DNS, Name: "localhost"} },
		"checks[3].name":         func(p *rules.Policy) { p.Checks[3].Name = "a.example" },
		"checks[4].timeout_s":    func(p *rules.Policy) { p.Checks[4].IntervalS, p.Checks[4].TimeoutS = 10, 10 },
		"vantages":               func(p *rules.Policy) { p.Vantages = rules.Vantages{} },
		"maintenance_windows[0]": func(p *rules.Policy) { p.Windows = []rules.Window{{}} },
		"maintenance_windows[0].until": func(p *rules.Policy) {
			p.Windows = []rules.Window{{From: "2026-01-02T00:00:00Z", Until: "2026-01-01T00:00:00Z"}}
		},
		"maintenance_windows[0].zone": func(p *rules.Policy) {
			p.Windows = []rules.Window{{Weekdays: []string{"mon"}, Start: "03:00", Minutes: 5, Zone: "Mars/Base"}}
		},
	} {
		p := rules.Default()
		change(&p)
		refused, is := fault.As(p.Valid())
		require.True(t, is, field)
		require.Equal(t, "invalid_value", refused.Code)
		require.Equal(t, field, refused.Fields[0].Field)
	}
	for _, scope := range []rules.Scope{
		{Kind: rules.Node, ID: id}, {Kind: rules.Flow, ID: id}, {Kind: rules.Tag, Tag: "eu"}, {Kind: rules.All},
	} {
		p := rules.Default()
		p.Scope = scope
		require.NoError(t, p.Valid())
	}
	for _, scope := range []rules.Scope{{Kind: rules.All, ID: id}, {Kind: rules.Node, ID: id, Tag: "eu"}} {
		p := rules.Default()
		p.Scope = scope
		require.Error(t, p.Valid())
	}
}

func TestWhatIsLeftOutOfChecksIsFilledIn(t *testing.T) {
	t.Parallel()
	p := rules.Policy{Checks: []rules.Check{{Type: rules.TCP}, {Type: rules.Heartbeat, IntervalS: 9}}}.Filled()
	require.Equal(t, []rules.Check{{Type: rules.TCP, IntervalS: 30, TimeoutS: 5}, {Type: rules.Heartbeat}}, p.Checks)
	require.NotNil(t, p.Windows)
}

func TestTheNarrowestPolicyCounts(t *testing.T) {
	t.Parallel()
	named := func(name string, scope rules.Scope) rules.Named {
		return rules.Named{ID: name, Name: name, Policy: rules.Policy{Scope: scope}}
	}
	all := []rules.Named{
		named("all", rules.Scope{Kind: rules.All}), named("z", rules.Scope{Kind: rules.Tag, Tag: "eu"}),
		named("b", rules.Scope{Kind: rules.Tag, Tag: "fast"}), named("one", rules.Scope{Kind: rules.Node, ID: "n1"}),
		named("flow", rules.Scope{Kind: rules.Flow, ID: "n1"}),
		named("second", rules.Scope{Kind: rules.Pool, ID: "p2"}), named("first", rules.Scope{Kind: rules.Pool, ID: "p1"}),
	}
	for want, subject := range map[string]rules.Subject{
		"all": {Kind: rules.Node, ID: "n2"}, "z": {Kind: rules.Node, ID: "n2", Tags: []string{"eu"}},
		"b":      {Kind: rules.Flow, ID: "n2", Tags: []string{"eu", "fast"}},
		"one":    {Kind: rules.Node, ID: "n1", Tags: []string{"eu"}, Pools: []string{"p1"}},
		"flow":   {Kind: rules.Flow, ID: "n1"},
		"second": {Kind: rules.Node, ID: "n2", Tags: []string{"eu"}, Pools: []string{"p2"}},
		"first":  {Kind: rules.Flow, ID: "n2", Pools: []string{"p2", "p1"}},
	} {
		require.Equal(t, want, rules.Choose(all, subject).Name)
	}
}

// A window of each week speaks of the clock of its zone, also over midnight and when the clocks change.
func TestWindowsOfMaintenance(t *testing.T) {
	t.Parallel()
	once := rules.Window{From: "2026-01-01T10:00:00Z", Until: "2026-01-01T12:00:00+01:00"}
	weekly := rules.Window{Weekdays: []string{"sun"}, Start: "23:30", Minutes: 60, Zone: "Europe/Berlin"}
	for _, one := range []struct {
		window rules.Window
		at     string
		holds  bool
	}{
		{once, "2026-01-01T10:00:00Z", true},
		{once, "2026-01-01T10:59:59Z", true},
		{once, "2026-01-01T11:00:00Z", false},
		{weekly, "2026-01-04T22:29:59Z", false},
		{weekly, "2026-01-04T22:30:00Z", true},
		{weekly, "2026-01-04T23:29:59Z", true},
		{weekly, "2026-01-04T23:30:00Z", false},
		{weekly, "2026-07-05T21:30:00Z", true},
		{weekly, "2026-07-05T22:30:00Z", false},
		{weekly, "2026-01-05T22:45:00Z", false},
	} {
		at, err := time.Parse(time.RFC3339, one.at)
		require.NoError(t, err)
		require.Equal(t, one.holds, rules.Policy{Windows: []rules.Window{one.window}}.Resting(at), one.at)
	}
}
