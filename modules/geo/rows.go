package geo

import (
	"time"

	"github.com/uptrace/bun"

	"panel/modules/geo/internal/dat"
	"panel/platform/audit"
)

// object is the type of assets in the journal and in events.
const object = "geo_asset"

// States of an asset.
const (
	stateIdle         = "idle"
	stateDownloading  = "downloading"
	stateChecking     = "checking"
	stateReady        = "ready"
	stateDistributing = "distributing"
	stateCurrent      = "current"
	stateRejected     = "rejected"
	stateFailed       = "failed"
)

type assetRow struct {
	bun.BaseModel `bun:"table:geo_assets,alias:a"`

	ID           string         `bun:"id,pk,type:uuid"`
	Name         string         `bun:"name"`
	File         string         `bun:"file"`
	Preset       string         `bun:"preset"`
	SourceURL    string         `bun:"source_url"`
	ChecksumURL  string         `bun:"checksum_url"`
	Scheduled    bool           `bun:"scheduled"`
	Cron         string         `bun:"cron"`
	Pinned       bool           `bun:"pinned"`
	OnNodes      bool           `bun:"on_nodes"`
	State        string         `bun:"state"`
	RejectReason string         `bun:"reject_reason"`
	RejectDetail string         `bun:"reject_detail"`
	Missing      []MissingToken `bun:"missing,type:jsonb"`
	Version      *string        `bun:"version"`
	Previous     *string        `bun:"previous"`
	Candidate    *string        `bun:"candidate"`
	Withdrawn    string         `bun:"withdrawn"`
	FetchedAt    *time.Time     `bun:"fetched_at"`
	NextUpdateAt *time.Time     `bun:"next_update_at"`
	Revision     int64          `bun:"revision"`
	CreatedAt    time.Time      `bun:"created_at"`
	UpdatedAt    time.Time      `bun:"updated_at"`

	SortKey string `bun:"sort_key,scanonly"`
}

func (r *assetRow) object() audit.Object { return audit.Object{Type: object, ID: r.ID, Name: r.Name} }

// settled is the state while nothing goes on.
func (r *assetRow) settled() string {
	if r.Candidate != nil {
		return stateReady
	}
	return stateCurrent
}

// holds tells the versions that are in use.
func (r *assetRow) holds() []string {
	var out []string
	for _, one := range []*string{r.Version, r.Previous, r.Candidate} {
		if one != nil {
			out = append(out, *one)
		}
	}
	return out
}

type versionRow struct {
	bun.BaseModel `bun:"table:geo_versions,alias:v"`

	AssetID    string         `bun:"asset_id,pk,type:uuid"`
	SHA256     string         `bun:"sha256,pk"`
	Size       int64          `bun:"size"`
	Kind       string         `bun:"kind"`
	Categories []dat.Category `bun:"categories,type:jsonb"`
	Entries    int64          `bun:"entries"`
	SourceURL  string         `bun:"source_url"`
	FetchedAt  time.Time      `bun:"fetched_at"`

	Count int `bun:"count,scanonly"` // of the categories, where they are not read
}

func (r *versionRow) shown() Version {
	count := r.Count
	if r.Categories != nil {
		count = len(r.Categories)
	}
	return Version{
		SHA256: r.SHA256, Size: r.Size, Categories: count, Entries: r.Entries, FetchedAt: r.FetchedAt,
		SourceURL: r.SourceURL,
	}
}

type nodeRow struct {
	bun.BaseModel `bun:"table:geo_nodes,alias:n"`

	AssetID string     `bun:"asset_id,pk,type:uuid"`
	NodeID  string     `bun:"node_id,pk,type:uuid"`
	Ring    int        `bun:"ring"`
	Wanted  string     `bun:"wanted"`
	Held    string     `bun:"held"`
	ToldAt  *time.Time `bun:"told_at"`
}

type rolloutRow struct {
	bun.BaseModel `bun:"table:geo_rollouts,alias:r"`

	ID         string     `bun:"id,pk,type:uuid"`
	AssetID    string     `bun:"asset_id,type:uuid"`
	SHA256     string     `bun:"sha256"`
	Ring       int        `bun:"ring"`
	LastRing   int        `bun:"last_ring"`
	RingAt     time.Time  `bun:"ring_at"`
	WellAt     *time.Time `bun:"well_at"`
	IllAt      *time.Time `bun:"ill_at"`
	State      string     `bun:"state"`
	Detail     string     `bun:"detail"`
	StartedBy  string     `bun:"started_by"`
	AccountID  string     `bun:"account_id"`
	StartedAt  time.Time  `bun:"started_at"`
	FinishedAt *time.Time `bun:"finished_at"`
}
