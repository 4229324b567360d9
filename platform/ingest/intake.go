package ingest

import (
	"context"
	"fmt"
	"slices"

	"panel/platform/agentapi"
	"panel/platform/fault"
)

// Intake is one kind of batches that a module stores.
type Intake struct {
	Kind agentapi.BatchKind
	// Take returns when the batch is durable, and stores one that comes again once: as a rule it decodes the items and
	// calls Store.Take. A fault of invalid_value makes the agent drop the batch; after any other error the agent sends
	// it again.
	Take func(ctx context.Context, nodeID string, batch *agentapi.Batch) error
}

// Intakes are the kinds of all modules. They are added while the panel is composed.
type Intakes struct{ kinds map[agentapi.BatchKind]Intake }

// NewIntakes makes an empty registry.
func NewIntakes() *Intakes { return &Intakes{kinds: map[agentapi.BatchKind]Intake{}} }

// Add takes one more kind. A kind belongs to one module.
func (i *Intakes) Add(one Intake) error {
	if _, known := i.kinds[one.Kind]; known || one.Kind == "" || one.Take == nil {
		return fmt.Errorf("take batches of the kind %q: it has no name, no reader, or two modules read it", one.Kind)
	}
	i.kinds[one.Kind] = one
	return nil
}

// Kinds lists what is taken, in order.
func (i *Intakes) Kinds() []agentapi.BatchKind {
	kinds := make([]agentapi.BatchKind, 0, len(i.kinds))
	for kind := range i.kinds {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	return kinds
}

var errUnknownKind = fault.Missing("this panel reads no such batches")

// Take hands a batch to its module. Faults: not_found (404) for a kind that no module reads, invalid_value (422),
// throttled (429), unavailable (503).
func (i *Intakes) Take(ctx context.Context, nodeID string, batch *agentapi.Batch) error {
	one, known := i.kinds[batch.Kind]
	switch {
	case !known:
		return errUnknownKind
	case len(batch.Items) > agentapi.MaxBatchItems:
		return fault.InvalidValue("items", fmt.Sprintf("must have at most %d items", agentapi.MaxBatchItems))
	}
	return one.Take(ctx, nodeID, batch)
}
