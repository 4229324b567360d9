// Package texts has the sentences in which messages tell people of incidents and repairs. They are English; the
// module's Russian texts know all of them.
package texts

import (
	"panel/modules/health/internal/rules"
	"panel/modules/health/internal/verdict"
)

// Causes say what hints mean.
var Causes = map[string]string{
	verdict.HintUnreachable: "the node or its network",
	verdict.HintRoute:       "the route from some places, not the node",
	verdict.HintPanelRoute:  "the route from the panel, not the node",
	verdict.HintAgent:       "the agent, not the node",
	verdict.HintCore:        "the core",
	verdict.HintCert:        "the certificate",
	verdict.HintDNS:         "DNS",
	verdict.HintNode:        "a node of the flow",
	verdict.HintOverload:    "more load than it can carry",
	verdict.HintRegion:      "a block in one country",
}

// Actions say what acts of self-repair are.
var Actions = map[string]string{
	rules.RestartCore: "Restart core",
	rules.Reapply:     "Install again what is installed",
	rules.Withdraw:    "Withdraw from pools",
	rules.SwitchDNS:   "Lead names to another address",
	rules.HideHosts:   "Hide hosts at proxy panels",
}
