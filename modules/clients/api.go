package clients

import (
	"time"

	"panel/platform/httpapi"
)

// Client is a person or a device as the API shows it. Its secrets are never shown here.
type Client struct {
	ID            string     `json:"id" format:"uuid"`
	Label         string     `json:"label"`
	Note          string     `json:"note"`
	Tags          []string   `json:"tags"`
	State         string     `json:"state" enum:"active,disabled,expired,spent,revoked"`
	Enabled       bool       `json:"enabled"`
	ExpiresAt     *time.Time `json:"expires_at" doc:"From then on it may use nothing; null: never, or its time has not begun"`
	LastsDays     *int       `json:"lasts_days" doc:"Its time begins with its next use and lasts so many days; null: it has begun, or has no end"`
	OwnerID       string     `json:"owner_id"`
	Quota         *Quota     `json:"quota" doc:"null: as much as it likes"`
	Limits        Limits     `json:"limits"`
	Used          Used       `json:"used"`
	Total         Traffic    `json:"total"`
	LastSeenAt    *time.Time `json:"last_seen_at" doc:"When it was last seen to carry anything; null: never"`
	Online        bool       `json:"online" doc:"It carried something within the last three minutes"`
	HasPublicLink bool       `json:"has_public_link" doc:"It has a subscription"`
	Flows         []Use      `json:"flows" doc:"That it may use, oldest first"`
	RevokedAt     *time.Time `json:"revoked_at"`
	CreatedAt     time.Time  `json:"created_at"`
	UpdatedAt     time.Time  `json:"updated_at"`
	Revision      int64      `json:"revision"`
}

// Quota is how much a client may carry.
type Quota struct {
	Bytes int64  `json:"bytes" minimum:"1" maximum:"9007199254740991" doc:"Up and down together"`
	Reset string `json:"reset,omitempty" enum:"never,daily,weekly,monthly" default:"never" doc:"When it begins again, at midnight UTC"`
}

// Limits are what a client may use of each node at once; what is absent is not limited. Agents keep to them, also while
// the panel is away.
type Limits struct {
	SpeedMbps int `json:"speed_mbps,omitempty" minimum:"1" maximum:"100000" doc:"Mbit/s in each direction on each node, all its connections together"`
	Addresses int `json:"addresses,omitempty" minimum:"1" maximum:"1000" doc:"From which it uses a node at once; one of IPv6 is a /64, and one that has carried nothing for 30 s gives way"`
}

// Traffic is counted in bytes.
type Traffic struct {
	Up   int64 `json:"up" doc:"From the client"`
	Down int64 `json:"down" doc:"To the client"`
}

// Used is what a client has carried in the period of its quota.
type Used struct {
	Traffic
	Since time.Time `json:"since"`
}

// Use is a flow that a client may use.
type Use struct {
	FlowID    string    `json:"flow_id"`
	FlowName  string    `json:"flow_name"`
	Installed bool      `json:"installed" doc:"The entries of the flow let it in, so that it has a link"`
	ByApply   bool      `json:"by_apply" doc:"An apply of the flow changes that; else the nodes do it by themselves, at once"`
	Elsewhere bool      `json:"elsewhere" doc:"Proxy panels serve all entries of the flow to users of their own, so that no apply would let it in"`
	Since     time.Time `json:"since"`
	Total     Traffic   `json:"total" doc:"What it has carried on the flow"`
}

// FlowClient is a client as a flow shows it.
type FlowClient struct {
	ID            string     `json:"id"`
	Label         string     `json:"label"`
	State         string     `json:"state" enum:"active,disabled,expired,spent,revoked" doc:"One that is not active is let in no more"`
	HasSecret     bool       `json:"has_secret"`
	HasPublicLink bool       `json:"has_public_link"`
	Installed     bool       `json:"installed" doc:"The entries of the flow let it in, so that it has a link; of one that is not active: still"`
	ByApply       bool       `json:"by_apply" doc:"An apply of the flow changes that; else the nodes do it by themselves, at once"`
	Elsewhere     bool       `json:"elsewhere" doc:"Proxy panels serve all entries of the flow to users of their own, so that no apply would let it in"`
	CreatedAt     time.Time  `json:"created_at"`
	RevokedAt     *time.Time `json:"revoked_at"`
}

// FoundClient is a client of any flow, as a search by name finds it.
type FoundClient struct {
	ID        string `json:"id"`
	Label     string `json:"label"`
	FlowID    string `json:"flow_id"`
	FlowName  string `json:"flow_name"`
	Installed bool   `json:"installed" doc:"Part of the installed revision, so that it has a link"`
}

// FoundClients are those whose names begin with the text first, then the others.
type FoundClients struct {
	Items []FoundClient `json:"items"`
}

// PublicLink is a client's subscription URL, shown once.
type PublicLink struct {
	URL       string    `json:"url"`
	CreatedAt time.Time `json:"created_at"`
}

// NewClient is what a client begins with.
type NewClient struct {
	Label     string     `json:"label" minLength:"1" maxLength:"64"`
	Note      string     `json:"note,omitempty" maxLength:"1000"`
	Tags      []string   `json:"tags,omitempty" maxItems:"20" minLength:"1" maxLength:"32"`
	ExpiresAt *time.Time `json:"expires_at,omitempty"`
	LastsDays int        `json:"lasts_days,omitempty" minimum:"1" maximum:"3650" doc:"In place of expires_at: so many days from its first use"`
	Quota     *Quota     `json:"quota,omitempty"`
	Limits    Limits     `json:"limits,omitzero"`
	FlowIDs   []string   `json:"flow_ids,omitempty" maxItems:"50" minLength:"1" maxLength:"64" doc:"Flows that it may use"`
}

// Change is what may change. What is absent stays as it is.
type Change struct {
	Revision     *int64     `json:"revision,omitempty" doc:"Revision that the change starts from; or send it as If-Match"`
	Label        *string    `json:"label,omitempty" minLength:"1" maxLength:"64"`
	Note         *string    `json:"note,omitempty" maxLength:"1000"`
	Tags         *[]string  `json:"tags,omitempty" maxItems:"20" minLength:"1" maxLength:"32"`
	Enabled      *bool      `json:"enabled,omitempty" doc:"One that is disabled may use nothing until it is enabled again"`
	ExpiresAt    *time.Time `json:"expires_at,omitempty"`
	LastsDays    int        `json:"lasts_days,omitempty" minimum:"1" maximum:"3650" doc:"In place of expires_at: so many days from its next use"`
	NeverExpires bool       `json:"never_expires,omitempty" doc:"Takes expires_at and lasts_days away"`
	Quota        *Quota     `json:"quota,omitempty"`
	NoQuota      bool       `json:"no_quota,omitempty" doc:"Takes the quota away"`
	Limits       *Limits    `json:"limits,omitempty" doc:"In place of those that it had; an empty object takes them away"`
	OwnerID      *string    `json:"owner_id,omitempty" maxLength:"64" doc:"Hand the client over; full access only"`
}

// ClientFilter chooses clients.
type ClientFilter struct {
	Q          string `query:"q" maxLength:"100" doc:"Part of the label or of the note"`
	State      string `query:"state" enum:"active,disabled,expired,spent,revoked,"`
	Tag        string `query:"tag" maxLength:"32"`
	FlowID     string `query:"flow_id" maxLength:"64" doc:"Only those that may use this flow"`
	Owner      string `query:"owner" maxLength:"64" doc:"Only those of this account"`
	Online     bool   `query:"online" doc:"Only those that are not revoked and carried something within the last three minutes"`
	EndsWithin int    `query:"ends_within" minimum:"0" maximum:"3650" doc:"Only active ones whose time ends within so many days; 0: all"`
	NotBegun   bool   `query:"not_begun" doc:"Only active ones whose time begins with their next use"`
}

// Summary counts clients by what an operator looks for. Each is in one state.
type Summary struct {
	Total    int `json:"total"`
	Active   int `json:"active"`
	Online   int `json:"online" doc:"Not revoked, and they carried something within the last three minutes"`
	Ending   int `json:"ending" doc:"Active, and their time ends within seven days"`
	Expired  int `json:"expired"`
	Spent    int `json:"spent"`
	Disabled int `json:"disabled"`
	Revoked  int `json:"revoked"`
}

type listInput struct {
	httpapi.PageQuery
	ClientFilter
}

type exportInput struct {
	ClientFilter
	Format string `query:"format" enum:"json,csv" default:"json"`
}

// ClientPath names a client in a path.
type ClientPath struct {
	ID string `path:"id" maxLength:"64"`
}

type addInput struct{ Body NewClient }

type changeInput struct {
	ClientPath
	IfMatch string `header:"If-Match"`
	Body    Change
}

type usePath struct {
	ClientPath
	FlowID string `path:"flow_id" maxLength:"64"`
}

// Acts is one act on many clients.
type Acts struct {
	IDs          []string   `json:"ids" minItems:"1" maxItems:"200" minLength:"1" maxLength:"64" doc:"Clients; each is acted on once"`
	Act          string     `json:"act" enum:"enable,disable,revoke,tags,expiry,extend,quota,limits,reset_traffic,give_flow,take_flow"`
	AddTags      []string   `json:"add_tags,omitempty" maxItems:"20" minLength:"1" maxLength:"32" doc:"Of tags"`
	RemoveTags   []string   `json:"remove_tags,omitempty" maxItems:"20" minLength:"1" maxLength:"32" doc:"Of tags"`
	ExpiresAt    *time.Time `json:"expires_at,omitempty" doc:"Of expiry"`
	LastsDays    int        `json:"lasts_days,omitempty" minimum:"1" maximum:"3650" doc:"Of expiry: so many days from the next use of each"`
	NeverExpires bool       `json:"never_expires,omitempty" doc:"Of expiry"`
	ExtendDays   int        `json:"extend_days,omitempty" minimum:"1" maximum:"3650" doc:"Of extend: as many days more than it had, also where its time has not begun, or from now where it is over"`
	Quota        *Quota     `json:"quota,omitempty" doc:"Of quota"`
	NoQuota      bool       `json:"no_quota,omitempty" doc:"Of quota"`
	Limits       *Limits    `json:"limits,omitempty" doc:"Of limits: in place of those that each had"`
	FlowID       string     `json:"flow_id,omitempty" maxLength:"64" doc:"Of give_flow and take_flow"`
}

type bulkInput struct{ Body Acts }

// BulkOutcome says what an act on many clients has come to.
type BulkOutcome struct {
	Succeeded int          `json:"succeeded"`
	Failed    int          `json:"failed"`
	Results   []BulkResult `json:"results" doc:"In the order of the ids"`
}

// BulkResult is what became of one client.
type BulkResult struct {
	ClientID string `json:"client_id"`
	OK       bool   `json:"ok"`
	Code     string `json:"code,omitempty"`
	Error    string `json:"error,omitempty"`
}

// Import is a list of clients to add, in the form in which the export writes them.
type Import struct {
	Clients []Line `json:"clients" minItems:"1" maxItems:"10000"`
	DryRun  bool   `json:"dry_run,omitempty" doc:"Only tell what would be done"`
}

// Line is one client of an import or export. Flows are named by their names or ids; secrets are never in it.
type Line struct {
	Label     string     `json:"label" minLength:"1" maxLength:"64"`
	Note      string     `json:"note,omitempty" maxLength:"1000"`
	Tags      []string   `json:"tags,omitempty" maxItems:"20" minLength:"1" maxLength:"32"`
	ExpiresAt *time.Time `json:"expires_at,omitempty"`
	LastsDays int        `json:"lasts_days,omitempty" minimum:"1" maximum:"3650" doc:"In place of expires_at: so many days from its first use"`
	Quota     *Quota     `json:"quota,omitempty"`
	Limits    Limits     `json:"limits,omitzero"`
	Disabled  bool       `json:"disabled,omitempty"`
	Flows     []string   `json:"flows,omitempty" maxItems:"50" minLength:"1" maxLength:"64"`
}

type importInput struct{ Body Import }

// Imported says what became of an import: all of it is stored, or nothing.
type Imported struct {
	Added   int      `json:"added"`
	Skipped []string `json:"skipped" doc:"Labels that are there already; nothing was changed about them"`
}

// FlowPath is the flow that an operation is about.
type FlowPath struct {
	ID string `path:"id"`
}

type flowClientsInput struct {
	FlowPath
	httpapi.PageQuery
	Q     string `query:"q" maxLength:"100" doc:"Part of the label"`
	State string `query:"state" enum:"installed,waiting,revoked," doc:"waiting: it is active and not let in yet, though the flow lets in clients of its own"`
}

type flowClientInput struct {
	FlowPath
	Body FlowClientBody
}

// FlowClientBody is what a client of one flow begins with.
type FlowClientBody struct {
	Label string `json:"label" minLength:"1" maxLength:"64"`
}

type flowClientPath struct {
	FlowPath
	ClientID string `path:"client_id"`
}

type findInput struct {
	Q     string `query:"q" required:"true" minLength:"1" maxLength:"100" doc:"Part of the name"`
	Limit int    `query:"limit" minimum:"1" maximum:"50" default:"10"`
}
