package targets

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/modules/targets/internal/verdict"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/paneltest"
)

// Two searches that start on a node at once: one runs, and the other is told so; nothing of it is ordered.
func TestOfTwoSearchesAtOnceOneRuns(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	answers := make(chan int, 2)
	for i := range 2 {
		go func() {
			answers <- s.admin.Post(path, fields{
				"node_id": s.agent.NodeID, "mode": modeHosts, "inputs": []string{fmt.Sprintf("h%d.example.org", i)},
			}).Status
		}()
	}
	require.ElementsMatch(t, []int{http.StatusAccepted, http.StatusConflict}, []int{<-answers, <-answers})
	require.Len(t, s.agent.Commands(), 1)
	require.EqualValues(t, 1, s.admin.Get(path).Is(http.StatusOK).Value("total"))
}

// Two accounts that search from different nodes share what may be tried from each node alone.
func TestTheHourOfANodeIsThatOfAllAccounts(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	order := fields{"node_id": s.agent.NodeID, "mode": modeNetwork, "inputs": []string{"8.8.0.0/24", "8.8.1.0/24"}}
	for range 2 {
		other := s.As(string(edit), string(view))
		id := other.Post(path, order).Is(http.StatusAccepted).Text("id")
		other.Post(path+"/"+id+"/cancel", nil).Is(http.StatusAccepted)
	}
	refused := s.admin.Post(path+"/check", fields{"node_id": s.agent.NodeID, "target": "www.example.org"}).
		Refused(http.StatusTooManyRequests, "throttled")
	require.Contains(t, string(refused.Body), "1024")
}

func (s *stage) listed(id, query string) (results []Result) {
	s.t.Helper()
	for cursor := ""; ; {
		var page struct {
			Items []Result
			Next  *string `json:"next_cursor"`
		}
		s.admin.Get(path + "/" + id + "/results?" + query + cursor).Is(http.StatusOK).JSON(&page)
		results = append(results, page.Items...)
		if page.Next == nil {
			return results
		}
		cursor = "&cursor=" + *page.Next
	}
}

// Results come the best first, or by latency or name; page by page each comes once, whichever order is asked for.
func TestResultsAreListedInTheOrderThatIsAskedFor(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	const many = 23
	hosts, findings := make([]string, many), make([]agentapi.TargetFinding, many)
	for i := range hosts {
		hosts[i] = fmt.Sprintf("h%02d.example.org", (i*7)%many)
	}
	id := s.search(hosts...)
	for i := range findings {
		findings[i] = finding(id, i, func(f *agentapi.TargetFinding) {
			f.LatencyMillis = float64((i * 37) % 400)
			if i%3 == 0 {
				f.TLSVersion = "1.2"
			}
		})
	}
	s.deliver(findings...).Is(http.StatusOK)
	all := s.listed(id, "limit=200")
	require.Len(t, all, many)
	orders := map[string]func(a, b Result) int{
		"":                 func(a, b Result) int { return b.Score - a.Score },
		"sort=score":       func(a, b Result) int { return a.Score - b.Score },
		"sort=latency_ms":  func(a, b Result) int { return int(*a.Latency - *b.Latency) },
		"sort=-latency_ms": func(a, b Result) int { return int(*b.Latency - *a.Latency) },
		"sort=target":      func(a, b Result) int { return strings.Compare(a.Target, b.Target) },
		"sort=-target":     func(a, b Result) int { return strings.Compare(b.Target, a.Target) },
	}
	for query, order := range orders {
		paged := s.listed(id, query+"&limit=5")
		require.Len(t, paged, many, query)
		require.True(t, slices.IsSortedFunc(paged, order), query)
		ids := map[string]bool{}
		for _, r := range paged {
			ids[r.ID] = true
		}
		require.Len(t, ids, many, "%s: each once", query)
	}
	unsuitable := s.listed(id, "suitability=unsuitable&limit=3")
	require.Len(t, unsuitable, 8)
	for _, r := range unsuitable {
		require.Equal(t, verdict.Unsuitable, r.Suitability)
	}
	s.admin.Get(path+"/"+id+"/results?suitability=wonderful").Refused(http.StatusBadRequest, "bad_parameter")
	s.admin.Get(path+"/"+id+"/results?sort=reasons").Refused(http.StatusBadRequest, "bad_parameter")
}

// A finding tells of a target what was asked for; the name of an address is what its certificate says, if it is one.
func TestTheNameOfATarget(t *testing.T) {
	t.Parallel()
	address := agentapi.ScanTarget{Host: "8.8.8.8", Port: 443}
	for found, want := range map[string]string{
		"dns.example": "dns.example", "DNS.Example.": "dns.example", "*.example": "", "8.8.8.8": "", "localhost": "", "": "",
	} {
		require.Equal(t, want, nameFor(address, found), found)
	}
	named := address
	named.ServerName = "asked.example"
	require.Equal(t, "asked.example", nameFor(named, "other.example"))
	require.Equal(t, "a.example", nameFor(agentapi.ScanTarget{Host: "a.example"}, "other.example"))
	require.Equal(t, "[2001:db8::1]:8443", hostPort(agentapi.ScanTarget{Host: "2001:db8::1", Port: 8443}))
}

// Why a search failed follows from how its order ended; what no agent of today says is the agent's failure.
func TestWhyASearchFailed(t *testing.T) {
	t.Parallel()
	for code, want := range map[agentapi.ResultCode]string{
		agentapi.CodeExpired: reasonSilent, agentapi.CodeInterrupted: reasonInterrupted,
		agentapi.CodeFailed:          reasonAgent,
		"something of a later agent": reasonAgent, "": reasonAgent,
	} {
		require.Equal(t, want, reasonOf(string(code)), code)
		require.NotEmpty(t, ends[want])
	}
	require.Equal(t, "bad; nothing", against([]verdict.Reason{
		{Effect: verdict.Good, Text: "good"},
		{Effect: verdict.Bad, Text: "bad"},
		{Effect: verdict.Warning, Text: "warning"},
		{Effect: verdict.Nothing, Text: "nothing"},
	}))
	require.Empty(t, against(nil))
}

// The time that an agent may take grows with its targets and never ends before the slowest of them could.
func TestAnAgentHasTimeForItsTargets(t *testing.T) {
	t.Parallel()
	at := func(total, atOnce, seconds int) time.Duration {
		return (&searchRow{Total: total, Concurrency: atOnce, Seconds: seconds}).longest()
	}
	require.Equal(t, slack+pace+10*time.Second, at(1, 16, 10))
	require.Equal(t, slack+16*pace+time.Second, at(16, 16, 1))
	require.Equal(t, slack+17*pace+2*time.Second, at(17, 16, 1), "one more is another round")
	require.Less(t, at(512, 4, 10), longestSearch, "no search is longer than what follows it")
	require.Less(t, at(512, 32, 1), at(512, 4, 10))
}

// What drafts ask of single targets: the newest result that counts for each node and name, and how checks ended.
func TestDraftsAskForSingleTargets(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	checks := targetChecks{s.own}
	older := s.search("www.example.org")
	s.deliver(finding(older, 0, func(f *agentapi.TargetFinding) { f.TLSVersion = "1.2" })).Is(http.StatusOK)
	s.finish(older, agentapi.CodeDone, agentapi.ScanTargetsData{Scanned: 1})
	s.ends(older, stateDone)
	newer := s.search("www.example.org")
	s.deliver(finding(newer, 0)).Is(http.StatusOK)
	s.finish(newer, agentapi.CodeDone, agentapi.ScanTargetsData{Scanned: 1})
	s.ends(newer, stateDone)

	fresh, err := checks.Fresh(t.Context(), "www.example.org:443", s.agent.NodeID, database.NewID())
	require.NoError(t, err)
	require.Len(t, fresh, 1, "the newest alone")
	require.True(t, fresh[0].Suitable)
	none, err := checks.Fresh(t.Context(), "www.example.org:8443", s.agent.NodeID)
	require.NoError(t, err)
	require.Empty(t, none, "of another port")
	_, err = s.DB.ExecContext(t.Context(), "update target_results set valid_until = now() - interval '1 second'")
	require.NoError(t, err)
	none, err = checks.Fresh(t.Context(), "www.example.org:443", s.agent.NodeID)
	require.NoError(t, err)
	require.Empty(t, none, "what is older than a day counts no more")

	running := s.search("www.example.org")
	ended, err := checks.Checked(t.Context(), older, newer, running, database.NewID())
	require.NoError(t, err)
	require.Len(t, ended, 2)
	require.Equal(t, "it does not speak TLS 1.3", ended[older].Why)
	require.Empty(t, ended[newer].Why)
	require.NotNil(t, ended[newer].Found)
	s.finish(running, agentapi.CodeInterrupted, nil)
	s.ends(running, stateFailed)
	ended, err = checks.Checked(t.Context(), running)
	require.NoError(t, err)
	require.Equal(t, flowsapi.CheckedTarget{Why: ends[reasonInterrupted]}, ended[running])

	for written, want := range map[string]string{"WWW.Example.org": "www.example.org:443", "8.8.8.8:1": "8.8.8.8:1"} {
		name, err := checks.Name("target", written)
		require.NoError(t, err)
		require.Equal(t, want, name)
	}
	_, err = checks.Name("target", "10.0.0.1")
	require.Equal(t, "invalid_value", fault.Code(err))
	require.NoError(t, checks.Able(t.Context(), s.agent.NodeID))
	require.Equal(t, "agent_offline", fault.Code(checks.Able(t.Context(), s.Enroll("away-01").NodeID)))
	require.Equal(t, "invalid_value", fault.Code(checks.Able(t.Context(), database.NewID())))
}

// A flow's drawing and what is installed of it are the same before and after a search: it only looks.
func TestASearchChangesNoFlow(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	flow := s.admin.Post(flowsPath, fields{"name": "Europe", "graph": fields{
		"nodes": []fields{
			{"key": "in", "kind": "entry", "node_id": s.agent.NodeID, "params": fields{"listener": fields{
				"protocol": "vless", "port": 443, "reality": fields{"target": "www.example.org:443"},
			}}},
			{"key": "out", "kind": "direct"},
		},
		"edges": []fields{{"from": "in", "to": "out"}},
	}}).Is(http.StatusCreated).Text("id")
	rows := func() (text string) {
		require.NoError(t, s.DB.NewRaw(`select (select jsonb_agg(to_jsonb(f))::text from flows f)
			|| coalesce((select jsonb_agg(to_jsonb(v))::text from flow_versions v), '')`).Scan(t.Context(), &text))
		return text
	}
	before, draft := rows(), s.admin.Get(flowsPath+"/"+flow+"/draft").Is(http.StatusOK)
	id := s.search("www.example.org", "www.example.net")
	s.deliver(finding(id, 0), finding(id, 1, func(f *agentapi.TargetFinding) { f.Failure = agentapi.TargetNoAnswer })).
		Is(http.StatusOK)
	s.finish(id, agentapi.CodeDone, agentapi.ScanTargetsData{Scanned: 2})
	s.ends(id, stateDone)
	s.admin.Post(path+"/check", fields{"node_id": s.agent.NodeID, "target": "www.example.com"}).Is(http.StatusAccepted)
	require.Equal(t, before, rows(), "byte for byte")
	require.Equal(t, string(draft.Body), string(s.admin.Get(flowsPath+"/"+flow+"/draft").Is(http.StatusOK).Body))
}

// A panel is restarted while results are on their way: those that come to the other one end the search there, and a
// batch that comes to both is stored once.
func TestResultsThatComeToTwoPanelsAreStoredOnce(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	id := s.search("www.example.org", "www.example.net")
	second := paneltest.Start(t, paneltest.On(s.DB), paneltest.Modules(features()...))
	list := []agentapi.TargetFinding{finding(id, 0), finding(id, 1)}
	done := make(chan int, 2)
	for _, agent := range []*paneltest.Agent{s.agent, s.agent.At(second)} {
		go func() { done <- s.deliverAs(agent, 1, list...).Status }()
	}
	require.Equal(t, []int{http.StatusOK, http.StatusOK}, []int{<-done, <-done})
	require.EqualValues(t, 2, s.get(id).Value("scanned"))
	require.Len(t, s.listed(id, "limit=200"), 2)
	s.finish(id, agentapi.CodeDone, agentapi.ScanTargetsData{Scanned: 2})
	s.ends(id, stateDone)
}
