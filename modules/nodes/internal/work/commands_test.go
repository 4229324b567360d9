package work

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/nodes/internal/nodetest"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/jobs"
)

// A result that comes twice, at once or later, through whatever panel, is the first one.
func TestTheFirstResultStays(t *testing.T) {
	t.Parallel()
	db := nodetest.Tables(t)
	here, there, node := onDatabase(t, db), onDatabase(t, db), nodetest.Node(t, db)
	id := here.order(t, node, nil)
	var agents sync.WaitGroup
	answers := make([]error, 20)
	for n := range answers {
		agents.Go(func() {
			panel := here
			if n%2 == 0 {
				panel = there
			}
			answers[n] = panel.Finish(t.Context(), node, good(id))
		})
	}
	agents.Wait()
	for _, err := range answers {
		require.NoError(t, err)
	}
	first, err := here.Results(t.Context(), id)
	require.NoError(t, err)
	here.clock.Advance(time.Hour)
	require.NoError(t, here.Finish(t.Context(), node, &agentapi.CommandResult{ID: id, Code: "failed"}))
	second, err := there.Results(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, first, second)
	require.True(t, second[id].OK)
}

func TestAResultIsTheAgentsOwn(t *testing.T) {
	t.Parallel()
	db := nodetest.Tables(t)
	o, node, other := unnotified(t, db), nodetest.Node(t, db), nodetest.Node(t, db)
	id := o.order(t, node, nil)
	for _, unknown := range []string{"", "x", "..", database.NewID()} {
		require.ErrorIs(t, o.Finish(t.Context(), node, good(unknown)), ErrUnknownCommand)
	}
	require.ErrorIs(t, o.Finish(t.Context(), other, good(id)), ErrUnknownCommand)
	_, err := o.Command(t.Context(), other, id)
	require.Error(t, err)
	require.Equal(t, []string{id}, o.waiting(t, node))
}

// What an agent writes is bounded, and its end kept, which says most; data that is no JSON is left out.
func TestResultsAreBounded(t *testing.T) {
	t.Parallel()
	db := nodetest.Tables(t)
	o, node := unnotified(t, db), nodetest.Node(t, db)
	id, long := o.order(t, node, nil), strings.Repeat("a", 3*agentapi.MaxTail)
	require.NoError(t, o.Finish(t.Context(), node, &agentapi.CommandResult{
		ID: id, Code: agentapi.ResultCode(long), Stage: agentapi.Stage(long), Error: long + "end", StderrTail: long +
			"\x00tail", Data: json.RawMessage(`{`),
	}))
	found, err := o.Results(t.Context(), id)
	require.NoError(t, err)
	got := found[id]
	require.LessOrEqual(t, max(len(got.Code), len(got.Stage)), 64)
	require.LessOrEqual(t, max(len(got.Error), len(got.StderrTail)), agentapi.MaxTail)
	require.True(t, strings.HasSuffix(got.Error, "end"))
	require.True(t, strings.HasSuffix(got.StderrTail, "atail"))
	require.Empty(t, got.Data)
}

// Who waits gets the results in the sequence of its orders, whichever panel the agents answered; a deadline that has
// passed is an end.
func TestWhoeverWaitsGetsEveryEnd(t *testing.T) {
	t.Parallel()
	db := nodetest.Tables(t)
	here, there, node := onDatabase(t, db), onDatabase(t, db), nodetest.Node(t, db)
	own, foreign, late := here.order(t, node, nil), here.order(t, node, nil), here.order(t, node, nil)
	type outcome struct {
		results []nodesapi.Result
		err     error
	}
	got := make(chan outcome, 1)
	go func() {
		results, err := here.Await(t.Context(), late, foreign, own)
		got <- outcome{results, err}
	}()
	require.NoError(t, here.Finish(t.Context(), node, good(own)))
	require.NoError(t, there.Finish(t.Context(), node, good(foreign)))
	var end outcome
	eventually(t, func() bool {
		there.clock.Advance(noticePause)
		here.clock.Advance(30 * time.Second)
		select {
		case end = <-got:
			return true
		default:
			return false
		}
	})
	require.NoError(t, end.err)
	require.Equal(t, []string{late, foreign, own}, []string{end.results[0].ID, end.results[1].ID, end.results[2].ID})
	require.Equal(t, "expired", end.results[0].Code)
	require.True(t, end.results[1].OK && end.results[2].OK)
	here.Commands.mu.Lock()
	defer here.Commands.mu.Unlock()
	require.Empty(t, here.Commands.waiters)
}

func TestWhoGivesUpWaitingSaysSo(t *testing.T) {
	t.Parallel()
	db := nodetest.Tables(t)
	o, node := unnotified(t, db), nodetest.Node(t, db)
	id := o.order(t, node, nil)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := o.Await(ctx, id)
		ended <- err
	}()
	eventually(t, func() bool {
		o.Commands.mu.Lock()
		defer o.Commands.mu.Unlock()
		return len(o.Commands.waiters) == 1
	})
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	o.Commands.mu.Lock()
	defer o.Commands.mu.Unlock()
	require.Empty(t, o.Commands.waiters)
}

// Results are kept for a week; what nobody answered goes with them, what still waits stays.
func TestOldResultsGoAndOpenCommandsStay(t *testing.T) {
	t.Parallel()
	db := nodetest.Tables(t)
	o, node := unnotified(t, db), nodetest.Node(t, db)
	ended, unanswered := o.order(t, node, nil), o.order(t, node, nil)
	require.NoError(t, o.Finish(t.Context(), node, good(ended)))
	tidy := jobs.TidyWorker(db, o.clock, Tidy())
	o.clock.Advance(resultRetention - time.Minute)
	open := o.order(t, node, nil)
	require.NoError(t, tidy.Work(t.Context(), jobs.Job{}))
	for _, id := range []string{ended, unanswered, open} {
		_, err := o.Command(t.Context(), node, id)
		require.NoError(t, err)
	}
	o.clock.Advance(2*time.Minute + time.Second)
	require.NoError(t, tidy.Work(t.Context(), jobs.Job{}))
	for id, stays := range map[string]bool{ended: false, unanswered: false, open: true} {
		_, err := o.Command(t.Context(), node, id)
		require.Equal(t, stays, err == nil)
	}
}
