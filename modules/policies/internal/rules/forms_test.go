package rules_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"panel/modules/flows/flowsapi"
	"panel/modules/policies/internal/rules"
)

// all are a sound rule of each type, by the kind of policies that it belongs to.
var all = map[string][]rules.Rule{
	rules.Balancer: {
		{Type: rules.PoolStrategies, Values: []string{"ordered", "sticky"}},
		{Type: rules.PoolFallbacks, Values: []string{"block"}},
		{Type: rules.MinPoolMembers, Number: 2},
	},
	rules.Routing: {
		{Type: rules.BlockKinds, Values: []string{"exit", "transit_pool"}},
		{Type: rules.MustBlock, Values: []string{"protocol:bittorrent"}},
		{Type: rules.CatalogueSets},
		{Type: rules.GeoTokens},
	},
	rules.Limits: {
		{Type: rules.MaxClients, Number: 0},
		{Type: rules.MaxNodes, Number: 1},
		{Type: rules.MaxEntries, Number: 1},
	},
	rules.Security: {
		{Type: rules.Securities, Values: []string{"tls", "reality"}},
		{Type: rules.Transports, Values: []string{"xhttp"}},
		{Type: rules.Presets},
		{Type: rules.PrivateAddresses},
	},
}

// Each type of rules belongs to policies of one kind, and to no other.
func TestARuleBelongsToOneKindOfPolicies(t *testing.T) {
	t.Parallel()
	for home, list := range all {
		for _, r := range list {
			for kind := range all {
				field, message := rules.Check(kind, r)
				if kind == home {
					require.Empty(t, field, "%s: %s", r.Type, message)
					continue
				}
				require.Equal(t, "type", field, "%s in %s", r.Type, kind)
				require.Contains(t, message, home)
			}
		}
	}
}

// A rule takes either a number or values, as its type says, and no value twice.
func TestARuleTakesWhatItsTypeSays(t *testing.T) {
	t.Parallel()
	for kind, list := range all {
		for _, sound := range list {
			counts := strings.HasPrefix(sound.Type, "m") && sound.Type != rules.MustBlock
			other := sound
			if counts {
				other.Values = []string{"block"}
				field, _ := rules.Check(kind, other)
				require.Equal(t, "values", field, sound.Type)
				continue
			}
			other.Number = 3
			field, _ := rules.Check(kind, other)
			require.Equal(t, "number", field, sound.Type)
			if len(sound.Values) == 0 {
				continue
			}
			other = sound
			other.Values = append(slices.Clone(sound.Values), sound.Values[0])
			field, _ = rules.Check(kind, other)
			require.Equal(t, fmt.Sprintf("values[%d]", len(sound.Values)), field, "%s twice", sound.Type)
			other.Values = []string{"nonsense value"}
			field, _ = rules.Check(kind, other)
			require.Equal(t, "values[0]", field, sound.Type)
			other.Values = nil
			field, _ = rules.Check(kind, other)
			require.Equal(t, "values", field, sound.Type)
		}
	}
}

// The limits of what can be counted begin at one, where none would forbid every flow; of clients, none is a limit.
func TestLimitsBeginWhereAFlowCanBe(t *testing.T) {
	t.Parallel()
	for kind, least := range map[string]map[string]int{
		rules.Limits:   {rules.MaxClients: 0, rules.MaxNodes: 1, rules.MaxEntries: 1},
		rules.Balancer: {rules.MinPoolMembers: 1},
	} {
		for name, n := range least {
			field, _ := rules.Check(kind, rules.Rule{Type: name, Number: n})
			require.Empty(t, field, name)
			field, message := rules.Check(kind, rules.Rule{Type: name, Number: n - 1})
			require.Equal(t, "number", field, name)
			require.Equal(t, fmt.Sprintf("must be at least %d", n), message)
		}
	}
}

// What people call a rule is in refusals; a rule without a name goes by its type.
func TestARuleIsCalledByItsName(t *testing.T) {
	t.Parallel()
	require.Equal(t, "max_nodes", rules.Rule{Type: rules.MaxNodes}.Title())
	require.Equal(t, "Small", rules.Rule{Type: rules.MaxNodes, Name: "Small"}.Title())
	found, err := rules.Judge(t.Context(), rules.Policy{Name: "P", Protocols: []string{"trojan"}}, rules.Catalogue{}, drawn())
	require.NoError(t, err)
	require.Equal(t, `policy "P", rule "allowed_protocols": the protocol vless is not allowed`, found[0].Message)
}

// Names of the catalogue are short, plain words that a drawing can hold after "set:".
func TestNamesOfTheCatalogue(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"a", "ads", "ads-2", "a_b", "0", strings.Repeat("a", 40)} {
		require.True(t, rules.Name(good), good)
	}
	for _, bad := range []string{
		"", "-ads", "_ads", "Ads", "a b", "a:b", "реклама", "a\n", "a/b", strings.Repeat("a", 41),
	} {
		require.False(t, rules.Name(bad), "%q", bad)
	}
}

// A policy without rules and protocols lets every flow be, and so does one whose rules speak of what the flow lacks.
func TestAPolicyForbidsNothingThatAFlowLacks(t *testing.T) {
	t.Parallel()
	empty := flowsapi.Drawn{FlowID: "f"}
	for kind, list := range all {
		found, err := rules.Judge(t.Context(), rules.Policy{Name: kind, Rules: list}, rules.Catalogue{}, empty)
		require.NoError(t, err)
		require.Empty(t, found, kind)
	}
	found, err := rules.Judge(t.Context(), rules.Policy{Name: "Nothing"}, rules.Catalogue{}, drawn())
	require.NoError(t, err)
	require.Empty(t, found)
}

// A pool that is not known any more, and pools that fall back on each other in a circle, end the search.
func TestPoolsAreFollowedToTheirEnd(t *testing.T) {
	t.Parallel()
	strict := rules.Policy{Rules: []rules.Rule{{Type: rules.PoolStrategies, Values: []string{"sticky"}}}}
	d := drawn()
	found, err := rules.Judge(t.Context(), strict, rules.Catalogue{}, d)
	require.NoError(t, err)
	require.Len(t, found, 2, "the pool, and the one that it falls back on")
	asia := d.Pools["asia"]
	asia.Fallback = flowsapi.PoolFallback{Kind: "pool", PoolID: "europe"}
	d.Pools["asia"] = asia
	found, err = rules.Judge(t.Context(), strict, rules.Catalogue{}, d)
	require.NoError(t, err)
	require.Len(t, found, 2, "a circle is followed once")
	delete(d.Pools, "asia")
	found, err = rules.Judge(t.Context(), strict, rules.Catalogue{}, d)
	require.NoError(t, err)
	require.Len(t, found, 1)
}

// A pool counts the nodes of its members; a flow among them has nodes of its own.
func TestNodesOfPoolsAreCounted(t *testing.T) {
	t.Parallel()
	d := drawn()
	atMost := func(n int) []flowsapi.Violation {
		found, err := rules.Judge(t.Context(), rules.Policy{Rules: []rules.Rule{{Type: rules.MaxNodes, Number: n}}},
			rules.Catalogue{}, d)
		require.NoError(t, err)
		return found
	}
	require.Empty(t, atMost(3), "the entry and two members")
	require.Len(t, atMost(2), 1)
	europe := d.Pools["europe"]
	europe.Members = append(europe.Members, flowsapi.PoolMember{FlowID: "other"}, flowsapi.PoolMember{FlowID: "third"})
	d.Pools["europe"] = europe
	require.Empty(t, atMost(3))
	need := rules.Policy{Rules: []rules.Rule{{Type: rules.MinPoolMembers, Number: 5}}}
	found, err := rules.Judge(t.Context(), need, rules.Catalogue{}, drawn())
	require.NoError(t, err)
	require.Len(t, found, 2, "both pools have too few")
}

// However much is wrong with a drawing, what is told has an end.
func TestWhatIsToldHasAnEnd(t *testing.T) {
	t.Parallel()
	d := flowsapi.Drawn{}
	for i := range 500 {
		d.Blocks = append(d.Blocks, flowsapi.DrawnBlock{Path: fmt.Sprintf("nodes[%d]", i), Kind: "direct"})
	}
	only := rules.Policy{Rules: []rules.Rule{{Type: rules.BlockKinds, Values: []string{"exit"}}}}
	found, err := rules.Judge(t.Context(), only, rules.Catalogue{}, d)
	require.NoError(t, err)
	require.Len(t, found, 100)
}

// A flow whose clients nobody counts is not refused for them.
func TestClientsThatNobodyCounts(t *testing.T) {
	t.Parallel()
	d := drawn()
	d.Clients = nil
	none := rules.Policy{Rules: []rules.Rule{{Type: rules.MaxClients}}}
	found, err := rules.Judge(t.Context(), none, rules.Catalogue{}, d)
	require.NoError(t, err)
	require.Empty(t, found)
}

// Rule: adding a rule never allows what was forbidden before, and judging twice says the same.
func TestMoreRulesForbidMore(t *testing.T) {
	t.Parallel()
	var list []rules.Rule
	for _, some := range all {
		list = append(list, some...)
	}
	rapid.Check(t, func(t *rapid.T) {
		chosen := rapid.SliceOfNDistinct(rapid.SampledFrom(list), 1, 8, func(r rules.Rule) string { return r.Type }).
			Draw(t, "rules")
		judged := func(some []rules.Rule) []flowsapi.Violation {
			found, err := rules.Judge(context.Background(), rules.Policy{Name: "P", Rules: some}, catalogue, drawn())
			if err != nil {
				t.Fatal(err)
			}
			return found
		}
		whole, less := judged(chosen), judged(chosen[:len(chosen)-1])
		if len(less) > len(whole) || !slices.Equal(less, whole[:len(less)]) {
			t.Fatal("one rule more takes a refusal away")
		}
		if !slices.Equal(whole, judged(chosen)) {
			t.Fatal("the same flow is judged in two ways")
		}
	})
}
