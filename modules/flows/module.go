// Package flows lets an operator draw how traffic goes from an entry to an exit, see what that would change on which
// node, install it safely and hand out links that match what runs.
//
// A draft is compiled into a plan (internal/plan); a plan is applied by the runner, a state machine in the database
// that any panel continues; what is installed is kept as one fragment per node.
package flows

import (
	"context"
	"embed"

	"panel/modules/clients/clientsapi"
	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/bulk"
	"panel/modules/flows/internal/checkup"
	"panel/modules/flows/internal/console"
	"panel/modules/flows/internal/news"
	"panel/modules/flows/internal/redraw"
	"panel/modules/flows/internal/stages"
	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/entitlement"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/jobs"
	"panel/platform/module"
	"panel/platform/owners"
	"panel/platform/vault"
)

//go:embed migrations
var files embed.FS

//go:embed russian.txt
var russian string

// Module is the manifest.
func Module() module.Module {
	return module.Module{
		Name:     "flows",
		Summary:  "Flows: the way from an entry to an exit, planned, installed and handed out as links",
		Requires: []string{"clients", "domains", "nodes"},
		Russian:  russian,
		Commands: console.Commands,
		Faults:   faults(),
		Permissions: []access.Permission{
			{Key: View, Summary: "See flows, plans and versions"},
			{Key: Edit, Summary: "Change drafts and clients, issue links"},
			{Key: Install, Summary: "Apply, enable, disable and delete flows"},
		},
		Events:   news.Kinds(View),
		Features: []entitlement.Feature{{Key: feature, Summary: "Change and install flows"}},
		Repairs:  checkup.Repairs(),
		Journal: audit.Kinds{
			Actions: []string{
				"flow.apply_failed",
				"flow.apply_started",
				"flow.apply_stopped",
				"flow.apply_succeeded",
				"flow.canary_aborted",
				"flow.canary_failed",
				"flow.canary_held",
				"flow.canary_passed",
				"flow.canary_promoted",
				"flow.canary_started",
				"flow.changed",
				"flow.client_added",
				"flow.client_revoked",
				"flow.clients_imported",
				"flow.compiled",
				"flow.created",
				"flow.deleted",
				"flow.disabled",
				"flow.draft_saved",
				"flow.force_applied",
				"flow.link_issued",
				"flow.public_link_issued",
				"flow.public_link_revoked",
				redraw.ActionNode, redraw.ActionTarget,
				"flow.version_changed",
				"flow.version_kept",
				"flow.version_loaded",
			},
			Objects: []string{"flow"},
		},
		Secrets: []vault.Column{
			{Table: "flows", ID: "id", Column: "root"},
			{Table: "flow_keys", ID: "flow_id || '/' || public_key", Column: "private"},
			{Table: "flow_fragments", ID: "flow_id || '/' || node_id", Column: "content"},
			{Table: "flow_applies", ID: "id", Column: "content"},
			{Table: "flow_applies", ID: "id", Column: "previous"},
			{Table: "flow_plans", ID: "id", Column: "content"},
		},
		Migrations: module.SQL(files),
		Acts:       acts(),
		Tidy:       []jobs.Tidy{bulk.Tidy(), redraw.Tidy()},
		Checks:     checkup.Checks(),
		Private: []any{
			newStore, newNodes, newService, newRunner, newHandlers, newHooks, newBulk, newRedraws,
			stages.NewRegistry,
		},
		Exports: []any{
			exportFlows, exportDrafts, exportStages, exportHealth, exportBlocks, exportSubscribers,
			exportTargets, exportEvidence, exportPolicies, exportPolicyUses, exportApplies, exportGeoFiles,
			exportPanels, exportServed, exportServedEntries, exportReplacements, exportProbes,
		},
		Attach: attach,
	}
}

func attach(
	h *handlers, r *runner, guards nodesapi.Guards, related nodesapi.Relations, owned *owners.Registry,
	people clientsapi.Registry,
) module.Parts {
	people.Serve(clientHook{h.s})
	owned.Add(h.s.owned())
	guards.Add("a flow is being installed on this node; wait for its end", r.store.installing)
	related.Flows(r.store.related)
	return module.Parts{
		Routes: h.routes(), Loops: r.loops(), Metrics: r.metrics(),
		Jobs:  []jobs.Worker{h.s.rerenderWorker(), h.bulk.Worker(), h.redraws.Worker()},
		Ready: []func(context.Context) error{h.s.store.rekey}, Restored: r.restored,
	}
}

// faults are the codes that this module alone answers with.
func faults() []fault.Declared {
	return []fault.Declared{
		{Kind: fault.KindConflict, Code: "apply_active", Summary: "Another change of the flow is being installed"},
		{
			Kind:    fault.KindConflict,
			Code:    "apply_committed",
			Summary: "The apply has committed and can no longer be cancelled",
		},
		{
			Kind:    fault.KindInvalid,
			Code:    "custom_plan_not_enabled",
			Summary: "No policy of the flow enables a version of a custom plan that the draft uses",
		},
		{
			Kind:    fault.KindInvalid,
			Code:    "compile_failed",
			Summary: "The draft cannot be compiled; errors name what to correct",
		},
		{
			Kind: fault.KindConflict, Code: flowsapi.CodeOpenDraft,
			Summary: "The draft of a flow that is to change has changes that are not installed",
		},
		{Kind: fault.KindConflict, Code: "not_in_canary", Summary: "The apply has no canary that is being watched"},
		{
			Kind:    fault.KindConflict,
			Code:    "plan_revision_conflict",
			Summary: "The draft has moved on since the plan was compiled",
		},
		{Kind: fault.KindConflict, Code: "plan_stale", Summary: "The plan no longer fits to what is installed"},
		{Kind: fault.KindConflict, Code: "port_conflict", Summary: "A port that the flow wants is taken"},
		{
			Kind: fault.KindInvalid, Code: "readiness_unconfirmed",
			Summary: "Checks are not confirmed; the answer names them",
		},
		{
			Kind:    fault.KindInvalid,
			Code:    "stage_blocked",
			Summary: "A part of the plan cannot be done as it is; checks name it",
		},
		{
			Kind: fault.KindInvalid, Code: "target_suitability_stale",
			Summary: "A target that was taken from a search has no up-to-date result for its node",
		},
		{Kind: fault.KindConflict, Code: "too_many_pinned", Summary: "A flow keeps at most 50 pinned versions"},
	}
}

// The permission keys of flows; the specification calls a flow a connection unit here and in paths.
const (
	View    access.Key = "connection_units.view"
	Edit    access.Key = "connection_units.edit"
	Install access.Key = "connection_units.apply"
)

// feature gates every write; reading stays open.
const feature = "flows"

func (h *handlers) routes() httpapi.Routes {
	return httpapi.Under(
		"/api/v1/connection-units",
		feature,
		httpapi.Get("", "List flows", access.Needs(View), h.list, reads),
		httpapi.Post("", "Create a flow", access.Needs(Edit), h.create, httpapi.Status(created)),
		httpapi.Get("/installed", "Show what was installed at a moment", access.Needs(View), h.installedAt, reads),
		httpapi.Get("/traffic", "Show what some flows carry now", access.Needs(View), h.trafficOf, reads),
		httpapi.Post("/bulk/apply", "Install the plans of many flows", access.Needs(Install), h.bulkApply,
			httpapi.Status(accepted)),
		httpapi.Get("/bulk/apply/{bulk_id}", "Show what became of each flow", access.Needs(View), h.bulkApplied,
			reads),
		httpapi.Post("/bulk/change-target", "Change the REALITY target of many drafts", access.Needs(Edit), h.changeTarget,
			httpapi.Status(accepted)),
		httpapi.Post("/bulk/replace-node", "Put another node in the place of one, in many drafts and host names",
			access.Needs(Install), h.replaceNode, httpapi.Status(accepted)),
		httpapi.Get("/bulk/changes/{bulk_id}", "Show what became of each draft", access.Needs(View), h.bulkChanged,
			reads),
		httpapi.Get("/{id}", "Show a flow", access.Needs(View), h.get, reads),
		httpapi.Patch("/{id}", "Change a flow's name, tags or owner", access.Needs(Edit), h.patch),
		httpapi.Delete(
			"/{id}",
			"Delete a flow and remove it from its nodes",
			access.Needs(Install),
			h.delete,
			httpapi.Status(accepted),
		),
		httpapi.Get("/{id}/traffic", "Show what the installed flow carries now", access.Needs(View), h.traffic,
			reads),
		httpapi.Get("/{id}/nodes/{node_id}/drift", "Show how a node differs from what is installed",
			access.Needs(View), h.drift, reads),
		httpapi.Post(
			"/{id}/nodes/{node_id}/restore",
			"Install the flow's part on one node again",
			access.Needs(Install),
			h.restore,
			httpapi.Status(accepted),
		),
		httpapi.Get("/{id}/draft", "Show the draft", access.Needs(View), h.draft, reads),
		httpapi.Put("/{id}/draft", "Save the draft; nothing is installed", access.Needs(Edit), h.saveDraft),
		httpapi.Post(
			"/{id}/plan/preview",
			"Preview a plan; nothing is stored",
			access.Needs(View),
			h.preview,
			httpapi.WhileDegraded(),
			httpapi.Anew(),
		),
		httpapi.Post(
			"/{id}/plan/compile",
			"Compile the draft into a plan",
			access.Needs(Edit, Install),
			h.compile,
			httpapi.Status(created),
		),
		httpapi.Get("/{id}/plans/{plan_id}", "Show a plan with its readiness", access.Needs(View), h.plan, reads),
		httpapi.Post(
			"/{id}/plans/{plan_id}/recheck",
			"Ask the nodes about readiness again",
			access.Needs(Edit, Install),
			h.recheck,
			httpapi.Status(accepted),
		),
		httpapi.Post("/{id}/apply", "Install a plan", access.Needs(Install), h.apply, httpapi.Waits(longestWait)),
		httpapi.Get("/{id}/applies", "List applies", access.Needs(View), h.applies, reads),
		httpapi.Get("/{id}/applies/{apply_id}", "Show an apply", access.Needs(View), h.applied, reads),
		httpapi.Get(
			"/{id}/applies/{apply_id}/replay",
			"Show the drawing of an apply and the sessions on its nodes around it",
			access.Needs(View),
			h.replay,
			reads,
		),
		httpapi.Post(
			"/{id}/applies/{apply_id}/stop",
			"Stop an apply that is not decided yet; everything is reverted",
			access.Needs(Install),
			h.stop,
			httpapi.Status(accepted),
		),
		httpapi.Post(
			"/{id}/applies/{apply_id}/promote",
			"Let the rest of the nodes follow the canary now",
			access.Needs(Install),
			h.promote,
			httpapi.Status(accepted),
		),
		httpapi.Post(
			"/{id}/applies/{apply_id}/abort",
			"End a canary; its nodes go back to the installed version",
			access.Needs(Install),
			h.abort,
			httpapi.WhileDegraded(),
			httpapi.Status(accepted),
		),
		httpapi.Post(
			"/{id}/disable",
			"Take a flow off its nodes",
			access.Needs(Install),
			h.disable,
			httpapi.Status(accepted),
		),
		httpapi.Post(
			"/{id}/enable",
			"Put the installed version back",
			access.Needs(Install),
			h.enable,
			httpapi.Status(accepted),
		),

		httpapi.Post("/{id}/connection-link", "Issue a connection link", access.Needs(Edit), h.connectionLink,
			httpapi.Anew()),
		httpapi.Get("/{id}/versions", "List versions", access.Needs(View), h.versions, reads),
		httpapi.Post(
			"/{id}/versions",
			"Keep the draft as a version",
			access.Needs(Edit),
			h.keepVersion,
			httpapi.Status(created),
		),
		httpapi.Get("/{id}/versions/{version_id}", "Show a version with its drawing", access.Needs(View), h.version,
			reads),
		httpapi.Patch("/{id}/versions/{version_id}", "Name or pin a version", access.Needs(Edit), h.changeVersion),
		httpapi.Get("/{id}/rendered", "Show a node's configuration, secrets masked", access.Needs(View), h.rendered,
			reads),
		httpapi.Get("/{id}/explain", "Trace a destination through the draft or what is installed", access.Needs(View),
			h.explain, reads),
		httpapi.Post("/{id}/explain/probe", "Let agents try the installed way to a destination", access.Needs(Edit), h.probe,
			httpapi.Waits(longestWait)),
	)
}

func reads(o *httpapi.Operation) { httpapi.UngatedReads()(o) }
