package nodesapi

import "context"

// States of an agent beside the newest build.
const (
	UpdateCurrent   = "current"
	UpdateAvailable = "available"
	UpdateRunning   = "updating"
	UpdateFailed    = "failed"
)

// UpdateStates is told by whoever brings out builds how agents stand beside the newest one; untold, every agent is
// current.
type UpdateStates interface {
	// From takes who answers, once, while the panel is composed. It is given the versions of agents by the id of their
	// node, and gives the states that are not UpdateCurrent.
	From(answer func(ctx context.Context, versions map[string]string) (map[string]string, error))
}
