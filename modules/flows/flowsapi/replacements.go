package flowsapi

import (
	"context"
	"errors"
)

// CodeOpenDraft is the code of the refusal to change a draft that somebody is at work on: installing it would install
// that work, too.
const CodeOpenDraft = "draft_not_installed"

// ErrChecking means that the nodes of a plan are still being asked whether they are ready for it.
var ErrChecking = errors.New("the nodes are still being asked about readiness")

// NodeUse is a flow that has a node, in its draft or in what is installed.
type NodeUse struct {
	FlowID    string
	Name      string
	Drawn     bool // its draft has a block on the node
	Installed bool // it is installed on the node
	Placed    bool // what is installed has a block on the node; else it may be there as a member of a pool
	Open      bool // it is installed, and its draft has changes that are not
	Applying  bool
}

// Replacements put a node in the place of another, flow by flow and by the ordinary paths of a draft, a plan and an
// apply, as the caller of the context.
type Replacements interface {
	// UsesOf gives the flows that have a node, by their names.
	UsesOf(ctx context.Context, nodeID string) ([]NodeUse, error)
	// Redraw puts another node in the place of one in the draft of a flow, and has the host names of the draft move
	// with it, in the transaction of the context. The answer is the new revision of the draft; 0: it does not have the
	// node.
	// Faults: not_found (404), draft_not_installed (409), those of a saved draft.
	Redraw(ctx context.Context, flowID, nodeID, byNodeID string) (revision int, err error)
	// Compile makes a plan of the draft. Faults: those of a compilation.
	Compile(ctx context.Context, flowID string) (planID string, revision int, err error)
	// Apply begins to install a plan and gives the apply; of a plan that has one already it gives that. Force passes
	// over readiness that is not confirmed, once the nodes were asked. Error: ErrChecking. Faults: those of an apply.
	Apply(ctx context.Context, flowID, planID string, revision int, force bool) (applyID string, err error)
	// Rest moves the host names of a node that no flow has, in a transaction of its own.
	Rest(ctx context.Context, nodeID, byNodeID string) error
}
