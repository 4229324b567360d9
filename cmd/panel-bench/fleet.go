package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"panel/cmd/panel-bench/internal/beside"
	"panel/cmd/panel-bench/internal/measure"
	"panel/cmd/panel-bench/internal/seed"
	"panel/e2e/rig"
)

// fleet is a panel with simulated agents that speak the real protocol, all in one process.
type fleet struct {
	*stand
	members []seed.Member
	agents  *rig.Process
}

// fleetAt brings up a panel and that many connected agents.
func (b *bench) fleetAt(ctx context.Context, name string, count int, spread time.Duration) (*fleet, error) {
	f := &fleet{}
	var err error
	f.stand, err = b.installBare(ctx, name, func(ctx context.Context, dsn string) (err error) {
		f.members, err = seed.Fleet(ctx, dsn, count)
		return err
	})
	if err != nil {
		return nil, err
	}
	f.agents, err = b.simulate(ctx, f.stand, name, f.members, spread)
	if err != nil {
		return nil, err
	}
	return f, f.connected(ctx, spread)
}

// simulate starts the agents of some nodes as one process.
func (b *bench) simulate(
	ctx context.Context, s *stand, name string, members []seed.Member, spread time.Duration,
) (*rig.Process, error) {
	program, err := rig.Executable(ctx, rig.AgentProgram)
	if err != nil {
		return nil, err
	}
	tokens := filepath.Join(b.folder, name+".jsonl")
	if err := seed.Write(tokens, members); err != nil {
		return nil, err
	}
	agents, err := rig.Start(rig.Spec{
		Name: "the simulated agents", Log: filepath.Join(b.folder, name+"-agents.log"), Path: program,
		Args: []string{
			"simulate", "--panel", s.Panel.URL, "--count", strconv.Itoa(len(members)), "--tokens-file", tokens,
			"--spread", spread.String(),
		},
	})
	if err == nil {
		b.atEnd(func() error { agents.Kill(); return nil })
	}
	return agents, err
}

// connected waits until every agent itself has reported, and for the streams to open.
func (f *fleet) connected(ctx context.Context, spread time.Duration) error {
	return rig.Eventually(ctx, spread+2*time.Minute, func(ctx context.Context) error {
		if err := pause(ctx, herdEvery); err != nil { // the look reads the whole fleet
			return err
		}
		if !f.agents.Running() {
			return fmt.Errorf("%w: the simulated agents have ended: %s", rig.ErrHopeless, f.agents.LastWords())
		}
		connected, err := f.number(ctx, "select count(*) from node_reports where report->>'agent_version' <> 'bench'")
		if err == nil && connected < int64(len(f.members)) {
			return fmt.Errorf("%d agents of %d have connected", connected, len(f.members))
		}
		return err
	})
}

// blocksPerFlow is the most that a drawing may hold.
const blocksPerFlow = 200

const (
	slopeSizes  = 4 // times as many agents
	slopeRounds = 3
)

// apply (P8) installs flows on all agents at once; every server of every flow changes in each round. Then it does the
// same with four times as many agents and looks at how the time grows.
func apply(ctx context.Context, b *bench) ([]measure.Result, error) {
	agents := b.settings.agents
	whole, work, err := b.rounds(ctx, "apply", agents, b.settings.pairs)
	if err != nil {
		return nil, err
	}
	what := fmt.Sprintf("apply to %d agents in flows of 200, slowest round", agents)
	result := measure.Below("P8", what, "ms", measure.Series{whole.Quantile(1)}, 2000)
	result = result.Note(
		"median %.0f ms over %d rounds; ends when every flow is applied and journalled",
		whole.Median(),
		len(whole),
	)
	result = result.Note("rounds in ms: %.0f", whole)
	result = result.Note("processor time of the panel: %.2f s per round, %.0f us per agent, medians",
		work.Median(), 1e6*work.Median()/float64(agents))
	results := []measure.Result{result}
	many, _, err := b.rounds(ctx, "apply_many", slopeSizes*agents, min(slopeRounds, b.settings.pairs))
	if err != nil {
		return results, fmt.Errorf("apply to %d agents: %w", slopeSizes*agents, err)
	}
	grows := beside.Slope(map[float64]float64{1: whole.Median(), slopeSizes: many.Median()})
	what = fmt.Sprintf("slope of an apply, %d to %d agents", agents, slopeSizes*agents)
	result = measure.Below("P8", what, "", measure.Series{grows}, 1.3)
	return append(results, result.Note("medians %.0f ms and %.0f ms", whole.Median(), many.Median())), nil
}

// rounds brings up a fleet, installs its flows so many times and ends it. The first installation is on empty servers
// and warms up.
func (b *bench) rounds(ctx context.Context, name string, agents, count int) (whole, work measure.Series, err error) {
	f, err := b.fleetAt(ctx, name, agents, max(5*time.Second, time.Duration(agents)*5*time.Millisecond))
	if err != nil {
		return nil, nil, err
	}
	flows := make([]string, agents/blocksPerFlow)
	for i := range flows {
		flow, err := f.API.Draw(ctx, fmt.Sprintf("flow %d", i), f.star(i, 0))
		if err != nil {
			return nil, nil, err
		}
		flows[i] = flow.ID
	}
	for round := range count + 1 {
		took, used, err := f.installAll(ctx, flows, round)
		if err != nil {
			return nil, nil, err
		}
		if round > 0 {
			whole, work = append(whole, milliseconds(took)), append(work, used)
		}
	}
	f.agents.Kill()
	return whole, work, f.Panel.Stop()
}

// star enters on the first server of the flow's share and leaves, by destination, on the others.
func (f *fleet) star(flow, round int) map[string]any {
	mine := f.members[flow*blocksPerFlow : (flow+1)*blocksPerFlow]
	private := []string{"block", "allow"}[round%2]
	listener := map[string]any{
		"protocol": "vless", "port": 8443 + round, "security": "reality",
		"reality": map[string]any{"target": "198.51.100.1:443", "server_names": []string{"example.com"}},
	}
	nodes := []map[string]any{
		{"key": "in", "kind": "entry", "node_id": mine[0].NodeID, "params": map[string]any{"listener": listener}},
	}
	var edges []map[string]any
	for i, m := range mine[1:] {
		key := fmt.Sprintf("out%d", i)
		nodes = append(
			nodes,
			map[string]any{
				"key":     key,
				"kind":    "exit",
				"node_id": m.NodeID,
				"params":  map[string]any{"private": private},
			},
		)
		edge := map[string]any{"from": "in", "to": key, "priority": i}
		if i < len(mine)-2 {
			edge["match"] = map[string]any{"domain": []string{fmt.Sprintf("site%d.example", i)}}
		}
		edges = append(edges, edge)
	}
	return map[string]any{"nodes": nodes, "edges": edges}
}

// installAll compiles one after the other and then applies all at once; it gives the time of that, and the panel's
// processor time.
func (f *fleet) installAll(
	ctx context.Context,
	flows []string,
	round int,
) (took time.Duration, used float64, err error) {
	plans, err := f.compileAll(ctx, flows, round)
	if err != nil {
		return 0, 0, err
	}
	before, err := processorSeconds(f.Panel.PID())
	if err != nil {
		return 0, 0, err
	}
	failures := make([]error, len(flows))
	var all sync.WaitGroup
	began := time.Now()
	for i, flow := range flows {
		all.Go(func() { failures[i] = f.force(ctx, flow, plans[i]) })
	}
	all.Wait()
	took = time.Since(began)
	after, err := processorSeconds(f.Panel.PID())
	return took, after - before, errors.Join(append(failures, err)...)
}

func (f *fleet) compileAll(ctx context.Context, flows []string, round int) ([]rig.Plan, error) {
	plans := make([]rig.Plan, len(flows))
	for i, flow := range flows {
		var draft rig.Flow
		path := "/api/v1/connection-units/" + flow
		if err := f.API.Get(ctx, path, &draft); err != nil {
			return nil, err
		}
		if err := f.API.Put(ctx, path+"/draft", map[string]any{"revision": draft.DraftRevision, "graph": f.star(i,
			round)}, nil); err != nil {
			return nil, err
		}
		if err := f.API.Post(ctx, path+"/plan/compile", nil, &plans[i]); err != nil {
			return nil, err
		}
	}
	return plans, nil
}

func (f *fleet) force(ctx context.Context, flow string, p rig.Plan) error {
	var done rig.Applied
	body := map[string]any{"id": p.ID, "revision": p.Revision, "force_apply": true}
	if err := f.API.Post(ctx, "/api/v1/connection-units/"+flow+"/apply?wait=25", body, &done); err != nil {
		return err
	}
	return f.API.Finished(ctx, flow, &done)
}

// processorSeconds is the time that a process has used so far.
func processorSeconds(pid int) (float64, error) {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return 0, fmt.Errorf("read the processor time of a process: %w", err)
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0, fmt.Errorf("read the processor time of process %d: its line is too short", pid)
	}
	user, errUser := strconv.ParseFloat(fields[11], 64)
	system, errSystem := strconv.ParseFloat(fields[12], 64)
	if errUser != nil || errSystem != nil {
		return 0, fmt.Errorf("read the processor time of process %d: its line is not of numbers", pid)
	}
	const ticks = 100
	return (user + system) / ticks, nil
}
