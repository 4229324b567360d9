package stages

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"panel/modules/flows/flowsapi"
)

// previewLimit bounds what a stage may take to say what it would do: a person waits for the plan.
const previewLimit = 5 * time.Second

// Preview is what one stage would do.
type Preview struct {
	Stage  string
	At     flowsapi.Point
	Diffs  []flowsapi.Diff
	Checks []flowsapi.Check
	Err    error // the stage could not say
}

// Need is a capability that a stage asks of one node's agent.
type Need struct{ Stage, NodeID, Capability string }

// Needs asks all stages what they need of agents; in the order of the stages, then of nodes and capabilities.
func (r *Registry) Needs(w flowsapi.Wanted) []Need {
	out := []Need{}
	for _, s := range r.stages {
		if s.Needs == nil {
			continue
		}
		by := s.Needs(w)
		for _, node := range slices.Sorted(maps.Keys(by)) {
			for _, capability := range slices.Compact(slices.Sorted(slices.Values(by[node]))) {
				out = append(out, Need{Stage: s.Name, NodeID: node, Capability: capability})
			}
		}
	}
	return out
}

// Preview asks all stages at once what they would do; those without an answer to give are left out.
func (r *Registry) Preview(ctx context.Context, c flowsapi.Change) []Preview {
	answers := make([]Preview, len(r.stages))
	var all sync.WaitGroup
	for i, s := range r.stages {
		if s.Preview != nil {
			all.Go(func() { answers[i] = preview(ctx, s, c) })
		}
	}
	all.Wait()
	out := []Preview{}
	for _, a := range answers {
		if len(a.Diffs)+len(a.Checks) > 0 || a.Err != nil {
			out = append(out, a)
		}
	}
	return out
}

func preview(ctx context.Context, s flowsapi.Stage, c flowsapi.Change) Preview {
	ctx, cancel := context.WithTimeout(ctx, previewLimit)
	defer cancel()
	p := Preview{Stage: s.Name, At: s.At}
	_, p.Err = called(ctx, func(ctx context.Context) (out flowsapi.Outcome, err error) {
		p.Diffs, p.Checks, err = s.Preview(ctx, c)
		return out, err
	})
	if p.Err != nil {
		p.Diffs, p.Checks = nil, nil
	}
	return p
}
