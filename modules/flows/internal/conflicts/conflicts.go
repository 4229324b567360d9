// Package conflicts tells what somebody else holds, as answers and as obstacles of plans.
package conflicts

import (
	"panel/modules/flows/internal/plan"
	"panel/platform/fault"
)

// Codes of the answers about conflicts.
const (
	Port   = "port_conflict"
	Domain = "domain_conflict"
	record = "record_conflict"
)

// Code is the code of the answer about conflicts: a taken port first, for nothing else helps there.
func Code(conflicts []plan.Conflict) string {
	if len(plan.Findings(conflicts)) == len(conflicts) {
		return Domain
	}
	return Port
}

// Fault refuses what somebody else holds. Faults: port_conflict, domain_conflict (409).
func Fault(conflicts []plan.Conflict) error {
	if Code(conflicts) == Port {
		return fault.Conflict("port_conflict",
			"a port that the flow wants is taken; choose another one, or free it and check again").
			With("conflicts", conflicts)
	}
	f := fault.Conflict("domain_conflict",
		"another flow answers to a host name of this one on the same node and port; "+
			"choose another path or domain and compile again").With("conflicts", conflicts)
	for _, found := range plan.Findings(conflicts) {
		f = f.Field(found.Path, found.Code, found.Message)
	}
	return f
}

// RecordFault refuses a plan whose host name has a DNS record that the panel did not make. Who watches the records
// says so in its check. Fault: record_conflict (409).
func RecordFault(blocked []plan.Check) error {
	var conflicts []plan.Conflict
	for _, c := range blocked {
		if c.Finding.Code == record {
			conflicts = append(conflicts, plan.Conflict{
				Kind: plan.ConflictRecord, NodeID: c.NodeID, Host: c.Finding.Params["host"],
			})
		}
	}
	if len(conflicts) == 0 {
		return nil
	}
	return fault.Conflict("record_conflict",
		"another DNS record stands at a host name of this flow; remove it at the DNS service, or bind another name").
		With("conflicts", conflicts)
}

// StageCode is the code with which an apply is refused for the check of a stage that blocks.
func StageCode(c plan.Check) string {
	if c.Finding.Code == record {
		return record
	}
	return "stage_blocked"
}

// Obstacle tells a conflict as a reason that no force passes.
func Obstacle(c plan.Conflict, node string) plan.Obstacle {
	o := plan.Obstacle{Code: Code([]plan.Conflict{c}), NodeID: c.NodeID, NodeName: node, Path: c.Path}
	o.Finding = plan.Say(Port, "a port that the flow wants on "+node+" is taken",
		"node", node, "process", c.With.Process)
	for _, found := range plan.Findings([]plan.Conflict{c}) {
		o.Finding = plan.Say(found.Code, found.Message, "node", node, "host", c.Host)
	}
	return o
}
