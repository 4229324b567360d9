package plan

import (
	"strconv"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
)

// custom refuses a block whose custom plan is gone, and says aloud what its way out does not carry.
func (c *compiler) custom(b graph.Node) {
	w, known := c.in.Plans[b.PlanVersionID]
	switch {
	case !known:
		c.fail("unknown_custom_plan", c.path(b.Key, ".plan_version_id"), "there is no such version of a custom plan")
	case w.Way == flowsapi.PlanHTTP:
		c.warn("custom_plan_without_udp", c.path(b.Key, ".plan_version_id"),
			"an HTTP proxy carries no UDP: QUIC, calls and games do not work by this way")
	}
}

// customOutbound is the way out that a custom plan describes. One that leaves from the node itself must not reach
// private addresses; a proxy may stand on the node, and the rules before it keep private destinations away.
func customOutbound(tag string, w flowsapi.CustomPlan) Outbound {
	if w.Way == flowsapi.PlanDirect {
		families := map[string]string{"ipv4": "ForceIPv4", "ipv6": "ForceIPv6"}
		return Outbound{Tag: tag + PublicSuffix, Protocol: "freedom", Settings: &outboundSettings{
			DomainStrategy: families[w.Family], Fragment: w.Fragment,
		}}
	}
	return Outbound{Tag: tag, Protocol: w.Way, Settings: &outboundSettings{
		Address: w.Address, Port: w.Port, User: w.User, Pass: w.Password,
	}}
}

// planFields say by what way traffic leaves, for the plan.
func (c *compiler) planFields(e graph.Edge, fields map[string]string) {
	to := c.blocks[e.To]
	if to.Kind != graph.Custom {
		return
	}
	w := c.in.Plans[to.PlanVersionID]
	fields["custom_plan"] = w.Name + " v" + strconv.Itoa(w.Number)
	if fields["way"] = w.Way; w.Way != flowsapi.PlanDirect {
		fields["proxy"] = Endpoint{w.Address, w.Port}.String()
	}
}
