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
	}
	o, err := options(os.Args[1:])
	if err != nil {
		os.Exit(exitUsage)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	results, err := run(ctx, o, goals)
	stop()
	end(errors.Join(err, report(os.Stdout, o, results)))
	os.Exit(exitCode(results))
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
	out    string // JSON
	agents int    // of an apply
	keep   bool
}

var errUsage = errors.New("wrong arguments")

func options(args []string) (settings, error) {
	var s settings
	var only string
	flags := flag.NewFlagSet("panel-bench", flag.ContinueOnError)
	flags.StringVar(&only, "only", "", "goals to measure, separated by commas: "+strings.Join(names(), ","))
	flags.IntVar(&s.pairs, "pairs", 8, "readings of limit and product, alternately")
	flags.DurationVar(&s.each, "each", 2*time.Second, "length of one reading")
	flags.DurationVar(&s.warm, "warm", time.Second, "length of the warm-up before the first reading")
	flags.StringVar(&s.out, "out", ".run/bench.json", "file for the results as JSON")
	flags.IntVar(&s.agents, "agents", 1000, "agents of an apply, a multiple of 200; the goal speaks of 1,000")
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
}

var goals = []goal{
	{"P20", interfaceSize},
	{"P6", compileSlope},
	{"P18", startTime},
	{"P19", commandLine},
	{"P3", gatedGet},
	{"P22", hangingLicense},
	{"P14", loginFlood},
	{"P15", auditedWrite},
	{"saves", savesAtOnce},
	{"P16", jobsOneByOne},
	{"P23", throttledRoute},
	{"P1", telemetry},
	{"P4", listsAndPages},
	{"P8", apply},
	{"P10", connectedAgents},
	{"P9", restartHerd},
	{"P5", openDashboards},
	{"P11", liveViewers},
	{"strangers", strangersFlood},
	{"flow", throughput},
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

// run measures one goal after the other on one database server.
func run(ctx context.Context, s settings, of []goal) ([]measure.Result, error) {
	server, err := newServer()
	if err != nil {
		return nil, err
	}
	defer server.close(s.keep)
	var results []measure.Result
	whole := time.Now()
	for _, g := range of {
		if !s.wants(g.name) || ctx.Err() != nil {
			continue
		}
		began := time.Now()
		fmt.Fprintf(os.Stderr, "%-5s ...", g.name)
		results = append(results, measured(ctx, s, server, g)...)
		fmt.Fprintf(os.Stderr, " %.0f s\n", time.Since(began).Seconds())
	}
	fmt.Fprintf(os.Stderr, "all    %.0f min\n", time.Since(whole).Minutes())
	return results, ctx.Err()
}

// longest is what one goal may take; the others are worth more than its end.
const longest = 20 * time.Minute

// measured measures one goal and ends whatever it started, so that the next one has the machine to itself. A goal that
// cannot be measured is missed, and so is one that leaves something behind.
func measured(ctx context.Context, s settings, server *server, g goal) (results []measure.Result) {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	b, err := newBench(s, server, g.name)
	if err != nil {
		return []measure.Result{measure.Failed(g.name, "could not be measured", err)}
	}
	defer func() {
		if err := b.close(); err != nil {
			results = append(results, measure.Failed(g.name, "what was started could not be ended", err))
		}
	}()
	results, err = g.safely(ctx, b)
	if err != nil {
		results = append(results, measure.Failed(g.name, "could not be measured", err))
	}
	return results
}

var errPanicked = errors.New("the measurement panicked")

func (g goal) safely(ctx context.Context, b *bench) (results []measure.Result, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("%w: %v", errPanicked, reason)
		}
	}()
	return g.measure(ctx, b)
}

func exitCode(results []measure.Result) int {
	code := 0
	for _, r := range results {
		switch r.Verdict {
		case measure.Missed:
			return exitMissed
		case measure.Noise:
			code = exitNoise
		case measure.Met:
		}
	}
	return code
}
