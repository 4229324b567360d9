package repair

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
	"go.uber.org/zap"

	"panel/modules/cdn-dns/cdndnsapi"
	"panel/modules/flows/flowsapi"
	"panel/modules/health/healthapi"
	"panel/modules/health/internal/place"
	"panel/modules/health/internal/rules"
	"panel/modules/health/internal/texts"
	"panel/modules/health/internal/verdict"
	"panel/modules/nodes/nodesapi"
	"panel/modules/pools/poolsapi"
	"panel/modules/proxypanel/proxypanelapi"
	"panel/platform/audit"
	"panel/platform/automation"
	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/lease"
	"panel/platform/operations"
)

// actRepair is the automatic act of this package.
const actRepair = "health.repair"

// Act declares it.
func Act(feature string) automation.Act {
	return automation.Act{
		Name: actRepair,
		Summary: "Repairs nodes that are down: restarts the core, installs again what is installed, withdraws the node from " +
			"transit pools, leads its names to another of its addresses and hides its hosts at proxy panels until it is well",
		Budget:  "three times an hour for each node, and what its health policy allows; nothing unless the policy says auto",
		Actions: []string{healthapi.EventActionRun, healthapi.EventActionUndone}, Feature: feature,
		ReadOnly: entitlement.Stops, Blocked: entitlement.Stops,
	}
}

// row is an action as it is stored.
type row struct {
	bun.BaseModel `bun:"table:health_actions,alias:a"`

	ID         string     `bun:"id,pk,type:uuid"`
	Act        string     `bun:"act"`
	NodeID     string     `bun:"node_id,type:uuid"`
	Name       string     `bun:"name"`
	PolicyID   string     `bun:"policy_id,type:uuid"`
	IncidentID *string    `bun:"incident_id,type:uuid"`
	State      string     `bun:"state"`
	Reason     string     `bun:"reason"`
	Evidence   Evidence   `bun:"evidence,type:jsonb"`
	Error      string     `bun:"error"`
	ApprovedBy string     `bun:"approved_by"`
	Dismisser  string     `bun:"dismissed_by"`
	Outcome    string     `bun:"outcome"`
	Effects    []Effect   `bun:"effects,type:jsonb"`
	CommandID  string     `bun:"command_id"`
	ApplyID    string     `bun:"apply_id"`
	CreatedAt  time.Time  `bun:"created_at"`
	StartedAt  *time.Time `bun:"started_at"`
	FinishedAt *time.Time `bun:"finished_at"`
	UndoneAt   *time.Time `bun:"undone_at"`
	UndoneBy   string     `bun:"undone_by"`
	PolicyName string     `bun:"policy_name,scanonly"`
	SortKey    string     `bun:"sort_key,scanonly"`
}

// Effect is something that an action changed, and that undoing it gives back.
type Effect struct {
	Kind string `json:"kind" enum:"pool,domain,host"`
	ID   string `json:"id"`
	Name string `json:"name"`
	From string `json:"from"`
	To   string `json:"to"`
}

// Evidence is what an action was decided by.
type Evidence struct {
	State string          `json:"state" enum:"down,degraded"`
	Since time.Time       `json:"since"`
	Hint  string          `json:"hint"`
	Cells json.RawMessage `json:"checks" doc:"What all vantages said about each check then, as in the list of nodes"`
}

// Incidents are what repairs are about.
type Incidents interface {
	// Of gives the unresolved incident that a subject suffers from, empty without one.
	Of(ctx context.Context, kind, subjectID string) (id string, err error)
	// Mitigate says that the effect of an incident is gone unless others than the node suffer, Relapse that it is there
	// again.
	Mitigate(ctx context.Context, id, nodeID, note string) error
	Relapse(ctx context.Context, id, note string) error
}

// Tools are what repairs work with.
type Tools struct {
	DB        *database.DB
	Listener  *database.Listener
	Clock     clockwork.Clock
	Log       *zap.Logger
	Journal   audit.Journal
	Bus       *events.Bus
	Stop      *automation.Switch
	Commands  nodesapi.Commands
	Applies   flowsapi.Applies
	Pools     poolsapi.Members
	Names     cdndnsapi.Names
	Hosts     proxypanelapi.Hosts
	Incidents Incidents
	Follow    *operations.Store
}

// Repairs decides and repairs. Run brings actions to their end on this panel.
type Repairs struct {
	Tools
	*lease.Driver
}

const (
	attempts   = 12 // about five minutes of failures in a row
	orderLimit = 2 * time.Minute
	resultPoll = time.Second
	atOnce     = 64 // they wait for agents most of the time, and a withdrawal is not to wait for restarts
)

// New makes repairs.
func New(t Tools) *Repairs {
	r := &Repairs{Tools: t}
	r.Driver = lease.New(t.DB, t.Listener, t.Clock, t.Log, lease.Process{
		Name: "repair", Step: r.step, GiveUp: r.giveUp, Attempts: attempts,
		Parallel: atOnce,
		Table:    lease.Table{Name: "health_actions", Open: "state in ('approved', 'running')", Order: "created_at"},
	})
	return r
}

func (r *Repairs) now() time.Time { return r.Clock.Now().UTC().Truncate(time.Microsecond) }

// suspect is a node that an act might help.
type suspect struct {
	ID          string       `bun:"subject_id"`
	Name        string       `bun:"name"`
	State       string       `bun:"state"`
	Hint        string       `bun:"hint"`
	Since       time.Time    `bun:"since"`
	Maintenance bool         `bun:"maintenance"`
	PolicyID    string       `bun:"policy_id"`
	Layers      place.Layers `bun:"layers,type:jsonb"`
	Cells       json.RawMessage
	Places      []poolsapi.Place     `bun:"-"`
	Hosts       []proxypanelapi.Host `bun:"-"`
	Names       []cdndnsapi.Name     `bun:"-"`
}

func (s *suspect) subject() Subject {
	return Subject{
		ID: s.ID, State: s.State, Hint: s.Hint, Since: s.Since, Maintenance: s.Maintenance,
		Heard: s.Layers.Heartbeat == verdict.Heard, Installed: s.Layers.HasConfig, Places: s.Places, Hosts: s.Hosts,
		Names: s.Names,
	}
}

// suspects reads nodes that repairs may be about, those that have been so for the longest time first: all, or some.
func (r *Repairs) suspects(ctx context.Context, nodeIDs ...string) (rows []suspect, err error) {
	const most = 500
	some := append([]string{}, nodeIDs...) // none is an empty list for the query, and not null
	err = r.DB.In(ctx).NewRaw(`select subject_id, name, state, hint, since, maintenance, policy_id, layers, cells
		from health_states where kind = ? and (state = ? or state = ? and hint = ?)
			and (cardinality(?::uuid[]) = 0 or subject_id = any(?::uuid[]))
		order by since, subject_id limit ?`, healthapi.Node, healthapi.Down, healthapi.Degraded, verdict.HintCore,
		pgdialect.Array(some), pgdialect.Array(some), most).Scan(ctx, &rows)
	if err != nil || len(rows) == 0 {
		return nil, database.Fault(err, nil)
	}
	places, err := r.Pools.Places(ctx, ids(rows)...)
	if err != nil {
		return nil, fmt.Errorf("ask which pools nodes are in: %w", err)
	}
	hosts, err := r.Hosts.Shown(ctx, ids(rows)...)
	if err != nil {
		return nil, fmt.Errorf("ask which hosts lead to nodes: %w", err)
	}
	names, err := r.elsewhere(ctx, ids(rows)...)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		id := rows[i].ID
		rows[i].Places, rows[i].Hosts, rows[i].Names = places[id], hosts[id], names[id]
	}
	return rows, nil
}

// lock lets one panel decide at a time: budgets are counted and spent in one transaction.
const lock = 7203120633

// Look decides once about all nodes that suffer, in one transaction.
func (r *Repairs) Look(ctx context.Context) error {
	return r.DB.InTx(ctx, func(ctx context.Context) error {
		if _, err := r.DB.In(ctx).ExecContext(ctx, "select pg_advisory_xact_lock(?)", lock); err != nil {
			return database.Fault(err, nil)
		}
		if err := r.follow(ctx); err != nil {
			return err
		}
		suspects, err := r.suspects(ctx)
		if err != nil || len(suspects) == 0 {
			return err
		}
		why, err := r.Stop.Stopped(ctx, actRepair)
		if err != nil {
			return err
		}
		policies, err := r.policies(ctx)
		if err != nil {
			return err
		}
		past, err := r.past(ctx, suspects)
		if err != nil {
			return err
		}
		busy, err := r.Applies.OnNodes(ctx, ids(suspects)...)
		if err != nil {
			return fmt.Errorf("ask where something is being installed: %w", err)
		}
		for i := range suspects {
			s := &suspects[i]
			d := Decide(Case{
				Now: r.now(), Subject: s.subject(), PolicyID: s.PolicyID, Repair: policies(s.PolicyID), Why: why,
				Applying: busy[s.ID], Past: past,
			})
			made, err := r.decided(ctx, s, d)
			if err != nil {
				return err
			}
			past = append(past, made...)
		}
		return nil
	})
}

func ids(suspects []suspect) []string {
	out := make([]string, len(suspects))
	for i := range suspects {
		out[i] = suspects[i].ID
	}
	return out
}

// policies gives what each policy says of repairs; one that is gone or off says what the default does.
func (r *Repairs) policies(ctx context.Context) (func(id string) rules.Repair, error) {
	all, err := place.Policies(ctx, r.DB)
	if err != nil {
		return nil, fmt.Errorf("read the policies: %w", err)
	}
	found := map[string]rules.Repair{}
	for _, p := range all {
		found[p.ID] = p.Repair
	}
	return func(id string) rules.Repair {
		if repair, known := found[id]; known {
			return repair
		}
		return rules.DefaultRepair()
	}, nil
}

// past gives the actions that budgets count: all within the longest cool-down that counts, and those of the suspects
// since they are as they are.
func (r *Repairs) past(ctx context.Context, suspects []suspect) (out []Past, err error) {
	oldest := r.now().Add(-24 * time.Hour)
	for i := range suspects {
		if suspects[i].Since.Before(oldest) {
			oldest = suspects[i].Since
		}
	}
	var rows []row
	err = r.DB.In(ctx).NewSelect().Model(&rows).Column("act", "node_id", "policy_id", "state", "reason", "created_at", "started_at",
		"finished_at", "undone_by").
		Where("created_at > ? or node_id = any(?::uuid[]) and created_at >= ?", r.now().Add(-24*time.Hour),
			pgdialect.Array(ids(suspects)), oldest).Where("state <> ? or reason = ?", Skipped, Dismissed).Scan(ctx)
	for i := range rows {
		out = append(out, rows[i].past())
	}
	return out, database.Fault(err, nil)
}

// past counts from the moment at which it began.
func (a *row) past() Past {
	p := Past{
		Subject: a.NodeID, Policy: a.PolicyID, Act: a.Act, State: a.State, At: a.CreatedAt,
		Dismissed: a.Reason == Dismissed || a.UndoneBy != "",
	}
	if a.StartedAt != nil {
		p.At = *a.StartedAt
	}
	if a.FinishedAt != nil {
		p.Ended = *a.FinishedAt
	}
	return p
}

// decided writes a decision down. What is skipped is noted once an hour for each reason.
func (r *Repairs) decided(ctx context.Context, s *suspect, d Decision) (made []Past, err error) {
	if d.Act == "" {
		return nil, nil
	}
	if d.State == Skipped {
		if known, err := r.noted(ctx, s, d); known || err != nil {
			return nil, err
		}
	}
	a := &row{
		ID: database.NewID(), Act: d.Act, NodeID: s.ID, Name: s.Name, PolicyID: s.PolicyID, State: d.State,
		Reason: d.Reason, Effects: []Effect{}, CreatedAt: r.now(),
		Evidence: Evidence{State: s.State, Since: s.Since.UTC(), Hint: s.Hint, Cells: s.Cells},
	}
	incident, err := r.Incidents.Of(ctx, healthapi.Node, s.ID)
	if err != nil {
		return nil, err
	}
	if incident != "" {
		a.IncidentID = &incident
	}
	if d.State == Skipped {
		a.FinishedAt = &a.CreatedAt
	}
	if _, err := r.DB.In(ctx).NewInsert().Model(a).Exec(ctx); err != nil {
		return nil, database.Fault(fmt.Errorf("store an action: %w", err), nil)
	}
	switch d.State {
	case Approved:
		err = r.Wake(ctx, a.ID)
	case Proposed:
		err = r.tell(ctx, healthapi.EventActionProposed, a)
	default:
		err = r.tell(ctx, healthapi.EventActionSkipped, a)
	}
	return []Past{a.past()}, err
}

func (r *Repairs) noted(ctx context.Context, s *suspect, d Decision) (known bool, err error) {
	err = r.DB.In(ctx).NewRaw(`select exists (select from health_actions where node_id = ? and act = ? and state = ?
		and reason = ? and created_at > ?)`, s.ID, d.Act, Skipped, d.Reason, r.now().Add(-time.Hour)).Scan(ctx, &known)
	return known, database.Fault(err, nil)
}

func (r *Repairs) tell(ctx context.Context, kind string, a *row) error {
	return r.Bus.Emit(ctx, events.Event{Kind: kind, SubjectID: a.NodeID, At: r.now(), Data: healthapi.ActionNews{
		ActionID: a.ID, Act: a.Act, Title: texts.Actions[a.Act], Name: a.Name,
		State: a.State, Reason: a.Reason, Error: a.Error,
	}})
}
