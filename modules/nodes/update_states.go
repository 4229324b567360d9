package nodes

import (
	"context"

	"panel/modules/nodes/nodesapi"
)

// updateStates is nodesapi.UpdateStates.
type updateStates struct {
	answer func(ctx context.Context, versions map[string]string) (map[string]string, error)
}

func newUpdateStates() *updateStates { return &updateStates{} }

func exportUpdateStates(u *updateStates) nodesapi.UpdateStates { return u }

// From takes who answers.
func (u *updateStates) From(answer func(ctx context.Context, versions map[string]string) (map[string]string, error)) {
	u.answer = answer
}

// of gives the states of agents that are not current, whatever number of them is asked for in one question.
func (u *updateStates) of(ctx context.Context, nodes ...*Node) (map[string]string, error) {
	versions := map[string]string{}
	for _, n := range nodes {
		if n.Agent.Version != "" {
			versions[n.ID] = n.Agent.Version
		}
	}
	if u.answer == nil || len(versions) == 0 {
		return nil, nil
	}
	return u.answer(ctx, versions)
}

// fill writes the states into the nodes.
func (u *updateStates) fill(ctx context.Context, nodes ...*Node) error {
	states, err := u.of(ctx, nodes...)
	for _, n := range nodes {
		n.Agent.UpdateState = orElse(states[n.ID], nodesapi.UpdateCurrent)
	}
	return err
}
