// Package files lets agents fetch what the panel keeps for them; platform/files keeps it.
package files

import (
	"net/http"

	"panel/platform/access"
	"panel/platform/agentapi"
	"panel/platform/files"
	"panel/platform/httpapi"
	"panel/platform/jobs"
	"panel/platform/module"
)

// Module is the manifest.
func Module() module.Module {
	return module.Module{
		Name:    "files",
		Summary: "Files that the panel keeps for its nodes",
		Tidy:    []jobs.Tidy{files.Tidy()},
		Attach:  attach,
	}
}

func attach(store *files.Store) module.Parts {
	return module.Parts{Routes: httpapi.Routes{
		httpapi.Raw(
			http.MethodGet,
			agentapi.PathAsset,
			"Fetch a file that the node needs",
			access.Agent(),
			assets{store}.send,
			httpapi.Lenient(),
		),
	}}
}
