package evidence

import (
	"encoding/json"
	"math"

	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
)

const (
	mostCarried   = 4096 // listeners, and outbounds, of one node that are shown
	longestCarry  = 3600 // seconds; a longer sample says nothing about now
	fastestCarry  = 1e15 // bits per second that no server has
	shortestCarry = 0.5  // seconds; over a shorter time a rate means nothing
)

// carriedBy derives rates from a sample, or nothing where it does not say of how long it is.
func carriedBy(s *agentapi.Sample) *string {
	if known := s.IntervalSeconds >= shortestCarry && s.IntervalSeconds <= longestCarry; !known {
		return nil
	}
	r := nodesapi.Reading{
		ObservedAt: s.ObservedAt.UTC(), Listeners: map[string]nodesapi.Carried{},
		Outbounds: map[string]nodesapi.Carried{},
	}
	for _, l := range s.Listeners {
		put(r.Listeners, l.Name, nodesapi.Carried{Sessions: &l.Open})
	}
	for _, t := range s.Traffic {
		moved := nodesapi.Carried{UpBps: rate(t.Up, s.IntervalSeconds), DownBps: rate(t.Down, s.IntervalSeconds)}
		switch t.Kind {
		case agentapi.TrafficListener:
			moved.Sessions = r.Listeners[t.Name].Sessions
			put(r.Listeners, t.Name, moved)
		case agentapi.TrafficOutbound:
			put(r.Outbounds, t.Name, moved)
		}
	}
	raw, _ := json.Marshal(r) // plain values always encode
	text := string(raw)
	return &text
}

// put bounds what one node can have shown of it.
func put(into map[string]nodesapi.Carried, name string, one nodesapi.Carried) {
	if _, known := into[name]; known || len(into) < mostCarried {
		into[name] = one
	}
}

func rate(bytes int64, seconds float64) int64 {
	return int64(math.Round(min(max(0, 8*float64(bytes)/seconds), fastestCarry)))
}
