package geo

import "time"

// Asset is a file that nodes hold, or a database of places that the panel asks.
type Asset struct {
	ID          string   `json:"id"`
	Name        string   `json:"name" example:"geosite.dat" doc:"Of the file, on nodes too"`
	File        string   `json:"file" enum:"geoip,geosite,custom,mmdb"`
	Preset      string   `json:"preset" enum:"v2fly,loyalsoldier,chocolate4u_ir,runetfreedom_ru,custom"`
	SourceURL   string   `json:"source_url"`
	ChecksumURL string   `json:"checksum_url" doc:"Of the SHA-256 that the source publishes; empty: it publishes none"`
	Schedule    Schedule `json:"schedule"`
	Pinned      bool     `json:"pinned" doc:"The schedule leaves it alone"`
	OnNodes     bool     `json:"on_nodes" doc:"Nodes hold it; else the panel alone"`

	State        string         `json:"state" enum:"idle,downloading,checking,ready,distributing,current,rejected,failed"`
	RejectReason string         `json:"reject_reason" enum:",checksum_mismatch,not_geo_data,truncated,too_large,empty,geo_category_missing,source_unreachable,source_refused,html_instead_of_data,disk_full,node_failed" doc:"Why the last attempt failed; empty when it did not"`
	RejectDetail string         `json:"reject_detail"`
	Missing      []MissingToken `json:"missing" doc:"Of geo_category_missing: what flows use and the new file has not, 100 at most"`

	Version   *Version `json:"version" doc:"That nodes shall hold"`
	Previous  *Version `json:"previous" doc:"That a rollback returns to"`
	Candidate *Version `json:"candidate" doc:"Fetched and checked, but not rolled out, or returned from: may be rolled out"`

	Nodes        NodeCounts `json:"nodes"`
	FetchedAt    *time.Time `json:"fetched_at" doc:"Of the last attempt"`
	NextUpdateAt *time.Time `json:"next_update_at"`
	Revision     int64      `json:"revision"`
	CreatedAt    time.Time  `json:"created_at"`
	UpdatedAt    time.Time  `json:"updated_at"`
}

// Schedule says when an asset is fetched by itself.
type Schedule struct {
	Enabled bool   `json:"enabled"`
	Cron    string `json:"cron" maxLength:"64" example:"0 4 * * *" doc:"Five fields, UTC; up to half an hour later, so that not all panels call the source at once"`
}

// MissingToken is a category that flows use and a file has not.
type MissingToken struct {
	Token   string   `json:"token" public:"true" example:"geosite:ru-blocked"`
	FlowIDs []string `json:"flow_ids"`
}

// Version is one content of an asset. It never changes.
type Version struct {
	SHA256     string    `json:"sha256"`
	Size       int64     `json:"size" doc:"Bytes"`
	Categories int       `json:"categories"`
	Entries    int64     `json:"entries"`
	FetchedAt  time.Time `json:"fetched_at"`
	SourceURL  string    `json:"source_url"`
}

// KeptVersion is a version that the panel still has.
type KeptVersion struct {
	Version

	State string `json:"state" enum:"current,previous,candidate,kept"`
}

// KeptVersions are those of an asset, the newest first.
type KeptVersions struct {
	Items []KeptVersion `json:"items"`
}

// NodeCounts say how far nodes are.
type NodeCounts struct {
	Total   int `json:"total"`
	Current int `json:"current"`
	Waiting int `json:"waiting" doc:"Shall hold it and do not yet, those that are offline among them"`
	Failed  int `json:"failed" doc:"Could not take it and hold the one before"`
}

// NewAsset is what an asset begins with.
type NewAsset struct {
	Name        string    `json:"name,omitempty" maxLength:"64" doc:"Of custom, ending in .dat, and mmdb, ending in .mmdb; geoip and geosite have theirs"`
	File        string    `json:"file" enum:"geoip,geosite,custom,mmdb"`
	Preset      string    `json:"preset" enum:"v2fly,loyalsoldier,chocolate4u_ir,runetfreedom_ru,custom"`
	SourceURL   string    `json:"source_url,omitempty" maxLength:"2048" doc:"Of the preset when left out"`
	ChecksumURL *string   `json:"checksum_url,omitempty" maxLength:"2048" doc:"Of the preset when left out"`
	Schedule    *Schedule `json:"schedule,omitempty" doc:"Each day at 04:00 when left out"`
	Pinned      bool      `json:"pinned,omitempty"`
	OnNodes     *bool     `json:"on_nodes,omitempty" doc:"Of mmdb: nodes hold it too; all others are always on nodes"`
	Update      bool      `json:"update,omitempty" doc:"Fetch it at once and roll it out"`
}

// AssetChange is what may change. What is absent stays as it is.
type AssetChange struct {
	Revision    *int64    `json:"revision,omitempty" doc:"Revision that the change starts from; or send it as If-Match"`
	Preset      *string   `json:"preset,omitempty" enum:"v2fly,loyalsoldier,chocolate4u_ir,runetfreedom_ru,custom"`
	SourceURL   *string   `json:"source_url,omitempty" maxLength:"2048"`
	ChecksumURL *string   `json:"checksum_url,omitempty" maxLength:"2048"`
	Schedule    *Schedule `json:"schedule,omitempty"`
	Pinned      *bool     `json:"pinned,omitempty"`
}

// Preset is a known source.
type Preset struct {
	Preset      string `json:"preset"`
	File        string `json:"file"`
	Name        string `json:"name" doc:"Of the file on nodes"`
	SourceURL   string `json:"source_url"`
	ChecksumURL string `json:"checksum_url"`
	NoteKey     string `json:"note_key" doc:"Names what the interface says about it"`
}

// Presets are the known sources.
type Presets struct {
	Items []Preset `json:"items"`
}

// Updating asks for an update.
type Updating struct {
	Distribute *bool `json:"distribute,omitempty" doc:"Roll it out when it is fetched and checked; true when left out"`
}

// UpdateStarted is the operation that fetches an asset.
type UpdateStarted struct {
	OperationID string `json:"operation_id" format:"uuid"`
}

// NodeState is how one node holds an asset.
type NodeState struct {
	NodeID   string     `json:"node_id"`
	NodeName string     `json:"node_name"`
	SHA256   string     `json:"sha256" doc:"Of the version that it holds; empty for none"`
	State    string     `json:"state" enum:"current,waiting,failed,offline,not_supported"`
	Error    string     `json:"error"`
	At       *time.Time `json:"at" doc:"When it was last told what to hold"`
	Ring     int        `json:"ring" doc:"1 is the first; 0 before it has one"`
}

// NodeAsset is one asset on a node.
type NodeAsset struct {
	AssetID      string     `json:"asset_id"`
	Name         string     `json:"name"`
	SHA256       string     `json:"sha256"`
	WantedSHA256 string     `json:"wanted_sha256"`
	State        string     `json:"state" enum:"current,waiting,failed,offline,not_supported"`
	Error        string     `json:"error"`
	At           *time.Time `json:"at"`
}

// NodeAssets are those of a node, by name.
type NodeAssets struct {
	Items []NodeAsset `json:"items"`
}

// Category is a list in a file.
type Category struct {
	Category    string   `json:"category"`
	Entries     int      `json:"entries"`
	UsedBy      []string `json:"used_by" doc:"Flows that are installed with it, 20 at most"`
	UsedByCount int      `json:"used_by_count"`
}

// Entry is one name or network of a category.
type Entry struct {
	Kind       string   `json:"kind" enum:"domain,full,keyword,regex,network"`
	Value      string   `json:"value"`
	Attributes []string `json:"attributes"`
}

// CategoryChange is what became of one category.
type CategoryChange struct {
	Category     string   `json:"category"`
	AddedCount   int      `json:"added_count"`
	RemovedCount int      `json:"removed_count"`
	Added        []string `json:"added" doc:"20 at most"`
	Removed      []string `json:"removed" doc:"20 at most"`
}

// Changes are what differs between two versions.
type Changes struct {
	From      string           `json:"from"`
	To        string           `json:"to"`
	Added     []string         `json:"added"`
	Removed   []string         `json:"removed"`
	Changed   []CategoryChange `json:"changed" doc:"Those with most changes first"`
	Truncated bool             `json:"truncated"`
}

// Found is what the files say about a name or an address.
type Found struct {
	Query   string   `json:"query"`
	Kind    string   `json:"kind" enum:"domain,address"`
	Matches []Match  `json:"matches"`
	Country *string  `json:"country" doc:"ISO 3166 code, of an address, where a database of places knows it"`
	Network *Network `json:"network"`
}

// Match is an entry of a list that holds what was asked for.
type Match struct {
	AssetID     string   `json:"asset_id"`
	Asset       string   `json:"asset"`
	Category    string   `json:"category"`
	RuleKind    string   `json:"rule_kind" enum:"domain,full,keyword,regex,network"`
	Rule        string   `json:"rule"`
	Attributes  []string `json:"attributes"`
	UsedByCount int      `json:"used_by_count"`
}

// Network is whose an address is.
type Network struct {
	ASN  uint   `json:"asn"`
	Name string `json:"name"`
}

// Validation asks whether flows may use categories.
type Validation struct {
	Tokens []string `json:"tokens" maxItems:"500" doc:"geosite:ru-blocked, geoip:!ru, custom.dat:ads"`
}

// Validated is the answer, in the sequence of the tokens.
type Validated struct {
	Items []ValidatedToken `json:"items"`
}

// ValidatedToken says of a token whether the files that nodes shall hold have it.
type ValidatedToken struct {
	Token       string   `json:"token" public:"true"`
	OK          bool     `json:"ok"`
	Code        string   `json:"code" enum:",geo_category_missing,geo_file_missing,geo_token_bad"`
	Suggestions []string `json:"suggestions" doc:"Tokens that are there and alike, 5 at most"`
}

// Completions are tokens that begin or go on like a text.
type Completions struct {
	Items []Completion `json:"items"`
}

// Completion is one of them.
type Completion struct {
	Token   string `json:"token" public:"true"`
	Entries int    `json:"entries"`
}
