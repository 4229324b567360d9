package targets

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/clients"
	"panel/modules/domains"
	"panel/modules/flows"
	"panel/modules/flows/flowsapi"
	"panel/modules/nodes"
	"panel/platform/agentapi"
	"panel/platform/module"
	"panel/platform/paneltest"
)

type fields = map[string]any

func features() []module.Module {
	return []module.Module{nodes.Module(), domains.Module(), clients.Module(), flows.Module(), Module()}
}

const (
	within = 60 * time.Second
	every  = 50 * time.Millisecond
)

// stage is a panel with one node, whose agent says what the test makes it say.
type stage struct {
	*paneltest.Panel
	t     *testing.T
	admin *paneltest.Client
	agent *paneltest.Agent
	own   *searches
	seq   int64
}

// able is a heartbeat of an agent that can search.
func able(beat *agentapi.Heartbeat) {
	beat.Capabilities = append(beat.Capabilities, agentapi.CanScan, agentapi.TargetFindings.Capability())
}

func newStage(t *testing.T, options ...paneltest.Setting) *stage {
	t.Helper()
	s := &stage{t: t}
	manifest := Module()
	manifest.Attach = func(h *handlers, own *searches, drafts flowsapi.FoundTargets) module.Parts {
		s.own = own
		return attach(h, own, drafts)
	}
	all := append(features()[:4:4], manifest)
	s.Panel = paneltest.Start(t, append(options, paneltest.Modules(all...))...)
	s.admin, s.agent = s.Admin(), s.Enroll("fra-01")
	s.agent.Online(able)
	return s
}

// search starts one over hosts and gives its id.
func (s *stage) search(hosts ...string) string {
	s.t.Helper()
	return s.admin.Post(path, fields{"node_id": s.agent.NodeID, "mode": modeHosts, "inputs": hosts}).
		Is(http.StatusAccepted).Text("id")
}

// order is the command that waits for the agent about a search, with its arguments.
func (s *stage) order(search string, stop bool) (found agentapi.Command, args agentapi.ScanTargetsArgs) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		for _, command := range s.agent.Commands() {
			args = agentapi.ScanTargetsArgs{}
			if json.Unmarshal(command.Args, &args) == nil && args.SearchID == search && args.Stop == stop {
				found = command
				return true
			}
		}
		return false
	}, within, every)
	return found, args
}

// finding is of a good target.
func finding(search string, number int, changes ...func(*agentapi.TargetFinding)) agentapi.TargetFinding {
	f := agentapi.TargetFinding{
		SearchID: search, Number: number, Target: "www.example.org:443", ServerName: "www.example.org",
		IP: "93.184.216.34", TLSVersion: "1.3", ALPN: "h2", Group: "X25519MLKEM768", LatencyMillis: 20, Answered: true,
		NameMatches: true, CheckedAt: time.Now(), Certificate: &agentapi.TargetCertificate{
			Subject: "CN=www.example.org", Issuer: "CN=An authority", NotAfter: time.Now().Add(90 * 24 * time.Hour),
			ChainValid: true, NameValid: true, Names: []string{"www.example.org"},
		},
	}
	for _, change := range changes {
		change(&f)
	}
	return f
}

// deliver sends findings as the next batch of the agent.
func (s *stage) deliver(list ...agentapi.TargetFinding) *paneltest.Answer {
	s.t.Helper()
	s.seq++
	return s.deliverAs(s.agent, s.seq, list...)
}

func (s *stage) deliverAs(agent *paneltest.Agent, seq int64, list ...agentapi.TargetFinding) *paneltest.Answer {
	s.t.Helper()
	batch := agentapi.Batch{Kind: agentapi.TargetFindings, StreamID: "findings", Seq: seq}
	for _, f := range list {
		raw, err := json.Marshal(f)
		require.NoError(s.t, err)
		batch.Items = append(batch.Items, raw)
	}
	return agent.Post(strings.Replace(agentapi.PathBatches, "{kind}", string(agentapi.TargetFindings), 1), batch)
}

// finish answers the order of a search.
func (s *stage) finish(search string, code agentapi.ResultCode, data any) {
	s.t.Helper()
	command, _ := s.order(search, false)
	raw, err := json.Marshal(data)
	require.NoError(s.t, err)
	now := time.Now()
	s.agent.Finish(command.ID, agentapi.CommandResult{
		OK: code == agentapi.CodeDone, Code: code, Data: raw, StartedAt: now, FinishedAt: now,
	}).Is(http.StatusNoContent)
}

func (s *stage) get(search string) *paneltest.Answer { return s.admin.Get(path + "/" + search) }

// ends waits until a search has a state.
func (s *stage) ends(search, state string) *paneltest.Answer {
	s.t.Helper()
	require.Eventually(s.t, func() bool { return s.get(search).Text("state") == state }, within, every)
	return s.get(search).Is(http.StatusOK)
}
