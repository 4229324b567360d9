package flows

import (
	"time"

	"github.com/uptrace/bun"

	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
)

type flowRow struct {
	bun.BaseModel `bun:"table:flows,alias:f"`

	ID                 string `bun:",pk"`
	Name               string
	Description        string
	Tags               []string `bun:",array"`
	OwnerID            string
	Enabled            bool
	Root               string
	Graph              graph.Graph `bun:",type:jsonb"`
	DraftRevision      int
	DraftUpdatedAt     time.Time
	DraftUpdatedBy     string
	CompiledRevision   *int
	InstalledVersionID *string
	InstalledRevision  *int
	InstalledAt        *time.Time
	InstalledHosts     []plan.Host `bun:",type:jsonb"` // what links name, as it was installed
	LastApplyID        *string
	Deleting           bool
	Revision           int
	CreatedAt          time.Time
	UpdatedAt          time.Time
}

type clientRow struct {
	bun.BaseModel `bun:"table:flow_clients,alias:c"`

	ID             string `bun:",pk"`
	FlowID         string
	Label          string
	Secret         string
	PublicHash     []byte
	PublicIssuedAt *time.Time
	CreatedAt      time.Time
	RevokedAt      *time.Time
}

type planRow struct {
	bun.BaseModel `bun:"table:flow_plans,alias:p"`

	ID        string `bun:",pk"`
	FlowID    string
	Revision  int
	Hash      string
	Plan      plan.Plan   `bun:",type:jsonb"`
	Graph     graph.Graph `bun:",type:jsonb"`
	CreatedAt time.Time
	CreatedBy string
	ExpiresAt time.Time
	AppliedAt *time.Time
	AskUntil  *time.Time
	Asker     string
}

type checkRow struct {
	bun.BaseModel `bun:"table:flow_checks,alias:k"`

	PlanID     string `bun:",pk"`
	Key        string `bun:",pk"`
	NodeID     string
	Ask        plan.Ask `bun:",type:jsonb"`
	Status     string
	Evidence   string
	Blocker    string // why no force passes it: port, target; empty when it may be forced
	Holder     string // process that holds the port
	ObservedAt *time.Time
}

type versionRow struct {
	bun.BaseModel `bun:"table:flow_versions,alias:v"`

	ID        string `bun:",pk"`
	FlowID    string
	Number    int
	Revision  int
	Reason    string
	Note      string
	PlanHash  string
	Graph     graph.Graph `bun:",type:jsonb"`
	Applied   bool
	Bypassed  []BypassCheck `bun:",type:jsonb"`
	ApplyID   *string
	CreatedAt time.Time
	CreatedBy string
}

type fragmentRow struct {
	bun.BaseModel `bun:"table:flow_fragments,alias:g"`

	FlowID    string `bun:",pk"`
	NodeID    string `bun:",pk"`
	Content   string
	Hash      string
	ClientIDs []string      `bun:"client_ids,array"`
	Listens   []plan.Listen `bun:",type:jsonb"`
}

type applyRow struct {
	bun.BaseModel `bun:"table:flow_applies,alias:a"`

	ID         string `bun:",pk"`
	FlowID     string
	Kind       string
	Stage      string
	PlanID     *string
	PlanHash   string
	Revision   int
	Graph      *graph.Graph `bun:",type:jsonb"`
	VersionID  *string
	Forced     bool
	Bypassed   []BypassCheck            `bun:",type:jsonb"`
	Hosts      []plan.Host              `bun:",type:jsonb"` // what links name once it is installed
	Steps      []stepRow                `bun:",type:jsonb"`
	Content    string                   // sealed fragments by server
	Listens    map[string][]plan.Listen `bun:",type:jsonb"`
	Error      *StepError               `bun:",type:jsonb"`
	Detail     string
	StartedBy  string
	AccountID  string
	StartedAt  time.Time
	StagedAt   time.Time
	FinishedAt *time.Time
	Runner     string
	LeaseUntil time.Time
}

// stepRow is a step with what the runner must remember between two looks at it.
type stepRow struct {
	ApplyStep
	Config  int64             `json:"config_revision"`
	Hash    string            `json:"config_hash"`
	Orders  map[string]string `json:"orders"` // stage to the id of its order
	Retries int               `json:"retries"`
	Probed  int               `json:"probed"` // entries of the server that a real client has gone through
}

type lockRow struct {
	bun.BaseModel `bun:"table:flow_node_locks,alias:l"`

	NodeID  string `bun:",pk"`
	ApplyID string
	TakenAt time.Time
}
