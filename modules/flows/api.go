package flows

import (
	"time"

	"panel/modules/flows/internal/canary"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/modules/flows/internal/stages"
	"panel/platform/httpapi"
)

// Flow is a flow as the API shows it. State, enabled, drift and health_state are four separate facts.
type Flow struct {
	ID                     string        `json:"id"`
	Name                   string        `json:"name"`
	Description            string        `json:"description"`
	Tags                   []string      `json:"tags"`
	State                  string        `json:"state" enum:"draft,compiled,applying,applied,apply_failed"`
	Enabled                bool          `json:"enabled"`
	Drift                  Drift         `json:"drift"`
	HealthState            string        `json:"health_state" enum:"unknown,healthy,degraded,down"`
	OwnerID                string        `json:"owner_id"`
	PolicyID               *string       `json:"policy_id"`
	Entry                  *FlowEntry    `json:"entry" doc:"First entry of the draft; null while there is none"`
	ClientCounts           ClientCounts  `json:"client_counts"`
	DraftRevision          int           `json:"draft_revision"`
	DraftChanges           *int          `json:"draft_changes" doc:"Changes of the draft against the installed version; null while not known"`
	InstalledRevision      *int          `json:"installed_revision"`
	InstalledVersionID     *string       `json:"installed_version_id"`
	InstalledVersionNumber *int          `json:"installed_version_number"`
	InstalledAt            *time.Time    `json:"installed_at"`
	BypassedChecks         []BypassCheck `json:"bypassed_checks" doc:"Checks that the installed version was applied without"`
	LastApplyID            *string       `json:"last_apply_id"`
	NodeIDs                []string      `json:"node_ids" doc:"Nodes of the installed revision"`
	Revision               int           `json:"revision"`
	CreatedAt              time.Time     `json:"created_at"`
	UpdatedAt              time.Time     `json:"updated_at"`
}

// ClientCounts says how many clients use a flow.
type ClientCounts struct {
	Total   int `json:"total" doc:"All but revoked ones"`
	Active  int `json:"active"`
	Waiting int `json:"waiting" doc:"The next apply lets them in or shuts them out"`
}

// FlowDetail is a flow by itself.
type FlowDetail struct {
	Flow
	Clients []Client `json:"clients" doc:"The first 100, oldest first; …/clients has all of them in pages"`
}

// Drift tells whether the nodes run what was installed.
type Drift struct {
	State   string   `json:"state" enum:"in_sync,drifted,unknown"`
	NodeIDs []string `json:"node_ids"`
	Stages  []Stage  `json:"stages" doc:"Parts of the last apply that do not hold yet"`
}

// FlowEntry is where clients of a flow connect.
type FlowEntry struct {
	Key          string          `json:"key"`
	NodeID       string          `json:"node_id"`
	NodeDomainID *string         `json:"node_domain_id"`
	Host         string          `json:"host" doc:"Derived domain name, else the node's address; empty when unknown"`
	Listener     *graph.Listener `json:"listener"`
}

// Client is one end user's access; its secret is never shown here.
type Client struct {
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

// Draft is the drawing that is being worked on. Saving it installs nothing.
type Draft struct {
	FlowID    string          `json:"flow_id"`
	Revision  int             `json:"revision"`
	Graph     graph.Graph     `json:"graph"`
	Problems  []graph.Problem `json:"problems"`
	UpdatedAt time.Time       `json:"updated_at"`
	UpdatedBy string          `json:"updated_by"`
}

// Version is a snapshot of a drawing.
type Version struct {
	ID             string        `json:"id"`
	Number         int           `json:"number"`
	CreatedAt      time.Time     `json:"created_at"`
	CreatedBy      string        `json:"created_by"`
	Reason         string        `json:"reason" enum:"apply,manual,import"`
	Note           string        `json:"note"`
	Pinned         bool          `json:"pinned" doc:"Kept for good; others go by number or age"`
	PlanHash       string        `json:"plan_hash"`
	Revision       int           `json:"revision" doc:"Draft revision it was taken from"`
	Applied        bool          `json:"applied"`
	Installed      bool          `json:"installed" doc:"This is the version that runs"`
	BypassedChecks []BypassCheck `json:"bypassed_checks"`
	ApplyID        *string       `json:"apply_id"`
}

// VersionSnapshot is a version with its drawing.
type VersionSnapshot struct {
	Version
	Graph graph.Graph `json:"graph"`
}

// BypassCheck is a readiness check that was not confirmed when somebody applied anyway.
type BypassCheck struct {
	Key    string `json:"key"`
	NodeID string `json:"node_id"`
	Group  string `json:"group"`
	Status string `json:"status" enum:"unconfirmed,failed"`

	NodeName  string    `json:"node_name,omitempty"`
	Finding   plan.Text `json:"finding"`
	Forceable bool      `json:"forceable" doc:"force_apply passes it"`
}

// Apply is the record of one installation.
type Apply struct {
	ApplyID        string        `json:"apply_id"`
	FlowID         string        `json:"flow_id"`
	Kind           string        `json:"kind" enum:"apply,enable,rerender,restore,disable,delete"`
	Phase          string        `json:"phase" enum:"before_prepare,waiting,preparing,before_switch,parking,switching,probing,canary,committing,reverting,returning,undoing,applied,apply_failed"`
	State          string        `json:"state" enum:"applying,applied,apply_failed"`
	PlanID         *string       `json:"plan_id"`
	Revision       int           `json:"revision"`
	VersionID      *string       `json:"version_id"`
	VersionNumber  *int          `json:"version_number"`
	Forced         bool          `json:"forced"`
	BypassedChecks []BypassCheck `json:"bypassed_checks"`
	Steps          []ApplyStep   `json:"steps"`
	Stages         []Stage       `json:"stages" doc:"What other modules do in this apply"`
	Canary         *Canary       `json:"canary" doc:"Nodes that go first; null where all go at once"`
	PromotedBy     *string       `json:"promoted_by" doc:"Who let the rest follow before its time; null when nobody did"`
	CDN            PartResult    `json:"cdn"`
	ProxyPanel     PartResult    `json:"proxypanel"`
	Error          *StepError    `json:"error"`
	Detail         string        `json:"detail" doc:"What is going on, or what the end was, in one sentence"`
	Text           plan.Text     `json:"text" doc:"The detail with its code"`
	StoppedBy      *string       `json:"stopped_by" doc:"Who stopped it; null when nobody did"`
	StartedBy      string        `json:"started_by"`
	StartedAt      time.Time     `json:"started_at"`
	FinishedAt     *time.Time    `json:"finished_at"`
}

// ApplyStep is the work on one node within an apply.
type ApplyStep struct {
	plan.Step
	Canary bool        `json:"canary" doc:"The node goes first"`
	State  string      `json:"state" enum:"queued,preparing,testing,switching,probing,done,failed,reverted,revert_failed"`
	Stages []StepStage `json:"stages"`
	Error  *StepError  `json:"error"`
}

// StepStage is one stage of a step: prepare, test, switch, probe, commit, revert.
type StepStage struct {
	Stage      string     `json:"stage" enum:"prepare,test,switch,probe,commit,revert"`
	State      string     `json:"state" enum:"pending,running,done,failed,skipped"`
	Detail     string     `json:"detail"`
	Text       plan.Text  `json:"text" doc:"The detail with its code"`
	StartedAt  *time.Time `json:"started_at"`
	FinishedAt *time.Time `json:"finished_at"`
}

// StepError says why a step failed; Output is the last lines of the core or the agent.
type StepError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Output  string `json:"output,omitempty"`

	NodeID   string `json:"node_id,omitempty"`
	NodeName string `json:"node_name,omitempty"`
	Stage    string `json:"stage,omitempty" doc:"Stage of a module that failed"`
	By       string `json:"by,omitempty" doc:"Who stopped the apply"`
	Policy   string `json:"policy,omitempty" doc:"Name of the policy that forbids it"`
	Rule     string `json:"rule,omitempty" doc:"Kind of its rule"`
	RuleName string `json:"rule_name,omitempty" doc:"What people call the rule"`
}

// Canary is how the nodes of an apply do that go first.
type Canary = canary.Canary

// Stage is what a stage of another module does in an apply.
type Stage = stages.Record

func (st *StepStage) skip(code string) {
	st.Text = say(code)
	st.State, st.Detail = "skipped", st.Text.Text
}

// PartResult is what an apply did beside the nodes.
type PartResult struct {
	State  string `json:"state" enum:"skipped,pending,done,failed"`
	Detail string `json:"detail"`
}

// ConnectionLink is a client's access as a link. It contains a secret and is never cached.
type ConnectionLink struct {
	URI      string `json:"uri"`
	Format   string `json:"format" enum:"vless,trojan,shadowsocks,vmess,hysteria2,wireguard"`
	Conf     string `json:"conf,omitempty" doc:"wireguard: the file that programs of WireGuard read"`
	Revision int    `json:"revision" doc:"Installed revision that it matches"`
	ClientID string `json:"client_id"`
}

// Rendered is the configuration of one node with every secret masked.
type Rendered struct {
	NodeID string         `json:"node_id"`
	SHA256 string         `json:"sha256"`
	Config map[string]any `json:"config"`

	Served []map[string]any `json:"served" doc:"What nodes of proxy panels on the same machine run for entries of flows"`
}

type body[T any] struct{ Body T }

type secretBody[T any] struct {
	CacheControl string `header:"Cache-Control"`
	Body         T
}

// FlowPath is the flow that an operation is about.
type FlowPath struct {
	ID string `path:"id"`
}

type momentInput struct {
	At time.Time `query:"at" required:"true" doc:"A moment of the past"`
}

type trafficInput struct {
	IDs string `query:"ids" required:"true" maxLength:"2400" doc:"At most 64 ids of flows with commas between them"`
}

type listInput struct {
	httpapi.PageQuery
	State  string `query:"state" enum:"draft,compiled,applying,applied,apply_failed,"`
	Tag    string `query:"tag" maxLength:"64"`
	NodeID string `query:"node_id" maxLength:"64"`
	Q      string `query:"q" maxLength:"100" doc:"Part of the name"`
}

type createInput struct {
	Body createBody
}

type createBody struct {
	Name        string       `json:"name" minLength:"3" maxLength:"64"`
	Description string       `json:"description,omitempty" maxLength:"1000"`
	Tags        []string     `json:"tags,omitempty" maxItems:"20" maxLength:"64"`
	Graph       *graph.Graph `json:"graph,omitempty"`
}

type patchInput struct {
	FlowPath
	IfMatch string `header:"If-Match"`
	Body    patchBody
}

type patchBody struct {
	Revision    int       `json:"revision,omitempty"`
	Name        *string   `json:"name,omitempty" minLength:"3" maxLength:"64"`
	Description *string   `json:"description,omitempty" maxLength:"1000"`
	Tags        *[]string `json:"tags,omitempty" maxItems:"20" maxLength:"64"`
	OwnerID     *string   `json:"owner_id,omitempty" maxLength:"64" doc:"Hand the flow over; full access only"`
}

type draftInput struct {
	FlowPath
	IfMatch string `header:"If-Match"`
	Body    draftBody
}

type draftBody struct {
	Revision int         `json:"revision,omitempty" doc:"Revision that the change was made on; or send If-Match"`
	Graph    graph.Graph `json:"graph"`

	VersionID string `json:"version_id,omitempty" maxLength:"64" doc:"Version that the drawing is, when one is loaded into the draft"`
}

type compileInput struct {
	FlowPath
	Body *compileBody `required:"false"`
}

type compileBody struct {
	Canary *plan.CanaryWish `json:"canary,omitempty" doc:"Nodes that go first; all at once when left out"`
}

type previewInput struct {
	FlowPath
	Body *previewBody `required:"false"`
}

type previewBody struct {
	Graph *graph.Graph `json:"graph,omitempty" doc:"Instead of the saved draft"`
}

type planPath struct {
	FlowPath
	PlanID string `path:"plan_id"`
}

type applyInput struct {
	FlowPath
	Wait httpapi.Optional[int] `query:"wait" minimum:"0" maximum:"25" doc:"Seconds to wait for the end; 10 when left out"`
	Body applyBody
}

// wait is how long the answer may wait for the end of the apply.
func (in *applyInput) wait() time.Duration {
	const usual = 10
	return time.Duration(in.Wait.Or(usual)) * time.Second
}

type applyBody struct {
	ID         string `json:"id" minLength:"1" maxLength:"64" doc:"Plan id"`
	Revision   int    `json:"revision" doc:"Plan revision"`
	ForceApply bool   `json:"force_apply,omitempty" doc:"Accept the risk of unconfirmed readiness"`
}

type nodePath struct {
	FlowPath
	NodeID string `path:"node_id"`
}

type applyPath struct {
	FlowPath
	ApplyID string `path:"apply_id"`
}

type pageInput struct {
	FlowPath
	httpapi.PageQuery
}

type linkInput struct {
	FlowPath
	Body *linkBody `required:"false"`
}

type linkBody struct {
	ClientID string `json:"client_id,omitempty" maxLength:"64" doc:"The first client when left out"`
}

type renderedInput struct {
	FlowPath
	NodeID string `query:"node_id" required:"true" maxLength:"64"`
}

type explainInput struct {
	FlowPath
	Of       string `query:"of" enum:"draft,installed," doc:"The draft when left out"`
	Entry    string `query:"entry" maxLength:"40" doc:"Block that the traffic comes in at; the first entry when left out"`
	Domain   string `query:"domain" maxLength:"253"`
	IP       string `query:"ip" maxLength:"45"`
	Port     int    `query:"port" minimum:"0" maximum:"65535"`
	Protocol string `query:"protocol" enum:"http,tls,quic,bittorrent,"`
}

type probeInput struct {
	FlowPath
	Body probeBody
}

type probeBody struct {
	Entry    string `json:"entry,omitempty" maxLength:"40" doc:"Block that the traffic comes in at; the first entry when left out"`
	Domain   string `json:"domain,omitempty" maxLength:"253"`
	IP       string `json:"ip,omitempty" maxLength:"45"`
	Port     int    `json:"port,omitempty" minimum:"1" maximum:"65535" doc:"443 when left out"`
	Protocol string `json:"protocol,omitempty" enum:"http,tls,quic,bittorrent"`
}

type (
	flowOutput     = body[FlowDetail]
	draftOutput    = body[Draft]
	planOutput     = body[plan.Plan]
	applyOutput    = body[Apply]
	versionOutput  = body[Version]
	snapshotOutput = body[VersionSnapshot]
)
