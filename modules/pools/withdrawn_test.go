package pools

import (
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/pools/poolsapi"
	"panel/platform/agentapi"
)

// A member whose node another module sees down gets no new traffic until it is returned: agents are told at once,
// people see why, and what they have said of the member stays.
func TestAWithdrawnMemberGetsNoNewTraffic(t *testing.T) {
	t.Parallel()
	w, others := exported[poolsapi.Members](t)
	p := w.pool("Europe")
	none, err := others.Places(t.Context(), w.exits[0])
	require.NoError(t, err)
	require.Empty(t, none, "nobody sends traffic to the pool")
	w.flow("Main", p.ID)
	require.Eventually(t, func() bool { return len(w.told().Pools) == 1 }, within, every)
	drains := func() (out []bool) {
		for _, m := range w.told().Pools[0].Members {
			out = append(out, m.Drain)
		}
		return out
	}

	places, err := others.Places(t.Context(), w.exits[0], w.entry.NodeID)
	require.NoError(t, err)
	require.Equal(t, map[string][]poolsapi.Place{w.exits[0]: {{
		PoolID: p.ID, Pool: "Europe", MemberID: p.Members[0].ID, Members: 3, Usable: 2,
	}}}, places)
	for range 2 {
		require.NoError(t, others.Withdraw(t.Context(), "repair-1", p.Members[0].ID))
	}
	require.Equal(t, []bool{true, false, false}, drains())
	shown := w.read(p.ID)
	require.True(t, shown.Members[0].Withdrawn)
	require.False(t, shown.Members[0].Drain, "a person has said nothing")
	require.EqualValues(t, 2, shown.Revision)
	places, err = others.Places(t.Context(), w.exits...)
	require.NoError(t, err)
	require.Empty(t, places[w.exits[0]], "it is withdrawn already")
	require.Equal(t, []int{1, 1}, []int{places[w.exits[1]][0].Withdrawn, places[w.exits[1]][0].Usable})

	w.admin.Patch(path+"/"+p.ID, fields{"revision": 2, "members": []fields{
		{"node_id": w.exits[0], "weight": 5}, {"node_id": w.exits[1]}, {"node_id": w.exits[2]},
	}}).Is(http.StatusOK)
	require.True(t, w.read(p.ID).Members[0].Withdrawn, "who changes a pool returns nobody")
	require.NoError(t, others.Return(t.Context(), "repair-2"))
	require.NoError(t, others.Return(t.Context(), ""))
	require.Equal(t, []bool{true, false, false}, drains())
	for range 2 {
		require.NoError(t, others.Return(t.Context(), "repair-1"))
	}
	require.Equal(t, []bool{false, false, false}, drains())
	require.Equal(t, []string{"pool.created", poolsapi.EventWithdrawn, "pool.updated", poolsapi.EventReturned},
		w.panel.Recorded(object, p.ID), "each once")
}

// Members that are down, drained, switched off or at rest are no help to a pool that one more leaves.
func TestOnlyUsableMembersCount(t *testing.T) {
	t.Parallel()
	w, others := exported[poolsapi.Members](t)
	p := w.pool("Europe")
	w.flow("Main", p.ID)
	require.Eventually(t, func() bool { return len(w.told().Pools) == 1 }, within, every)
	usable := func() int {
		places, err := others.Places(t.Context(), w.exits[0])
		require.NoError(t, err)
		return places[w.exits[0]][0].Usable
	}
	require.Equal(t, 2, usable())
	w.report(state(p, 1, agentapi.PoolDown, w.panel.Clock.Now()))
	require.Equal(t, 1, usable())
	w.admin.Post(path+"/"+p.ID+"/members/"+p.Members[2].ID+"/drain", fields{}).Is(http.StatusOK)
	require.Equal(t, 0, usable())
	w.admin.Post(path+"/"+p.ID+"/members/"+p.Members[0].ID+"/drain", fields{}).Is(http.StatusOK)
	places, err := others.Places(t.Context(), w.exits...)
	require.NoError(t, err)
	require.False(t, slices.Contains(keys(places), w.exits[0]), "a member that gets no new traffic need not be withdrawn")
}

func keys(m map[string][]poolsapi.Place) (out []string) {
	for key := range m {
		out = append(out, key)
	}
	return out
}
