package plan

import (
	"encoding/json"
	"fmt"
	"net"
	"strconv"
	"strings"
)

// Running is what a node's configuration says about one flow, read back from the configuration itself.
type Running struct {
	Part Fragment // of the flow, with its facts
	rest Fragment // of all other flows on the node
}

// ReadRunning splits the configuration of a node into the part of a flow and the rest; a node without one runs nothing.
func ReadRunning(flowID string, core []byte) (Running, error) {
	var all struct {
		Inbounds  []Inbound  `json:"inbounds"`
		Outbounds []Outbound `json:"outbounds"`
		Routing   struct {
			Rules []Rule `json:"rules"`
		} `json:"routing"`
	}
	if len(core) > 0 {
		if err := json.Unmarshal(core, &all); err != nil {
			return Running{}, fmt.Errorf("read the configuration of a node: %w", err)
		}
	}
	out, own := Running{}, "flow."+flowID+"."
	part := func(tag string) *Fragment {
		if strings.HasPrefix(tag, own) {
			return &out.Part
		}
		return &out.rest
	}
	for _, in := range all.Inbounds {
		part(in.Tag).Inbounds = append(part(in.Tag).Inbounds, in)
	}
	for _, way := range all.Outbounds {
		part(way.Tag).Outbounds = append(part(way.Tag).Outbounds, way)
	}
	for _, rule := range all.Routing.Rules {
		tag := rule.OutboundTag
		if len(rule.InboundTag) > 0 {
			tag = rule.InboundTag[0]
		}
		part(tag).Rules = append(part(tag).Rules, rule)
	}
	out.Part.FlowID = flowID
	return out, nil
}

// Differences tells what would change on a node that ran the first and then the second, and whether the flow's own part
// and the rest are the same. Labels name clients by their ids.
func Differences(nodeID string, runs, wanted Running, labels map[string]string) (d Diff, same, restSame bool) {
	runs.Part.Facts, wanted.Part.Facts = factsOf(runs.Part, labels), factsOf(wanted.Part, labels)
	c := &compiler{in: Input{Installed: map[string]Fragment{nodeID: runs.Part}}, plan: emptyPlan(Input{})}
	c.compare(nodeID, wanted.Part)
	for _, name := range otherSecrets(runs.Part, wanted.Part) {
		c.put("listeners", Change{
			Op: "changed", NodeID: nodeID, Name: name, Field: "secrets", From: Stars, To: Stars,
		})
	}
	return c.plan.Diff, runs.Part.Hash() == wanted.Part.Hash(), runs.rest.Hash() == wanted.rest.Hash()
}

func factsOf(part Fragment, labels map[string]string) []Fact {
	facts, own := []Fact{}, "flow."+part.FlowID+"."
	for _, in := range part.Inbounds {
		facts = append(facts, inboundFact(strings.TrimPrefix(in.Tag, own+"in."), in))
		for _, u := range in.Settings.Clients {
			if id, client := strings.CutPrefix(u.Email, own+"client."); client {
				facts = append(facts, clientFact(id, labels))
			}
		}
	}
	ways := map[string]Outbound{}
	for _, way := range part.Outbounds {
		ways[way.Tag] = way
	}
	for _, rule := range part.Rules {
		if len(rule.User) == 0 && len(rule.InboundTag) > 0 { // others lead the panel's probe
			facts = append(facts, ruleFact(own, rule, ways[rule.OutboundTag]))
		}
	}
	return facts
}

func clientFact(id string, labels map[string]string) Fact {
	name := labels[id]
	if name == "" {
		name = id
	}
	return Fact{Group: "clients", Name: name, Fields: map[string]string{"id": id}}
}

func inboundFact(name string, in Inbound) Fact {
	fields := map[string]string{
		"listen": net.JoinHostPort(in.Listen, in.Port), "protocol": in.Protocol, "method": in.Settings.Method,
	}
	if len(in.Settings.Clients) > 0 {
		fields["flow"] = in.Settings.Clients[0].Flow
	}
	if s := in.Stream; s != nil {
		fields["transport"], fields["security"] = s.Network, s.Security
		if s.Reality != nil {
			fields["target"], fields["server_names"] = s.Reality.Target, strings.Join(s.Reality.ServerNames, ", ")
		}
		if s.XHTTP != nil {
			fields["path"], fields["mode"] = s.XHTTP.Path, s.XHTTP.Mode
		}
		if s.GRPC != nil {
			fields["service_name"] = s.GRPC.ServiceName
		}
	}
	return Fact{Group: "listeners", Name: name, Fields: said(fields)}
}

func ruleFact(own string, rule Rule, way Outbound) Fact {
	from := strings.TrimPrefix(rule.InboundTag[0], own+"in.")
	to := strings.TrimSuffix(strings.TrimPrefix(rule.OutboundTag, own+"out."+from+"."), PublicSuffix)
	to, _, _ = strings.Cut(to, "#")
	fields := map[string]string{"to": to, "match": conditionOf(rule)}
	if way.Settings != nil && way.Settings.Port > 0 {
		fields["via"] = way.Protocol + " " + net.JoinHostPort(way.Settings.Address, strconv.Itoa(way.Settings.Port))
	}
	return Fact{Group: "routes", Name: from + " to " + to, Fields: fields}
}

func conditionOf(rule Rule) string {
	parts := append(append(append([]string{}, rule.Domain...), rule.IP...), rule.Protocol...)
	if rule.Port != "" {
		parts = append(parts, "port "+rule.Port)
	}
	if len(parts) == 0 {
		return "everything else"
	}
	return strings.Join(parts, ", ")
}

func said(fields map[string]string) map[string]string {
	for key, value := range fields {
		if value == "" {
			delete(fields, key)
		}
	}
	return fields
}

// otherSecrets names the listeners that are in both and have other keys. The keys themselves are told nowhere.
func otherSecrets(runs, wanted Fragment) []string {
	before, names := map[string]string{}, []string{}
	for _, in := range runs.Inbounds {
		before[in.Tag] = keysOf(in)
	}
	for _, in := range wanted.Inbounds {
		if keys, both := before[in.Tag]; both && keys != keysOf(in) {
			names = append(names, strings.TrimPrefix(in.Tag, "flow."+wanted.FlowID+".in."))
		}
	}
	return names
}

func keysOf(in Inbound) string {
	keys := []string{in.Settings.Password, in.Settings.SecretKey}
	if in.Stream != nil && in.Stream.Reality != nil {
		keys = append(append(keys, in.Stream.Reality.PrivateKey), in.Stream.Reality.ShortIDs...)
	}
	return strings.Join(keys, " ")
}
