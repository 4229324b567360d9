package pools

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
)

// Each strategy has the stickiness that belongs to it and no other; members stay who they are.
func TestEachStrategyHasItsStickiness(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.pool("Europe")
	w.flow("Main", p.ID)
	require.Eventually(t, func() bool { return len(w.told().Pools) == 1 }, within, every)
	for _, c := range []struct{ strategy, asked, stickiness string }{
		{"ordered", "", agentapi.StickToNone},
		{"random", "", agentapi.StickToNone},
		{"least_ping", "", agentapi.StickToNone},
		{"least_load", agentapi.StickToNone, agentapi.StickToNone},
		{"least_users", "", agentapi.StickToNone},
		{"sticky", "", agentapi.StickToUser},
		{"round_robin", "", agentapi.StickToNone},
		{"sticky", "source", "source"},
	} {
		body := fields{"revision": w.read(p.ID).Revision, "strategy": c.strategy}
		if c.asked != "" {
			body["stickiness"] = c.asked
		}
		w.admin.Patch(path+"/"+p.ID, body).Is(http.StatusOK)
		shown := w.read(p.ID)
		require.Equal(t, c.strategy, shown.Strategy)
		require.Equal(t, c.stickiness, shown.Stickiness, c.strategy)
		require.Equal(t, p.Members[0].ID, shown.Members[0].ID)
		require.Len(t, w.told().Pools[0].Members, 3, "the members are the same whoever is chosen among them")
	}
	for _, bad := range []fields{
		{"strategy": "fastest"}, {"strategy": "ordered", "stickiness": "user"}, {"strategy": "sticky", "stickiness": "none"},
	} {
		bad["revision"] = w.read(p.ID).Revision
		w.admin.Patch(path+"/"+p.ID, bad).Refused(http.StatusUnprocessableEntity, "invalid_value")
	}
	require.Equal(t, "source", w.read(p.ID).Stickiness, "what is refused changes nothing")
}
