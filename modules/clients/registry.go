package clients

import (
	"context"
	"errors"
	"fmt"

	"panel/modules/clients/clientsapi"
	"panel/platform/fault"
)

// registry is who knows the flows. It is clientsapi.Registry.
type registry struct{ clientsapi.Flows }

func newRegistry() *registry { return &registry{} }

func exportRegistry(r *registry) clientsapi.Registry { return r }

// Serve takes who knows the flows.
func (r *registry) Serve(flows clientsapi.Flows) { r.Flows = flows }

// changed is Changed; an unknown flow is answered as absent.
func (r *registry) changed(ctx context.Context, flowID, change, label string) error {
	err := r.Changed(ctx, flowID, change, label)
	if errors.Is(err, clientsapi.ErrUnknown) {
		return errNoFlow
	}
	if err != nil {
		return fmt.Errorf("change the clients of a flow: %w", err)
	}
	return nil
}

var errNoFlow = fault.Missing(fault.NoSuchThing)

// known fails for flows that are not there. Fault: invalid_value (422).
func (r *registry) known(ctx context.Context, field string, ids []string) error {
	names, err := r.Names(ctx, ids...)
	if err != nil {
		return fmt.Errorf("look up flows: %w", err)
	}
	for _, id := range ids {
		if _, there := names[id]; !there {
			return fault.InvalidValue(field, "there is no such flow")
		}
	}
	return nil
}
