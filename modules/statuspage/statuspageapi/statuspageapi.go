// Package statuspageapi is what other modules may know of status pages: their events.
package statuspageapi

// Kinds of events. The subject of the first ones is the page.
const (
	PageCreated        = "statuspage.page_created" // Data of this and the next ones is News
	PageUpdated        = "statuspage.page_updated"
	PageDeleted        = "statuspage.page_deleted"
	MaintenanceChanged = "statuspage.maintenance_changed"
	TargetChanged      = "statuspage.target_changed"

	DeployMoved  = "statuspage.deploy_moved" // another state; may be lost
	Deployed     = "statuspage.deployed"
	DeployFailed = "statuspage.deploy_failed" // at some of the targets, or at all

	NoticeDrafted  = "statuspage.notice_drafted"
	NoticeChanged  = "statuspage.notice_changed"
	IncidentPosted = "statuspage.incident_posted" // readers see a notice, or another update of it

	PageStale = "statuspage.page_stale" // a target gets no news any more
	PageFresh = "statuspage.page_fresh"
)

// News is about a page.
type News struct {
	Slug     string `json:"slug"`
	DeployID string `json:"deploy_id,omitempty"`
	NoticeID string `json:"notice_id,omitempty"`
	TargetID string `json:"target_id,omitempty"`
	Target   string `json:"target,omitempty"` // its label
	State    string `json:"state,omitempty"`
	Error    string `json:"error,omitempty"`
}
