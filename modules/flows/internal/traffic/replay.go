package traffic

import (
	"time"

	"panel/modules/flows/internal/graph"
	"panel/modules/nodes/nodesapi"
)

// Replay is what is known around an apply, to show it again beside the times of its steps.
type Replay struct {
	Graph       graph.Graph    `json:"graph" doc:"What it installs; empty where it takes the flow off its nodes"`
	From        time.Time      `json:"from"`
	To          time.Time      `json:"to"`
	StepSeconds int            `json:"step_seconds" doc:"15 within 6 hours, 60 within 48 hours, then 600"`
	Nodes       []NodeSessions `json:"nodes" doc:"Of the apply, without those whose agents did not count sessions"`
}

// NodeSessions is how many sessions were open on a node, whatever flow they belong to: oldest first, times without a
// reading have no point.
type NodeSessions struct {
	NodeID   string           `json:"node_id"`
	Sessions []nodesapi.Point `json:"sessions"`
}

// What is shown of the time before an apply began and after it ended.
const (
	shownBefore = 5 * time.Minute
	shownAfter  = 10 * time.Minute
)

// Around is the period that shows what an apply did to sessions. One that runs has no end yet.
func Around(started time.Time, finished *time.Time, now time.Time) (from, to time.Time) {
	to = now
	if finished != nil && finished.Add(shownAfter).Before(now) {
		to = finished.Add(shownAfter)
	}
	return started.Add(-shownBefore).UTC(), to.UTC()
}
