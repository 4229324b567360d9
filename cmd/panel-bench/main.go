// Command panel-bench measures every speed goal of the panel beside its physical limit, both alternately in one run, on a
// PostgreSQL and a real `panelctl serve` of its own.
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
	if len(os.Args) == 3 && os.Args[1] == bareMode {
		end(serveBare(os.Args[2]))
	}
	o, err := options(os.Args[1:])
	if err != nil {
		os.Exit(exitUsage)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	results, err := run(ctx, o)
	stop()
	end(errors.Join(err, report(os.Stdout, o, results)))
	os.Exit(exitCode(results))
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
	return s, nil
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
	{"P16", jobsOneByOne},
	{"P23", throttledRoute},
	{"P1", telemetry},
	{"P4", nodeList},
	{"P8", apply},
	{"P10", connectedAgents},
	{"flow", throughput},
}

func names() []string {
	all := make([]string, len(goals))
	for i, g := range goals {
		all[i] = g.name
	}
	return all
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

// run measures one goal after the other. One that cannot be measured is missed, and the others still run.
func run(ctx context.Context, s settings) ([]measure.Result, error) {
	b, err := newBench(s)
	if err != nil {
		return nil, err
	}
	defer b.close()
	var results []measure.Result
	for _, g := range goals {
		if !s.wants(g.name) || ctx.Err() != nil {
			continue
		}
		began := time.Now()
		fmt.Fprintf(os.Stderr, "%-5s ...", g.name)
		found, err := g.measure(ctx, b)
		if err != nil {
			found = append(found, measure.Failed(g.name, "could not be measured", err))
		}
		fmt.Fprintf(os.Stderr, " %.0f s\n", time.Since(began).Seconds())
		results = append(results, found...)
	}
	return results, ctx.Err()
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
