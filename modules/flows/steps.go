package flows

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
)

// orderOf makes the order for one step.
type orderOf func(s stepRow) nodesapi.Order

func (r *runner) applyOrder(row *applyRow, phase agentapi.ApplyPhase) orderOf {
	return func(s stepRow) nodesapi.Order {
		return nodesapi.Order{
			NodeID: s.NodeID, Kind: string(agentapi.ApplyConfig), Deadline: r.now().Add(phaseLimit), By: row.StartedBy,
			Args: agentapi.ApplyConfigArgs{Phase: phase, ApplyID: row.ID, Revision: s.Config, Hash: s.Hash},
		}
	}
}

// states of a step while a stage of it runs.
var running = map[string]string{
	"prepare": "preparing",
	"test":    "testing",
	"switch":  "switching",
	"probe":   "probing",
	"commit":  "probing",
	"revert":  "reverted",
}

// send gives an order to every chosen step and notes it; the caller saves.
func (r *runner) send(
	ctx context.Context,
	row *applyRow,
	stage string,
	chosen func(stepRow) bool,
	order orderOf,
) error {
	var orders []nodesapi.Order
	var at []int
	for i, s := range row.Steps {
		if chosen(s) {
			orders, at = append(orders, order(s)), append(at, i)
		}
	}
	if len(orders) == 0 {
		return nil
	}
	ids, err := r.nodes.Send(ctx, orders...)
	if err != nil {
		return fmt.Errorf("order the stage %s: %w", stage, err)
	}
	for n, i := range at {
		step := &row.Steps[i]
		step.Orders[stage], step.Retries = ids[n], 0
		step.ordered(stage, r.now())
	}
	return nil
}

// order sends the order of a stage to the chosen steps as long as one of them has not had it, and reports whether it
// did; what comes of it is looked at in the next step.
func (r *runner) order(
	ctx context.Context, row *applyRow, stage string, chosen func(stepRow) bool, order orderOf,
) (sent bool, err error) {
	without := func(s stepRow) bool { return chosen(s) && s.Orders[stage] == "" }
	if !slices.ContainsFunc(row.Steps, without) {
		return false, nil
	}
	if err := r.send(ctx, row, stage, chosen, order); err != nil {
		return false, err
	}
	return true, r.keep(ctx, row)
}

// ordered notes that a stage runs; a step that has failed stays failed while it goes back.
func (s *stepRow) ordered(stage string, now time.Time) {
	if stage == "commit" {
		return
	}
	if s.Error == nil {
		s.State = running[stage]
	}
	s.mark(stage, "running", now, plan.Text{})
}

func (r *runner) orderIDs(row *applyRow, stage string, chosen func(stepRow) bool) []string {
	var ids []string
	for _, s := range row.Steps {
		if id := s.Orders[stage]; chosen(s) && id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// results waits a moment for answers and gives those that are there.
func (r *runner) results(ctx context.Context, ids []string) (map[string]nodesapi.Result, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	short, cancel := context.WithTimeout(ctx, onePoll)
	defer cancel()
	if all, err := r.nodes.Await(short, ids...); err == nil {
		found := make(map[string]nodesapi.Result, len(all))
		for _, result := range all {
			found[result.ID] = result
		}
		return found, nil
	}
	found, err := r.nodes.Results(ctx, ids...) // not all have ended, or the wait has failed
	if err != nil {
		return nil, fmt.Errorf("read the agents' answers: %w", err)
	}
	return found, nil
}

// poll reads answers of a stage. It reports done when all are good; a bad one makes the apply go back.
func (r *runner) poll(
	ctx context.Context,
	row *applyRow,
	stage string,
	chosen func(stepRow) bool,
	again orderOf,
) (bool, error) {
	found, err := r.results(ctx, r.orderIDs(row, stage, chosen))
	if err != nil {
		return false, err
	}
	waiting := 0
	var bad *stepRow
	for i := range row.Steps {
		step := &row.Steps[i]
		if !chosen(*step) {
			continue
		}
		result, ended := found[step.Orders[stage]]
		switch {
		case !ended:
			waiting++
		case good(result, *step, stage):
			step.mark(stage, "done", r.now(), evidence(stage, result))
		case r.retried(ctx, step, stage, result, again):
			waiting++
		default:
			step.fail(stageOf(stage, result), r.now(), stepError(stage, result))
			bad = step
		}
	}
	return r.judged(ctx, row, waiting, bad)
}

func (r *runner) judged(ctx context.Context, row *applyRow, waiting int, bad *stepRow) (bool, error) {
	if bad != nil {
		why := *bad.Error
		why.Message, why.NodeID, why.NodeName = bad.NodeName+": "+why.Message, bad.NodeID, bad.NodeName
		return false, r.fail(ctx, row, why)
	}
	if waiting > 0 && r.late(row) {
		return false, r.fail(ctx, row, StepError{Code: "deadline", Message: "the nodes took too long"})
	}
	if waiting > 0 {
		return false, r.save(ctx, row)
	}
	return true, nil
}

// good accepts an answer, also of a switch that was ordered twice because a panel died between ordering and noting it.
func good(result nodesapi.Result, step stepRow, stage string) bool {
	if result.OK || stage != "switch" {
		return result.OK
	}
	var data agentapi.ApplyConfigData
	return json.Unmarshal(result.Data, &data) == nil && data.RunningRevision == step.Config && step.Config > 0
}

// mostRetries bounds how often an agent that was interrupted, or still ends another apply, is asked again.
const mostRetries = 20

func (r *runner) retried(ctx context.Context, step *stepRow, stage string, result nodesapi.Result, again orderOf) bool {
	code := agentapi.ResultCode(result.Code)
	if code != agentapi.CodeInterrupted && code != agentapi.CodeApplyActive || step.Retries >= mostRetries {
		return false
	}
	if code == agentapi.CodeApplyActive && step.Retried.Add(beforeAgain).After(r.now()) {
		return true
	}
	ids, err := r.nodes.Send(ctx, again(*step))
	if err != nil {
		return false
	}
	step.Orders[stage] = ids[0]
	step.Retries++
	step.Retried = r.now()
	return true
}

// settled reports whether every order of a stage has ended, well or not, and notes how.
func (r *runner) settled(ctx context.Context, row *applyRow, stage string, chosen func(stepRow) bool) (bool, error) {
	ids := r.orderIDs(row, stage, chosen)
	found, err := r.results(ctx, ids)
	if err != nil {
		return false, err
	}
	for i := range row.Steps {
		step := &row.Steps[i]
		if result, ended := found[step.Orders[stage]]; chosen(*step) && ended {
			step.settle(stage, r.now(), result)
		}
	}
	return len(found) == len(ids), r.save(ctx, row)
}

func (s *stepRow) settle(stage string, now time.Time, result nodesapi.Result) {
	switch {
	case result.OK:
		s.mark(stage, "done", now, evidence(stage, result))
	case stage == "revert":
		s.mark(stage, "failed", now, say("returns_by_itself", "reason", result.Error))
		s.State = "revert_failed"
	default:
		s.mark(stage, "done", now, say("follows_by_itself", "reason", result.Error))
	}
}

func (s *stepRow) stage(name string) StepStage {
	if i := s.at(name); i >= 0 {
		return s.Stages[i]
	}
	return StepStage{Stage: name, State: "pending"}
}

func (s *stepRow) at(name string) int {
	return slices.IndexFunc(s.Stages, func(st StepStage) bool { return st.Stage == name })
}

func (s *stepRow) mark(name, state string, now time.Time, text plan.Text) {
	i := s.at(name)
	if i < 0 {
		s.Stages = append(s.Stages, StepStage{Stage: name})
		i = len(s.Stages) - 1
	}
	st := &s.Stages[i]
	st.State, st.Detail, st.Text = state, text.Text, text
	if st.StartedAt == nil {
		st.StartedAt = &now
	}
	if state != "running" && st.FinishedAt == nil {
		st.FinishedAt = &now
	}
}

func (s *stepRow) fail(stage string, now time.Time, why *StepError) {
	s.State, s.Error = "failed", why
	s.mark(stage, "failed", now, plan.Say(why.Code, why.Message))
}

// stageOf names the stage that failed: testing is a part of the order to prepare.
func stageOf(stage string, result nodesapi.Result) string {
	if stage == "prepare" && result.Stage == string(agentapi.StageTest) {
		return "test"
	}
	return stage
}

func stepError(stage string, result nodesapi.Result) *StepError {
	message := result.Error
	switch {
	case message == "" && result.Code == string(agentapi.CodeExpired):
		message = "the agent did not answer in time"
	case message == "":
		message = "the stage " + stage + " failed"
	}
	return &StepError{Code: result.Code, Message: message, Output: result.StderrTail}
}

func evidence(stage string, result nodesapi.Result) plan.Text {
	switch stage {
	case "switch":
		var data agentapi.ApplyConfigData
		if json.Unmarshal(result.Data, &data) == nil {
			return say("switched", "ms", strconv.FormatInt(int64(data.SwitchMillis), 10))
		}
	case "probe":
		var data agentapi.ProbeData
		if json.Unmarshal(result.Data, &data) == nil && data.Through != nil {
			return say("got_through", "ms", fmt.Sprintf("%.0f", data.Through.FirstByteMs), "exit_ip",
				data.Through.ExitIP)
		}
	case "revert":
		return say("returned")
	}
	return plan.Text{}
}

// probeOrder is a real client with credentials of its own that goes through the entry and may reach the reflector only.
func (r *runner) probeOrder(ctx context.Context, row *applyRow) (orderOf, error) {
	through, err := r.through(ctx, row)
	return func(s stepRow) nodesapi.Order { return through(s.NodeID, entriesOn(row, s.NodeID)[s.Probed]) }, err
}

// through makes orders for probes through entries of an apply.
func (r *runner) through(
	ctx context.Context, row *applyRow,
) (func(nodeID string, entry graph.Node) nodesapi.Order, error) {
	f := new(flowRow)
	if err := r.db.NewSelect().Model(f).Where("id = ?", row.FlowID).Scan(ctx); err != nil {
		return nil, database.Fault(err, nil)
	}
	root, err := r.store.root(f)
	if err != nil {
		return nil, err
	}
	keys, err := r.store.keys(ctx, row.FlowID, drawnOr(row.Graph), nil)
	if err != nil {
		return nil, err
	}
	return func(nodeID string, entry graph.Node) nodesapi.Order {
		return nodesapi.Order{
			NodeID: nodeID, Kind: string(agentapi.Probe), Deadline: r.now().Add(probeEnd), By: row.StartedBy,
			Args: agentapi.ProbeArgs{Through: probeThrough(row, root, keys, entry)},
		}
	}, nil
}

func probeThrough(
	row *applyRow, root []byte, keys map[string]string, entry graph.Node,
) *agentapi.ThroughProbe {
	return throughEntry(row.FlowID, root, keys, row.Hosts, entry, dialable(*entry.Params.Listener))
}

// throughEntry is a client that goes in at an entry, which it finds at an address.
func throughEntry(
	flowID string, root []byte, keys map[string]string, hosts []plan.Host, entry graph.Node, dial string,
) *agentapi.ThroughProbe {
	l := withSecret(*entry.Params.Listener, keys)
	outbound := plan.ProbeClient(flowID, root, entry.Key, hostIn(hosts, entry.Key), l, dial)
	return &agentapi.ThroughProbe{
		Core: json.RawMessage(`{"log":{"access":"none","loglevel":"warning"},"outbounds":[` + string(outbound) + `]}`),

		ProxyHeader: l.AcceptProxy,
	}
}

// hostIn is what clients of an entry dial.
func hostIn(hosts []plan.Host, block string) string {
	for _, h := range hosts {
		if h.Block == block {
			return h.Host
		}
	}
	return ""
}

// entriesOn lists the entries that a client can go through on one node; an entry that only blocks leads nowhere.
func entriesOn(row *applyRow, nodeID string) []graph.Node {
	var out []graph.Node
	for _, entry := range plan.Entries(drawnOr(row.Graph)) {
		if entry.NodeID == nodeID && plan.LeadsOut(drawnOr(row.Graph), entry.Key) {
			out = append(out, entry)
		}
	}
	return out
}

// unprobed chooses nodes with an entry that no client has gone through yet.
func unprobed(row *applyRow) func(stepRow) bool {
	return func(s stepRow) bool {
		return row.configures(s) && s.Role == "entry" && s.Probed < len(entriesOn(row, s.NodeID))
	}
}

// dialable is where the node itself reaches its listener.
func dialable(l graph.Listener) string {
	ip, err := netip.ParseAddr(l.ListenIP)
	if err != nil || ip.IsUnspecified() {
		return "127.0.0.1"
	}
	return l.ListenIP
}
