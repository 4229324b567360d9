package updates

import (
	"net/http"

	"panel/platform/access"
	"panel/platform/agentapi"
	"panel/platform/httpapi"
)

// Updates of agents are work on nodes and need the same keys.
const (
	view access.Key = "nodes.view"
	edit access.Key = "nodes.edit"
)

// routes stay open in read-only mode: agents are updated also without a license (specification, read-only mode).
func (h *handlers) routes() httpapi.Routes {
	open, started := httpapi.WhileDegraded(), httpapi.Status(http.StatusAccepted)
	return httpapi.Join(
		httpapi.Under(
			"/api/v1/nodes",
			"",
			httpapi.Get(
				"/agent-rings",
				"Show the rings, the build that agents can get and who runs what",
				access.Needs(view),
				h.rings,
			),
			httpapi.Put("/agent-rings", "Change how a rollout goes through the fleet", access.Needs(edit), h.setRings,
				open),
			httpapi.Post(
				"/agent-rings/{ring}/update",
				"Roll the build out up to a ring",
				access.Needs(edit),
				h.startRollout,
				open,
				started,
			),
			httpapi.Post("/{id}/agent-update", "Update the agent of one node", access.Needs(edit), h.updateNode, open,
				started),
		),
		httpapi.Under("/api/v1/nodes/agent-rings/rollouts", "",
			httpapi.Get("", "List rollouts of agents", access.Needs(view), h.list),
			httpapi.Get("/{id}", "Show a rollout with its nodes", access.Needs(view), h.show),
			httpapi.Post("/{id}/stop", "Stop a rollout; nodes that are at it go on", access.Needs(edit), h.stop, open,
				started),
		),
		httpapi.Routes{
			httpapi.Get(agentapi.PathUpdate, "Fetch the signed release of the agent", access.Agent(), h.offered,
				httpapi.Lenient()),
			httpapi.Raw(http.MethodGet, agentapi.PathUpdateFile, "Fetch the agent executable of that release",
				access.Agent(),
				h.file, httpapi.Lenient()),
		},
	)
}
