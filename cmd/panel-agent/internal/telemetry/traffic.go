package telemetry

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"panel/cmd/panel-agent/internal/core"
	"panel/platform/agentapi"
)

// Bases are the counters of each core process as they were at the last durable sample.
type Bases map[string]map[string]int64

// ParseBases reads what Encode wrote; nothing gives empty bases.
func ParseBases(raw json.RawMessage) (Bases, error) {
	bases := Bases{}
	if len(raw) == 0 {
		return bases, nil
	}
	if err := json.Unmarshal(raw, &bases); err != nil {
		return nil, fmt.Errorf("read the counters of the last sample: %w", err)
	}
	return bases, nil
}

// Encode is the form that lies beside the sample.
func (b Bases) Encode() (json.RawMessage, error) { return json.Marshal(b) }

// Difference sums what every core carried since the bases, and gives the bases after it. A core that has ended and is
// wholly counted is named in done; its bases stay until it is gone from counts.
func Difference(before Bases, counts map[string]core.Count) (traffic []agentapi.Traffic, after Bases, done []string) {
	after = Bases{}
	counters := 0
	for _, count := range counts {
		counters += len(count.Values)
	}
	sums := make(map[source]*agentapi.Traffic, counters/2)
	for id, count := range counts {
		after[id] = advance(before[id], count.Values, sums)
		if count.Ended {
			done = append(done, id)
		}
	}
	traffic = slices.Grow(traffic, len(sums))
	for _, sum := range sums {
		traffic = append(traffic, *sum)
	}
	slices.SortFunc(traffic, func(a, b agentapi.Traffic) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Name, b.Name))
	})
	return traffic, after, done
}

// source is whom a counter counts.
type source struct{ kind, name string }

// advance never goes back: within one process counters only rise, so a lower value is an older reading.
func advance(before, now map[string]int64, sums map[source]*agentapi.Traffic) map[string]int64 {
	after := make(map[string]int64, max(len(before), len(now)))
	maps.Copy(after, before)
	for name, value := range now {
		delta := value - before[name]
		if delta <= 0 {
			continue
		}
		after[name] = value
		add(sums, name, delta)
	}
	return after
}

// add understands the names user>>>EMAIL>>>traffic>>>uplink, inbound>>>TAG>>>traffic>>>downlink and those of outbounds.
func add(sums map[source]*agentapi.Traffic, counter string, bytes int64) {
	word, rest, _ := strings.Cut(counter, ">>>")
	name, rest, _ := strings.Cut(rest, ">>>")
	what, direction, whole := strings.Cut(rest, ">>>")
	if !whole || what != "traffic" || strings.Contains(direction, ">>>") {
		return
	}
	key := source{kindOf(word), name}
	sum := sums[key]
	if sum == nil {
		sum = &agentapi.Traffic{Kind: key.kind, Name: key.name}
		sums[key] = sum
	}
	if direction == "uplink" {
		sum.Up += bytes
	} else {
		sum.Down += bytes
	}
}

func kindOf(word string) string {
	switch word {
	case "user":
		return agentapi.TrafficClient
	case "outbound":
		return agentapi.TrafficOutbound
	}
	return agentapi.TrafficListener
}
