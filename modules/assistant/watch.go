package assistant

import (
	"sync/atomic"

	"panel/modules/assistant/internal/engine"
	"panel/platform/metrics"
)

// meter counts questions for whoever watches the panel.
type meter struct{ understood, unknown atomic.Int64 }

func newMeter() *meter { return new(meter) }

func (m *meter) answered(answer engine.Answer) {
	if answer.Understood {
		m.understood.Add(1)
		return
	}
	m.unknown.Add(1)
}

func (m *meter) collectors() []metrics.Collector {
	return []metrics.Collector{
		metrics.Counters("panel_assistant_questions_total", "Questions by whether the assistant understood them.", "understood",
			func() map[string]float64 {
				return map[string]float64{"yes": float64(m.understood.Load()), "no": float64(m.unknown.Load())}
			}),
	}
}
