package flows

import (
	"time"

	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
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
	Clients                []Client      `json:"clients"`
	DraftRevision          int           `json:"draft_revision"`
	InstalledRevision      *int          `json:"installed_revision"`
	InstalledVersionID     *string       `json:"installed_version_id"`
	InstalledVersionNumber *int          `json:"installed_version_number"`
	InstalledAt            *time.Time    `json:"installed_at"`
	BypassedChecks         []BypassCheck `json:"bypassed_checks" doc:"Checks that the installed version was applied without"`
	LastApplyID            *string       `json:"last_apply_id"`
	NodeIDs                []string      `json:"node_ids" doc:"Servers of the installed revision"`
	Revision               int           `json:"revision"`
	CreatedAt              time.Time     `json:"created_at"`
	UpdatedAt              time.Time     `json:"updated_at"`
}

// Drift tells whether the servers run what was installed.
type Drift struct {
	State   string   `json:"state" enum:"in_sync,drifted,unknown"`
	NodeIDs []string `json:"node_ids"`
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
	HasSecret     bool       `json:"has_secret"`
	HasPublicLink bool       `json:"has_public_link"`
	Installed     bool       `json:"installed" doc:"Part of the installed revision; a new client works after the next apply"`
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
}

// Apply is the record of one installation.
type Apply struct {
	ApplyID        string        `json:"apply_id"`
	FlowID         string        `json:"flow_id"`
	Kind           string        `json:"kind" enum:"apply,enable,disable,delete"`
	State          string        `json:"state" enum:"applying,applied,apply_failed"`
	PlanID         *string       `json:"plan_id"`
	Revision       int           `json:"revision"`
	VersionID      *string       `json:"version_id"`
	VersionNumber  *int          `json:"version_number"`
	Forced         bool          `json:"forced"`
	BypassedChecks []BypassCheck `json:"bypassed_checks"`
	Steps          []ApplyStep   `json:"steps"`
	CDN            PartResult    `json:"cdn"`
	ProxyPanel     PartResult    `json:"proxypanel"`
	Error          *StepError    `json:"error"`
	Detail         string        `json:"detail" doc:"What is going on, or what the end was, in one sentence"`
	StartedBy      string        `json:"started_by"`
	StartedAt      time.Time     `json:"started_at"`
	FinishedAt     *time.Time    `json:"finished_at"`
}

// ApplyStep is the work on one server within an apply.
type ApplyStep struct {
	plan.Step
	State  string      `json:"state" enum:"queued,preparing,testing,switching,probing,done,failed,reverted,revert_failed"`
	Stages []StepStage `json:"stages"`
	Error  *StepError  `json:"error"`
}

// StepStage is one stage of a step: prepare, test, switch, probe, commit, revert.
type StepStage struct {
	Stage      string     `json:"stage" enum:"prepare,test,switch,probe,commit,revert"`
	State      string     `json:"state" enum:"pending,running,done,failed,skipped"`
	Detail     string     `json:"detail"`
	StartedAt  *time.Time `json:"started_at"`
	FinishedAt *time.Time `json:"finished_at"`
}

// StepError says why a step failed; Output is the last lines of the core or the agent.
type StepError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Output  string `json:"output,omitempty"`
}

// PartResult is what an apply did beside the servers.
type PartResult struct {
	State  string `json:"state" enum:"skipped,done,failed"`
	Detail string `json:"detail"`
}

// ConnectionLink is a client's access as a link. It contains a secret and is never cached.
type ConnectionLink struct {
	URI      string `json:"uri"`
	Format   string `json:"format" enum:"vless,shadowsocks"`
	Revision int    `json:"revision" doc:"Installed revision that it matches"`
	ClientID string `json:"client_id"`
}

// PublicLink is the address of a client's subscription, shown once.
type PublicLink struct {
	URL       string    `json:"url"`
	CreatedAt time.Time `json:"created_at"`
}

// Rendered is the configuration of one server with every secret masked.
type Rendered struct {
	NodeID string         `json:"node_id"`
	SHA256 string         `json:"sha256"`
	Config map[string]any `json:"config"`
}

// Explanation is the way that traffic to one destination takes.
type Explanation struct {
	Steps  []ExplainStep `json:"steps"`
	Result string        `json:"result" enum:"exit,direct,block,unknown"`
	NodeID string        `json:"node_id" doc:"Node that the traffic leaves from"`
}

// ExplainStep is one edge that was considered.
type ExplainStep struct {
	Edge   int    `json:"edge" doc:"Index into graph.edges"`
	From   string `json:"from"`
	To     string `json:"to"`
	Result string `json:"result" enum:"taken,passed_over,no_data"`
	Reason string `json:"reason"`
}
