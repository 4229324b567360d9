package flows_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/flows"
	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/plan"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/module"
	"panel/platform/paneltest"
)

// outside is a module that takes part in applies, and the other system that it keeps something in: one thing for each
// stage of an apply, which outlives panels.
type outside struct {
	mu     sync.Mutex
	things map[string]string // stage to the apply that left something
	calls  []string
	limit  time.Duration
	diffs  []flowsapi.Diff
	checks []flowsapi.Check
	only   string // the flow that do is about; empty for all
	needs  func(flowsapi.Wanted) map[string][]string
	// do and undo answer a call after it has taken effect; nil is a good end.
	do   func(stage string, call int) (flowsapi.Outcome, error)
	undo func(stage string, call int) error
}

var points = map[string]flowsapi.Point{
	"parts.before": flowsapi.BeforePrepare, "parts.ready": flowsapi.BeforeSwitch, "parts.after": flowsapi.AfterCommit,
}

func (o *outside) manifest() module.Module {
	return module.Module{
		Name: "parts", Summary: "Takes part in applies", Requires: []string{"flows"},
		Attach: func(all flowsapi.Stages) module.Parts {
			for name, at := range points {
				all.Add(o.stage(name, at))
			}
			return module.Parts{Listeners: []events.Listener{{
				Name: "parts.hear", Kinds: []string{flowsapi.EventStagePending, flowsapi.EventApplySucceeded, flowsapi.EventCreated},
				ReadOnly: entitlement.GoesOn, Blocked: entitlement.GoesOn,
				Handle: func(context.Context, events.Event) error { return nil },
			}}}
		},
	}
}

func (o *outside) stage(name string, at flowsapi.Point) flowsapi.Stage {
	s := flowsapi.Stage{Name: name, At: at, Limit: o.limit, Part: flowsapi.GroupCDN}
	s.Do = func(_ context.Context, a flowsapi.Apply) (flowsapi.Outcome, error) { return o.called("do", name, a) }
	if at != flowsapi.AfterCommit {
		s.Undo = func(_ context.Context, a flowsapi.Apply) error {
			_, err := o.called("undo", name, a)
			return err
		}
	}
	if at == flowsapi.BeforePrepare {
		s.Needs = func(w flowsapi.Wanted) map[string][]string {
			o.mu.Lock()
			defer o.mu.Unlock()
			if o.needs == nil {
				return nil
			}
			return o.needs(w)
		}
		s.Preview = func(context.Context, flowsapi.Change) ([]flowsapi.Diff, []flowsapi.Check, error) {
			return o.diffs, o.checks, nil
		}
	}
	return s
}

func (o *outside) called(verb, stage string, a flowsapi.Apply) (out flowsapi.Outcome, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.calls = append(o.calls, verb+" "+stage)
	n := 0
	for _, c := range o.calls {
		if c == verb+" "+stage {
			n++
		}
	}
	if verb == "undo" {
		if o.undo != nil {
			if err := o.undo(stage, n); err != nil {
				return out, err
			}
		}
		delete(o.things, stage)
		return out, nil
	}
	o.things[stage] = a.ID
	if o.do != nil && (o.only == "" || o.only == a.Change.FlowID) {
		return o.do(stage, n)
	}
	return out, nil
}

func (o *outside) scripted(do func(stage string, call int) (flowsapi.Outcome, error), undo func(stage string, call int) error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.do, o.undo, o.calls = do, undo, nil
}

// left lists the stages that left something.
func (o *outside) left() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	out := []string{}
	for stage := range o.things {
		out = append(out, stage)
	}
	slices.Sort(out)
	return out
}

// thing is the apply that a stage has left something for.
func (o *outside) thing(stage string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.things[stage]
}

func (o *outside) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	clear(o.things)
}

func (o *outside) said() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.calls)
}

func withParts(t *testing.T) (*stage, *outside) {
	t.Helper()
	o := &outside{things: map[string]string{}}
	s := &stage{t: t, fleet: newFleet("ams-01", "fra-01")}
	s.panel = paneltest.New(t, s.fleet.manifest(), s.fleet.bindings(), flows.Module(), o.manifest())
	s.admin = s.panel.Admin()
	s.flow = s.create("Europe main", 443)
	return s, o
}

func again(in time.Duration) (flowsapi.Outcome, error) {
	return flowsapi.Outcome{Result: flowsapi.Again, At: time.Now().Add(in)}, nil
}

func (s *stage) locks() int {
	s.t.Helper()
	n, err := s.panel.DB.NewSelect().Table("flow_node_locks").Count(s.t.Context())
	require.NoError(s.t, err)
	return int(n)
}

func (s *stage) begin(p plan.Plan) string {
	s.t.Helper()
	return s.admin.Post(s.path("/apply?wait=0"), order(p, false)).Is(200).Text("apply_id")
}

// phase waits until an apply is in a phase.
func (s *stage) phase(id, phase string) flows.Apply {
	s.t.Helper()
	var a flows.Apply
	require.Eventually(s.t, func() bool {
		s.admin.Get(s.path("/applies/" + id)).Is(200).JSON(&a)
		return a.Phase == phase
	}, 30*time.Second, 10*time.Millisecond, phase)
	return a
}

func states(a flows.Apply) map[string]string {
	out := map[string]string{}
	for _, rec := range a.Stages {
		out[rec.Name] = rec.State
	}
	return out
}

func TestAStageHasItsTurnsAndTheirOutcomeIsInTheRecord(t *testing.T) {
	t.Parallel()
	s, o := withParts(t)
	a := s.install()
	require.Eventually(t, func() bool { return states(s.ended(a.ApplyID))["parts.after"] == "done" }, 30*time.Second, 10*time.Millisecond)
	require.Equal(t, []string{"do parts.before", "do parts.ready", "do parts.after"}, o.said())
	a = s.ended(a.ApplyID)
	require.Equal(t, map[string]string{"parts.before": "done", "parts.ready": "done", "parts.after": "done"}, states(a))
	require.Equal(t, "done", a.CDN.State)
	require.Equal(t, "in_sync", s.get().Drift.State)
}

// What a stage would do is a part of the plan: its differences, which make a plan something to install, and its checks.
func TestAPlanShowsWhatStagesWouldDo(t *testing.T) {
	t.Parallel()
	s, o := withParts(t)
	s.install()
	require.True(t, s.compile().IsNoop)
	o.diffs = []flowsapi.Diff{
		{Group: flowsapi.GroupCDN, Op: "added", Name: "distribution"}, {Group: "post", Op: "changed", Name: "letter"},
	}
	o.checks = []flowsapi.Check{{
		Key: "account", Status: flowsapi.Failed, Summary: "the account is in order",
		Finding: flowsapi.Text{Code: "unpaid", Text: "the account is not paid", Params: map[string]string{"month": "May"}},
	}}
	p := s.compile()
	require.False(t, p.IsNoop)
	require.Empty(t, p.Steps)
	require.Equal(t, []plan.Change{{Op: "added", Name: "distribution", Stage: "parts.before"}}, p.Diff.CDN)
	require.Equal(t, "letter", p.Diff.Other[0].Name)
	require.Equal(t, "unpaid", p.Readiness[0].Finding.Code)
	require.True(t, p.Readiness[0].Forceable)
	s.admin.Post(s.path("/apply"), order(p, false)).Refused(422, "readiness_unconfirmed")
	var a flows.Apply
	s.admin.Post(s.path("/apply"), order(p, true)).Is(200).JSON(&a)
	require.Equal(t, "applied", s.ended(a.ApplyID).State, "also without work on a node")

	o.checks[0].Blocks = true
	p = s.compile()
	require.Equal(t, "stage_blocked", p.Obstacles[0].Code)
	require.False(t, p.Readiness[0].Forceable)
	s.admin.Post(s.path("/apply"), order(p, true)).Refused(422, "stage_blocked")
}

// A stage before the commit that fails reverts the apply like a failed node, and leaves nothing behind.
func TestAStageThatFailsRevertsTheApplyAndLeavesNothing(t *testing.T) {
	t.Parallel()
	for name, failing := range map[string]func() (flowsapi.Outcome, error){
		"with an error": func() (flowsapi.Outcome, error) { return flowsapi.Outcome{}, errors.New("the other system refuses") },
		"with a panic":  func() (flowsapi.Outcome, error) { panic("broken") },
		"by its limit":  func() (flowsapi.Outcome, error) { return again(50 * time.Millisecond) },
	} {
		for _, at := range []string{"parts.before", "parts.ready"} {
			t.Run(at+" "+name, func(t *testing.T) {
				t.Parallel()
				o := &outside{things: map[string]string{}, limit: time.Second}
				s := &stage{t: t, fleet: newFleet("ams-01", "fra-01")}
				s.panel = paneltest.New(t, s.fleet.manifest(), s.fleet.bindings(), flows.Module(), o.manifest())
				s.admin = s.panel.Admin()
				s.flow = s.create("Europe main", 443)
				s.install()
				require.Eventually(t, func() bool { return len(o.left()) == 3 }, 30*time.Second, 10*time.Millisecond)
				serving := s.fleet.serving("fra-01")
				o.forget()
				o.scripted(func(stage string, _ int) (flowsapi.Outcome, error) {
					if stage == at {
						return failing()
					}
					return flowsapi.Outcome{}, nil
				}, nil)
				s.save(s.drawing(8443))
				a := s.ended(s.begin(s.ready()))
				require.Equal(t, "apply_failed", a.State)
				require.Contains(t, []string{"stage_failed", "stage_deadline"}, a.Error.Code)
				require.Equal(t, at, a.Error.Stage)
				require.Empty(t, o.left())
				require.Equal(t, serving, s.fleet.serving("fra-01"))
				require.Zero(t, s.locks())
				require.Equal(t, "skipped", states(a)["parts.after"])
				require.NotContains(t, s.fleet.phases("fra-01")[3:], "switch")
				calls := o.said()
				if at == "parts.ready" {
					require.Equal(t, []string{"undo parts.ready", "undo parts.before"}, calls[len(calls)-2:], "the last one first")
				}
			})
		}
	}
}

// A node that fails takes the stages back as well.
func TestAFailedNodeUndoesTheStages(t *testing.T) {
	t.Parallel()
	s, o := withParts(t)
	p := s.ready()
	s.fleet.scripted(refusal(s.fleet.id("fra-01"), agentapi.PhaseSwitch, nodesapi.Result{Error: "no"}))
	a := s.ended(s.begin(p))
	require.Equal(t, "apply_failed", a.State)
	require.Empty(t, o.left())
	require.Equal(t, []string{"do parts.before", "do parts.ready", "undo parts.ready", "undo parts.before"}, o.said())
}

// A stage after the commit reverts nothing: it is repeated until it holds, and until then it shows as drift.
func TestAStageAfterTheCommitIsRepeatedUntilItHolds(t *testing.T) {
	t.Parallel()
	s, o := withParts(t)
	held := make(chan struct{})
	o.scripted(func(stage string, _ int) (flowsapi.Outcome, error) {
		select {
		case <-held:
			return flowsapi.Outcome{}, nil
		default:
		}
		if stage == "parts.after" {
			return flowsapi.Outcome{}, errors.New("the other system is away")
		}
		return flowsapi.Outcome{}, nil
	}, nil)
	news := s.panel.Bus().Subscribe(t.Context())
	a := s.install()
	require.Eventually(t, func() bool { return s.get().Drift.State == "drifted" }, 30*time.Second, 10*time.Millisecond)
	f := s.get()
	require.Equal(t, "applied", f.State)
	require.Equal(t, "parts.after", f.Drift.Stages[0].Name)
	require.Equal(t, "pending", states(s.ended(a.ApplyID))["parts.after"])
	require.Contains(t, s.ended(a.ApplyID).CDN.Detail, "away")
	close(held)
	require.Eventually(t, func() bool { return s.get().Drift.State == "in_sync" }, 30*time.Second, 10*time.Millisecond)
	require.Equal(t, "done", states(s.ended(a.ApplyID))["parts.after"])
	kinds := []string{}
	require.Eventually(t, func() bool { // it is told after it is so
		for len(news) > 0 {
			if e := <-news; strings.HasPrefix(e.Kind, "flow.stage") {
				kinds = append(kinds, e.Kind)
			}
		}
		return slices.Contains(kinds, flowsapi.EventStageSettled)
	}, 30*time.Second, 10*time.Millisecond)
	require.Equal(t, []string{flowsapi.EventStagePending, flowsapi.EventStageSettled}, kinds, "told once each")
}

// An event and the change that it tells of are in one transaction, so that a kill between the two loses neither.
func TestAnEventCommitsWithItsChange(t *testing.T) {
	t.Parallel()
	s, o := withParts(t)
	_, err := s.panel.DB.ExecContext(t.Context(), `create table written (tx bigint, what text);
		create function write_down() returns trigger language plpgsql as $$ begin
			insert into written values (txid_current(), case tg_table_name when 'river_job' then to_jsonb(new) #>> '{args,kind}' when 'flow_followups'
				then 'followup ' || (to_jsonb(new) #>> '{record,attempts}') when 'flows' then 'flow' else 'end' end);
			return null; end $$;
		create trigger t after insert on jobs.river_job for each row when (new.kind = 'parts.hear') execute function write_down();
		create trigger t after update of record on flow_followups for each row execute function write_down();
		create trigger t after update of finished_at on flow_applies for each row when (new.finished_at is not null)
			execute function write_down();
		create trigger t after insert on flows for each row execute function write_down()`)
	require.NoError(t, err)
	o.scripted(func(stage string, call int) (flowsapi.Outcome, error) {
		if stage == "parts.after" && call == 1 {
			return again(time.Hour)
		}
		return flowsapi.Outcome{}, nil
	}, nil)
	s.install()
	s.create("Europe second", 8443)
	for kind, change := range map[string]string{
		flowsapi.EventStagePending: "followup 1", flowsapi.EventApplySucceeded: "end", flowsapi.EventCreated: "flow",
	} {
		require.Eventually(t, func() bool {
			var told int
			require.NoError(t, s.panel.DB.NewRaw("select count(*) from written where what = ?", kind).Scan(t.Context(), &told))
			return told == 1
		}, 20*time.Second, 20*time.Millisecond, kind)
		var together int
		require.NoError(t, s.panel.DB.NewRaw("select count(*) from written a join written b using (tx) where a.what = ? and b.what = ?",
			kind, change).Scan(t.Context(), &together))
		require.Positive(t, together, kind)
	}
}

// A newer apply takes the place of a stage after the commit that does not hold yet.
func TestANewerApplySupersedesAStageThatDoesNotHold(t *testing.T) {
	t.Parallel()
	s, o := withParts(t)
	o.scripted(func(stage string, call int) (flowsapi.Outcome, error) {
		if stage == "parts.after" && call == 1 {
			return again(time.Hour)
		}
		return flowsapi.Outcome{}, nil
	}, nil)
	first := s.install()
	require.Eventually(t, func() bool { return s.get().Drift.State == "drifted" }, 30*time.Second, 10*time.Millisecond)
	s.save(s.drawing(8443))
	second := s.install()
	require.Eventually(t, func() bool { return states(s.ended(second.ApplyID))["parts.after"] == "done" }, 30*time.Second, 10*time.Millisecond)
	require.Equal(t, "superseded", states(s.ended(first.ApplyID))["parts.after"])
	require.Equal(t, second.ApplyID, o.thing("parts.after"))
	require.Equal(t, "in_sync", s.get().Drift.State)
}

// What is left to do after the commit is done although the flow is gone.
func TestAStageAfterTheCommitOutlivesItsFlow(t *testing.T) {
	t.Parallel()
	s, o := withParts(t)
	s.install()
	require.Eventually(t, func() bool { return len(o.left()) == 3 }, 30*time.Second, 10*time.Millisecond)
	o.scripted(func(stage string, call int) (flowsapi.Outcome, error) {
		if stage == "parts.after" && call < 3 {
			return flowsapi.Outcome{}, errors.New("away")
		}
		return flowsapi.Outcome{}, nil
	}, nil)
	s.admin.Delete(s.path("")).Is(202)
	require.Eventually(t, func() bool {
		n, err := s.panel.DB.NewSelect().Table("flow_followups").Count(t.Context())
		require.NoError(t, err)
		return n == 0 && slices.Contains(o.said(), "do parts.after")
	}, 30*time.Second, 10*time.Millisecond)
	s.admin.Get(s.path("")).Refused(404, "not_found")
	require.Len(t, o.said(), 5)
}

// What waits holds no node: before the nodes are taken, and also with the nodes in hand, which it gives back.
func TestAnApplyWhoseStageWaitsHoldsNoNode(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"parts.before", "parts.ready"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			s, o := withParts(t)
			o.only = s.flow
			goOn := make(chan struct{})
			o.scripted(func(stage string, _ int) (flowsapi.Outcome, error) {
				select {
				case <-goOn:
				default:
					if stage == at {
						return again(100 * time.Millisecond)
					}
				}
				return flowsapi.Outcome{}, nil
			}, nil)
			waiting := s.begin(s.ready())
			first := s.flow
			require.Eventually(t, func() bool { return slices.Contains(o.said(), "do "+at) }, 30*time.Second, 10*time.Millisecond)
			require.Eventually(t, func() bool { return s.locks() == 0 }, 30*time.Second, time.Millisecond)

			other := s.create("Beside it", 9443)
			s.flow = other
			require.Equal(t, "applied", s.ended(s.begin(s.ready())).State)
			close(goOn)
			s.flow = first
			require.Equal(t, "applied", s.ended(waiting).State)
			for _, flow := range []string{first, other} {
				require.Contains(t, s.fleet.serving("fra-01"), flow, "it was rendered again with the other flow")
			}
		})
	}
}

// An apply that has waited installs what would come out now, or fails and leaves nothing.
func TestAnApplyThatWaitedIsStaleWhenItsClientsHaveChanged(t *testing.T) {
	t.Parallel()
	s, o := withParts(t)
	goOn := make(chan struct{})
	o.scripted(func(string, int) (flowsapi.Outcome, error) {
		select {
		case <-goOn:
			return flowsapi.Outcome{}, nil
		default:
			return again(50 * time.Millisecond)
		}
	}, nil)
	id := s.begin(s.ready())
	s.admin.Delete(s.path("/clients/" + s.get().Clients[0].ID)).Is(204)
	close(goOn)
	a := s.ended(id)
	require.Equal(t, "apply_failed", a.State)
	require.Equal(t, "plan_stale", a.Error.Code)
	require.Empty(t, o.left())
	require.Empty(t, s.fleet.serving("fra-01"))
}

// What cannot be undone in time is undone later: the flow is free, and its next apply waits for the undoing.
func TestWhatCannotBeUndoneIsUndoneLaterAndBeforeTheNextApply(t *testing.T) {
	t.Parallel()
	o := &outside{things: map[string]string{}, limit: 100 * time.Millisecond}
	s := &stage{t: t, fleet: newFleet("ams-01", "fra-01")}
	s.panel = paneltest.New(t, s.fleet.manifest(), s.fleet.bindings(), flows.Module(), o.manifest())
	s.admin = s.panel.Admin()
	s.flow = s.create("Europe main", 443)
	mended := make(chan struct{})
	o.scripted(func(stage string, _ int) (flowsapi.Outcome, error) {
		select {
		case <-mended:
			return flowsapi.Outcome{}, nil
		default:
			return flowsapi.Outcome{}, errors.New("no")
		}
	}, func(string, int) error {
		select {
		case <-mended:
			return nil
		default:
			return errors.New("away")
		}
	})
	p := s.ready()
	a := s.ended(s.begin(p))
	require.Equal(t, "apply_failed", a.State)
	require.Equal(t, "undo_failed", states(a)["parts.before"])
	require.Equal(t, "parts.before", s.get().Drift.Stages[0].Name)
	next := s.begin(p)
	require.Eventually(t, func() bool {
		var seen flows.Apply
		s.admin.Get(s.path("/applies/" + next)).Is(200).JSON(&seen)
		return seen.Text.Code == "undo_first"
	}, 30*time.Second, 10*time.Millisecond)
	require.Equal(t, []string{"parts.before"}, o.left())
	close(mended)
	require.Equal(t, "applied", s.ended(next).State)
	require.Equal(t, "undone", states(s.ended(a.ApplyID))["parts.before"])
	calls := o.said()
	at := slices.Index(calls, "do parts.ready")
	require.Equal(t, []string{"undo parts.before", "do parts.before"}, calls[at-2:at])
}

// An agent that lacks what a stage needs of it, a document for example, is an error of the compilation with a name: the plan
// is not stored, and a plan of before is stale. An agent that says so later makes it compile.
func TestAnAgentThatLacksADocumentOfAStageIsAnErrorOfTheCompilation(t *testing.T) {
	t.Parallel()
	s, o := withParts(t)
	challenges := string(agentapi.DocumentChallenges.Capability())
	able := func(node string, more ...string) {
		s.fleet.set(node, func(n *nodesapi.Node) {
			n.Capabilities = append([]string{string(agentapi.CanProbe), string(agentapi.CanApply)}, more...)
		})
	}
	s.install()
	s.ended(s.admin.Post(s.path("/disable"), nil).Is(202).Text("apply_id"))
	older := s.ready()
	o.mu.Lock()
	o.needs = func(w flowsapi.Wanted) map[string][]string {
		out := map[string][]string{}
		for _, e := range w.Entries {
			out[e.NodeID] = []string{challenges}
		}
		return out
	}
	o.mu.Unlock()

	refused := s.admin.Post(s.path("/plan/compile"), nil).Refused(422, "compile_failed")
	problems, _ := refused.Value("problems").([]any)
	require.Len(t, problems, 1, "only the entry has to hold it")
	problem, _ := problems[0].(map[string]any)
	require.Equal(t, map[string]any{
		"code": "capability_missing", "path": "nodes[0].node_id", "node": "fra-01", "capability": challenges,
		"message": "the agent of fra-01 lacks document_challenges, which parts.before needs; update the agent",
	}, problem)
	var preview plan.Plan
	s.admin.Post(s.path("/plan/preview"), nil).Is(200).JSON(&preview)
	require.Equal(t, []string{"capability_missing"}, codes(preview.Errors))
	require.Empty(t, preview.Steps)
	require.Empty(t, preview.Hash)
	s.admin.Post(s.path("/enable"), nil).Refused(422, "compile_failed")

	able("fra-01", challenges)
	p := s.ready()
	able("fra-01")
	for _, gone := range []plan.Plan{older, p} {
		s.admin.Post(s.path("/apply"), order(gone, true)).Refused(409, "plan_stale")
	}
	able("fra-01", challenges)
	require.Equal(t, "applied", s.apply(p).State)
}
