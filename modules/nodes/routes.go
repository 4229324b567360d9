package nodes

import (
	"net/http"

	"panel/platform/access"
	"panel/platform/agentapi"
	"panel/platform/httpapi"
)

// Permission keys of this module (specification, "Administrator account").
const (
	View access.Key = "nodes.view"
	Edit access.Key = "nodes.edit"
)

func (h *handlers) routes() httpapi.Routes {
	return httpapi.Join(h.nodeRoutes(), h.agentRoutes(), h.installRoutes())
}

func (h *handlers) nodeRoutes() httpapi.Routes {
	return httpapi.Under("/api/v1/nodes", "",
		httpapi.Get("", "List nodes", access.Needs(View), h.list),
		httpapi.Post("", "Add a node", access.Needs(Edit), h.create, httpapi.Status(http.StatusCreated)),
		httpapi.Post("/bulk", "Do something to many nodes", access.Needs(Edit), h.bulkActs),
		httpapi.Get("/brief", "Find nodes by name, or name them by their ids", access.Needs(View), h.brief),
		httpapi.Get("/summary", "Sum up the fleet", access.Needs(View), h.summary),
		httpapi.Get("/cells", "Show the fleet in little", access.Needs(View), h.cells),
		httpapi.Get("/moment", "Show the fleet as it was", access.Needs(View), h.moment),
		httpapi.Get("/state-changes", "List how nodes changed their states", access.Needs(View), h.stateChanges),
		httpapi.Get("/sparks", "Show the last day of some nodes", access.Needs(View), h.sparks),
		httpapi.Get("/metrics", "Show the history of a metric of the fleet", access.Needs(View), h.fleetMetrics),

		httpapi.Get("/enrollment-tokens", "List enrollment tokens", access.Needs(Edit), h.tokens),
		httpapi.Post("/enrollment-tokens", "Issue an enrollment token", access.Needs(Edit), h.issueToken,
			httpapi.Status(http.StatusCreated), httpapi.Anew()),
		httpapi.Get("/enrollment-tokens/{token_id}", "Show an enrollment token", access.Needs(Edit), h.token),
		httpapi.Delete("/enrollment-tokens/{token_id}", "Revoke an enrollment token", access.Needs(Edit), h.revokeToken,
			httpapi.Status(http.StatusNoContent)),

		httpapi.Get("/{id}", "Show a node", access.Needs(View), h.get),
		httpapi.Patch("/{id}", "Change a node", access.Needs(Edit), h.patch),
		httpapi.Delete("/{id}", "Delete a node", access.Needs(Edit), h.delete, httpapi.Status(http.StatusNoContent)),
		httpapi.Get("/{id}/metrics", "Show the history of a metric", access.Needs(View), h.metrics),
		httpapi.Post("/{id}/maintenance", "Begin or end a maintenance", access.Needs(Edit), h.maintenance),
		httpapi.Post("/{id}/restart-core", "Restart the proxy core", access.Needs(Edit), h.restartCore,
			httpapi.Status(http.StatusAccepted)),
		httpapi.Post("/{id}/rotate-token", "Give the agent a new token", access.Needs(Edit), h.rotateToken,
			httpapi.Status(http.StatusAccepted)),
		httpapi.Post("/{id}/logs", "Fetch the newest log lines", access.Needs(Edit), h.logs,
			httpapi.Status(http.StatusAccepted)),
		httpapi.Post("/{id}/agent-binding", "Bind, re-bind or revoke the agent", access.Needs(Edit), h.bindAgent,
			httpapi.Anew()),
		httpapi.Get("/{id}/operations/{operation_id}", "Follow work on a node", access.Needs(View), h.operation),
	)
}

// agentRoutes stay open in read-only mode: traffic on nodes never stops because of a license.
func (h *handlers) agentRoutes() httpapi.Routes {
	agent, open, done, lenient := access.Agent(), httpapi.WhileDegraded(), httpapi.Status(http.StatusNoContent),
		httpapi.Lenient()
	return httpapi.Routes{
		httpapi.Post(agentapi.PathHeartbeat, "Report what the agent sees", agent, h.heartbeat, open, lenient),
		httpapi.Raw(http.MethodPost, agentapi.PathMetrics, "Deliver numbered samples", agent, h.metricsBatch, open,
			lenient,
			httpapi.BodyLimit(agentapi.MaxBody), httpapi.Reads[agentapi.MetricsBatch]()),
		httpapi.Get(agentapi.PathConfig, "Fetch a configuration", agent, h.config, lenient),
		httpapi.Get(agentapi.PathDesired, "Fetch a document", agent, h.document, lenient),
		httpapi.Raw(http.MethodPost, agentapi.PathBatches, "Deliver numbered results", agent, h.batch, open, lenient,
			httpapi.BodyLimit(agentapi.MaxBody), httpapi.Reads[agentapi.Batch]()),
		httpapi.Post(agentapi.PathConfigResult, "Tell how an installation ended", agent, h.configResult, open, done,
			lenient),
		httpapi.Get(agentapi.PathCommands, "Wait for commands", agent, h.commands, lenient, httpapi.Waits(longestPoll)),
		httpapi.Post(agentapi.PathCommandResult, "Deliver the result of a command", agent, h.commandResult, open, done,
			lenient),
		httpapi.Post("/agent/v1/probe-results", "Deliver results of probes", agent, h.probeResults, open, done,
			lenient),
		httpapi.Post(agentapi.PathToken, "Take a new agent token", agent, h.newAgentToken, open, lenient),
		httpapi.Get(agentapi.PathReflect, "Show the caller's address", agent, h.reflect, lenient),
		httpapi.Raw(http.MethodGet, agentapi.PathStream, "Keep a WebSocket for commands", agent, h.streams.Accept,
			lenient, httpapi.Lasts()),
	}
}

func (h *handlers) installRoutes() httpapi.Routes {
	limited, lenient := access.Throttled(access.PublicLimit), httpapi.Lenient()
	return httpapi.Routes{
		httpapi.Raw(http.MethodGet, agentapi.PathInstallScript, "Install script of the agent", limited, h.installScript,
			lenient),
		httpapi.Raw(http.MethodGet, agentapi.PathInstallBinary, "Agent executable", limited, h.installBinary, lenient),
		httpapi.Post(agentapi.PathEnroll, "Enrol an agent", limited, h.enroll, lenient,
			httpapi.Status(http.StatusCreated),
			httpapi.BodyLimit(httpapi.PublicBodyLimit)),
	}
}
