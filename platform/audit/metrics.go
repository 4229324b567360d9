package audit

import (
	"time"

	"panel/platform/metrics"
)

// Metrics tell how long the journal is and whether it is being sealed.
func (s *Store) Metrics() []metrics.Collector {
	return []metrics.Collector{
		metrics.Gauge("panel_journal_entries", "Number of the last entry that was sealed into the journal's chain.",
			func() float64 {
				return float64(s.noted.Load())
			}),
		metrics.Gauge("panel_journal_unsealed_seconds",
			"Time since everything in the journal was sealed; a second or two when all is well.", func() float64 {
				at := s.tended.Load()
				if at == 0 {
					return 0
				}
				return s.clock.Since(time.UnixMilli(at)).Seconds()
			}),
	}
}
