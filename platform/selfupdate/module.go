// Package selfupdate brings a newer release of the panel onto this machine, and the one before it back.
//
// Two halves work together. The panel, an ordinary user, looks for releases and hands over a request: one small file. A
// service of root takes it, keeps database, executable and settings as one set, replaces the executable and returns by
// itself to the set when the new panel does not become healthy. Only root ever writes what root runs.
package selfupdate

import (
	"context"
	"embed"

	"github.com/spf13/cobra"

	"panel/platform/audit"
	"panel/platform/cli"
	"panel/platform/config"
	"panel/platform/httpapi"
	"panel/platform/jobs"
	"panel/platform/module"
	"panel/platform/settings"
)

// PublicKey and RequestFile are the settings of this module beside the platform's channel and address.
var (
	PublicKey = config.Key{
		Name:    "PANEL_UPDATE_PUBLIC_KEY",
		Summary: "minisign key that releases are verified with; several, separated by commas, while keys change",
	}
	RequestFile = config.Key{
		Name: "PANEL_UPDATE_REQUEST", Summary: "file that hands an update to panel-update.service; set by panel.service, unset: updates are installed by hand",
	}
)

func keys() []config.Key { return []config.Key{PublicKey, RequestFile} }

//go:embed migrations
var scripts embed.FS

//go:embed russian.txt
var russian string

// Module is the manifest.
func Module() module.Module {
	return module.Module{
		Name:     "selfupdate",
		Summary:  "Newer releases of the panel, and the way back",
		Russian:  russian,
		Faults:   faults(),
		Requires: []string{"system"},
		Journal: audit.Kinds{
			Actions: []string{
				"system.rollback_requested", "system.update_failed", "system.update_requested", actionSettings,
				"system.updated",
			},
			Objects: []string{"update"},
		},
		Events:     eventKinds(),
		Config:     keys(),
		Migrations: module.SQL(scripts),
		Commands:   func(env cli.Env) []*cobra.Command { return commands(env) },
		Private:    []any{newService, newHandlers},
		Exports:    []any{openSettings},
		Attach:     attach,
	}
}

func attach(h *handlers, s *service, doc *settings.Doc[Settings], queue *jobs.Enqueuer) module.Parts {
	return module.Parts{
		Routes: httpapi.Join(h.routes(), settingsRoutes(doc)), Jobs: []jobs.Worker{s.worker()},
		Schedules: []jobs.Schedule{schedule()},
		Loops:     []func(context.Context) error{s.recordOutcomes},
		Ready:     []func(context.Context) error{s.first(queue)},
	}
}
