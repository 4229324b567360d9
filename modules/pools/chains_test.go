package pools

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"panel/modules/flows/flowsapi"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/fault"
)

// ref is a member in words of a test.
func ref(pool, id string) memberRow { return memberRow{ID: "m-" + id, PoolID: pool, NodeID: id} }

// A pool leads on to those that its flows send traffic to; how deep that is, and whether it comes back, is found in any
// drawing, also in one that has circles elsewhere.
func TestLeadsAreFollowedToTheirEnds(t *testing.T) {
	t.Parallel()
	l := leads{"a": {"b", "c"}, "b": {"d"}, "c": {"d", "e"}, "e": {"f"}, "x": {"y"}, "y": {"x"}}
	for from, want := range map[string]int{"a": 4, "b": 2, "c": 3, "d": 1, "f": 1, "x": 2, "nowhere": 1} {
		require.Equal(t, want, l.longest(from, map[string]bool{}), from)
	}
	for pair, want := range map[[2]string]bool{
		{"a", "f"}: true, {"a", "a"}: false, {"f", "a"}: false, {"b", "e"}: false, {"x", "x"}: true, {"a", "x"}: false,
	} {
		require.Equal(t, want, l.reaches(pair[0], pair[1], map[string]bool{}), "%v", pair)
	}
	back := l.reversed()
	require.ElementsMatch(t, []string{"b", "c"}, back["d"])
	require.Equal(t, 4, back.longest("f", map[string]bool{}), "a, c, e, f")
}

// Rule: what is reached forwards is reached backwards the other way round, and depth counts the same from both ends.
func TestLeadsAreTheSameFromBothEnds(t *testing.T) {
	t.Parallel()
	names := []string{"a", "b", "c", "d", "e", "f"}
	rapid.Check(t, func(t *rapid.T) {
		l := leads{}
		for i := range names {
			for j := range names {
				if i < j && rapid.Bool().Draw(t, "edge") { // no circle
					l[names[i]] = append(l[names[i]], names[j])
				}
			}
		}
		back, most, backMost := l.reversed(), 0, 0
		for _, from := range names {
			most = max(most, l.longest(from, map[string]bool{}))
			backMost = max(backMost, back.longest(from, map[string]bool{}))
			for _, to := range names {
				if l.reaches(from, to, map[string]bool{}) != back.reaches(to, from, map[string]bool{}) {
					t.Fatalf("%s to %s in %v", from, to, l)
				}
			}
		}
		if most != backMost {
			t.Fatalf("%d deep forwards and %d backwards in %v", most, backMost, l)
		}
	})
}

// Who forwards to a pool: nodes of flows by themselves, nodes of members of a pool before it, and those of the pools
// that this one falls back on; a member that is a flow sends on by its own drawing.
func TestWhoForwardsToAPool(t *testing.T) {
	t.Parallel()
	one, two, three := database.NewID(), database.NewID(), database.NewID()
	members := map[string][]memberRow{
		"first":  {{NodeID: one}, {FlowID: database.NewID()}},
		"second": {{NodeID: two}},
	}
	fallback := map[string]string{"first": "second", "second": "third", "third": "fourth", "fourth": "fifth"}
	got := map[string]bool{}
	forward(got, flowsapi.PoolUse{Senders: []string{three, "", "no id"}, SenderPools: []string{"first"}}, members, fallback)
	require.ElementsMatch(t, []string{one, two, three}, sorted(got))
	got = map[string]bool{}
	forward(got, flowsapi.PoolUse{SenderPools: []string{"second", "gone"}}, members, fallback)
	require.Equal(t, []string{two}, sorted(got))
	got = map[string]bool{}
	forward(got, flowsapi.PoolUse{}, members, map[string]string{"a": "b", "b": "a"})
	require.Empty(t, got)
	forward(got, flowsapi.PoolUse{SenderPools: []string{"a"}}, members, map[string]string{"a": "b", "b": "a"})
	require.Empty(t, got, "a circle of an older database ends")
}

// What a configuration holds of a pool does not change with the order of its members, their weights, drains or names.
func TestAShapeIsWhatConfigurationsHold(t *testing.T) {
	t.Parallel()
	r := poolRow{ID: "p", Name: "Europe", Strategy: "ordered", Stickiness: "none", FallbackKind: "block"}
	members := []memberRow{ref("p", "b"), ref("p", "a"), ref("p", "c")}
	shape := r.shape(members)
	require.Equal(t, []string{"m-a", "m-b", "m-c"}, []string{shape.Members[0].ID, shape.Members[1].ID, shape.Members[2].ID})
	require.Equal(t, "m-b", members[0].ID, "the rows stay in their order")
	other := slices.Clone(members)
	slices.Reverse(other)
	for i := range other {
		other[i].Weight, other[i].Priority, other[i].Drain, other[i].Enabled, other[i].Position = 9, 3, true, i == 0, i
	}
	renamed := r
	renamed.Name, renamed.MinHealthy, renamed.Revision, renamed.OverrideBy = "Asia", 2, 9, "anna"
	renamed.Health.IntervalS = 60
	require.True(t, sameShape(shape, renamed.shape(other)), "all this acts without another configuration")
	for name, changed := range map[string]func(*poolRow) []memberRow{
		"strategy":   func(p *poolRow) []memberRow { p.Strategy = "random"; return members },
		"stickiness": func(p *poolRow) []memberRow { p.Stickiness = "user"; return members },
		"fallback":   func(p *poolRow) []memberRow { p.FallbackKind = "direct"; return members },
		"a member":   func(*poolRow) []memberRow { return members[1:] },
		"another":    func(*poolRow) []memberRow { return append(slices.Clone(members), ref("p", "d")) },
		"a pool":     func(p *poolRow) []memberRow { p.FallbackPoolID = orNil("q"); return members },
	} {
		to := r
		require.False(t, sameShape(shape, to.shape(changed(&to))) && sameShape(shape, to.shape(members)), name)
	}
}

// A strategy that keeps clients knows them by their user when nothing is said; every other one by nothing.
func TestStickinessFitsTheStrategy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		strategy, was string
		asked         bool
		want, refused string
	}{
		{"sticky", "", false, "user", ""},
		{"sticky", "none", false, "user", ""},
		{"sticky", "source", false, "source", ""},
		{"sticky", "source", true, "source", ""},
		{"sticky", "none", true, "", "stickiness"},
		{"random", "user", false, "none", ""},
		{"random", "", true, "none", "stickiness"},
		{"ordered", "none", true, "none", ""},
		{"ordered", "source", true, "", "stickiness"},
	} {
		row := poolRow{Strategy: c.strategy, Stickiness: c.was}
		err := stick(&row, c.asked)
		if c.refused != "" {
			told, known := fault.As(err)
			require.True(t, known, "%+v", c)
			require.Equal(t, c.refused, told.Fields[0].Field)
			continue
		}
		require.NoError(t, err, "%+v", c)
		require.Equal(t, c.want, row.Stickiness, "%+v", c)
	}
}

// Rule: a member is down when all nodes say so, and healthy only when none speaks against it.
func TestOneStateOfManySightings(t *testing.T) {
	t.Parallel()
	states := []string{agentapi.PoolUnknown, agentapi.PoolHealthy, agentapi.PoolDegraded, agentapi.PoolDown}
	rapid.Check(t, func(t *rapid.T) {
		seen := rapid.SliceOfN(rapid.SampledFrom(states), 0, 6).Draw(t, "seen")
		got := together(seen)
		has := func(s string) bool { return slices.Contains(seen, s) }
		only := func(s string) bool { return !slices.ContainsFunc(seen, func(o string) bool { return o != s }) }
		want := agentapi.PoolHealthy
		switch {
		case only(agentapi.PoolUnknown): // nobody has said anything
			want = agentapi.PoolUnknown
		case only(agentapi.PoolDown):
			want = agentapi.PoolDown
		case has(agentapi.PoolDown) || has(agentapi.PoolDegraded):
			want = agentapi.PoolDegraded
		}
		if got != want {
			t.Fatalf("%v together are %s", seen, got)
		}
		slices.Reverse(seen)
		if together(seen) != got {
			t.Fatalf("the order of %v counts", seen)
		}
	})
}

// An override counts until its end, and not at it.
func TestAnOverrideCountsUntilItsEnd(t *testing.T) {
	t.Parallel()
	until := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	r := poolRow{OverrideMemberID: orNil("m"), OverrideUntil: &until, OverrideBy: "anna"}
	require.Equal(t, &Override{MemberID: "m", Until: until, By: "anna"}, r.overridden(until.Add(-time.Nanosecond)))
	require.Nil(t, r.overridden(until))
	require.Nil(t, (&poolRow{OverrideUntil: &until}).overridden(until.Add(-time.Hour)))
	require.Nil(t, (&poolRow{OverrideMemberID: orNil("m")}).overridden(until))
}

// Pools that fall back on each other are told so, whichever change would close the circle and whatever hangs on it.
func TestACircleIsToldAsOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	behind := func(name, poolID string) Pool {
		return w.pool(name, "fallback", fields{"kind": "pool", "pool_id": poolID})
	}
	last := w.pool("last")
	middle := behind("middle", last.ID)
	first := behind("first", middle.ID)
	for i, to := range []string{middle.ID, first.ID, last.ID} {
		answer := w.admin.Patch(path+"/"+last.ID, fields{"revision": 1, "fallback": fields{"kind": "pool", "pool_id": to}}).
			Refused(http.StatusUnprocessableEntity, "invalid_value")
		require.Contains(t, string(answer.Body), "in a circle", "%d", i)
	}
	fourth := behind("fourth", first.ID)
	answer := w.admin.Post(path, fields{
		"name": "fifth", "strategy": "random", "members": members(w.exits[0]),
		"fallback": fields{"kind": "pool", "pool_id": fourth.ID},
	}).Refused(http.StatusUnprocessableEntity, "invalid_value")
	require.Contains(t, string(answer.Body), "at most four")
	require.Equal(t, "block", w.read(last.ID).Fallback.Kind)
}

// Reports of two panels at once about one member store one state, and people hear of it once.
func TestAReportThatComesTwiceIsTakenOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.pool("Europe")
	w.flow("Main", p.ID)
	require.Eventually(t, func() bool { return len(w.told().Pools) == 1 }, within, every)
	at := w.panel.Clock.Now()
	batch := agentapi.Batch{StreamID: "twice", Seq: 1}
	for i := range p.Members {
		batch.Items = append(batch.Items, mustJSON(t, state(p, i, agentapi.PoolDown, at)))
	}
	batch.Items = append(batch.Items, mustJSON(t, serves(p, agentapi.PoolServesFallback, 0, "member_down", at)))
	done := make(chan int, 2)
	for range 2 {
		go func() { done <- w.entry.Post("/agent/v1/batches/pools", batch).Status }()
	}
	require.Equal(t, []int{http.StatusOK, http.StatusOK}, []int{<-done, <-done})
	var told int
	require.NoError(t, w.panel.DB.NewRaw("select count(*) from transit_pool_members where told_at is not null").
		Scan(t.Context(), &told))
	require.Equal(t, len(p.Members), told)
	var choices int
	require.NoError(t, w.panel.DB.NewRaw("select count(*) from transit_pool_choices").Scan(t.Context(), &choices))
	require.Equal(t, 1, choices)
	require.Equal(t, "down", w.read(p.ID).State, "the fallback carries the traffic")

	batch.Seq, batch.Items = 2, batch.Items[:1]
	batch.Items[0] = []byte(fmt.Sprintf(`{"pool_id": %q, "member_id": %q, "state": "wonderful"}`, p.ID, p.Members[0].ID))
	w.entry.Post("/agent/v1/batches/pools", batch).Refused(http.StatusUnprocessableEntity, "invalid_value")
	require.Equal(t, "down", w.read(p.ID).Members[0].State)
}
