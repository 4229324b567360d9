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
	"panel/modules/flows/internal/bulk"
	"panel/modules/flows/internal/console"
	"panel/modules/flows/internal/stages"
	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/entitlement"
	"panel/platform/fault"
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
		Events:   eventKinds(),
		Features: []entitlement.Feature{{Key: feature, Summary: "Change and install flows"}},
		Repairs:  repairs(),
		Journal: audit.Kinds{
			Actions: []string{
				"flow.apply_failed",
				"flow.apply_started",
				"flow.apply_stopped",
				"flow.apply_succeeded",
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
			{Table: "flow_plans", ID: "id", Column: "content"},
		},
		Migrations: module.SQL(files),
		Tidy:       []jobs.Tidy{bulk.Tidy()},
		Checks:     doctorChecks(),
		Private: []any{
			newStore, newNodes, newService, newRunner, newHandlers, newHooks, newBulk, stages.NewRegistry,
		},
		Exports: []any{
			exportFlows, exportDrafts, exportStages, exportHealth, exportBlocks, exportSubscribers,
			exportTargets,
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
		Jobs:  []jobs.Worker{h.s.rerenderWorker(), h.bulk.Worker()},
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
			Code:    "compile_failed",
			Summary: "The draft cannot be compiled; errors name what to correct",
		},
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
