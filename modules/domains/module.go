// Package domains is which host names belong to which nodes, and which flows use them.
//
// A binding is entered once and named by flows; what the world says of it, its DNS records and its certificate, comes
// from other modules through domainsapi.
package domains

import (
	"embed"

	"panel/modules/domains/domainsapi"
	"panel/modules/nodes/nodesapi"
	"panel/platform/audit"
	"panel/platform/events"
	"panel/platform/module"
	"panel/platform/owners"
)

//go:embed migrations
var files embed.FS

//go:embed russian.txt
var russian string

// Module is the manifest.
func Module() module.Module {
	return module.Module{
		Name:     "domains",
		Summary:  "Host names that are bound to nodes",
		Russian:  russian,
		Requires: []string{"nodes"},
		Journal: audit.Kinds{
			Actions: []string{domainsapi.Created, domainsapi.Deleted, domainsapi.Updated},
			Objects: []string{"node_domain"},
		},
		Events: []events.Kind{
			{Name: domainsapi.Created, Summary: "A host name was bound to a node"},
			{Name: domainsapi.Updated, Summary: "A binding of a host name was changed"},
			{Name: domainsapi.Deleted, Summary: "A binding of a host name was removed"},
		},
		Migrations: module.SQL(files),
		Commands:   commands,
		Checks:     doctorChecks(),
		Private:    []any{newDomains, newStates, newHandlers},
		Exports:    []any{exportDomains, exportStates},
		Attach:     attach,
	}
}

func exportDomains(d *domains) domainsapi.Domains { return d }

func exportStates(s *states) domainsapi.States { return s }

func attach(h *handlers, owned *owners.Registry, guards nodesapi.Guards) module.Parts {
	guards.Add("a flow uses a domain of this node; change the flow first", h.domains.usedOn)
	owned.Add(h.domains.owned())
	return module.Parts{Routes: h.routes()}
}
