package flows_test

import (
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/clients"
	"panel/modules/flows"
	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/plan"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/paneltest"
)

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
	require.Eventually(t, func() bool { return s.get().Drift.State == "drifted" }, 60*time.Second, 10*time.Millisecond)
	f := s.get()
	require.Equal(t, "applied", f.State)
	require.Equal(t, "parts.after", f.Drift.Stages[0].Name)
	require.Equal(t, "pending", states(s.ended(a.ApplyID))["parts.after"])
	require.Contains(t, s.ended(a.ApplyID).CDN.Detail, "away")
	close(held)
	require.Eventually(t, func() bool { return s.get().Drift.State == "in_sync" }, 60*time.Second, 10*time.Millisecond)
	require.Equal(t, "done", states(s.ended(a.ApplyID))["parts.after"])
	kinds := []string{}
	require.Eventually(t, func() bool { // it is published after it is so
		for len(news) > 0 {
			if e := <-news; strings.HasPrefix(e.Kind, "flow.stage") {
				kinds = append(kinds, e.Kind)
			}
		}
		return slices.Contains(kinds, flowsapi.EventStageSettled)
	}, 60*time.Second, 10*time.Millisecond)
	require.Equal(t, []string{flowsapi.EventStagePending, flowsapi.EventStageSettled}, kinds, "published once each")
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
			var rows int
			require.NoError(t, s.panel.DB.NewRaw("select count(*) from written where what = ?", kind).Scan(t.Context(),
				&rows))
			return rows == 1
		}, 60*time.Second, 20*time.Millisecond, kind)
		var together int
		require.NoError(
			t,
			s.panel.DB.NewRaw("select count(*) from written a join written b using (tx) where a.what = ? and b.what = ?",
				kind, change).Scan(t.Context(), &together),
		)
		require.Positive(t, together, kind)
	}
}

// A newer apply takes the place of a stage after the commit that does not hold yet.
func TestANewerApplySupersedesAStageThatDoesNotHold(t *testing.T) {
	t.Parallel()
	s, o := withParts(t)
	var holds atomic.Bool
	o.scripted(func(stage string, _ int) (flowsapi.Outcome, error) {
		if stage == "parts.after" && !holds.Load() {
			return again(time.Hour)
		}
		return flowsapi.Outcome{}, nil
	}, nil)
	first := s.install()
	require.Eventually(t, func() bool { return s.get().Drift.State == "drifted" }, 60*time.Second, 10*time.Millisecond)
	s.save(s.drawing(8443))
	p := s.ready()
	holds.Store(true)
	second := s.apply(p)
	require.Eventually(
		t,
		func() bool { return states(s.ended(second.ApplyID))["parts.after"] == "done" },
		30*time.Second,
		10*time.Millisecond,
	)
	require.Equal(t, "superseded", states(s.ended(first.ApplyID))["parts.after"])
	require.Equal(t, second.ApplyID, o.thing("parts.after"))
	require.Equal(t, "in_sync", s.get().Drift.State)
}

// What is left to do after the commit is done although the flow is gone.
func TestAStageAfterTheCommitOutlivesItsFlow(t *testing.T) {
	t.Parallel()
	s, o := withParts(t)
	s.install()
	require.Eventually(t, func() bool { return len(o.left()) == 3 }, 60*time.Second, 10*time.Millisecond)
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
	}, 60*time.Second, 10*time.Millisecond)
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
			require.Eventually(
				t,
				func() bool { return slices.Contains(o.said(), "do "+at) },
				30*time.Second,
				10*time.Millisecond,
			)
			require.Eventually(t, func() bool { return s.locks() == 0 }, 60*time.Second, time.Millisecond)

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
	s.panel = paneltest.New(t, s.fleet.manifest(), s.fleet.bindings(), clients.Module(), flows.Module(), o.manifest())
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
	}, 60*time.Second, 10*time.Millisecond)
	require.Equal(t, []string{"parts.before"}, o.left())
	close(mended)
	require.Equal(t, "applied", s.ended(next).State)
	require.Equal(t, "undone", states(s.ended(a.ApplyID))["parts.before"])
	calls := o.said()
	at := slices.Index(calls, "do parts.ready")
	require.Equal(t, []string{"undo parts.before", "do parts.before"}, calls[at-2:at])
}

// An agent that lacks what a stage needs of it, a document for example, is an error of the compilation with a name:
// the plan is not stored, and a plan of before is stale. An agent that says so later makes it compile.
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
