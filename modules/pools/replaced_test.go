package pools

import (
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/pools/poolsapi"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/module"
	"panel/platform/paneltest"
)

// replacing is a world whose nodes the test may replace in pools, as another module does.
func replacing(t *testing.T) (*world, poolsapi.Replacements) {
	t.Helper()
	var out poolsapi.Replacements
	guest := module.Module{
		Name: "guest", Summary: "A test that replaces members", Requires: []string{"pools"},
		Attach: func(r poolsapi.Replacements) module.Parts { out = r; return module.Parts{} },
	}
	return newWorldOn(t, paneltest.New(t, append(features(), guest)...)), out
}

// A node takes the place of a member in all pools: with its weight, priority and place in the sequence, as the fallback
// and the override where that was it. What agents have said of the other one, and its drain, are not said of it.
func TestANodeTakesThePlaceOfAMember(t *testing.T) {
	t.Parallel()
	w, others := replacing(t)
	old, by := w.exits[1], w.admin.AddNode("waw-02", "address", "192.0.2.9")
	p := w.pool("Europe", "members", []fields{
		{"node_id": w.exits[0]}, {"node_id": old, "weight": 7, "priority": 2, "enabled": false, "drain": true},
	}, "fallback", fields{"kind": "member", "node_id": old})
	last := w.pool("Alone", "members", members(old))
	untouched := w.pool("Other", "members", members(w.exits[2]))
	w.admin.Post(path+"/"+p.ID+"/override", fields{"member_id": p.Members[1].ID})
	flow := w.flow("Main", p.ID)
	w.install(flow)
	_, err := w.panel.DB.NewRaw("update flows set enabled = true where id = ?", flow).Exec(t.Context())
	require.NoError(t, err)

	found, err := others.With(t.Context(), old)
	require.NoError(t, err)
	require.Equal(t, []poolsapi.Named{{ID: last.ID, Name: "Alone"}, {ID: p.ID, Name: "Europe"}}, found)
	done, err := others.Replace(t.Context(), old, by)
	require.NoError(t, err)
	require.Equal(t, found, done)

	now := w.read(p.ID)
	require.Len(t, now.Members, 2)
	m := now.Members[1]
	require.Equal(t, []any{by, 7, 2, false, false}, []any{m.NodeID, m.Weight, m.Priority, m.Enabled, m.Drain})
	require.NotEqual(t, p.Members[1].ID, m.ID)
	require.Equal(t, Fallback{Kind: "member", NodeID: by}, now.Fallback)
	require.Equal(t, m.ID, now.Override.MemberID)
	require.Equal(t, p.Members[0].ID, now.Members[0].ID, "who stays keeps the id")
	require.Equal(t, by, w.read(last.ID).Members[0].NodeID)
	require.Equal(t, untouched.Revision, w.read(untouched.ID).Revision)
	require.Equal(t, 1, w.rerendered(flow), "the flow that has it installed is installed anew")
	require.Equal(t, m.ID, w.told().Pools[0].Members[1].ID, "agents are told")

	done, err = others.Replace(t.Context(), old, by)
	require.NoError(t, err)
	require.Empty(t, done, "again it changes nothing")
	require.Equal(t, now.Revision, w.read(p.ID).Revision)
	require.Equal(t, []string{"pool.created", "pool.updated"}, w.panel.Recorded(object, last.ID))
}

// In a pool that has both nodes the other one goes; a node that is not there takes nobody's place.
func TestANodeThatIsAMemberAlreadyStaysOne(t *testing.T) {
	t.Parallel()
	w, others := replacing(t)
	p := w.pool("Europe", "min_healthy", 3, "fallback", fields{"kind": "member", "node_id": w.exits[0]})
	_, err := others.Replace(t.Context(), w.exits[0], database.NewID())
	require.Equal(t, fault.KindMissing, fault.KindOf(err))
	require.Len(t, w.read(p.ID).Members, 3)
	_, err = others.Replace(t.Context(), w.exits[0], w.exits[2])
	require.NoError(t, err)
	now := w.read(p.ID)
	require.Equal(t, []string{p.Members[1].ID, p.Members[2].ID}, []string{now.Members[0].ID, now.Members[1].ID})
	require.Equal(t, w.exits[2], now.Fallback.NodeID)
	require.Equal(t, 2, now.MinHealthy, "more than all of them are never wanted")
}
