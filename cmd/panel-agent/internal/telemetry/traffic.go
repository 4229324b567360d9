package telemetry

import (
	"encoding/json"
	"fmt"
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
	sums := map[agentapi.Traffic]*agentapi.Traffic{}
	for id, count := range counts {
		after[id] = advance(before[id], count.Values, sums)
		if count.Ended {
			done = append(done, id)
		}
	}
	for _, sum := range sums {
		traffic = append(traffic, *sum)
	}
	slices.SortFunc(traffic, func(a, b agentapi.Traffic) int {
		return strings.Compare(a.Kind+"/"+a.Name, b.Kind+"/"+b.Name)
	})
	return traffic, after, done
}

// advance never goes back: within one process counters only rise, so a lower value is an older reading.
func advance(before, now map[string]int64, sums map[agentapi.Traffic]*agentapi.Traffic) map[string]int64 {
	after := map[string]int64{}
	for name, value := range before {
		after[name] = value
	}
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
func add(sums map[agentapi.Traffic]*agentapi.Traffic, counter string, bytes int64) {
	parts := strings.Split(counter, ">>>")
	if len(parts) != 4 || parts[2] != "traffic" {
		return
	}
	key := agentapi.Traffic{Kind: kindOf(parts[0]), Name: parts[1]}
	if sums[key] == nil {
		fresh := key
		sums[key] = &fresh
	}
	if parts[3] == "uplink" {
		sums[key].Up += bytes
	} else {
		sums[key].Down += bytes
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
