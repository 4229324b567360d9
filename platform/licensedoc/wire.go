package licensedoc

import "strings"

// The paths that an authority answers for panels.
const (
	ActivatePath = "/v1/activate"
	RefreshPath  = "/v1/refresh"
	ReleasePath  = "/v1/release"
)

// Request is what a panel sends. The key travels in the body only.
type Request struct {
	Key          string `json:"key"`
	InstanceID   string `json:"instance_id"`
	Nonce        string `json:"nonce"`
	PanelVersion string `json:"panel_version,omitempty"`
}

// Reply carries a signed document: the verdict, good or bad.
type Reply struct {
	Document string `json:"document"`
}

// Join puts an authority's address and a path together.
func Join(address, path string) string { return strings.TrimRight(address, "/") + path }
