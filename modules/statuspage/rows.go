package statuspage

import (
	"time"

	"github.com/uptrace/bun"

	"panel/platform/audit"
	"panel/platform/vault"
)

// object is the type of pages in the journal and in events.
const object = "status_page"

// draft is what people edit, and what a deploy publishes.
type draft struct {
	Slug          string         `json:"slug"`
	Titles        Localised      `json:"titles"`
	Descriptions  Localised      `json:"descriptions"`
	Footers       Localised      `json:"footers"`
	Locales       []string       `json:"locales"`
	DefaultLocale string         `json:"default_locale"`
	Theme         Theme          `json:"theme"`
	Groups        []Group        `json:"groups"`
	Components    []Component    `json:"components"`
	Announcements []Announcement `json:"announcements"`
	Auto          Auto           `json:"auto"`
}

type pageRow struct {
	bun.BaseModel `bun:"table:statuspage_pages,alias:p"`

	ID                string     `bun:"id,pk,type:uuid"`
	Slug              string     `bun:"slug"`
	Draft             draft      `bun:"draft,type:jsonb"`
	Revision          int64      `bun:"revision"`
	PublishedDeployID *string    `bun:"published_deploy_id,type:uuid"`
	PublishedRevision int64      `bun:"published_revision"`
	PublishedAt       *time.Time `bun:"published_at"`
	CreatedAt         time.Time  `bun:"created_at"`
	UpdatedAt         time.Time  `bun:"updated_at"`
}

func (r *pageRow) object() audit.Object { return audit.Object{Type: object, ID: r.ID, Name: r.Slug} }

type logoRow struct {
	bun.BaseModel `bun:"table:statuspage_logos,alias:l"`

	PageID    string    `bun:"page_id,pk,type:uuid"`
	SHA256    string    `bun:"sha256,pk"`
	MediaType string    `bun:"media_type"`
	Content   []byte    `bun:"content"`
	CreatedAt time.Time `bun:"created_at"`
}

type noticeRow struct {
	bun.BaseModel `bun:"table:statuspage_notices,alias:n"`

	ID               string     `bun:"id,pk,type:uuid"`
	PageID           string     `bun:"page_id,type:uuid"`
	Titles           Localised  `bun:"titles,type:jsonb"`
	Impact           string     `bun:"impact"`
	State            string     `bun:"state"`
	Published        bool       `bun:"published"`
	PublishAt        *time.Time `bun:"publish_at"`
	HealthIncidentID *string    `bun:"health_incident_id,type:uuid"`
	ComponentIDs     []string   `bun:"component_ids,array,type:uuid[]"`
	StartedAt        time.Time  `bun:"started_at"`
	ResolvedAt       *time.Time `bun:"resolved_at"`
	Revision         int64      `bun:"revision"`
	UpdatedAt        time.Time  `bun:"updated_at"`

	SortKey string `bun:"sort_key,scanonly"`
}

type updateRow struct {
	bun.BaseModel `bun:"table:statuspage_updates,alias:u"`

	ID       string    `bun:"id,pk,type:uuid"`
	NoticeID string    `bun:"notice_id,type:uuid"`
	At       time.Time `bun:"at"`
	State    string    `bun:"state"`
	Bodies   Localised `bun:"bodies,type:jsonb"`
	By       string    `bun:"by"`
}

type maintenanceRow struct {
	bun.BaseModel `bun:"table:statuspage_maintenance,alias:m"`

	ID           string    `bun:"id,pk,type:uuid"`
	PageID       string    `bun:"page_id,type:uuid"`
	Titles       Localised `bun:"titles,type:jsonb"`
	Bodies       Localised `bun:"bodies,type:jsonb"`
	StartsAt     time.Time `bun:"starts_at"`
	EndsAt       time.Time `bun:"ends_at"`
	ComponentIDs []string  `bun:"component_ids,array,type:uuid[]"`
	Cancelled    bool      `bun:"cancelled"`
	Revision     int64     `bun:"revision"`
	UpdatedAt    time.Time `bun:"updated_at"`

	SortKey string `bun:"sort_key,scanonly"`
}

// state follows from the clock.
func (r *maintenanceRow) state(now time.Time) string {
	switch {
	case r.Cancelled:
		return "cancelled"
	case now.Before(r.StartsAt):
		return "planned"
	case now.Before(r.EndsAt):
		return "active"
	}
	return "done"
}

func (r *maintenanceRow) shown(now time.Time) Maintenance {
	return Maintenance{
		ID: r.ID, PageID: r.PageID, Titles: filled(r.Titles), Bodies: filled(r.Bodies), StartsAt: r.StartsAt.UTC(),
		EndsAt: r.EndsAt.UTC(), ComponentIDs: append([]string{}, r.ComponentIDs...), State: r.state(now),
		Revision: r.Revision,
	}
}

type deployRow struct {
	bun.BaseModel `bun:"table:statuspage_deploys,alias:d"`

	ID          string         `bun:"id,pk,type:uuid"`
	PageID      string         `bun:"page_id,type:uuid"`
	Revision    int64          `bun:"revision"`
	Content     draft          `bun:"content,type:jsonb"`
	State       string         `bun:"state"`
	Targets     []DeployTarget `bun:"targets,type:jsonb"`
	StartedBy   string         `bun:"started_by"`
	OperationID string         `bun:"operation_id"`
	StartedAt   time.Time      `bun:"started_at"`
	FinishedAt  *time.Time     `bun:"finished_at"`

	SortKey string `bun:"sort_key,scanonly"`
}

func (r *deployRow) shown() Deploy {
	return Deploy{
		ID: r.ID, PageID: r.PageID, Revision: r.Revision, State: r.State, StartedBy: r.StartedBy,
		StartedAt: r.StartedAt.UTC(), FinishedAt: utc(r.FinishedAt), Targets: append([]DeployTarget{}, r.Targets...),
		OperationID: r.OperationID,
	}
}

// held is what a place is known to hold of one file: its digest, and the one without the moment of its data. While the
// file is overwritten it has no digest, and the other is that of the file before.
type held struct {
	SHA256 string `json:"sha256"`
	Stable string `json:"stable"`
}

type targetRow struct {
	bun.BaseModel `bun:"table:statuspage_targets,alias:t"`

	ID           string          `bun:"id,pk,type:uuid"`
	PageID       string          `bun:"page_id,type:uuid"`
	Kind         string          `bun:"kind"`
	Label        string          `bun:"label"`
	Enabled      bool            `bun:"enabled"`
	Config       TargetConfig    `bun:"config,type:jsonb"`
	Secret       string          `bun:"secret"`
	LiveDeployID *string         `bun:"live_deploy_id,type:uuid"`
	LiveRevision int64           `bun:"live_revision"`
	Failed       bool            `bun:"failed"`
	Error        string          `bun:"error"`
	Files        map[string]held `bun:"files,type:jsonb"`
	DataAt       *time.Time      `bun:"data_at"`
	PushAt       *time.Time      `bun:"push_at"`
	Stale        bool            `bun:"stale"`
	CreatedAt    time.Time       `bun:"created_at"`
}

func (r *targetRow) place() vault.Ref {
	return vault.Ref{Table: "statuspage_targets", ID: r.ID, Column: "secret"}
}

type fileRow struct {
	bun.BaseModel `bun:"table:statuspage_files,alias:f"`

	TargetID  string `bun:"target_id,pk,type:uuid"`
	Path      string `bun:"path,pk"`
	MediaType string `bun:"media_type"`
	SHA256    string `bun:"sha256"`
	Content   []byte `bun:"content"`
}

func utc(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	moment := at.UTC()
	return &moment
}

// filled is a text that is never null.
func filled(t Localised) Localised {
	if t == nil {
		return Localised{}
	}
	return t
}
