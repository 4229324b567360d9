// Package imports brings flows in from elsewhere and gives them out: configurations of Xray, profiles of Remnawave,
// databases of 3x-ui and flows of other panels become drafts with their clients.
//
// What is read is kept sealed for an hour and shown without secrets; taking it makes flows and clients in one
// transaction, and nothing reaches a node. The readers are in internal and know no panel.
package imports

import (
	"embed"
	"time"

	"panel/platform/audit"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/jobs"
	"panel/platform/module"
	"panel/platform/vault"
)

//go:embed migrations
var files embed.FS

//go:embed russian.txt
var russian string

// kindImported is a flow that was made of what another program had.
const kindImported = "flow.imported"

// News is the data of the event that a flow was imported.
type News struct {
	Name    string `json:"name"`
	Format  string `json:"format" doc:"xray, remnawave, 3x-ui or flow"`
	Clients int    `json:"clients"`
}

// life is how long something that was read may be taken.
const life = time.Hour

// Module is the manifest.
func Module() module.Module {
	return module.Module{
		Name:    "imports",
		Summary: "Flows from other programs and panels, and flows as files",
		// Its permissions and its feature are those of flows.
		Requires: []string{"clients", "domains", "flows", "nodes"},
		Russian:  russian,
		Faults:   faults(),
		Journal:  audit.Kinds{Actions: []string{kindImported}},
		Events: []events.Kind{{
			Name: kindImported, Summary: "A flow was imported", Needs: view, Live: true, Data: News{},
		}},
		Secrets:    []vault.Column{{Table: "flow_imports", ID: "id", Column: "content"}},
		Tidy:       []jobs.Tidy{{Table: "flow_imports", Column: "created_at", Age: life}},
		Migrations: module.SQL(files),
		Commands:   commands,
		Private:    []any{newStore, newOutside, newImports, newHandlers},
		Attach:     func(h *handlers) module.Parts { return module.Parts{Routes: h.routes()} },
	}
}

func faults() []fault.Declared {
	return []fault.Declared{
		{
			Kind: fault.KindInvalid, Code: "import_unknown_format",
			Summary: "The file is of no program that flows can be imported from",
		},
		{Kind: fault.KindInvalid, Code: "import_broken", Summary: "The file is broken"},
		{Kind: fault.KindConflict, Code: "import_taken", Summary: "The flows of this import were made already, of another choice"},
		{Kind: fault.KindInvalid, Code: "import_refused", Summary: "The other panel does not let the caller in"},
		{Kind: fault.KindUpstream, Code: "import_error", Summary: "The other panel cannot be read"},
		{Kind: fault.KindUpstreamTimeout, Code: "import_timeout", Summary: "The other panel did not answer in time"},
	}
}
