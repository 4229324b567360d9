package flows

import (
	"strings"
	"time"

	"github.com/uptrace/bun"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/canary"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/modules/flows/internal/stages"
	"panel/platform/names"
)

type flowRow struct {
	bun.BaseModel `bun:"table:flows,alias:f"`

	ID                 string `bun:",pk"`
	Name               string
	NameKey            *string // see flowName
	Description        string
	Tags               []string `bun:",array"`
	OwnerID            string
	Enabled            bool
	Root               string
	Graph              graph.Graph `bun:",type:jsonb"`
	DraftRevision      int
	DraftChanges       *int // against the installed version; nil while nothing is installed, or nobody has counted
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

// Flows are searched and sorted by keys, because a database of the locale C folds the case of ASCII alone. One that an
// older panel has just written has no key yet. The index of the list repeats this expression.
const flowName = `(coalesce(f.name_key, lower(f.name)) collate "C")`

// named gives the flow a name and the key under which it is found.
func (f *flowRow) named(name string) {
	f.Name = strings.TrimSpace(name)
	key := names.SearchKey(f.Name)
	f.NameKey = &key
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
	Checking  bool // its readiness is still being checked

	Fingerprint string // of what it was compiled from
	Content     string // sealed fragments by node; empty once a newer plan was compiled
}

type versionRow struct {
	bun.BaseModel `bun:"table:flow_versions,alias:v"`

	ID        string `bun:",pk"`
	FlowID    string
	Number    int
	Revision  int
	Reason    string
	Note      string
	Pinned    bool // kept for good
	PlanHash  string
	Graph     graph.Graph `bun:",type:jsonb"`
	Applied   bool
	Bypassed  []BypassCheck `bun:",type:jsonb"`
	ApplyID   *string
	CreatedAt time.Time
	CreatedBy string

	CatalogueVersion int // that its sets come from; 0 when it names none
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
	Content    string                   // sealed fragments by node
	Listens    map[string][]plan.Listen `bun:",type:jsonb"`
	Error      *StepError               `bun:",type:jsonb"`
	Detail     string
	Text       plan.Text `bun:",type:jsonb"` // the detail with its code
	StartedBy  string
	AccountID  string
	StartedAt  time.Time
	StagedAt   time.Time
	FinishedAt *time.Time
	StoppedBy  *string
	StoppedAt  *time.Time

	Change      flowsapi.Apply  `bun:",type:jsonb"` // what stages of modules are told
	Stages      []stages.Record `bun:",type:jsonb"`
	NodesSince  *time.Time      // since when the apply works on nodes or waits for them
	Fingerprint string          // of what the fragments were compiled from
	LeaseToken  string

	Canary     *canary.Watch `bun:",type:jsonb"`
	Previous   string        // sealed parts by node that a canary has replaced
	PromotedBy *string
	PromotedAt *time.Time

	CatalogueVersion int // that the sets of the drawing come from

	Steps []stepRow                `bun:"-"`
	saved savedApply               // what is in the database
	parts map[string]plan.Fragment // the content, once it was opened
	wait  time.Duration            // before the next step
}

// savedApply is an apply as it was last written.
type savedApply struct {
	head  string
	steps []string
}

// applyStepRow is a step as it is stored.
type applyStepRow struct {
	bun.BaseModel `bun:"table:flow_apply_steps,alias:s"`

	ApplyID  string `bun:",pk"`
	Position int    `bun:",pk"`
	NodeID   string
	Step     stepRow `bun:",type:jsonb"`
}

// followupRow is what is still to be done about a flow when its apply has ended.
type followupRow struct {
	bun.BaseModel `bun:"table:flow_followups,alias:u"`

	ID         string `bun:",pk"`
	FlowID     string
	ApplyID    string
	Stage      string
	Undo       bool
	Apply      flowsapi.Apply `bun:",type:jsonb"`
	Record     stages.Record  `bun:",type:jsonb"`
	StartedAt  time.Time
	LeaseToken string
}

// stepRow is a step with what the runner must remember between two polls.
type stepRow struct {
	ApplyStep
	Config  int64             `json:"config_revision"`
	Hash    string            `json:"config_hash"`
	Orders  map[string]string `json:"orders"` // stage to the id of its order
	Retries int               `json:"retries"`
	Retried time.Time         `json:"retried_at"`
	Probed  int               `json:"probed"` // entries of the node that a real client has gone through
	Listed  bool              `json:"listed"` // the agent lets in the clients by a list of its own
}

type lockRow struct {
	bun.BaseModel `bun:"table:flow_node_locks,alias:l"`

	NodeID  string `bun:",pk"`
	ApplyID string
	TakenAt time.Time
}

func keysOf(checks []BypassCheck) []string {
	keys := make([]string, len(checks))
	for i, c := range checks {
		keys[i] = c.Key + " " + c.Status
	}
	return keys
}

func drawnOr(g *graph.Graph) graph.Graph {
	if g == nil {
		return graph.Graph{Nodes: []graph.Node{}, Edges: []graph.Edge{}}
	}
	return *g
}
