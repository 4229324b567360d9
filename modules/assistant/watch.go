package assistant

import (
	"sync/atomic"

	"panel/modules/assistant/internal/engine"
	"panel/platform/metrics"
)

// meter counts questions for whoever watches the panel.
type meter struct {
	understood, unknown atomic.Int64
	tokens              atomic.Int64
	answers, failures   atomic.Int64 // of the model
	refused             atomic.Int64 // calls of it
}

func newMeter() *meter { return new(meter) }

func (m *meter) answered(answer engine.Answer) {
	if answer.Understood {
		m.understood.Add(1)
		return
	}
	m.unknown.Add(1)
}

func (m *meter) model(failure string, tokens int64) {
	m.tokens.Add(tokens)
	if failure != "" {
		m.failures.Add(1)
		return
	}
	m.answers.Add(1)
}

func (m *meter) collectors() []metrics.Collector {
	return []metrics.Collector{
		metrics.Counters("panel_assistant_questions_total", "Questions by whether the assistant understood them.", "understood",
			func() map[string]float64 {
				return map[string]float64{"yes": float64(m.understood.Load()), "no": float64(m.unknown.Load())}
			}),
		metrics.Counters("panel_assistant_model_answers_total", "Answers of the language model by whether there was one.", "answered",
			func() map[string]float64 {
				return map[string]float64{"yes": float64(m.answers.Load()), "no": float64(m.failures.Load())}
			}),
		metrics.Counter("panel_assistant_model_refused_calls_total",
			"Calls of the language model for a tool that does not exist, or with arguments that the tool has not.",
			func() float64 { return float64(m.refused.Load()) }),
		metrics.Counter("panel_assistant_model_tokens_total", "Tokens that the language model has used.",
			func() float64 { return float64(m.tokens.Load()) }),
	}
}
