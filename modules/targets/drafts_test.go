package targets

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
	"panel/platform/paneltest"
)

const flowsPath = "/api/v1/connection-units"

// found searches for a target and gives the id of its result.
func (s *stage) found(changes ...func(*agentapi.TargetFinding)) string {
	s.t.Helper()
	id := s.search("www.example.org")
	s.deliver(finding(id, 0, changes...)).Is(http.StatusOK)
	s.finish(id, agentapi.CodeDone, agentapi.ScanTargetsData{Scanned: 1})
	s.ends(id, stateDone)
	var page struct{ Items []Result }
	s.admin.Get(path + "/" + id + "/results").JSON(&page)
	return page.Items[0].ID
}

// drawn saves a draft whose REALITY listener names a result.
func (s *stage) drawn(flow string, revision int, result string) *paneltest.Answer {
	s.t.Helper()
	listener := fields{
		"protocol": "vless", "port": 8443, "transport": "raw", "security": "reality",
		"reality": fields{"target": "www.example.org:443", "target_result_id": result},
	}
	graph := fields{
		"nodes": []fields{
			{"key": "in", "kind": "entry", "node_id": s.agent.NodeID, "params": fields{"listener": listener}},
			{"key": "out", "kind": "exit", "node_id": s.agent.NodeID},
		},
		"edges": []fields{{"from": "in", "to": "out"}},
	}
	return s.admin.Put(flowsPath+"/"+flow+"/draft", fields{"revision": revision, "graph": graph}).Is(http.StatusOK)
}

func (s *stage) flow() string {
	s.t.Helper()
	return s.admin.Post(flowsPath, fields{"name": "Europe main"}).Is(http.StatusCreated).Text("id")
}

// Rule: applying a found target needs an up-to-date suitability result, at compile and at apply, and no force passes
// that.
func TestAFoundTargetIsFreshAtCompileAndAtApply(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	flow := s.flow()
	const stale = "target_suitability_stale"
	compile := flowsPath + "/" + flow + "/plan/compile"

	bad := s.found(func(f *agentapi.TargetFinding) { f.ALPN = "" })
	s.drawn(flow, 1, bad)
	s.admin.Post(compile, nil).Refused(http.StatusUnprocessableEntity, stale)
	good := s.found()
	s.drawn(flow, 2, good)
	p := s.admin.Post(compile, nil).Is(http.StatusCreated)
	plan := flowsPath + "/" + flow + "/plans/" + p.Text("id")
	require.Equal(t, []any{}, s.admin.Get(plan).Value("obstacles"))

	_, err := s.DB.ExecContext(t.Context(), "update target_results set valid_until = now() where id = ?", good)
	require.NoError(t, err)
	s.admin.Post(flowsPath+"/"+flow+"/apply", fields{"id": p.Text("id"), "revision": 3, "force_apply": true}).
		Refused(http.StatusUnprocessableEntity, stale)
	var shown struct{ Obstacles []struct{ Code, Path string } }
	s.admin.Get(plan).JSON(&shown)
	require.Equal(t, stale, shown.Obstacles[0].Code)
	require.Equal(t, "nodes[0].params.listener.reality.target_result_id", shown.Obstacles[0].Path)
	s.admin.Post(compile, nil).Refused(http.StatusUnprocessableEntity, stale)
	var preview struct{ Errors []struct{ Code string } }
	s.admin.Post(flowsPath+"/"+flow+"/plan/preview", fields{}).Is(http.StatusOK).JSON(&preview)
	require.Equal(t, stale, preview.Errors[0].Code)

	s.drawn(flow, 3, "no-such-result")
	s.admin.Post(compile, nil).Refused(http.StatusUnprocessableEntity, stale)
	s.drawn(flow, 4, "")
	s.admin.Post(compile, nil).Is(http.StatusCreated)
}
