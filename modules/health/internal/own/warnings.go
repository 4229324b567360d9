package own

import (
	"context"
	"fmt"
	"time"

	"panel/modules/health/internal/place"
	"panel/modules/health/internal/rules"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
)

// Reasons of looks that find something bad while traffic goes on.
const (
	CertEnds   = "certificate_ends"
	AboveLimit = "above_limit"
)

// measure compares the newest samples of nodes with their limits, and gives what is left to look at. A node whose
// sample is old says nothing.
func (l *Looks) measure(ctx context.Context, due []place.Look) (left []place.Look, err error) {
	var nodes []string
	for _, w := range due {
		if w.Type == rules.Metric {
			nodes = append(nodes, w.NodeID)
		} else {
			left = append(left, w)
		}
	}
	if len(nodes) == 0 {
		return left, nil
	}
	loads, err := l.loads.Loads(ctx, nodes...)
	if err != nil {
		return nil, fmt.Errorf("read how busy nodes are: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range due {
		if load := loads[w.NodeID]; w.Type == rules.Metric && load.Fresh(l.clock.Now()) {
			l.found = append(l.found, busy(w, load))
		}
	}
	return left, nil
}

// busy compares one figure of a load with its limit.
func busy(w place.Look, load nodesapi.Load) agentapi.CheckResult {
	value := map[string]float64{"cpu": load.CPU, "memory": load.Memory, "disk": load.Disk}[w.Metric]
	result := agentapi.CheckResult{WatchID: w.ID, At: load.ObservedAt.UTC(), OK: value <= float64(w.Above)}
	if !result.OK {
		result.Reason, result.Error = AboveLimit, fmt.Sprintf("%s %.0f %%, more than %d %%", w.Metric, value, w.Above)
	}
	return result
}

// certificate looks whether the certificate of an entry ends soon. An entry that shows none, or cannot be reached, is
// what other checks tell of.
func (l *Looks) certificate(ctx context.Context, w place.Look) (agentapi.CheckResult, bool) {
	w.Watch.Type = agentapi.WatchTLS
	result, said := l.prober.Look(ctx, w.Watch)
	if !said || result.CertExpires == nil {
		return result, false
	}
	left := result.CertExpires.Sub(l.clock.Now())
	if result.OK = left > time.Duration(w.Days)*24*time.Hour; result.OK {
		result.Reason, result.Error = "", ""
	} else {
		result.Reason, result.LatencyMillis = CertEnds, 0
		result.Error = "the certificate ends at " + result.CertExpires.Format(time.RFC3339)
	}
	return result, true
}
