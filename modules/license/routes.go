package license

import (
	"time"

	"panel/platform/access"
	"panel/platform/httpapi"
)

// Manage is the key for every change of the license; reading it needs a session alone.
const Manage access.Key = "license.manage"

// bodyLimit leaves room for an offline document in place of a key.
const bodyLimit = 32 << 10

// asks leaves time for the license servers.
var asks = httpapi.Deadline(checkBudget + 5*time.Second)

// routes stay open while the panel is read-only: they are the way out of it.
func (h *handlers) routes() httpapi.Routes {
	return httpapi.Under("/api/v1/license", "",
		httpapi.Get("/status", "Read the license", access.Session(), h.status),
		httpapi.Post("/activate", "Activate a license", access.Needs(Manage), h.activate, httpapi.WhileDegraded(),
			httpapi.BodyLimit(bodyLimit), asks),
		httpapi.Post("/refresh", "Check the license now", access.Needs(Manage), h.refresh, httpapi.WhileDegraded(),
			asks),
		httpapi.Post("/remove", "Remove the license", access.Needs(Manage), h.remove, httpapi.WhileDegraded(), asks),
	)
}
