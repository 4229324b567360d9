// Package setup is the first installation: its state, the first administrator and its end.
//
// Everything below /api/v1/setup is closed for good once the installation is finished (specification, Endpoints rule
// 1).
package setup

import (
	"embed"

	"panel/platform/audit"
	"panel/platform/module"
)

//go:embed migrations
var files embed.FS

//go:embed russian.txt
var russian string

// Module is the manifest.
func Module() module.Module {
	return module.Module{
		Name:     "setup",
		Summary:  "The first installation",
		Russian:  russian,
		Faults:   faults(),
		Requires: []string{"accounts", "system"},
		Journal: audit.Kinds{
			Actions: []string{
				"system.setup_finished",
			},
			Objects: []string{"installation"},
		},
		Migrations: module.SQL(files),
		Commands:   commands,
		Private:    []any{newHandlers},
		Exports:    []any{newProgress, exportInstallation},
		Attach:     attach,
	}
}

func attach(h *handlers) module.Parts { return module.Parts{Routes: h.routes()} }
