package statuspage

import "time"

// Localised is a text in the languages of a page, en and ru.
type Localised map[string]string

// Page is a status page as people edit it; the fields about what is published say what readers see.
type Page struct {
	ID            string         `json:"id" format:"uuid"`
	Slug          string         `json:"slug"`
	Titles        Localised      `json:"titles"`
	Descriptions  Localised      `json:"descriptions"`
	Locales       []string       `json:"locales"`
	DefaultLocale string         `json:"default_locale" enum:"en,ru"`
	Theme         Theme          `json:"theme"`
	Footers       Localised      `json:"footers"`
	Groups        []Group        `json:"groups"`
	Components    []Component    `json:"components"`
	Announcements []Announcement `json:"announcements"`
	Auto          Auto           `json:"auto"`

	Revision          int64      `json:"revision"`
	PublishedRevision int64      `json:"published_revision" doc:"0: it was never deployed"`
	PublishedAt       *time.Time `json:"published_at"`
	DataAt            *time.Time `json:"data_at" doc:"Of the oldest news that a live target shows; null: nothing is live"`
	Address           string     `json:"address" doc:"Of the first live target; empty: there is none"`
	CreatedAt         time.Time  `json:"created_at"`
	UpdatedAt         time.Time  `json:"updated_at"`
}

// Pages are all pages, oldest first.
type Pages struct {
	Items []Page `json:"items"`
}

// Theme is how a page looks.
type Theme struct {
	Mode       string `json:"mode" enum:"auto,light,dark" doc:"auto: as the reader's system says"`
	Accent     string `json:"accent" pattern:"^#[0-9a-fA-F]{6}$" example:"#2563eb"`
	LogoSHA256 string `json:"logo_sha256,omitempty" maxLength:"64" doc:"Read only; empty: no logo"`
}

// ThemeChange is what may change of a theme.
type ThemeChange struct {
	Mode   *string `json:"mode,omitempty" enum:"auto,light,dark"`
	Accent *string `json:"accent,omitempty" pattern:"^#[0-9a-fA-F]{6}$"`
}

// Group is a heading over components.
type Group struct {
	ID    string    `json:"id,omitempty" maxLength:"36" doc:"Absent for a new one"`
	Names Localised `json:"names"`
}

// Component is something that readers know by a name of its own.
type Component struct {
	ID           string    `json:"id,omitempty" maxLength:"36" doc:"Absent for a new one"`
	GroupID      string    `json:"group_id" maxLength:"36" doc:"Empty: in no group"`
	Names        Localised `json:"names"`
	Source       string    `json:"source" enum:"node,flow,pool,region,manual"`
	SourceID     string    `json:"source_id" maxLength:"64" doc:"Of region its name; of manual empty"`
	SourceName   string    `json:"source_name,omitempty" maxLength:"200" doc:"Read only: as the panel calls it; readers never see it. Empty: it is gone"`
	Visible      bool      `json:"visible"`
	ShowBars     bool      `json:"show_bars"`
	ManualStatus string    `json:"manual_status,omitempty" enum:",operational,degraded,partial_outage,major_outage,maintenance" doc:"Of manual"`
	Status       string    `json:"status,omitempty" enum:",operational,degraded,partial_outage,major_outage,maintenance,unknown" doc:"Read only"`
}

// Announcement stands on top of a page for a time.
type Announcement struct {
	ID       string     `json:"id,omitempty" maxLength:"36" doc:"Absent for a new one"`
	Titles   Localised  `json:"titles"`
	Bodies   Localised  `json:"bodies" doc:"Markdown"`
	StartsAt time.Time  `json:"starts_at"`
	EndsAt   *time.Time `json:"ends_at" doc:"null: until it is taken away"`
}

// Auto says what follows by itself from incidents of health.
type Auto struct {
	Draft       bool   `json:"draft" doc:"Notices are drafted from incidents of health"`
	Publish     string `json:"publish" enum:"never,at_once,after_10_min"`
	MinSeverity string `json:"min_severity" enum:"warning,critical"`
}

// Overview is what the tile of the module shows.
type Overview struct {
	Pages         int        `json:"pages"`
	OpenNotices   int        `json:"open_notices" doc:"That readers see"`
	DraftNotices  int        `json:"draft_notices" doc:"That wait for a person"`
	TargetsFailed int        `json:"targets_failed"`
	OldestDataAt  *time.Time `json:"oldest_data_at" doc:"Of the live target that got no news for the longest time; null: nothing is live"`
}

// NewPage is what a page begins with.
type NewPage struct {
	Slug          string    `json:"slug" maxLength:"63" example:"service"`
	Titles        Localised `json:"titles"`
	DefaultLocale string    `json:"default_locale,omitempty" enum:",en,ru" doc:"en when left out"`
}

// PageChange is a change of a page.
type PageChange struct {
	Revision *int64 `json:"revision,omitempty" doc:"Revision that the change starts from; or send it as If-Match"`
	PageFields
}

// PageFields are what may change. What is absent stays as it is.
type PageFields struct {
	Slug          *string      `json:"slug,omitempty" maxLength:"63"`
	Titles        Localised    `json:"titles,omitempty"`
	Descriptions  Localised    `json:"descriptions,omitempty"`
	Locales       []string     `json:"locales,omitempty" maxItems:"2"`
	DefaultLocale *string      `json:"default_locale,omitempty" enum:"en,ru"`
	Theme         *ThemeChange `json:"theme,omitempty"`
	Footers       Localised    `json:"footers,omitempty"`
	Auto          *Auto        `json:"auto,omitempty"`
}

// Components replace the groups and components of a page, in their order.
type Components struct {
	Revision   *int64      `json:"revision,omitempty" doc:"Revision that the change starts from; or send it as If-Match"`
	Groups     []Group     `json:"groups" maxItems:"500"`
	Components []Component `json:"components" maxItems:"10000"`
}

// Announcements replace those of a page.
type Announcements struct {
	Revision      *int64         `json:"revision,omitempty" doc:"Revision that the change starts from; or send it as If-Match"`
	Announcements []Announcement `json:"announcements" maxItems:"20"`
}

// Unsaved is the draft of a page as somebody types it. What is absent is as it is stored.
type Unsaved struct {
	PageFields
	Locale        string         `json:"locale" enum:"en,ru" doc:"Of the preview"`
	Mode          string         `json:"mode" enum:"auto,light,dark" doc:"Of the preview"`
	Groups        []Group        `json:"groups,omitempty" maxItems:"500"`
	Components    []Component    `json:"components,omitempty" maxItems:"10000"`
	Announcements []Announcement `json:"announcements,omitempty" maxItems:"20"`
}

// Preview is a page as one document.
type Preview struct {
	HTML string `json:"html" doc:"Needs no other file and runs no script"`
}

// Bars are the days of components.
type Bars struct {
	Items []Bar `json:"items"`
}

// Bar is how a component did on the last days.
type Bar struct {
	ComponentID   string   `json:"component_id"`
	UptimePercent *float64 `json:"uptime_percent" doc:"Of the time that is known; null: nothing is known"`
	Days          []BarDay `json:"days" doc:"Oldest first"`
}

// BarDay is one day, in UTC.
type BarDay struct {
	Date          string   `json:"date" format:"date"`
	Worst         string   `json:"worst" enum:"operational,degraded,partial_outage,major_outage,maintenance,unknown"`
	UptimePercent *float64 `json:"uptime_percent"`
}

// Sources are what components can be made of.
type Sources struct {
	Items []Source `json:"items"`
}

// Source is one of them.
type Source struct {
	Source string `json:"source" enum:"node,flow,pool,region"`
	ID     string `json:"id"`
	Name   string `json:"name"`
	Detail string `json:"detail"`
}

// Notice is an incident as readers are told of it.
type Notice struct {
	ID           string     `json:"id" format:"uuid"`
	PageID       string     `json:"page_id" format:"uuid"`
	Titles       Localised  `json:"titles"`
	Impact       string     `json:"impact" enum:"none,minor,major,critical"`
	State        string     `json:"state" enum:"investigating,identified,monitoring,resolved"`
	Published    bool       `json:"published" doc:"Readers see it"`
	PublishAt    *time.Time `json:"publish_at" doc:"When the rule of the page publishes the draft; null: a person does"`
	DraftedFrom  string     `json:"drafted_from" doc:"The incident of health; empty: a person wrote it"`
	ComponentIDs []string   `json:"component_ids"`
	Updates      []Update   `json:"updates" doc:"Newest first"`
	StartedAt    time.Time  `json:"started_at"`
	ResolvedAt   *time.Time `json:"resolved_at"`
	Revision     int64      `json:"revision"`
}

// Update is what was said at one time.
type Update struct {
	ID     string    `json:"id" format:"uuid"`
	At     time.Time `json:"at"`
	State  string    `json:"state" enum:"investigating,identified,monitoring,resolved"`
	Bodies Localised `json:"bodies" doc:"Markdown"`
	By     string    `json:"by" doc:"Readers never see it"`
}

// NewNotice is what a notice begins with.
type NewNotice struct {
	PageID           string    `json:"page_id" maxLength:"64"`
	Titles           Localised `json:"titles"`
	Impact           string    `json:"impact" enum:"none,minor,major,critical"`
	State            string    `json:"state" enum:"investigating,identified,monitoring,resolved"`
	Bodies           Localised `json:"bodies"`
	ComponentIDs     []string  `json:"component_ids" maxItems:"1000"`
	Published        bool      `json:"published"`
	HealthIncidentID string    `json:"health_incident_id,omitempty" maxLength:"64"`
}

// NoticeChange is what may change. What is absent stays as it is.
type NoticeChange struct {
	Revision     *int64    `json:"revision,omitempty" doc:"Revision that the change starts from; or send it as If-Match"`
	Titles       Localised `json:"titles,omitempty"`
	Impact       *string   `json:"impact,omitempty" enum:"none,minor,major,critical"`
	ComponentIDs *[]string `json:"component_ids,omitempty" maxItems:"1000"`
}

// NewUpdate says what is known now.
type NewUpdate struct {
	State   string    `json:"state" enum:"investigating,identified,monitoring,resolved"`
	Bodies  Localised `json:"bodies"`
	Publish bool      `json:"publish,omitempty" doc:"Readers see the notice from now on"`
}

// Maintenance is work that was announced.
type Maintenance struct {
	ID           string    `json:"id" format:"uuid"`
	PageID       string    `json:"page_id" format:"uuid"`
	Titles       Localised `json:"titles"`
	Bodies       Localised `json:"bodies" doc:"Markdown"`
	StartsAt     time.Time `json:"starts_at"`
	EndsAt       time.Time `json:"ends_at"`
	ComponentIDs []string  `json:"component_ids"`
	State        string    `json:"state" enum:"planned,active,done,cancelled"`
	Revision     int64     `json:"revision"`
}

// NewMaintenance is what announced work begins with.
type NewMaintenance struct {
	PageID       string    `json:"page_id" maxLength:"64"`
	Titles       Localised `json:"titles"`
	Bodies       Localised `json:"bodies"`
	StartsAt     time.Time `json:"starts_at"`
	EndsAt       time.Time `json:"ends_at"`
	ComponentIDs []string  `json:"component_ids" maxItems:"1000"`
}

// MaintenanceChange is what may change. What is absent stays as it is.
type MaintenanceChange struct {
	Revision     *int64     `json:"revision,omitempty" doc:"Revision that the change starts from; or send it as If-Match"`
	Titles       Localised  `json:"titles,omitempty"`
	Bodies       Localised  `json:"bodies,omitempty"`
	StartsAt     *time.Time `json:"starts_at,omitempty"`
	EndsAt       *time.Time `json:"ends_at,omitempty"`
	ComponentIDs *[]string  `json:"component_ids,omitempty" maxItems:"1000"`
}

// Target is a place where a page is served.
type Target struct {
	ID         string       `json:"id" format:"uuid"`
	PageID     string       `json:"page_id" format:"uuid"`
	Kind       string       `json:"kind" enum:"panel,local,static_s3,sftp,node"`
	Label      string       `json:"label"`
	Enabled    bool         `json:"enabled"`
	Config     TargetConfig `json:"config"`
	HasSecret  bool         `json:"has_secret"`
	Address    string       `json:"address" doc:"Where readers find it; empty: it is not known"`
	State      string       `json:"state" enum:"never,live,failed,outdated" doc:"outdated: it shows an older revision than is published"`
	LastDeploy *Deploy      `json:"last_deploy"`
	DataAt     *time.Time   `json:"data_at" doc:"Of what it was given last"`
	Error      string       `json:"error"`
}

// TargetConfig are the settings of a place, as its kind has them.
type TargetConfig struct {
	Folder    string `json:"folder,omitempty" maxLength:"255" doc:"local: in PANEL_STATUSPAGE_DIR; sftp: on the server"`
	PublicURL string `json:"public_url,omitempty" maxLength:"500" doc:"Where readers find the folder of index.html; needed by static_s3 and sftp to be checked from outside"`

	Endpoint  string `json:"endpoint,omitempty" maxLength:"500" doc:"static_s3: https://s3.example.com"`
	Region    string `json:"region,omitempty" maxLength:"64"`
	Bucket    string `json:"bucket,omitempty" maxLength:"255"`
	Prefix    string `json:"prefix,omitempty" maxLength:"255"`
	PathStyle bool   `json:"path_style,omitempty"`
	AccessKey string `json:"access_key,omitempty" maxLength:"255"`
	CA        string `json:"ca,omitempty" maxLength:"16384" doc:"Certificate authority of the endpoint, PEM; empty: those of the system"`

	Host    string `json:"host,omitempty" maxLength:"253" doc:"sftp"`
	Port    int    `json:"port,omitempty" minimum:"0" maximum:"65535" doc:"sftp: 0 is 22; node: where the agent serves the page"`
	User    string `json:"user,omitempty" maxLength:"64"`
	HostKey string `json:"host_key,omitempty" maxLength:"4096" doc:"As known_hosts has it behind the name"`

	NodeID string `json:"node_id,omitempty" maxLength:"64" doc:"node"`
}

// Targets are those of a page, oldest first.
type Targets struct {
	Items []Target `json:"items"`
}

// NewTarget is what a place begins with.
type NewTarget struct {
	Kind    string       `json:"kind" enum:"panel,local,static_s3,sftp,node"`
	Label   string       `json:"label" minLength:"1" maxLength:"64"`
	Enabled *bool        `json:"enabled,omitempty" doc:"true when left out"`
	Config  TargetConfig `json:"config"`
	Secret  string       `json:"secret,omitempty" maxLength:"16384" doc:"S3 key, SFTP password or private key; write-only"`
}

// TargetChange is what may change. What is absent stays as it is.
type TargetChange struct {
	Label   *string       `json:"label,omitempty" minLength:"1" maxLength:"64"`
	Enabled *bool         `json:"enabled,omitempty"`
	Config  *TargetConfig `json:"config,omitempty"`
	Secret  *string       `json:"secret,omitempty" maxLength:"16384" doc:"Write-only"`
}

// Tested is what became of a test of a place.
type Tested struct {
	OK      bool   `json:"ok"`
	Code    string `json:"code" doc:"Stable word for why it is not; empty: it is"`
	Message string `json:"message"`
	Address string `json:"address"`
}

// DeployPreview is what a deploy would change.
type DeployPreview struct {
	Revision          int64           `json:"revision"`
	PublishedRevision int64           `json:"published_revision"`
	Unchanged         bool            `json:"unchanged"`
	Files             []FileChange    `json:"files"`
	Texts             []TextChange    `json:"texts"`
	Targets           []PreviewTarget `json:"targets"`
}

// FileChange is what becomes of one file.
type FileChange struct {
	Path   string `json:"path"`
	Change string `json:"change" enum:"added,changed,removed,same"`
	Bytes  int    `json:"bytes"`
}

// TextChange is what becomes of one text.
type TextChange struct {
	Field string `json:"field"`
	From  string `json:"from"`
	To    string `json:"to"`
}

// PreviewTarget is where it would go.
type PreviewTarget struct {
	ID      string `json:"id"`
	Label   string `json:"label"`
	Kind    string `json:"kind"`
	Address string `json:"address"`
}

// NewDeploy asks for a deploy.
type NewDeploy struct {
	Revision  int64    `json:"revision" doc:"That was looked at"`
	TargetIDs []string `json:"target_ids,omitempty" maxItems:"20" doc:"All that are enabled when left out"`
}

// Deploy is one deploy of a page.
type Deploy struct {
	ID          string         `json:"id" format:"uuid"`
	PageID      string         `json:"page_id" format:"uuid"`
	Revision    int64          `json:"revision"`
	State       string         `json:"state" enum:"queued,building,uploading,verifying,live,failed"`
	StartedBy   string         `json:"started_by"`
	StartedAt   time.Time      `json:"started_at"`
	FinishedAt  *time.Time     `json:"finished_at"`
	Targets     []DeployTarget `json:"targets"`
	OperationID string         `json:"operation_id"`
}

// DeployTarget is what became of a deploy at one place.
type DeployTarget struct {
	TargetID string `json:"target_id"`
	Label    string `json:"label"`
	Kind     string `json:"kind"`
	Address  string `json:"address"`
	State    string `json:"state" enum:"waiting,uploading,verifying,live,failed,unchanged"`
	Error    string `json:"error"`
	Files    int    `json:"files" doc:"That were sent"`
	Bytes    int64  `json:"bytes"`
	SHA256   string `json:"sha256" doc:"Of all that the place holds; empty: not known"`
}
