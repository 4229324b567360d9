package policies

import (
	"context"

	"panel/platform/metrics"
)

// count is the number of flows that run an older snapshot of the catalogue, on all panels of this database.
func (p *policies) count() metrics.Collector {
	return metrics.AskedOne("panel_flows_on_old_catalogue",
		"Flows that run an older snapshot of the policy catalogue, which says something else than the newest version.",
		func(ctx context.Context) (float64, error) {
			found, err := p.outdated(ctx)
			return float64(len(found.Items)), err
		})
}
