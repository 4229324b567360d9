package telemetry

import (
	"maps"
	"slices"

	"panel/platform/agentapi"
)

// countOfShares names, among the bases of the cores, what clients with a share have used since their first one. It lies
// there so that it is written down with the sample that tells it.
const countOfShares = "shares"

// usedOf counts traffic of clients with a share on. One whose own count is lost goes on from what the panel knows.
func usedOf(before Bases, shares map[string]agentapi.Share, traffic []agentapi.Traffic) map[string]int64 {
	if len(shares) == 0 {
		return nil
	}
	used := make(map[string]int64, len(shares))
	for id, share := range shares {
		used[id] = max(before[countOfShares][id], share.Counted)
	}
	for _, t := range traffic {
		if t.Kind != agentapi.TrafficClient {
			continue
		}
		_, id := agentapi.ClientOfEmail(t.Name)
		if _, limited := used[id]; limited {
			used[id] += t.Up + t.Down
		}
	}
	return used
}

func (b Bases) keep(used map[string]int64) {
	if len(used) > 0 {
		b[countOfShares] = used
	}
}

// told are the counts that go to the panel: of those who carried something, and whom it asks for.
func told(traffic []agentapi.Traffic, used map[string]int64, untold map[string]bool) []agentapi.Traffic {
	named := map[string]bool{}
	for id := range untold {
		if _, limited := used[id]; limited {
			named[id] = true
		}
	}
	for _, t := range traffic {
		if t.Kind != agentapi.TrafficClient {
			continue
		}
		_, id := agentapi.ClientOfEmail(t.Name)
		if _, limited := used[id]; limited {
			named[id] = true
		}
	}
	var counts []agentapi.Traffic
	for _, id := range slices.Sorted(maps.Keys(named)) {
		counts = append(counts, agentapi.Traffic{Kind: agentapi.TrafficShare, Name: id, Up: used[id]})
	}
	return counts
}

// left is what clients may carry on before the count of the node reaches their limits.
func left(shares map[string]agentapi.Share, used map[string]int64) map[string]int64 {
	rest := make(map[string]int64, len(shares))
	for id, share := range shares {
		rest[id] = share.Limit - used[id]
	}
	return rest
}
