package nodes

import (
	"panel/modules/nodes/internal/figures"
	"panel/modules/nodes/nodesapi"
	"panel/platform/events"
)

// nodeScreen is where the web interface shows a node.
const nodeScreen = "/nodes/{id}"

// eventKinds are what happens to nodes.
func eventKinds() []events.Kind {
	kinds := []events.Kind{
		{
			Name: nodesapi.NodeOnline, Summary: "A node is online again", Severity: events.Info, Notify: true,
			Resolves: []string{nodesapi.NodeOffline, nodesapi.NodeDegraded}, Screen: nodeScreen,
			Data: nodesapi.StateChanged{},
		},
		{
			Name: nodesapi.NodeDegraded, Summary: "A node answers late, or its core does not do what it should",
			Severity: events.Warning,
			Effect:   "Its users may have slow or broken connections.", Screen: nodeScreen,
			Notify: true, Data: nodesapi.StateChanged{},
		},
		{
			Name: nodesapi.NodeOffline, Summary: "A node sent nothing for ten heartbeats", Severity: events.Critical,
			Effect: "The panel cannot reach its agent; its flows may be down for their users.", Screen: nodeScreen,
			Notify: true,
			Data:   nodesapi.StateChanged{},
		},
		{
			Name: nodesapi.NodeDrift, Summary: "An agent could not install the configuration that its node shall serve",
			Severity: events.Warning, Notify: true, Data: nodesapi.Drift{},
			Effect: "It serves its former configuration.", Screen: nodeScreen,
		},
		{
			Name:     nodesapi.NodeTrafficThreshold,
			Summary:  "A node comes near the traffic that its hoster allows in a month",
			Severity: events.Warning, Notify: true, Data: nodesapi.Traffic{}, Screen: nodeScreen,
			Effect: "It serves on; its hoster may slow it down or charge for more.",
		},
	}
	for name, summary := range map[string]string{
		nodesapi.NodeCreated: "A node was added", nodesapi.NodeUpdated: "A node was changed",
		nodesapi.NodeDeleted:        "A node was deleted",
		nodesapi.NodeEnrolled:       "A server enrolled its agent",
		nodesapi.NodeMaintenanceOn:  "The maintenance of a node began",
		nodesapi.NodeMaintenanceOff: "The maintenance of a node ended",
		nodesapi.NodeTokenRotated:   "An agent got a new token",
		nodesapi.NodeAgentRevoked:   "The access of an agent was revoked",
	} {
		kinds = append(kinds, events.Kind{Name: name, Summary: summary, Data: nodesapi.Changed{}})
	}
	kinds = append(kinds, events.Kind{
		Name:    figures.KindMetrics,
		Summary: "The newest readings of nodes, every few seconds to who names the topic metrics",
		Subject: "metrics", Transient: true,
	})
	for i := range kinds {
		kinds[i].Needs, kinds[i].Live = View, true
	}
	return kinds
}
