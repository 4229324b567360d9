// Package license activates, checks and removes the panel's license and tells the rest
// of the panel what it allows.
//
// The license is a document that the authority signs (platform/licensedoc). It is kept
// in the database, one row for the installation, with a copy in the data folder, and is
// verified on this machine. Every other module sees it as entitlement.Source.
package license

import (
	"context"
	"embed"

	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/entitlement"
	"panel/platform/module"
	"panel/platform/vault"
)

//go:embed migrations
var files embed.FS

//go:embed russian.txt
var russian string

// Module is the manifest.
func Module() module.Module {
	return module.Module{
		Name:        "license",
		Summary:     "What this installation may do",
		Russian:     russian,
		Faults:      faults(),
		Permissions: []access.Permission{{Key: Manage, Summary: "Activate, refresh and remove the license"}},
		Events:      kinds(),
		Journal: audit.Kinds{
			Actions: []string{
				"license.activated", "license.degraded", "license.expiring", "license.grace_started",
				"license.refreshed", "license.removed",
			},
			Objects: []string{"license"},
		},
		Commands: commands,
		Secrets: []vault.Column{
			{Table: "licenses", ID: "instance_id", Column: "sealed_key"},
		},
		Migrations: module.SQL(files),
		Private:    []any{newService, newHandlers},
		Exports:    []any{source},
		Outlives:   outlives,
		Attach:     attach,
	}
}

func source(s *service) entitlement.Source { return s }

func attach(h *handlers, s *service) module.Parts {
	return module.Parts{
		Routes: h.routes(),
		Loops:  []func(context.Context) error{s.watch, s.questions.Run},
		Ready:  []func(context.Context) error{s.ready}, Restored: s.restored,
	}
}
