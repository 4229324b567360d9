package flows_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/clients"
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
			return module.Parts{Listeners: []events.Listener{
				{
					Name:     "parts.hear",
					Kinds:    []string{flowsapi.EventStagePending, flowsapi.EventApplySucceeded, flowsapi.EventCreated},
					ReadOnly: entitlement.GoesOn,
					Blocked:  entitlement.GoesOn,
					Handle:   func(context.Context, events.Event) error { return nil },
				},
			}}
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

func (o *outside) scripted(
	do func(stage string, call int) (flowsapi.Outcome, error),
	undo func(stage string, call int) error,
) {
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
	s.panel = paneltest.New(t, s.fleet.manifest(), s.fleet.bindings(), clients.Module(), flows.Module(), o.manifest())
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
	}, 60*time.Second, 10*time.Millisecond, phase)
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
	require.Eventually(
		t,
		func() bool { return states(s.ended(a.ApplyID))["parts.after"] == "done" },
		30*time.Second,
		10*time.Millisecond,
	)
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
		Finding: flowsapi.Text{
			Code: "unpaid", Text: "the account is not paid",
			Params: map[string]string{"month": "May"},
		},
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
	s.admin.PostOnce(s.path("/apply"), order(p, true)).Is(200).JSON(&a)
	require.Equal(t, "applied", s.ended(a.ApplyID).State, "also without work on a node")

	o.checks[0].Blocks = true
	p = s.compile()
	require.Equal(t, "stage_blocked", p.Obstacles[0].Code)
	require.False(t, p.Readiness[0].Forceable)
	s.admin.Post(s.path("/apply"), order(p, true)).Refused(422, "stage_blocked")

	o.checks[0].Finding = flowsapi.Say("record_conflict", "another record stands there", "host", "fra.example.org")
	p = s.compile()
	require.Equal(t, "record_conflict", p.Obstacles[0].Code)
	refused := s.admin.Post(s.path("/apply"), order(p, true)).Refused(409, "record_conflict")
	require.Contains(t, string(refused.Body), `"kind":"dns_record"`)
	require.Contains(t, string(refused.Body), "fra.example.org")
}

// A stage before the commit that fails reverts the apply like a failed node, and leaves nothing behind.
func TestAStageThatFailsRevertsTheApplyAndLeavesNothing(t *testing.T) {
	t.Parallel()
	for name, failing := range map[string]func() (flowsapi.Outcome, error){
		"with an error": func() (flowsapi.Outcome, error) {
			return flowsapi.Outcome{},
				errors.New("the other system refuses")
		},
		"with a panic": func() (flowsapi.Outcome, error) { panic("broken") },
		"by its limit": func() (flowsapi.Outcome, error) { return again(50 * time.Millisecond) },
	} {
		for _, at := range []string{"parts.before", "parts.ready"} {
			t.Run(at+" "+name, func(t *testing.T) {
				t.Parallel()
				o := &outside{things: map[string]string{}, limit: time.Second}
				s := &stage{t: t, fleet: newFleet("ams-01", "fra-01")}
				s.panel = paneltest.New(t, s.fleet.manifest(), s.fleet.bindings(),
					clients.Module(), flows.Module(), o.manifest())
				s.admin = s.panel.Admin()
				s.flow = s.create("Europe main", 443)
				s.install()
				require.Eventually(t, func() bool { return len(o.left()) == 3 }, 60*time.Second, 10*time.Millisecond)
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
					require.Equal(t, []string{"undo parts.ready", "undo parts.before"}, calls[len(calls)-2:],
						"the last one first")
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
