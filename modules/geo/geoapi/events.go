// Package geoapi is what other modules may know of geo files: what becomes of them.
package geoapi

// Kinds of events. Their subject is the asset.
const (
	AssetAdded   = "geo.asset_added" // Data of this and the next ones is News
	AssetChanged = "geo.asset_changed"
	AssetRemoved = "geo.asset_removed"

	Updated            = "geo.updated"
	Rejected           = "geo.rejected"
	RolledBack         = "geo.rolled_back"
	DistributionFailed = "geo.distribution_failed"
	Moved              = "geo.moved" // another state; may be lost
)

// News says what became of an asset.
type News struct {
	Name   string `json:"name"`
	State  string `json:"state"`
	SHA256 string `json:"sha256,omitempty"`
	Reason string `json:"reason,omitempty"`
	Detail string `json:"detail,omitempty"`
}
