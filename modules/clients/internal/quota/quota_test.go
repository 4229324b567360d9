package quota

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// entry is one whose agent has confirmed what it was granted.
func entry(node string, counted, recent, open int64) *Share {
	return &Share{
		NodeID: node, Counted: counted, Recent: recent, Granted: counted + open, Held: counted + open,
		Document: 1, Confirmed: true,
	}
}

func opened(rows []*Share) (each []int64) {
	for _, r := range rows {
		each = append(each, r.Granted-r.Counted)
	}
	return each
}

// settle is what follows when all agents have said that they hold what they were granted.
func settle(rows []*Share) {
	for _, r := range rows {
		r.Held, r.Document, r.Changed = r.Granted, 1, false
	}
}

const gb = int64(1) << 30

// The entries of a client get equal shares of what is left, and keep them while they last: nothing is written for each
// byte that is used.
func TestEntriesGetEqualSharesAndKeepThem(t *testing.T) {
	t.Parallel()
	Split(gb, 0, nil) // a client without entries
	one := []*Share{{NodeID: "a"}}
	Split(10*gb, Slack(10*gb), one)
	require.Equal(t, []int64{10 * gb}, opened(one), "alone it gets all")
	settle(one)
	one[0].Counted, one[0].Recent = 9*gb, gb
	Split(gb, Slack(10*gb), one)
	require.False(t, one[0].Changed)

	two := []*Share{{NodeID: "a"}, {NodeID: "b"}}
	Split(10*gb, Slack(10*gb), two)
	require.Equal(t, []int64{5 * gb, 5 * gb}, opened(two))
	settle(two)
	two[0].Counted, two[0].Recent = gb, gb/100
	Split(9*gb, Slack(10*gb), two)
	require.False(t, two[0].Changed || two[1].Changed)
}

// What one entry is to have less goes to another when its agent has said so, and not before: it may be cut off and use
// what it was given first.
func TestNoShareIsGivenTwice(t *testing.T) {
	t.Parallel()
	rows := []*Share{entry("a", 4*gb, 2*gb, gb), entry("b", 0, 0, 5*gb)}
	Split(6*gb, Slack(10*gb), rows)
	require.Equal(t, gb, rows[0].Granted-rows[0].Counted, "it waits")
	require.Less(t, rows[1].Granted, gb)
	require.Equal(t, 5*gb, rows[1].open(), "its agent may not know")
	rows[1].Held = rows[1].Granted
	Split(6*gb, Slack(10*gb), rows)
	require.Greater(t, rows[0].Granted-rows[0].Counted, 5*gb, "most goes where it is used")
	require.LessOrEqual(t, rows[0].open()+rows[1].open(), 6*gb)

	less := []*Share{entry("a", 0, 0, 5*gb), entry("b", 0, 0, 5*gb)}
	Split(2*gb, Slack(4*gb), less)
	require.Equal(t, []int64{gb, gb}, opened(less), "a smaller quota")
	more := []*Share{entry("a", 0, 0, gb)}
	Split(3*gb, Slack(4*gb), more)
	require.Equal(t, []int64{3 * gb}, opened(more), "a larger one")
	spent := []*Share{entry("a", gb, 0, gb)}
	Split(0, Slack(gb), spent)
	require.Equal(t, []int64{0}, opened(spent))
}

// When nearly nothing is left each entry gets it, within the slack, so that a client ends on the one that it uses.
func TestTheLastBytesAreOnEachEntry(t *testing.T) {
	t.Parallel()
	rows := []*Share{entry("a", gb, gb, 0), entry("b", 0, 0, 1<<20)}
	Split(1<<20, Slack(10*gb), rows)
	require.Equal(t, []int64{1 << 20, 1 << 20}, opened(rows))
	require.Equal(t, int64(50<<20), Slack(1<<50))
	require.Equal(t, gb/200, Slack(gb))
}

// Whatever clients do on entries that come and go, lose their link for a time and confirm late, all of them together
// let a client use at most its quota and one percent, and never less than nearly all of it where it asks for it.
func TestEntriesTogetherKeepToAQuota(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			simulateQuota(t, rand.New(rand.NewPCG(seed, 1)))
		})
	}
}

// agentOf is an agent of the simulation: what it goes by, and how much it has let pass.
type agentOf struct {
	row         *Share
	used, limit int64
	away        bool
}

func simulateQuota(t *testing.T, random *rand.Rand) {
	t.Helper()
	quota := 1 + random.Int64N(20*gb)
	agents := make([]*agentOf, 1+random.IntN(5))
	rows := make([]*Share, len(agents))
	for i := range agents {
		rows[i] = &Share{NodeID: fmt.Sprint(i)}
		agents[i] = &agentOf{row: rows[i]}
	}
	sum := func(of func(*agentOf) int64) (total int64) {
		for _, a := range agents {
			total += of(a)
		}
		return total
	}
	round := func(here bool) {
		Split(max(0, quota-sum(func(a *agentOf) int64 { return a.row.Counted })), Slack(quota), rows)
		for _, a := range agents {
			a.row.Document = 1
			if !a.away && (here || random.IntN(2) == 0) { // takes the newest, and says so
				a.limit, a.row.Held = a.row.Granted, a.row.Granted
			}
		}
	}
	for range 200 {
		for _, a := range agents {
			a.away = random.IntN(4) == 0
			if random.IntN(2) == 0 {
				a.used += min(max(0, a.limit-a.used), random.Int64N(1+quota/10))
			}
			if !a.away { // what was carried comes to the panel
				a.row.Recent, a.row.Counted = a.used-a.row.Counted, a.used
			}
		}
		round(false)
		require.LessOrEqual(t, sum(func(a *agentOf) int64 { return a.used }), quota+quota/100)
	}
	user := agents[random.IntN(len(agents))] // one entry is used alone to the end
	for range 60 {
		for _, a := range agents {
			a.away = false
			if a == user {
				a.used = max(a.used, a.limit)
			}
			a.row.Recent, a.row.Counted = a.used-a.row.Counted, a.used
		}
		round(true)
	}
	total := sum(func(a *agentOf) int64 { return a.used })
	require.LessOrEqual(t, total, quota+quota/100)
	require.GreaterOrEqual(t, total, quota-quota/100-int64(len(agents)))
}
