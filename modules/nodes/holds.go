package nodes

import (
	"context"

	"panel/modules/nodes/nodesapi"
	"panel/platform/fault"
)

// holds is nodesapi.Holds.
type holds struct {
	answer func(ctx context.Context, nodeID string) ([]string, error)
}

func newHolds() *holds { return &holds{} }

func exportHolds(h *holds) nodesapi.Holds { return h }

// From takes who answers.
func (h *holds) From(answer func(ctx context.Context, nodeID string) ([]string, error)) {
	h.answer = answer
}

// check refuses while something is being installed that needs the node. Fault: node_in_use (409).
func (h *holds) check(ctx context.Context, nodeID string) error {
	if h.answer == nil {
		return nil
	}
	flows, err := h.answer(ctx, nodeID)
	if err == nil && len(flows) > 0 {
		return fault.Conflict("node_in_use", "a flow is being installed on this node; wait for its end").With("flow_ids", flows)
	}
	return err
}
