// Command panel-bench measures every speed goal of the panel beside its physical limit, both alternately in one run, on
// a PostgreSQL and a real `panelctl serve` of its own.
//
// It ends with 0 when every goal is met, 1 when one is missed, and 75 when the machine was too noisy to tell.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"panel/cmd/panel-bench/internal/measure"
	"panel/e2e/rig"
)

// Exit codes.
const (
	exitMissed = 1
	exitUsage  = 2
	exitNoise  = 75
)

func main() {
	if len(os.Args) == 3 && modes[os.Args[1]] != nil {
		end(modes[os.Args[1]](os.Args[2]))
		return
	}
	o, err := options(os.Args[1:])
	if err != nil {
		os.Exit(exitUsage)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends this at once
	end(buildAll(ctx, o))
	r := newReport(os.Stdout, o)
	err = run(ctx, o, goals, r.add)
	end(errors.Join(err, r.close()))
	os.Exit(r.exitCode())
}

// modes are the programs that this executable is instead: what the panel is measured against, and who attacks it.
var modes = map[string]func(file string) error{
	bareMode: serveBare, barePageMode: servePage, fanOutMode: serveFanOut, attackMode: attack,
}

func end(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(exitMissed)
	}
}

// settings of one run.
type settings struct {
	only   []string
	pairs  int
	each   time.Duration // one reading
	warm   time.Duration
	out    string        // JSON
	agents int           // of an apply
	watch  time.Duration // how long an open page is watched
	keep   bool
	grace  time.Duration // for a goal to end when its time is over, and again to clean up behind it
}

var errUsage = errors.New("wrong arguments")

func options(args []string) (settings, error) {
	s := settings{grace: time.Minute}
	var only string
	flags := flag.NewFlagSet("panel-bench", flag.ContinueOnError)
	flags.StringVar(&only, "only", "", "goals to measure, separated by commas: "+strings.Join(names(), ","))
	flags.IntVar(&s.pairs, "pairs", 8, "readings of limit and product, alternately")
	flags.DurationVar(&s.each, "each", 1500*time.Millisecond, "length of one reading")
	flags.DurationVar(&s.warm, "warm", time.Second, "length of the warm-up before the first reading")
	flags.StringVar(&s.out, "out", ".run/bench.json", "file for the results as JSON")
	flags.IntVar(&s.agents, "agents", 1000, "agents of an apply, a multiple of 200; the goal speaks of 1,000")
	flags.DurationVar(&s.watch, "watch", 5*time.Minute, "how long an open page is watched; the goal speaks of 30m")
	flags.BoolVar(&s.keep, "keep", false, "keep the folder with logs and database")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if s.agents < blocksPerFlow || s.agents%blocksPerFlow != 0 {
		fmt.Fprintln(os.Stderr, "--agents takes a multiple of", blocksPerFlow)
		return s, errUsage
	}
	if only != "" {
		s.only = strings.Split(only, ",")
	}
	return s, s.known()
}

// goal is one line of the table of speed goals.
type goal struct {
	name    string
	measure func(context.Context, *bench) ([]measure.Result, error)
	longest time.Duration // several times what it takes on a machine of two cores that does nothing else
}

var goals = []goal{
	{"P20", interfaceSize, time.Minute},
	{"P6", compileSlope, 6 * time.Minute},
	{"pools", poolProbes, 6 * time.Minute},
	{"P18", startTime, 2 * time.Minute},
	{"P19", commandLine, 2 * time.Minute},
	{"P3", gatedGet, 3 * time.Minute},
	{"P22", hangingLicense, 5 * time.Minute},
	{"P14", loginFlood, 6 * time.Minute},
	{"P15", auditedWrite, 5 * time.Minute},
	{"saves", savesAtOnce, 3 * time.Minute},
	{"P16", jobsAndQuiet, 7 * time.Minute},
	{"P23", throttledRoute, 4 * time.Minute},
	{"P1", telemetry, 4 * time.Minute},
	{"P4", listsAndPages, 8 * time.Minute},
	{"subscriptions", subscriptions, 4 * time.Minute},
	{"clients", manyClients, 9 * time.Minute},
	{"P8", apply, 9 * time.Minute},
	{"away", awayAgents, 12 * time.Minute},
	{"P10", connectedAgents, 6 * time.Minute},
	{"P9", restartHerd, 5 * time.Minute},
	{"P5", openDashboards, 6 * time.Minute},
	{"P11", liveViewers, 6 * time.Minute},
	{"P21", livingScreens, 45 * time.Minute},
	{"P17", backups, 9 * time.Minute},
	{"P13", panelLooks, 12 * time.Minute},
	{"checks", agentChecks, 9 * time.Minute},
	{"P12", deadNodes, 9 * time.Minute},
	{"names", watchedHostNames, 6 * time.Minute},
	{"spread", spreadCertificates, 4 * time.Minute},
	{"strangers", strangersFlood, 6 * time.Minute},
	{"signals", abuseSignals, 6 * time.Minute},
	{"scoring", abuseScoring, 15 * time.Minute},
	{"lookups", abuseLookups, 15 * time.Minute},
	{"sensing", sensing, 12 * time.Minute},
	{"users", syncedUsers, 12 * time.Minute},
	{"flow", throughput, 6 * time.Minute},
	{"protocols", protocols, 75 * time.Minute},
	{"geo", geoFiles, 15 * time.Minute},
	{"hosting", hostingSync, 5 * time.Minute},
	{"status", statusPage, 6 * time.Minute},
	{"answers", builtInAnswers, 9 * time.Minute},
}

func names() []string {
	all := make([]string, len(goals))
	for i, g := range goals {
		all[i] = g.name
	}
	return all
}

// known refuses a goal that does not exist: measuring nothing would look as if all were met.
func (s settings) known() error {
	for _, wanted := range s.only {
		if !slices.ContainsFunc(names(), func(name string) bool { return strings.EqualFold(name, wanted) }) {
			fmt.Fprintln(os.Stderr, "there is no goal", wanted+"; there are", strings.Join(names(), ", "))
			return errUsage
		}
	}
	return nil
}

func (s settings) wants(name string) bool {
	if len(s.only) == 0 {
		return true
	}
	for _, wanted := range s.only {
		if strings.EqualFold(wanted, name) {
			return true
		}
	}
	return false
}

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
