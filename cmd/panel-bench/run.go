package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"panel/cmd/panel-bench/internal/measure"
	"panel/e2e/rig"
)

// buildAll makes the executables before anything is measured, for compiling takes all processors and the time of a
// goal.
func buildAll(ctx context.Context, s settings) error {
	if len(s.only) == 1 && s.wants("P20") {
		return nil // looks at files alone
	}
	for _, program := range []string{rig.PanelProgram, rig.AuthorityProgram, rig.AgentProgram, rig.CoreProgram} {
		began := time.Now()
		fmt.Fprintf(os.Stderr, "build %s ...", program)
		if _, err := rig.Executable(ctx, program); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, " %.0f s\n", time.Since(began).Seconds())
	}
	return nil
}

// outcome is what came of one goal.
type outcome struct {
	goal    string
	took    time.Duration
	results []measure.Result
}

var errInterrupted = errors.New("the run was interrupted before")

// run measures one goal after the other on one database server and reports each outcome at once, so that a run that
// ends early keeps what it has; goals that it does not reach any more are reported, too.
func run(ctx context.Context, s settings, of []goal, report func(outcome) error) error {
	server, err := newServer()
	if err != nil {
		return err
	}
	defer server.close(s.keep)
	var failures []error
	for _, g := range of {
		switch {
		case !s.wants(g.name):
			continue
		case ctx.Err() != nil:
			missing := measure.NotDone(g.name, "not reached", errInterrupted)
			failures = append(failures, report(outcome{goal: g.name, results: []measure.Result{missing}}))
			continue
		}
		began := time.Now()
		fmt.Fprintf(os.Stderr, "%s ...", g.name)
		results := measured(ctx, s, server, g)
		o := outcome{g.name, time.Since(began), results}
		fmt.Fprintf(os.Stderr, " %.0f s\n", o.took.Seconds())
		failures = append(failures, report(o))
	}
	return errors.Join(failures...)
}

// measured measures one goal and ends whatever it started, so that the next one has the machine to itself. A goal that
// cannot be measured is not met, and neither is one that leaves something behind.
func measured(ctx context.Context, s settings, server *server, g goal) []measure.Result {
	b, err := newBench(s, server, g.name)
	if err != nil {
		return []measure.Result{measure.NotDone(g.name, "could not be measured", err)}
	}
	results, err := g.within(ctx, b)
	if err != nil {
		results = append(results, measure.NotDone(g.name, "could not be measured", err))
	}
	cleaned := make(chan error, 1)
	go func() { cleaned <- b.close() }()
	select {
	case err = <-cleaned:
	case <-time.After(s.grace):
		err = fmt.Errorf("cleaning up is not done after %s", s.grace)
	}
	if err != nil {
		results = append(results, measure.NotDone(g.name, "what was started could not be ended", err))
	}
	return results
}

var (
	errPanicked = errors.New("the measurement panicked")
	errTooLong  = errors.New("the time of this goal was over")
	errStuck    = errors.New("the measurement goes on although its time is over, and was left alone")
)

type measurement struct {
	results []measure.Result
	err     error
}

// within measures no longer than the goal may take. Whoever does not end by itself even then is left alone: what it
// uses is taken away from it next.
func (g goal) within(ctx context.Context, b *bench) ([]measure.Result, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, g.longest, fmt.Errorf("%w (%s)", errTooLong, g.longest))
	defer cancel()
	ended := make(chan measurement, 1)
	go func() { ended <- g.safely(ctx, b) }()
	select {
	case m := <-ended:
		return m.results, m.err
	case <-ctx.Done():
	}
	select {
	case m := <-ended:
		return m.results, errors.Join(context.Cause(ctx), m.err)
	case <-time.After(b.grace):
		return nil, errors.Join(context.Cause(ctx), errStuck)
	}
}

func (g goal) safely(ctx context.Context, b *bench) (m measurement) {
	defer func() {
		if reason := recover(); reason != nil {
			m.err = fmt.Errorf("%w: %v", errPanicked, reason)
		}
	}()
	m.results, m.err = g.measure(ctx, b)
	return m
}
