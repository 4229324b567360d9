// Package subscriptions answers client programs with their connections, each in the form that it reads, and people who
// open the same address in a browser with a page.
//
// Who holds a token and what it opens is told by flows; this module keeps no client and no connection.
package subscriptions

import (
	_ "embed"

	"panel/platform/audit"
	"panel/platform/events"
	"panel/platform/metrics"
	"panel/platform/module"
	"panel/platform/settings"
)

//go:embed russian.txt
var russian string

// Module is the manifest.
func Module() module.Module {
	return module.Module{
		Name:     "subscriptions",
		Summary:  "Subscriptions: connections of clients in the forms that their programs read",
		Requires: []string{"flows"},
		Russian:  russian,
		Journal:  audit.Kinds{Actions: []string{actionSettings}, Objects: []string{"settings"}},
		Events:   []events.Kind{settings.Kind(actionSettings, "Settings of subscriptions were changed", Manage)},
		Commands: commands,
		Private:  []any{openSettings, newThrottle, newKept, newHandlers},
		Attach:   attach,
	}
}

func attach(h *handlers) module.Parts {
	return module.Parts{
		Routes: h.routes(),
		Metrics: []metrics.Collector{metrics.Counters("panel_subscription_answers_total",
			"Answers to subscription URLs, by what was answered.", "answer", h.counted)},
	}
}
