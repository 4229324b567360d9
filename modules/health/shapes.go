package health

import (
	"time"

	"panel/modules/health/internal/rules"
	"panel/platform/httpapi"
)

// Policy is a health policy as the API shows it.
type Policy struct {
	ID      string `json:"id" format:"uuid"`
	Name    string `json:"name"`
	Default bool   `json:"default" doc:"The policy of everything that no other speaks of; it stays, and its scope is all"`
	Enabled bool   `json:"enabled" doc:"Of a policy that is off the subjects fall to the next wider one"`
	rules.Policy
	ScopeName       string    `json:"scope_name" doc:"Of the node, flow or pool of the scope; empty for other scopes"`
	Nodes           int       `json:"nodes" doc:"Nodes that it speaks of now"`
	ConnectionUnits int       `json:"connection_units" doc:"Flows that it speaks of now"`
	Revision        int64     `json:"revision"`
	CreatedAt       time.Time `json:"created_at"`
	UpdatedAt       time.Time `json:"updated_at"`
}

// NewPolicy is what a policy begins with. What is left out is as in the default policy.
type NewPolicy struct {
	Name    string      `json:"name" minLength:"1" maxLength:"64"`
	Enabled *bool       `json:"enabled,omitempty" doc:"true when left out"`
	Scope   rules.Scope `json:"scope"`
	PolicyParts
}

// PolicyParts are what policies may say, each as a whole.
type PolicyParts struct {
	Checks           *[]rules.Check  `json:"checks,omitempty" minItems:"1" maxItems:"16"`
	Vantages         *rules.Vantages `json:"vantages,omitempty"`
	Quorum           *int            `json:"quorum,omitempty" minimum:"1" maximum:"9"`
	FailureThreshold *int            `json:"failure_threshold,omitempty" minimum:"1" maximum:"20"`
	SuccessThreshold *int            `json:"success_threshold,omitempty" minimum:"1" maximum:"20"`
	Recheck          *rules.Recheck  `json:"recheck,omitempty"`
	Flap             *rules.Flap     `json:"flap,omitempty"`
	Repair           *rules.Repair   `json:"repair,omitempty"`
	Windows          *[]rules.Window `json:"maintenance_windows,omitempty" maxItems:"32"`
}

// PolicyChange is what may change. What is absent stays as it is.
type PolicyChange struct {
	Revision *int64       `json:"revision,omitempty" doc:"Revision that the change starts from; or send it as If-Match"`
	Name     *string      `json:"name,omitempty" minLength:"1" maxLength:"64"`
	Enabled  *bool        `json:"enabled,omitempty"`
	Scope    *rules.Scope `json:"scope,omitempty"`
	PolicyParts
}

// Run asks for fresh results now.
type Run struct {
	NodeIDs           []string `json:"node_ids,omitempty" maxItems:"50"`
	ConnectionUnitIDs []string `json:"connection_unit_ids,omitempty" maxItems:"50"`
}

// Started says what is looked at now. Results come with the next evidence, by themselves.
type Started struct {
	Checks   int `json:"checks"`
	Vantages int `json:"vantages"`
}

type body[T any] struct{ Body T }

type listInput struct {
	httpapi.PageQuery
	Query string `query:"q" maxLength:"64" doc:"A part of the name"`
	State string `query:"state" enum:"up,degraded,down,unknown,not_up" doc:"not_up: all but up"`
	Days  int    `query:"days" minimum:"0" maximum:"90" doc:"How many of the last days to tell"`
	IDs   string `query:"ids" maxLength:"7400" doc:"Only these, with commas between their ids; at most 200"`
}

// SubjectPath names a node or flow in a path.
type SubjectPath struct {
	ID string `path:"id" maxLength:"64"`
}

type subjectInput struct {
	SubjectPath
	Days int `query:"days" minimum:"0" maximum:"90" doc:"How many of the last days to tell"`
}

type historyInput struct {
	SubjectPath
	From string `query:"from" format:"date-time" doc:"24 hours before to when left out"`
	To   string `query:"to" format:"date-time" doc:"Now when left out"`
}

type policiesInput struct {
	httpapi.PageQuery
	Query string `query:"q" maxLength:"64" doc:"A part of the name"`
}

type createInput struct{ Body NewPolicy }

type changeInput struct {
	SubjectPath
	IfMatch string `header:"If-Match" maxLength:"32"`
	Body    PolicyChange
}

type runInput struct{ Body Run }

type incidentsInput struct {
	httpapi.PageQuery
	State     string `query:"state" enum:"open,acknowledged,mitigated,resolved,unresolved" doc:"unresolved: all but resolved"`
	Severity  string `query:"severity" enum:"info,warning,critical"`
	Kind      string `query:"kind" enum:"node,connection_unit" doc:"Of the subject that it is told of by"`
	SubjectID string `query:"subject_id" maxLength:"64" doc:"Only those that this node or flow suffers from, or did"`
	IDs       bool   `query:"suffering_ids" doc:"Also tell who still suffers"`
}

// IncidentAct is what a person says when acknowledging or resolving an incident.
type IncidentAct struct {
	Note string `json:"note,omitempty" maxLength:"500" doc:"For those who read the incident later"`
}

type incidentActInput struct {
	SubjectPath
	Body IncidentAct
}

type actionsInput struct {
	httpapi.PageQuery
	State      string `query:"state" enum:"proposed,approved,running,succeeded,failed,skipped,undone,open" doc:"open: proposed, approved or running"`
	NodeID     string `query:"node_id" maxLength:"64"`
	IncidentID string `query:"incident_id" maxLength:"64"`
}

type dryRunInput struct {
	PolicyID          string   `query:"policy_id" maxLength:"64" doc:"Only nodes of this policy"`
	Actions           []string `query:"actions" maxItems:"5" enum:"restart_core,reapply_installed,withdraw_from_pool,switch_dns,hide_proxypanel_hosts" doc:"What it might do, separated by commas; none: all that there is"`
	MaxActionsPerHour int      `query:"max_actions_per_hour" minimum:"1" maximum:"1000" default:"10"`
	CooldownS         int      `query:"cooldown_s" minimum:"60" maximum:"86400" default:"300"`
	MaxPctOfPool      int      `query:"max_pct_of_pool" minimum:"1" maximum:"100" default:"30"`
}
