package flows

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/conflicts"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/modules/flows/internal/stages"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
)

var noon = time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)

func stepOf(role, action string) stepRow {
	return newStep(plan.Step{NodeID: role + "-node", NodeName: role, Role: role, Action: action}, graph.Graph{})
}

func stagesOf(s stepRow) map[string]string {
	out := map[string]string{}
	for _, st := range s.Stages {
		out[st.Stage] = st.State
	}
	return out
}

// The record of an apply shows from the beginning what every node will go through, and what it will not and why.
func TestTheRecordShowsWhatEveryNodeWillGoThrough(t *testing.T) {
	t.Parallel()
	const open, left = "pending", "skipped"
	for _, c := range []struct {
		role, action string
		want         map[string]string
		why          string
	}{
		{
			"entry", plan.ActionConfigure,
			map[string]string{"prepare": open, "test": open, "switch": open, "probe": open, "commit": open},
			"",
		},
		{
			"exit", plan.ActionConfigure,
			map[string]string{"prepare": open, "test": open, "switch": open, "probe": left, "commit": open},
			"checked_by_entry",
		},
		{
			"none", plan.ActionRemove,
			map[string]string{"prepare": left, "test": left, "switch": left, "probe": left, "commit": open},
			"only_drops",
		},
	} {
		s := stepOf(c.role, c.action)
		require.Equal(t, "queued", s.State)
		require.Equal(t, c.want, stagesOf(s), c.role)
		for _, st := range s.Stages {
			if st.State == left {
				require.Equal(t, c.why, st.Text.Code)
				require.NotEmpty(t, st.Detail)
			}
		}
	}
}

// A stage of a node has one beginning and one end, however often the panel looks.
func TestAStageOfANodeHasOneBeginningAndOneEnd(t *testing.T) {
	t.Parallel()
	s := stepOf("entry", plan.ActionConfigure)
	s.mark("prepare", "running", noon, plan.Text{})
	s.mark("prepare", "running", noon.Add(time.Second), plan.Text{})
	s.mark("prepare", "done", noon.Add(2*time.Second), say("accepted"))
	s.mark("prepare", "done", noon.Add(3*time.Second), say("accepted"))
	st := s.stage("prepare")
	require.Equal(t, noon, *st.StartedAt)
	require.Equal(t, noon.Add(2*time.Second), *st.FinishedAt)
	require.Equal(t, "the core accepts the configuration", st.Detail)
	require.Equal(t, "pending", s.stage("revert").State, "a stage that was never needed is not there")
	require.Len(t, s.Stages, 5)
	s.mark("revert", "done", noon, say("returned"))
	require.Len(t, s.Stages, 6)
}

// What an agent answered is told with the words of the agent or of the core; silence has words of its own.
func TestAFailureIsToldInTheWordsOfWhoeverFailed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		stage  string
		result nodesapi.Result
		failed string
		want   StepError
	}{
		"the core": {
			"prepare", nodesapi.Result{
				Code: string(agentapi.CodeCoreRefused), Stage: string(agentapi.StageTest), Error: "refused",
				StderrTail: "line 7",
			}, "test", StepError{Code: string(agentapi.CodeCoreRefused), Message: "refused", Output: "line 7"},
		},
		"the agent": {
			"prepare",
			nodesapi.Result{Code: "disk", Error: "no space"},
			"prepare",
			StepError{Code: "disk", Message: "no space"},
		},
		"silence": {
			"switch",
			nodesapi.Result{Code: string(agentapi.CodeExpired)},
			"switch",
			StepError{Code: string(agentapi.CodeExpired), Message: "the agent did not answer in time"},
		},
		"no words": {
			"switch",
			nodesapi.Result{Code: "odd"},
			"switch",
			StepError{Code: "odd", Message: "the stage switch failed"},
		},
	} {
		s := stepOf("entry", plan.ActionConfigure)
		s.fail(stageOf(c.stage, c.result), noon, stepError(c.stage, c.result))
		require.Equal(t, "failed", s.State, name)
		require.Equal(t, c.want, *s.Error, name)
		require.Equal(t, "failed", s.stage(c.failed).State, name)
		require.Equal(t, c.want.Message, s.stage(c.failed).Detail, name)
		s.ordered("revert", noon)
		require.Equal(t, "failed", s.State, "it stays failed while it goes back")
	}
}

// What a stage showed is told with its figures, so that an operator sees how long clients were without the node.
func TestEvidenceOfAStageHasItsFigures(t *testing.T) {
	t.Parallel()
	raw := func(data any) json.RawMessage {
		text, err := json.Marshal(data)
		require.NoError(t, err)
		return text
	}
	for _, c := range []struct {
		stage string
		data  json.RawMessage
		want  string
	}{
		{"switch", raw(agentapi.ApplyConfigData{SwitchMillis: 31}), "switched in 31 ms"},
		{
			"probe", raw(agentapi.ProbeData{Through: &agentapi.ThroughData{FirstByteMs: 12.4, ExitIP: "192.0.2.7"}}),
			"a client got through in 12 ms; the exit address is 192.0.2.7",
		},
		{"revert", nil, "back on the installed version"},
		{"prepare", nil, ""},
		{"switch", json.RawMessage("odd"), ""},
		{"probe", raw(agentapi.ProbeData{}), ""},
	} {
		require.Equal(t, c.want, evidence(c.stage, nodesapi.Result{Data: c.data}).Text, c.stage)
	}
}

// A switch that was ordered twice, because a panel died between the order and its note, is good when the node runs what
// it was to run; nothing else that failed is.
func TestASwitchThatWasOrderedTwiceIsGood(t *testing.T) {
	t.Parallel()
	runs := func(revision string) json.RawMessage { return json.RawMessage(`{"running_revision":` + revision + `}`) }
	for _, c := range []struct {
		stage  string
		result nodesapi.Result
		config int64
		want   bool
	}{
		{"switch", nodesapi.Result{OK: true}, 7, true},
		{"switch", nodesapi.Result{Data: runs("7")}, 7, true},
		{"switch", nodesapi.Result{Data: runs("6")}, 7, false},
		{"switch", nodesapi.Result{Data: runs("0")}, 0, false},
		{"switch", nodesapi.Result{}, 7, false},
		{"prepare", nodesapi.Result{Data: runs("7")}, 7, false},
		{"prepare", nodesapi.Result{OK: true}, 7, true},
	} {
		require.Equal(t, c.want, good(c.result, stepRow{Config: c.config}, c.stage), "%+v", c)
	}
}

// A node that misses its commit, or the order to go back, does what it shall by itself; the record says so.
func TestANodeThatMissesTheEndFollowsByItself(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		stage, state, text string
		result             nodesapi.Result
		step               string
	}{
		{
			"commit", "done", "the agent follows the desired configuration by itself: away",
			nodesapi.Result{Error: "away"},
			"queued",
		},
		{
			"revert", "failed", "the agent returns to the installed version by itself: away",
			nodesapi.Result{Error: "away"},
			"revert_failed",
		},
		{"revert", "done", "back on the installed version", nodesapi.Result{OK: true}, "queued"},
	} {
		s := stepOf("entry", plan.ActionConfigure)
		s.settle(c.stage, noon, c.result)
		require.Equal(t, c.state, s.stage(c.stage).State)
		require.Equal(t, c.text, s.stage(c.stage).Detail)
		require.Equal(t, c.step, s.State)
	}
}

// Nodes switch from the exits to the entries, each rank when the one before has switched.
func TestTheNextRankIsTheOneThatHasNotSwitched(t *testing.T) {
	t.Parallel()
	row := &applyRow{Steps: []stepRow{
		stepOf("entry", plan.ActionConfigure), stepOf("exit", plan.ActionConfigure), stepOf("transit",
			plan.ActionConfigure),
		stepOf("none", plan.ActionRemove),
	}}
	var order []string
	for rank := nextRank(row); rank != ""; rank = nextRank(row) {
		order = append(order, rank)
		for i := range row.Steps {
			if row.Steps[i].Role == rank {
				row.Steps[i].mark("switch", "done", noon, plan.Text{})
			}
		}
	}
	require.Equal(t, []string{"exit", "transit", "entry"}, order)
}

// What failed for long is tried more seldom, and never more seldom than every ten minutes.
func TestPatienceGrowsWithTheFailure(t *testing.T) {
	t.Parallel()
	for failing, want := range map[time.Duration]time.Duration{
		0: 500 * time.Millisecond, 100 * time.Millisecond: 500 * time.Millisecond, time.Second: time.Second,
		time.Minute: time.Minute, 10 * time.Minute: 10 * time.Minute, 24 * time.Hour: 10 * time.Minute,
	} {
		require.Equal(t, want, patience(failing), failing)
	}
}

// The reason of an apply that was given up fits into its record, also in another alphabet.
func TestTheReasonIsShortened(t *testing.T) {
	t.Parallel()
	require.Equal(t, "away", shortened(errors.New("away")))
	long := shortened(errors.New(strings.Repeat("ы", 1000)))
	require.Equal(t, strings.Repeat("ы", 300), long)
}

// Only the steps that changed are written, so that an apply over hundreds of nodes does not rewrite them all.
func TestOnlyChangedStepsAreWritten(t *testing.T) {
	t.Parallel()
	row := &applyRow{ID: "a", Stage: phasePreparing, Steps: []stepRow{
		stepOf("exit", plan.ActionConfigure), stepOf("entry", plan.ActionConfigure),
	}}
	before, err := row.encoded()
	require.NoError(t, err)
	require.Equal(t, noSteps, before.changes(before))
	positions := func(changes string) (out []int) {
		var found []struct {
			Position int
			Step     stepRow
		}
		require.NoError(t, json.Unmarshal([]byte(changes), &found))
		for _, one := range found {
			require.Equal(t, row.Steps[one.Position].NodeName, one.Step.NodeName)
			out = append(out, one.Position)
		}
		return out
	}
	require.Equal(t, []int{0, 1}, positions(before.changes(savedApply{})))
	row.Steps[1].mark("prepare", "done", noon, plan.Text{})
	after, err := row.encoded()
	require.NoError(t, err)
	require.Equal(t, []int{1}, positions(after.changes(before)))
	require.Equal(t, before.head, after.head)
	row.Stage = phaseSwitching
	later, err := row.encoded()
	require.NoError(t, err)
	require.NotEqual(t, before.head, later.head)
	require.Equal(t, noSteps, later.changes(after))
}

// Each step of an apply is encoded at each of its stages: once into the text that is kept, and no second time when
// it is written.
func TestWritingStepsAllocatesLittle(t *testing.T) {
	row := &applyRow{ID: "a", Stage: phasePreparing}
	for range 200 {
		row.Steps = append(row.Steps, stepOf("exit", plan.ActionConfigure))
	}
	encoding := testing.AllocsPerRun(20, func() { _, _ = row.encoded() })
	require.LessOrEqual(t, encoding, 6.0*200)
	now, err := row.encoded()
	require.NoError(t, err)
	require.LessOrEqual(t, testing.AllocsPerRun(20, func() { now.changes(savedApply{}) }), 40.0)
}

// The parts of an apply beside the nodes are summed up: what failed or still waits is told before what is done.
func TestThePartsOfAnApplyAreSummedUp(t *testing.T) {
	t.Parallel()
	rec := func(state, failure string) stages.Record {
		return stages.Record{
			Name:   "cdn." + state,
			Part:   flowsapi.GroupCDN,
			State:  state,
			Error:  failure,
			Detail: flowsapi.Text{Text: state},
		}
	}
	for name, c := range map[string]struct {
		records []stages.Record
		want    PartResult
	}{
		"no stage": {nil, PartResult{stages.Skipped, "none"}},
		"another part": {
			[]stages.Record{{Part: flowsapi.GroupProxyPanel, State: stages.Done}},
			PartResult{stages.Skipped, "none"},
		},
		"skipped": {[]stages.Record{rec(stages.Skipped, "")}, PartResult{stages.Skipped, "none"}},
		"done":    {[]stages.Record{rec(stages.Done, "")}, PartResult{stages.Done, "done"}},
		"done and waiting": {
			[]stages.Record{rec(stages.Done, ""), rec(stages.Waiting, "")},
			PartResult{stages.Pending, "waiting"},
		},
		"failed": {
			[]stages.Record{rec(stages.Done, ""), rec(stages.Failed, "no account")},
			PartResult{stages.Failed, "no account"},
		},
		"pending again": {[]stages.Record{rec(stages.Pending, "away")}, PartResult{stages.Failed, "away"}},
	} {
		require.Equal(t, c.want, partOf(c.records, flowsapi.GroupCDN, "none"), name)
	}
}

// A flow whose port another flow has taken meanwhile does not go on; a node that it leaves does not matter.
func TestAStepThatMeetsAnotherFlowIsFound(t *testing.T) {
	t.Parallel()
	listen := func(port int) plan.Fragment {
		return plan.Fragment{Listens: []plan.Listen{{L4: "tcp", IP: "0.0.0.0", From: port, To: port}}}
	}
	row := &applyRow{Steps: []stepRow{
		stepOf("none", plan.ActionRemove), stepOf("exit", plan.ActionConfigure), stepOf("entry", plan.ActionConfigure),
	}}
	parts := map[string]plan.Fragment{"exit-node": listen(443), "entry-node": listen(8443)}
	for _, c := range []struct {
		others map[string][]plan.Fragment
		want   int
	}{
		{nil, -1},
		{map[string][]plan.Fragment{"exit-node": {listen(444)}, "entry-node": {listen(443)}}, -1},
		{map[string][]plan.Fragment{"none-node": {listen(443)}}, -1},
		{map[string][]plan.Fragment{"entry-node": {listen(1), listen(8443)}}, 2},
		{map[string][]plan.Fragment{"exit-node": {listen(443)}, "entry-node": {listen(8443)}}, 1},
	} {
		step, _ := conflicting(row, parts, c.others)
		require.Equal(t, c.want, step, "%+v", c.others)
	}
}

// What another flow has taken meanwhile is told as what it is; listeners with TLS that are told apart do not meet.
func TestAStepThatMeetsAHostName(t *testing.T) {
	t.Parallel()
	named := func(host, path string) plan.Fragment {
		return plan.Fragment{Listens: []plan.Listen{
			{L4: "tcp", IP: "0.0.0.0", From: 443, To: 443, Host: host, Path: path},
		}}
	}
	row := &applyRow{Steps: []stepRow{stepOf("entry", plan.ActionConfigure)}}
	parts := map[string]plan.Fragment{"entry-node": named("a.example.org", "/a")}
	for other, want := range map[*plan.Fragment]string{
		new(named("a.example.org", "/a")): "domain_conflict",
		new(named("", "")):                "port_conflict",
		new(named("a.example.org", "/b")): "",
		new(named("b.example.org", "/a")): "",
	} {
		step, kind := conflicting(row, parts, map[string][]plan.Fragment{"entry-node": {*other}})
		require.Equal(t, want != "", step == 0)
		if want != "" {
			require.Equal(t, want, conflicts.Code([]plan.Conflict{{Kind: kind}}))
			require.NotEmpty(t, proposalProblems[want])
		}
	}
}

// Agents are told the sockets of a port range one by one, so many of them that drift is found, and not thousands.
func TestTheSocketsOfAPortRangeAreBounded(t *testing.T) {
	t.Parallel()
	sockets := socketsOf([]plan.Fragment{
		{Listens: []plan.Listen{{FlowID: "f", Name: "one", L4: "tcp", IP: "::", From: 443, To: 443}}},
		{Listens: []plan.Listen{{FlowID: "g", Name: "range", L4: "udp", IP: "0.0.0.0", From: 20000, To: 20999}}},
	})
	require.Len(t, sockets, 1+mostSockets)
	require.Equal(t, nodesapi.Listener{Key: "one", FlowID: "f", L4: "tcp", IP: "::", Port: 443}, sockets[0])
	require.Equal(t, 20000, sockets[1].Port)
	require.Equal(t, 20000+mostSockets-1, sockets[mostSockets].Port)
}

// A node reaches its own listener on the address that it listens on, and over loopback where it listens on all.
func TestWhereANodeReachesItsListener(t *testing.T) {
	t.Parallel()
	for ip, want := range map[string]string{
		"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "127.0.0.1", "192.0.2.1": "192.0.2.1",
		"2001:db8::1": "2001:db8::1",
	} {
		require.Equal(t, want, dialable(graph.Listener{ListenIP: ip}), ip)
	}
}

// A client goes through every entry of a node in turn; entries that only block are no way for it.
func TestEveryEntryOfANodeIsProbed(t *testing.T) {
	t.Parallel()
	listener := &graph.Listener{Protocol: "shadowsocks2022", Port: 8388}
	entry := func(key, node string) graph.Node {
		return graph.Node{Key: key, Kind: graph.Entry, NodeID: node, Params: graph.Params{Listener: listener}}
	}
	row := &applyRow{Graph: &graph.Graph{
		Nodes: []graph.Node{
			entry("a", "entry-node"), entry("b", "other"), entry("c", "entry-node"), entry("d", "entry-node"),
			{Key: "here", Kind: graph.Direct},
			{Key: "stop", Kind: graph.Block},
		},
		Edges: []graph.Edge{
			{From: "a", To: "here"},
			{From: "b", To: "here"},
			{From: "c", To: "here"},
			{From: "d", To: "stop"},
		},
	}, Steps: []stepRow{stepOf("entry", plan.ActionConfigure), stepOf("exit", plan.ActionConfigure)}}
	left := unprobed(row)
	for probed, want := range []bool{true, true, false} {
		row.Steps[0].Probed = probed
		require.Equal(t, want, left(row.Steps[0]), probed)
	}
	require.False(t, left(row.Steps[1]), "an exit is reached through its entries")
	require.Empty(t, entriesOn(&applyRow{}, "entry-node"), "a removal probes nothing")
}
