package updates

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/nodes"
	"panel/platform/paneltest"
)

const (
	ringsPath    = "/api/v1/nodes/agent-rings"
	rolloutsPath = ringsPath + "/rollouts"
	nobody       = "0199a0de-0000-7000-8000-000000000009"
)

// good are settings that the API takes, with one member changed.
func good(member string, value any) map[string]any {
	body := map[string]any{"sizes": []int{1, 10, 100}, "pause_seconds": 60, "parallel": 10, "revision": 1}
	if value == nil {
		delete(body, member)
	} else {
		body[member] = value
	}
	return body
}

// Settings that make no sense are refused, and nothing of them is stored.
func TestRingsThatMakeNoSenseAreRefused(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, nodes.Module(), Module())
	editor := p.As(string(edit), string(view))
	for _, c := range []struct {
		member string
		value  any
		status int
	}{
		{"sizes", []int{}, 422},
		{"sizes", []int{0, 10}, 422},
		{"sizes", []int{-1}, 422},
		{"sizes", []int{10001}, 422},
		{"sizes", []int{1, 101}, 422},
		{"sizes", []int{1, 10, 10}, 422},
		{"sizes", []int{1, 50, 20}, 422},
		{"sizes", []int{1, 2, 3, 4, 5, 6, 7}, 422},
		{"sizes", "1,10,100", 400},
		{"sizes", []float64{1.5}, 400},
		{"sizes", nil, 400},
		{"parallel", 0, 422},
		{"parallel", 201, 422},
		{"parallel", nil, 400},
		{"pause_seconds", -1, 422},
		{"pause_seconds", 604801, 422},
		{"pause_seconds", 1e30, 422},
		{"first_nodes", []string{"fra-01"}, 422},
		{"first_nodes", []string{nobody}, 422},
		{"first_nodes", "fra-01", 400},
		{"revision", "1", 400},
		{"revision", nil, 400},
		{"rings", 3, 400},
	} {
		answer := editor.Put(ringsPath, good(c.member, c.value))
		require.Equal(t, c.status, answer.Status, "%s = %v: %s", c.member, c.value, answer.Body)
	}
	require.EqualValues(t, 1, editor.Get(ringsPath).Is(http.StatusOK).Value("revision"))
	require.Empty(t, p.Recorded("rings", ""))
	editor.Put(ringsPath, good("", nil)).Is(http.StatusOK)
	require.Equal(t, []string{"node.rings_changed"}, p.Recorded("rings", ""))
}

// A node that is named twice is no order to go in.
func TestANodeGoesFirstOnce(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	a := st.server("aaa", "1.0.0")
	st.editor().
		Put(ringsPath, good("first_nodes", []string{a.NodeID, a.NodeID})).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
	st.editor().Put(ringsPath, good("first_nodes", []string{a.NodeID})).Is(http.StatusOK)
	st.panel.Admin().Delete("/api/v1/nodes/" + a.NodeID).Is(http.StatusNoContent)
	shown := st.viewer().Get(ringsPath).Is(http.StatusOK)
	require.Equal(t, []any{a.NodeID}, shown.Value("first_nodes"), "the settings stay as they were saved")
	require.Empty(t, shown.Value("first"), "a removed node is not shown")
}

// Two who change the settings from one revision: one of them is told to read again.
func TestOfTwoWritersOfOneRevisionOneIsRefused(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, nodes.Module(), Module())
	editor := p.As(string(edit), string(view))
	const writers = 8
	for revision := 1; revision <= 3; revision++ {
		statuses := make([]int, writers)
		var writing sync.WaitGroup
		for i := range writers {
			body := good("parallel", 20*revision+i)
			body["revision"] = revision
			writing.Go(func() { statuses[i] = editor.Put(ringsPath, body).Status })
		}
		writing.Wait()
		require.Equal(t, 1, tallyOf(statuses)[http.StatusOK], "%v", statuses)
		require.Equal(t, writers-1, tallyOf(statuses)[http.StatusConflict], "%v", statuses)
	}
	require.Len(t, p.Recorded("rings", ""), 3, "a refused change is in no journal")
}

func tallyOf(statuses []int) map[int]int {
	counts := map[int]int{}
	for _, status := range statuses {
		counts[status]++
	}
	return counts
}

// However many press the button at once, one rollout begins and each node gets one order.
func TestOfManyStartsOneBegins(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.noPause()
	a := st.server("aaa", "1.0.0")
	for _, path := range []string{ringsPath + "/3/update", "/api/v1/nodes/" + a.NodeID + "/agent-update"} {
		statuses := make([]int, 6)
		editor := st.editor()
		var starting sync.WaitGroup
		for i := range statuses {
			starting.Go(func() { statuses[i] = editor.Post(path, map[string]any{}).Status })
		}
		starting.Wait()
		require.Equal(t, map[int]int{http.StatusAccepted: 1, http.StatusConflict: 5}, tallyOf(statuses), path)
		a.fails()
		st.eventually(func() bool {
			var open int
			require.NoError(t, st.panel.DB.NewRaw("select count(*) from agent_rollouts where finished_at is null").
				Scan(t.Context(), &open))
			return open == 0
		})
	}
}

// A rollout and an update of one of its nodes exclude each other, whichever came first.
func TestANodeIsInOneRolloutAtATime(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.noPause()
	a, b := st.server("aaa", "1.0.0"), st.server("bbb", "1.0.0")
	single := func(s *server) *paneltest.Answer {
		return st.editor().Post("/api/v1/nodes/"+s.NodeID+"/agent-update", map[string]any{})
	}
	id := single(b).Is(http.StatusAccepted).Text("id")
	st.editor().Post(ringsPath+"/3/update", map[string]any{}).Refused(http.StatusConflict, "rollout_active")
	b.fails()
	st.ends(id, failed)
	id = st.start("3")
	a.order()
	single(b).Refused(http.StatusConflict, "rollout_active")
	a.succeeds()
	b.succeeds()
	st.ends(id, done)
}

// What does not exist is not found, and what has another form is refused before anything is asked.
func TestUnknownRingsRolloutsAndNodesAreRefused(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.server("aaa", "1.0.0")
	editor := st.editor()
	for _, path := range []string{
		ringsPath + "/4/update", ringsPath + "/0/update", ringsPath + "/7/update", ringsPath + "/first/update",
		ringsPath + "/1.5/update", rolloutsPath + "/" + nobody + "/stop", rolloutsPath + "/none/stop",
		"/api/v1/nodes/" + nobody + "/agent-update",
	} {
		editor.Post(path, map[string]any{}).Refused(http.StatusNotFound, "not_found")
	}
	editor.Get(rolloutsPath+"/"+nobody).Refused(http.StatusNotFound, "not_found")
	editor.Get(rolloutsPath+"/none").Refused(http.StatusNotFound, "not_found")
	long := map[string]any{"version": fmt.Sprintf("%065d", 1)}
	editor.Post(ringsPath+"/1/update", long).Refused(http.StatusUnprocessableEntity, "invalid_value")
	editor.Post(ringsPath+"/1/update", map[string]any{"force": true}).Is(http.StatusBadRequest)
	editor.Post(ringsPath+"/1/update", map[string]any{"version": "9.9.9"}).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
	require.Empty(t, st.journal())
}

// Rollouts are listed page by page in both directions; a cursor belongs to the order it came from.
func TestRolloutsAreListedPageByPage(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	var began []string
	for i := range 5 {
		s := st.server(fmt.Sprint("node-", i), "1.0.0")
		id := st.editor().Post("/api/v1/nodes/"+s.NodeID+"/agent-update", map[string]any{}).Is(http.StatusAccepted).
			Text("id")
		began = append(began, id)
	}
	listed := func(sort string) (ids []string, cursor string) {
		query := "?limit=2&sort=" + sort
		for {
			var page struct {
				Items []Rollout
				Next  string `json:"next_cursor"`
				Total int
			}
			st.viewer().Get(rolloutsPath + query).Is(http.StatusOK).JSON(&page)
			require.Equal(t, 5, page.Total)
			for _, r := range page.Items {
				require.Equal(t, 1, r.Rings[0].Total)
				require.Empty(t, r.Nodes, "nodes are shown with a single rollout only")
				ids = append(ids, r.ID)
			}
			if page.Next == "" {
				return ids, cursor
			}
			cursor = page.Next
			query = "?limit=2&sort=" + sort + "&cursor=" + cursor
		}
	}
	rising, cursor := listed(oldestFirst)
	require.Equal(t, began, rising)
	falling, _ := listed(newestFirst)
	require.Equal(t, []string{began[4], began[3], began[2], began[1], began[0]}, falling)
	for _, query := range []string{
		"?sort=version", "?sort=-id", "?cursor=zzz", "?limit=0", "?limit=100000",
		"?sort=" + newestFirst + "&cursor=" + cursor,
	} {
		require.Equal(t, http.StatusBadRequest, st.viewer().Get(rolloutsPath+query).Status, query)
	}
}
