package nodes

import (
	"context"
	"errors"

	"panel/modules/nodes/nodesapi"
	"panel/platform/fault"
)

// guards is nodesapi.Guards.
type guards struct{ all []guard }

type guard struct {
	why    string
	answer func(ctx context.Context, nodeID string) ([]string, error)
}

func newGuards() *guards { return &guards{} }

func exportGuards(g *guards) nodesapi.Guards { return g }

// Add takes who answers.
func (g *guards) Add(why string, answer func(ctx context.Context, nodeID string) ([]string, error)) {
	g.all = append(g.all, guard{why, answer})
}

// check refuses while somebody needs the node. Fault: node_in_use (409).
func (g *guards) check(ctx context.Context, nodeID string) error {
	for _, one := range g.all {
		flows, err := one.answer(ctx, nodeID)
		if needed, is := errors.AsType[nodesapi.Needed](err); is {
			return one.refusal(needed)
		}
		if err != nil {
			return err
		}
		if len(flows) > 0 {
			return one.refusal(nodesapi.Needed{"flow_ids": flows})
		}
	}
	return nil
}

func (g guard) refusal(ids nodesapi.Needed) *fault.Fault {
	refused := fault.Conflict("node_in_use", g.why)
	for name, list := range ids {
		if len(list) > 0 {
			refused = refused.With(name, list)
		}
	}
	return refused
}
