// Package acts does something about users with a case: warns, limits them, ends their sessions, takes flows from them.
// Each act commits whole with its line in the journal and its event, ends by itself, and is undone by whoever undoes it
// first. What it changed is kept beside it, so that nothing is half done when a panel dies.
package acts

import (
	"context"
	"fmt"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun"

	"panel/modules/abuse/internal/blocks"
	"panel/modules/abuse/internal/cases"
	"panel/modules/abuse/internal/views"
	"panel/modules/clients/clientsapi"
	"panel/modules/nodes/nodesapi"
	"panel/modules/proxypanel/proxypanelapi"
	"panel/platform/audit"
	"panel/platform/automation"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/jobs"
)

// Kinds of acts.
const (
	Warn         = "warn"
	Limit        = "limit"
	DropSessions = "drop_sessions"
	BlockIPs     = "block_ips"
	Revoke       = "revoke"
	DisableUser  = "disable_user"
)

// States of an act.
const (
	Pending = "pending" // nodes have not answered yet
	Active  = "active"
	Failed  = "failed"
	Ended   = "ended"
	Undone  = "undone"
)

// The words for what happens to acts, in the journal and as events. The subject of the events is the case.
const (
	Object        = "abuse_action"
	EventActioned = "abuse.case_actioned"
	EventUndone   = "abuse.action_undone" // by a person, or by its end
)

// News is the data of an event about an act.
type News struct {
	ActionID  string `json:"action_id"`
	Number    int64  `json:"number"` // of the case
	Kind      string `json:"kind"`
	State     string `json:"state"`
	User      string `json:"user"`
	Automatic bool   `json:"automatic"`
	Reason    string `json:"reason"`
}

var (
	errSlot    = fault.Conflict("proxy_panel_missing", "this user does not live in a connected proxy panel, where alone a user can be disabled")
	errActive  = fault.Conflict("act_active", "this is being done about the user already: undo it first to change it")
	errClosed  = fault.Conflict("case_closed", "this case is closed: open it again first")
	errGone    = fault.Conflict("user_gone", "this user is gone, so nothing can be done about it")
	errNoNodes = fault.Conflict("nodes_cannot", "no agent of this user's nodes can do this: update the agents")
	errNoFlows = fault.Conflict("nothing_to_revoke", "the client uses none of these flows")
	errUnknown = fault.Conflict("addresses_unknown", "no address of this user is known that could be blocked: name networks")
	errOver    = fault.Conflict("act_over", "this act is over, or has changed nothing that could be given back")
)

// Faults are the codes of this package.
func Faults() []fault.Declared {
	return []fault.Declared{
		{Kind: fault.KindConflict, Code: errSlot.Code, Summary: "The user does not live in a connected proxy panel, where alone a user can be disabled"},
		{Kind: fault.KindConflict, Code: errActive.Code, Summary: "The same is being done about the user already"},
		{Kind: fault.KindConflict, Code: errClosed.Code, Summary: "The case is closed"},
		{Kind: fault.KindConflict, Code: errGone.Code, Summary: "The user of the case is gone"},
		{Kind: fault.KindConflict, Code: errNoNodes.Code, Summary: "No agent of the user's nodes can do this"},
		{Kind: fault.KindConflict, Code: errNoFlows.Code, Summary: "The client uses none of these flows"},
		{Kind: fault.KindConflict, Code: errUnknown.Code, Summary: "No address of the user is known that could be blocked"},
		{Kind: fault.KindConflict, Code: errOver.Code, Summary: "The act is over, or has changed nothing that could be given back"},
	}
}

// row is an act as it is stored.
type row struct {
	bun.BaseModel `bun:"table:abuse_actions,alias:a"`

	ID        string       `bun:"id,pk,type:uuid"`
	CaseID    *string      `bun:"case_id,type:uuid"`
	UserRef   string       `bun:"user_ref"`
	Label     string       `bun:"label"`
	Kind      string       `bun:"kind"`
	State     string       `bun:"state"`
	ByName    string       `bun:"by_name"`
	Automatic bool         `bun:"automatic"`
	Reason    string       `bun:"reason"`
	Effects   effects      `bun:"effects,type:jsonb"`
	Result    cases.Result `bun:"result,type:jsonb"`
	StartedAt time.Time    `bun:"started_at"`
	Until     *time.Time   `bun:"until"`
	EndedAt   *time.Time   `bun:"ended_at"`
	EndedBy   string       `bun:"ended_by"`
	SortKey   string       `bun:"sort_key,scanonly"`
}

// effects are what an act has changed, and what undoing it gives back.
type effects struct {
	Before   *clientsapi.Limits `json:"before,omitempty"`
	Set      *clientsapi.Limits `json:"set,omitempty"`
	Taken    []clientsapi.Taken `json:"taken,omitempty"`
	Commands []string           `json:"commands,omitempty"`
	NodeIDs  []string           `json:"node_ids,omitempty"` // of the commands, in their sequence
	// Person is the user of a proxy panel as it was before; nil: not asked yet.
	Person *person `json:"person,omitempty"`
}

// person is what of a user of a proxy panel must be known to give it back what it had.
type person struct {
	Disabled bool       `json:"disabled"`
	MadeAt   *time.Time `json:"made_at"`
}

// Tools are what acts work with.
type Tools struct {
	DB       *database.DB
	Clock    clockwork.Clock
	Journal  audit.Journal
	Bus      *events.Bus
	Queue    *jobs.Enqueuer
	Views    *views.Views
	Cases    *cases.Cases
	Fleet    nodesapi.Fleet
	Commands nodesapi.Commands
	Clients  clientsapi.Clients
	Users    clientsapi.Acts
	Blocks   *blocks.Blocks
	People   proxypanelapi.People
	Stop     *automation.Switch
	// Plan is what the settings want done without being asked.
	Plan func(ctx context.Context) (Plan, error)
}

// Acts does and undoes.
type Acts struct{ Tools }

// New makes acts; cases tell of them from now on.
func New(t Tools) *Acts {
	a := &Acts{t}
	t.Cases.Serve(a.ofCase)
	t.Blocks.OnLifted(a.endSoon)
	return a
}

func (a *Acts) now() time.Time { return a.Clock.Now().UTC().Truncate(time.Microsecond) }

func (a *Acts) save(ctx context.Context, r *row) error {
	_, err := a.DB.In(ctx).NewUpdate().Model(r).WherePK().Exec(ctx)
	if err != nil {
		return database.Fault(fmt.Errorf("store an act: %w", err), nil)
	}
	return nil
}

// publish writes the journal's line and emits the event of the same name, in the transaction of the change.
func (a *Acts) publish(ctx context.Context, kind string, r *row, number int64) error {
	changes := map[string]audit.Change{"kind": {To: r.Kind}, "reason": {To: r.Reason}, "automatic": {To: r.Automatic}}
	if kind == EventUndone {
		changes = map[string]audit.Change{"kind": {To: r.Kind}, "state": {From: Active, To: r.State}}
	}
	err := a.Journal.Record(ctx, a.DB.In(ctx), audit.Entry{
		Action: kind, Object: audit.Object{Type: Object, ID: r.ID, Name: r.name()}, Changes: changes,
	})
	if err != nil {
		return fmt.Errorf("record an act: %w", err)
	}
	subject := r.ID
	if r.CaseID != nil {
		subject = *r.CaseID
	}
	return a.Bus.Emit(ctx, events.Event{Kind: kind, SubjectID: subject, At: a.now(), Data: News{
		ActionID: r.ID, Number: number, Kind: r.Kind, State: r.State, User: r.name(), Automatic: r.Automatic,
		Reason: r.Reason,
	}})
}

func (r *row) name() string {
	if r.Label == "" {
		return r.UserRef
	}
	return r.Label
}
