package flows

import (
	"cmp"
	"context"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/modules/flows/internal/readiness"
	"panel/modules/flows/internal/stages"
	"panel/modules/nodes/nodesapi"
)

// withStages puts into a plan what the stages of other modules would do and what they have checked.
func (s *service) withStages(ctx context.Context, f *flowRow, g graph.Graph, result plan.Result, p *plan.Plan) error {
	if len(p.Errors) > 0 {
		return nil
	}
	before, err := s.store.installedGraph(ctx, f)
	if err != nil {
		return err
	}
	if !f.Enabled {
		before = graph.Graph{}
	}
	for _, told := range s.stages.Preview(ctx, s.changeOf(f, kindApply, before, g, result.Hosts)) {
		addPreview(p, told)
	}
	return nil
}

func addPreview(p *plan.Plan, told stages.Preview) {
	groups := map[string]*[]plan.Change{
		flowsapi.GroupDNS: &p.Diff.DNS, flowsapi.GroupCDN: &p.Diff.CDN, flowsapi.GroupProxyPanel: &p.Diff.ProxyPanel,
	}
	for _, d := range told.Diffs {
		list := cmp.Or(groups[d.Group], &p.Diff.Other)
		*list = append(*list, plan.Change{
			Op: d.Op, NodeID: d.NodeID, Name: d.Name, Field: d.Field, From: d.From, To: d.To, Stage: told.Stage,
		})
		p.IsNoop = false
	}
	if told.Err != nil {
		told.Checks = []flowsapi.Check{{
			Key: "preview", Status: flowsapi.Unconfirmed, Summary: "what " + told.Stage + " would do",
			Finding: flowsapi.Text(say("no_preview")),
		}}
	}
	for _, c := range told.Checks {
		p.Readiness = append(p.Readiness, plan.Check{
			Key: "stage:" + told.Stage + ":" + c.Key, Group: plan.GroupStages, Stage: told.Stage, NodeID: c.NodeID,
			Summary: c.Summary, Status: c.Status, Evidence: c.Finding.Text, Finding: plan.Text(c.Finding),
			Blocks: c.Blocks && c.Status == flowsapi.Failed,
		})
	}
}

// marked says of each check which force passes: what is not confirmed, unless it blocks or its node has to answer anyway.
func marked(checks []plan.Check, steps []plan.Step, nodes map[string]nodesapi.Node) []plan.Check {
	away := map[string]bool{}
	for _, n := range offline(steps, nodes) {
		away[n.NodeID] = true
	}
	for i := range checks {
		c := &checks[i]
		c.Forceable = c.Status != plan.Confirmed && !c.Blocks && !away[c.NodeID]
	}
	return checks
}

// obstacles are the reasons at this moment that no force passes.
func obstacles(p *plan.Plan, found []readiness.Row, nodes map[string]nodesapi.Node) []plan.Obstacle {
	out := []plan.Obstacle{}
	for _, n := range offline(p.Steps, nodes) {
		out = append(out, plan.Obstacle{
			Code: "agent_offline", NodeID: n.NodeID, NodeName: n.NodeName,
			Finding: plan.Say("agent_offline", "the agent of "+n.NodeName+" does not answer", "node", n.NodeName),
		})
	}
	for _, c := range p.Conflicts {
		name := names(nodes, c.NodeID)
		out = append(out, plan.Obstacle{
			Code: "port_conflict", NodeID: c.NodeID, NodeName: name, Path: c.Path,
			Finding: plan.Say("port_conflict", "a port that the flow wants on "+name+" is taken", "node", name, "process", c.With.Process),
		})
	}
	for _, t := range readiness.InsideTargets(found) {
		out = append(out, plan.Obstacle{Code: t.Code, Path: t.Path, Finding: plan.Say(t.Code, t.Message)})
	}
	for _, c := range p.Readiness {
		if c.Blocks && c.Group == plan.GroupStages {
			out = append(out, plan.Obstacle{Code: "stage_blocked", NodeID: c.NodeID, NodeName: c.NodeName, Finding: c.Finding})
		}
	}
	return out
}
