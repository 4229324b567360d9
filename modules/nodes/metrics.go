package nodes

import (
	"context"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/platform/metrics"
)

// collectors are the fleet for whoever monitors the panel: states as last announced, and the streams of agents to this
// panel.
func (h *handlers) collectors() []metrics.Collector {
	return []metrics.Collector{
		metrics.Asked("panel_nodes", "Nodes by the state that was last announced.", "state", h.store.announcedStates),
		metrics.AskedOne("panel_nodes_without_firewall", "Nodes whose agents may block no address.",
			h.store.withoutFirewall),
		metrics.Gauge("panel_agent_links", "Open streams of agents to this panel.",
			func() float64 { return float64(h.streams.Open()) }),
	}
}

// announcedStates also counts the states that no node is in, so that an alert can wait for them.
func (s *store) announcedStates(ctx context.Context) (map[string]float64, error) {
	counts := map[string]float64{
		"pending": 0, "online": 0, "degraded": 0, "offline": 0, "maintenance": 0,
		"disabled": 0,
	}
	var rows []struct {
		State string  `bun:"state"`
		N     float64 `bun:"n"`
	}
	err := s.db.NewRaw("select announced_state as state, count(*)::float8 as n from nodes group by announced_state").
		Scan(ctx, &rows)
	for _, row := range rows {
		counts[row.State] = row.N
	}
	return counts, err
}

// withoutFirewall counts nodes in service whose agents say that they may block nothing.
func (s *store) withoutFirewall(ctx context.Context) (float64, error) {
	var known, without int
	var names []string
	err := s.db.NewRaw(withoutFirewall).Scan(ctx, &known, &without, pgdialect.Array(&names))
	return float64(without), err
}
