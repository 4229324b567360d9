// Package automation shows administrators what the panel does by itself, and the one switch that stops all of it.
//
// The switch is kept by platform/automation; this package is its face.
package automation

import (
	"context"
	_ "embed" // for the texts
	"encoding/json"

	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/automation"
	"panel/platform/database"
	"panel/platform/doctor"
	"panel/platform/events"
	"panel/platform/metrics"
	"panel/platform/module"
	"panel/platform/restored"
)

//go:embed russian.txt
var russian string

// manage is the permission to stop and resume.
const manage access.Key = "settings.manage"

// Module is the manifest.
func Module() module.Module {
	return module.Module{
		Name:     "automation",
		Summary:  "What the panel does by itself, and the switch that stops it",
		Russian:  russian,
		Journal:  audit.Kinds{Actions: []string{automation.EventStopped, automation.EventResumed}},
		Events:   eventKinds(),
		Outlives: automation.Outlives,
		Checks:   []doctor.Check{check()},
		Commands: commands,
		Private:  []any{newHandlers},
		Attach:   attach,
	}
}

func eventKinds() []events.Kind {
	const screen = "/settings/automation"
	return []events.Kind{
		{
			Name: automation.EventStopped, Summary: "Somebody stopped everything that the panel does by itself",
			Severity: events.Warning, Notify: true, Live: true, Screen: screen, Data: automation.News{},
			Effect: "No DNS record is put right and no canary goes on until somebody resumes.",
		},
		{
			Name: automation.EventResumed, Summary: "The panel acts by itself again", Notify: true, Live: true, Screen: screen,
			Resolves: []string{automation.EventStopped}, Data: automation.News{},
		},
	}
}

func attach(h *handlers, s *automation.Switch, db *database.DB) module.Parts {
	return module.Parts{Routes: h.routes(), Metrics: []metrics.Collector{stopped(s)}, Restored: again(db)}
}

// again stops everything in a restored database, if it was stopped in the one before.
func again(db *database.DB) restored.Rule {
	return func(ctx context.Context, kept json.RawMessage, _ *restored.Restoration) error {
		return automation.Restore(ctx, db, kept)
	}
}

func stopped(s *automation.Switch) metrics.Collector {
	return metrics.AskedOne("panel_automation_stopped", "1 while everything automatic is stopped, else 0.",
		func(ctx context.Context) (float64, error) {
			state, err := s.State(ctx)
			if err != nil || !state.Stopped {
				return 0, err
			}
			return 1, nil
		})
}
