// Package system tells how the panel itself is: health, status, the live stream and the description of the API.
package system

import (
	"context"

	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/events"
	"panel/platform/httpapi"
	"panel/platform/jobs"
	"panel/platform/module"
)

// Manage is the permission to see and change what concerns the panel as a whole.
const Manage access.Key = "settings.manage"

// Module is the manifest.
func Module() module.Module {
	return module.Module{
		Name:    "system",
		Summary: "The panel's own health, status and live updates",
		Permissions: []access.Permission{{
			Key:     Manage,
			Summary: "Change settings, updates and diagnostics of the panel",
		}},
		Journal: audit.Kinds{
			Actions: []string{"system.started", "system.stopped", "system.migrated"},
			Objects: []string{"installation", "settings"}, // every module may have settings
		},
		Events:  kinds(),
		Private: []any{newHandlers, newGuarding, newResealer},
		Exports: []any{newMonitor, func(m *monitor) httpapi.Database { return m }},
		Attach:  attach,
	}
}

// Change is the data of the events about this panel: what the journal says.
type Change = map[string]audit.Change

func kinds() []events.Kind {
	const installation = "installation"
	return []events.Kind{
		{
			Name: "system.started", Summary: "The panel started", Subject: installation, Needs: Manage, Live: true,
			Data: Change{},
		},
		{
			Name: "system.stopped", Summary: "The panel stops", Subject: installation, Needs: Manage, Live: true,
			Data: Change{},
		},
		{
			Name: "system.migrated", Summary: "The panel migrated its database", Subject: installation, Needs: Manage,
			Live: true, Data: Change{},
		},
	}
}

func attach(h *handlers, m *monitor, g *guarding, r *resealer) module.Parts {
	return module.Parts{
		Routes: httpapi.Join(h.routes(), g.routes()), Jobs: []jobs.Worker{r.worker()},
		Ready: []func(context.Context) error{m.ping, r.begin}, Loops: []func(context.Context) error{m.watch},
	}
}
