// Package flows lets an operator draw how traffic goes from an entry to an exit, see what that would change on which
// server, install it safely and hand out links that match what runs.
//
// A draft is compiled into a plan (internal/plan); a plan is applied by the runner, a state machine in the database
// that any panel continues; what is installed is kept as one fragment per server.
package flows

import (
	"embed"

	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/entitlement"
	"panel/platform/module"
	"panel/platform/owners"
	"panel/platform/vault"
)

//go:embed migrations
var files embed.FS

// Module is the manifest.
func Module() module.Module {
	return module.Module{
		Name:     "flows",
		Summary:  "Flows: the way from an entry to an exit, planned, installed and handed out as links",
		Requires: []string{"nodes"},
		Permissions: []access.Permission{
			{Key: View, Summary: "See flows, plans and versions"},
			{Key: Edit, Summary: "Change drafts and clients, issue links"},
			{Key: Install, Summary: "Apply, enable, disable and delete flows"},
		},
		Features: []entitlement.Feature{{Key: feature, Summary: "Change and install flows"}},
		Journal: audit.Kinds{
			Actions: []string{
				"flow.apply_failed", "flow.apply_started", "flow.apply_succeeded", "flow.changed", "flow.client_added",
				"flow.client_revoked", "flow.compiled", "flow.created", "flow.deleted", "flow.disabled",
				"flow.draft_saved", "flow.force_applied", "flow.link_issued", "flow.plan_checked",
				"flow.public_link_issued", "flow.public_link_revoked", "flow.version_kept", "flow.version_loaded",
			},
			Objects: []string{"flow"},
		},
		Secrets: []vault.Column{
			{Table: "flows", ID: "id", Column: "root"},
			{Table: "flow_clients", ID: "id", Column: "secret"},
			{Table: "flow_fragments", ID: "flow_id || '/' || node_id", Column: "content"},
			{Table: "flow_applies", ID: "id", Column: "content"},
		},
		Migrations: module.SQL(files),
		Checks:     doctorChecks(),
		Private:    []any{newStore, newServers, newService, newAsker, newRunner, newHandlers},
		Attach:     attach,
	}
}

func attach(h *handlers, r *runner, holds nodesapi.Holds, owned *owners.Registry) module.Parts {
	owned.Add(h.s.owned())
	holds.From(r.store.installing)
	return module.Parts{Routes: h.routes(), Loops: loops(r), Metrics: r.metrics()}
}
