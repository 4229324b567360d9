package targets

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
	"panel/platform/database"
)

const changePath = flowsPath + "/bulk/change-target"

// changed waits for the end of a change of drafts.
func (s *stage) changed(id string) (ended struct {
	Items      []struct{ State, Code, Error string }
	FinishedAt *string `json:"finished_at"`
},
) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		s.admin.Get(flowsPath + "/bulk/changes/" + id).Is(http.StatusOK).JSON(&ended)
		return ended.FinishedAt != nil
	}, within, every)
	return ended
}

// running waits for the search that was started last.
func (s *stage) running() (id string) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		var page struct{ Items []Search }
		s.admin.Get(path + "?limit=1").Is(http.StatusOK).JSON(&page)
		if len(page.Items) > 0 && page.Items[0].State == stateRunning {
			id = page.Items[0].ID
		}
		return id != ""
	}, within, every)
	return id
}

func (s *stage) target(flow string) (target, result string) {
	s.t.Helper()
	var draft struct {
		Graph struct {
			Nodes []struct {
				Params struct {
					Listener *struct {
						Reality struct {
							Target string
							Result string `json:"target_result_id"`
						}
					}
				}
			}
		}
	}
	s.admin.Get(flowsPath + "/" + flow + "/draft").Is(http.StatusOK).JSON(&draft)
	drawn := draft.Graph.Nodes[0].Params.Listener.Reality
	return drawn.Target, drawn.Result
}

// Rule: one REALITY target is changed in many flows, checked from each node; nothing is installed, and the drafts that
// come out of it compile.
func TestATargetIsChangedInManyFlows(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	flow := s.flow()
	s.drawn(flow, 1, "")
	body := fields{"target": "new.example.net", "from": "www.example.org", "dry_run": true}
	told := s.admin.Post(changePath, body).Is(http.StatusOK)
	require.Equal(t, "new.example.net:443", told.Text("target"))
	require.Empty(t, told.Text("id"))
	require.EqualValues(t, 0, s.admin.Get(path).Value("total"), "a dry run starts no search")

	body["dry_run"] = false
	begun := s.admin.Post(changePath, body).Is(http.StatusAccepted)
	search := s.running()
	s.deliver(finding(search, 0)).Is(http.StatusOK)
	s.finish(search, agentapi.CodeDone, agentapi.ScanTargetsData{Scanned: 1})
	ended := s.changed(begun.Text("id"))
	require.Equal(t, "changed", ended.Items[0].State)
	target, result := s.target(flow)
	require.Equal(t, "new.example.net:443", target)
	require.NotEmpty(t, result)
	require.Contains(t, s.Recorded("flow", flow), "flow.target_changed")
	s.admin.Post(flowsPath+"/"+flow+"/plan/compile", nil).Is(http.StatusCreated)

	body = fields{"target": "new.example.net", "flow_ids": []string{flow}, "dry_run": true}
	var again struct {
		Items []struct{ State, Code string }
	}
	s.admin.Post(changePath, body).Is(http.StatusOK).JSON(&again)
	require.Equal(t, "nothing_to_change", again.Items[0].Code)
}

// Rule: a flow whose node finds the target unsuitable, or cannot check it, is left out by name with the reason.
func TestAFlowWithoutASuitableTargetIsLeftOut(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	flow := s.flow()
	s.drawn(flow, 1, "")
	begun := s.admin.Post(changePath, fields{"target": "new.example.net", "flow_ids": []string{flow}}).
		Is(http.StatusAccepted)
	search := s.running()
	s.deliver(finding(search, 0, func(f *agentapi.TargetFinding) { f.ALPN = "" })).Is(http.StatusOK)
	s.finish(search, agentapi.CodeDone, agentapi.ScanTargetsData{Scanned: 1})
	ended := s.changed(begun.Text("id"))
	require.Equal(t, "target_unsuitable", ended.Items[0].Code)
	require.Equal(t, "fra-01: it does not offer HTTP/2", ended.Items[0].Error)

	begun = s.admin.Post(changePath, fields{"target": "other.example.net", "flow_ids": []string{flow}}).
		Is(http.StatusAccepted)
	s.finish(s.running(), agentapi.CodeInterrupted, nil)
	ended = s.changed(begun.Text("id"))
	require.Equal(t, "target_unchecked", ended.Items[0].Code)
	require.Equal(t, "fra-01: the agent was restarted meanwhile", ended.Items[0].Error)
	target, _ := s.target(flow)
	require.Equal(t, "www.example.org:443", target)
}

// Rule: what cannot be meant is refused as a whole; changing drafts needs the right to change flows.
func TestAChangeOfTargetsThatCannotBeMeantIsRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	flow := s.flow()
	s.drawn(flow, 1, "")
	for name, body := range map[string]fields{
		"no flows":      {"target": "new.example.net"},
		"unknown flow":  {"target": "new.example.net", "flow_ids": []string{database.NewID()}},
		"no target":     {"target": "no target", "flow_ids": []string{flow}},
		"private":       {"target": "10.0.0.1", "flow_ids": []string{flow}},
		"nobody has it": {"target": "new.example.net", "from": "none.example.org"},
	} {
		require.Equal(t, http.StatusUnprocessableEntity, s.admin.Post(changePath, body).Status, name)
	}
	body := fields{"target": "new.example.net", "flow_ids": []string{flow}, "dry_run": true}
	s.As("connection_units.view").Post(changePath, body).Refused(http.StatusForbidden, "permission_denied")
	s.admin.Get(flowsPath+"/bulk/changes/"+database.NewID()).Refused(http.StatusNotFound, "not_found")
	s.admin.Get(flowsPath+"/bulk/changes/x").Refused(http.StatusNotFound, "not_found")
}
