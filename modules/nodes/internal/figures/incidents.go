package figures

import (
	"context"
	"time"

	"go.uber.org/zap"

	"panel/modules/nodes/nodesapi"
)

// Incident is nodes that fail for one cause since about the same time.
type Incident struct {
	Cause      string           `json:"cause" enum:"agent_lost,agent_stale,agent_revoked,core_failed,core_stopped,config_behind,cloned"`
	State      string           `json:"state" enum:"offline,degraded"`
	Since      time.Time        `json:"since" doc:"When it began on the first of the nodes; of lost and stale agents, when they last reported"`
	Until      time.Time        `json:"until" doc:"When it began on the last of them"`
	Nodes      int              `json:"nodes"`
	First      []nodesapi.Named `json:"first" doc:"The first 20 by name"`
	IDs        []string         `json:"ids" doc:"Of the nodes, at most 500"`
	Flows      *int             `json:"flows" doc:"Flows that are installed on any of the nodes; null when it could not be asked"`
	FirstFlows []nodesapi.Named `json:"first_flows" doc:"The first 10 by name, for callers who may see flows"`
}

// incident is what the aggregate gives for each.
type incident struct {
	Cause, State string
	Since, Until time.Time
	Nodes        int
	First        []nodesapi.Named
	IDs          []string
}

const (
	mostFlowNames = 10
	mostIDs       = 500
)

// touching shows the incidents with the flows that they touch. Whoever cannot say does not hide the incident.
func (f *Fleet) touching(ctx context.Context, found []incident) []Incident {
	shown := make([]Incident, len(found))
	groups := make([][]string, len(found))
	for i := range found {
		one := &found[i]
		groups[i] = one.IDs
		shown[i] = Incident{
			Cause: one.Cause, State: one.State, Since: one.Since.UTC(), Until: one.Until.UTC(), Nodes: one.Nodes,
			First: some(one.First), IDs: one.IDs[:min(len(one.IDs), mostIDs)], FirstFlows: []nodesapi.Named{},
		}
	}
	if f.relations.flows == nil || len(found) == 0 {
		return shown
	}
	flows, err := f.relations.flows(ctx, groups, mostFlowNames)
	if err != nil {
		f.log.Warn("the flows that an incident touches are not known", zap.Error(err))
		return shown
	}
	for i := range min(len(flows), len(shown)) {
		shown[i].Flows, shown[i].FirstFlows = &flows[i].Count, some(flows[i].First)
	}
	return shown
}
