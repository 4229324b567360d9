package flows

import (
	"context"

	"panel/modules/flows/internal/plan"
	"panel/platform/fault"
)

// explain traces one destination through the draft, edge by edge.
func (s *service) explain(ctx context.Context, in *explainInput) (Explanation, error) {
	f, err := s.store.flow(ctx, in.ID)
	if err != nil {
		return Explanation{}, err
	}
	if in.Domain == "" && in.IP == "" && in.Port == 0 && in.Protocol == "" {
		return Explanation{}, fault.Malformed("missing_field", "say where the traffic goes: domain, ip, port or protocol")
	}
	trace := plan.Explain(f.Graph, plan.Destination{Domain: in.Domain, IP: in.IP, Port: in.Port, Protocol: in.Protocol})
	out := Explanation{Steps: []ExplainStep{}, Result: trace.Result, NodeID: trace.NodeID}
	for _, step := range trace.Steps {
		out.Steps = append(out.Steps, ExplainStep(step))
	}
	return out, nil
}
