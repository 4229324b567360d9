package backups

import (
	"net/http"
	"time"

	"panel/platform/access"
	"panel/platform/httpapi"
)

// The permission keys of this module.
const (
	View   access.Key = "backups.view"
	Manage access.Key = "backups.manage"
)

// feature is the license feature that opens this module; reading stays open without it.
const feature = "backups"

// openWithin is how long a download may look for a place that has the backup.
const openWithin = 30 * time.Second

func (h *handlers) routes() httpapi.Routes {
	view, manage, reads := access.Needs(View), access.Needs(Manage), httpapi.UngatedReads()
	created, accepted := httpapi.Status(http.StatusCreated), httpapi.Status(http.StatusAccepted)
	return httpapi.Join(
		httpapi.Under("/api/v1/backups/profiles", feature,
			httpapi.Get("", "List backup profiles", view, h.listProfiles, reads),
			httpapi.Post("", "Add a backup profile", manage, h.addProfile, created),
			httpapi.Get("/{id}", "Show a backup profile", view, h.showProfile, reads),
			httpapi.Patch("/{id}", "Change a backup profile", manage, h.changeProfile),
			httpapi.Delete("/{id}", "Remove a backup profile; its backups stay where they are", manage, h.removeProfile,
				httpapi.Status(http.StatusNoContent)),
		),
		httpapi.Under("/api/v1/backups/runs", feature,
			httpapi.Get("", "List backup runs", view, h.listRuns, reads),
			httpapi.Post("", "Start a backup", manage, h.startRun, accepted),
			httpapi.Get("/{id}", "Show a backup run", view, h.showRun, reads),
			httpapi.Post("/{id}/cancel", "Cancel a backup run", manage, h.cancelRun, accepted),
			httpapi.Download(http.MethodGet, "/{id}/download", "Download the backup of a run as one tar file", manage,
				h.download, httpapi.Waits(openWithin), httpapi.Lasts(), reads),
		),
		httpapi.Under("/api/v1/backups/restores", feature,
			httpapi.Get("", "List restores and restore tests", view, h.listRestores, reads),
			httpapi.Post("", "Restore a backup: as a test into a scratch database, or in place of the panel's own", manage, h.startRestore, accepted),
			httpapi.Get("/{id}", "Show a restore or a restore test; while a full one goes on, whoever knows its id may ask", view, h.showRestore, reads),
		),
		httpapi.Under("/api/v1/backups/host-key", feature,
			httpapi.Post("", "Ask an SSH server for its host key", manage, h.hostKey),
		),
	)
}
