package policies

import (
	"strings"
	"time"

	"github.com/uptrace/bun"

	"panel/modules/flows/flowsapi"
	"panel/modules/policies/internal/rules"
	"panel/platform/audit"
	"panel/platform/names"
	"panel/platform/vault"
)

// Types of objects in the journal.
const (
	policyObject    = "policy"
	catalogueObject = "policy_catalogue"
	planObject      = "custom_plan"
)

type policyRow struct {
	bun.BaseModel `bun:"table:policies,alias:p"`

	ID        string       `bun:"id,pk,type:uuid"`
	Name      string       `bun:"name"`
	NameKey   string       `bun:"name_key"`
	Kind      string       `bun:"kind"`
	Rules     []rules.Rule `bun:"rules,type:jsonb"`
	Protocols []string     `bun:"allowed_protocols,type:jsonb"`
	CreatedAt time.Time    `bun:"created_at"`
	UpdatedAt time.Time    `bun:"updated_at"`
	Revision  int64        `bun:"revision"`

	SortKey string `bun:"sort_key,scanonly"`
}

func (r *policyRow) object() audit.Object {
	return audit.Object{Type: policyObject, ID: r.ID, Name: r.Name}
}

func (r *policyRow) named(name string) {
	r.Name = strings.TrimSpace(name)
	r.NameKey = names.SearchKey(r.Name)
}

type policyFlowRow struct {
	bun.BaseModel `bun:"table:policy_flows,alias:f"`

	FlowID   string `bun:"flow_id,pk,type:uuid"`
	Kind     string `bun:"kind,pk"`
	PolicyID string `bun:"policy_id,type:uuid"`
}

type catalogueRow struct {
	bun.BaseModel `bun:"table:policy_catalogue,alias:c"`

	ID      string    `bun:"id,pk,type:uuid"`
	Version int       `bun:"version"`
	Content Content   `bun:"content,type:jsonb"`
	Note    string    `bun:"note"`
	SavedAt time.Time `bun:"saved_at"`
	SavedBy string    `bun:"saved_by"`

	SortKey string `bun:"sort_key,scanonly"`
}

type planRow struct {
	bun.BaseModel `bun:"table:custom_plans,alias:p"`

	ID        string    `bun:"id,pk,type:uuid"`
	Name      string    `bun:"name"`
	NameKey   string    `bun:"name_key"`
	CreatedAt time.Time `bun:"created_at"`
	UpdatedAt time.Time `bun:"updated_at"`

	SortKey string `bun:"sort_key,scanonly"`
}

func (r *planRow) object() audit.Object {
	return audit.Object{Type: planObject, ID: r.ID, Name: r.Name}
}

func (r *planRow) named(name string) {
	r.Name = strings.TrimSpace(name)
	r.NameKey = names.SearchKey(r.Name)
}

type versionRow struct {
	bun.BaseModel `bun:"table:custom_plan_versions,alias:v"`

	ID        string    `bun:"id,pk,type:uuid"`
	PlanID    string    `bun:"plan_id,type:uuid"`
	Number    int       `bun:"number"`
	Body      PlanBody  `bun:"body,type:jsonb"`
	Hash      string    `bun:"schema_hash"`
	Password  string    `bun:"password"` // sealed; empty without one
	CreatedAt time.Time `bun:"created_at"`
	CreatedBy string    `bun:"created_by"`

	PlanName string `bun:"plan_name,scanonly"`
}

func passwordRef(versionID string) vault.Ref {
	return vault.Ref{Table: "custom_plan_versions", ID: versionID, Column: "password"}
}

// outside is the version as flows compile it.
func (r *versionRow) outside(password string) flowsapi.CustomPlan {
	b := r.Body
	return flowsapi.CustomPlan{
		VersionID: r.ID, Name: r.PlanName, Number: r.Number, Way: b.Way, Address: b.Address, Port: b.Port, User: b.User,
		Password: password, Family: b.Family, Fragment: b.Fragment,
	}
}

type enabledRow struct {
	bun.BaseModel `bun:"table:policy_plans,alias:e"`

	PolicyID  string `bun:"policy_id,pk,type:uuid"`
	VersionID string `bun:"version_id,pk,type:uuid"`
}
