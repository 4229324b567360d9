package flows

import (
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
)

// What a probe may find that no force passes (domain 4.3): the port is somebody else's, or the name of a REALITY target
// leads into the node's own host or a private network and the drawing does not allow that.
const (
	blockedPort   = "port"
	blockedTarget = "target"
)

const insideTarget = "the target is the node itself or in a private network; choose a public site, or allow it in the listener"

// heldPorts are the conflicts that probes have found, as the compiler tells its own.
func heldPorts(found []checkRow) []plan.Conflict {
	var out []plan.Conflict
	for _, c := range found {
		if c.Blocker == blockedPort {
			out = append(out, plan.Conflict{
				Kind: "port", NodeID: c.NodeID, L4: c.Ask.L4, Port: c.Ask.Port, Path: c.Ask.Path, With: plan.ConflictWith{Process: c.Holder},
			})
		}
	}
	return out
}

// insideTargets are the targets that must not be installed, as the compiler tells those that it sees itself.
func insideTargets(found []checkRow) []graph.Problem {
	var out []graph.Problem
	for _, c := range found {
		if c.Blocker == blockedTarget {
			out = append(out, graph.Problem{Code: "target_private", Path: c.Ask.Path, Message: insideTarget})
		}
	}
	return out
}
