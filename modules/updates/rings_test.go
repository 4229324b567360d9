package updates

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/nodes"
	"panel/platform/app"
	"panel/platform/database/dbtest"
	"panel/platform/module"
	"panel/platform/paneltest"
)

func TestRingsAreChangedByOneAtATime(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	a := st.server("aaa", "1.0.0")
	first := map[string]any{
		"sizes":         []int{2, 25, 100},
		"first_nodes":   []string{a.NodeID},
		"pause_seconds": 5,
		"parallel":      3,
		"revision":      1,
	}
	answer := st.editor().Put("/api/v1/nodes/agent-rings", first).Is(http.StatusOK)
	require.EqualValues(t, 2, answer.Value("revision"))
	var shown Rings
	answer.JSON(&shown)
	require.Equal(t, []RingNode{{ID: a.NodeID, Name: "aaa"}}, shown.First)
	require.Equal(t, shown.First, shown.Rings[0].Members)
	require.Empty(t, shown.Rings[2].Members)
	st.editor().Put("/api/v1/nodes/agent-rings", first).Refused(http.StatusConflict, "revision_conflict")
	first["revision"], first["sizes"] = 2, []int{2, 25, 25}
	st.editor().Put("/api/v1/nodes/agent-rings", first).Refused(http.StatusUnprocessableEntity, "invalid_value")
	first["sizes"], first["first_nodes"] = []int{2}, []string{"0199a0de-0000-7000-8000-000000000009"}
	st.editor().Put("/api/v1/nodes/agent-rings", first).Refused(http.StatusUnprocessableEntity, "invalid_value")
}

func TestEveryRingHasAtLeastOneNodeAndTheLastOneTheRest(t *testing.T) {
	t.Parallel()
	sizes := []int{1, 10, 100}
	require.Equal(t, []int{1, 2, 3}, ringOf(3, sizes))
	require.Equal(t, []int{1}, ringOf(1, sizes))
	require.Empty(t, ringOf(0, sizes))
	of50 := ringOf(50, sizes)
	require.Equal(t, 1, of50[0])
	require.Equal(t, []int{2, 2, 2, 2, 3}, of50[1:6])
	require.Equal(t, 3, of50[49])
}

// A node tells how its agent stands beside the newest build, in the list as alone.
func TestNodesTellHowTheirAgentStands(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.noPause()
	a, b := st.server("aaa", "1.0.0"), st.server("bbb", newVersion)
	stand := func(s *server) string {
		alone := st.viewer().Get("/api/v1/nodes/" + s.NodeID).Is(http.StatusOK).Text("agent.update_state")
		var page struct {
			Items []struct {
				ID    string
				Agent struct {
					UpdateState string `json:"update_state"`
				}
			}
		}
		st.viewer().Get("/api/v1/nodes").Is(http.StatusOK).JSON(&page)
		for _, one := range page.Items {
			if one.ID == s.NodeID {
				require.Equal(t, alone, one.Agent.UpdateState)
			}
		}
		return alone
	}
	require.Equal(t, "available", stand(a))
	require.Equal(t, "current", stand(b))
	id := st.start("1")
	a.order()
	require.Equal(t, "updating", stand(a))
	a.fails()
	st.ends(id, failed)
	require.Equal(t, "failed", stand(a))
	id = st.editor().PostOnce("/api/v1/nodes/"+a.NodeID+"/agent-update", map[string]any{}).Is(http.StatusAccepted).
		Text("id")
	a.order()
	require.Equal(t, "updating", stand(a))
	a.succeeds()
	st.ends(id, done)
	require.Equal(t, "current", stand(a))
}

// P4 holds beside this module too: the states of a whole page of agents are one statement.
func TestAPageOfNodesStaysWithinThreeStatements(t *testing.T) {
	t.Parallel()
	db, count := dbtest.Counted(t, app.Migrations(app.With([]module.Module{nodes.Module(), Module()}))...)
	st := newStage(t, paneltest.On(db))
	st.server("aaa", "1.0.0")
	st.server("bbb", "1.0.0")
	viewer := st.viewer()
	viewer.Get("/api/v1/nodes?limit=50").Is(http.StatusOK)
	require.LessOrEqual(t, count.OfRequests(func() { viewer.Get("/api/v1/nodes?limit=50").Is(http.StatusOK) }),
		int64(3))
}
