// Package automation is the one switch that stops everything that the panel does to nodes and to other systems without
// being asked.
//
// Modules declare their automatic acts in the manifest, and ask Stopped before each. The switch is a row of the
// database: all panels obey it from the moment at which it is set, and nobody who dies sets it back.
package automation

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jonboulle/clockwork"

	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/fault"
)

// The words for what happens to the switch, in the journal and as events.
const (
	EventStopped = "automation.stopped"
	EventResumed = "automation.resumed"
)

// News is the data of both events.
type News struct {
	By     string `json:"by"`
	Reason string `json:"reason"`
}

// Act is something that a module does by itself, as its manifest declares it.
type Act struct {
	// Name is the module's name and what is done, "flows.promote_canary".
	Name string
	// Summary is one sentence. It has its Russian in the module's Russian texts, like Budget.
	Summary string
	// Budget says what bounds it.
	Budget string
	// Actions are what the journal calls it when it was done.
	Actions []string
	// Feature is the license feature that Blocked speaks of; empty for none.
	Feature string
	// ReadOnly and Blocked say what becomes of it while the panel is read-only, or while the feature is not in the
	// plan.
	ReadOnly, Blocked entitlement.Conduct
}

func (a Act) check(module string) error {
	switch {
	case !strings.HasPrefix(a.Name, module+"."):
		return fmt.Errorf("module %s: the name of its act %q must begin with %q", module, a.Name, module+".")
	case a.Summary == "" || a.Budget == "" || len(a.Actions) == 0:
		return fmt.Errorf("module %s: its act %s must say what it does, what bounds it and what the journal calls it",
			module, a.Name)
	case !a.ReadOnly.Known() || !a.Blocked.Known():
		return fmt.Errorf("module %s: its act %s must say what becomes of it in read-only mode", module, a.Name)
	}
	return nil
}

// Check refuses acts of a manifest that do not say what they must.
func Check(module string, acts []Act) error {
	for _, a := range acts {
		if err := a.check(module); err != nil {
			return err
		}
	}
	return nil
}

// Why is what keeps an act from happening; empty when nothing does.
type Why string

// What keeps acts from happening.
const (
	Free     Why = ""
	Switched Why = "stopped"     // everything automatic is stopped
	ReadOnly Why = "read_only"   // the panel is
	NoPlan   Why = "not_in_plan" // its feature is not in the plan
)

// Text says it in a sentence's end, "not done: the panel is read-only".
func (w Why) Text() string {
	switch w {
	case Switched:
		return "everything automatic is stopped"
	case ReadOnly:
		return "the panel is read-only"
	case NoPlan:
		return "its feature is not in the plan"
	case Free:
	}
	return ""
}

// State is how the switch stands.
type State struct {
	Stopped bool       `json:"stopped" doc:"Nothing happens by itself"`
	By      string     `json:"by" doc:"Who changed it last; empty: nobody ever did"`
	Reason  string     `json:"reason" doc:"Why it was stopped; empty while it is not"`
	At      *time.Time `json:"at" doc:"When it was changed last; null: never"`
}

// Switch is the switch of all panels on a database.
type Switch struct {
	db      *database.DB
	clock   clockwork.Clock
	license entitlement.Source
	acts    map[string]Act
	journal audit.Journal
	bus     emitter
}

// emitter lets the rest of the panel know what happened; *events.Bus is one.
type emitter interface {
	Emit(ctx context.Context, news ...events.Event) error
}

// New makes the switch of a panel with these acts.
func New(
	db *database.DB, clock clockwork.Clock, license entitlement.Source, journal audit.Journal, bus emitter, acts []Act,
) *Switch {
	s := &Switch{db: db, clock: clock, license: license, journal: journal, bus: bus, acts: map[string]Act{}}
	for _, a := range acts {
		s.acts[a.Name] = a
	}
	return s
}

// Acts lists what happens by itself, by name.
func (s *Switch) Acts() []Act {
	all := make([]Act, 0, len(s.acts))
	for _, a := range s.acts {
		all = append(all, a)
	}
	slices.SortFunc(all, func(a, b Act) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Stopped tells what keeps an act from happening now. In a transaction the answer holds until its end: who stops
// everything waits for it. An act that no module declares is an error.
func (s *Switch) Stopped(ctx context.Context, act string) (Why, error) {
	declared, known := s.acts[act]
	if !known {
		return Free, fmt.Errorf("ask whether %s may happen: no module declares this act", act)
	}
	state, err := s.read(ctx, " for share")
	if err != nil {
		return Free, err
	}
	return s.why(state, declared), nil
}

// Why is what keeps an act from happening while the switch stands like this.
func (s *Switch) why(state State, a Act) Why {
	license := s.license.Current()
	switch {
	case state.Stopped:
		return Switched
	case license.Stopped("", a.ReadOnly, a.Blocked) != "":
		return ReadOnly
	case license.Stopped(a.Feature, entitlement.GoesOn, a.Blocked) != "":
		return NoPlan
	}
	return Free
}

// State gives how the switch stands.
func (s *Switch) State(ctx context.Context) (State, error) { return s.read(ctx, "") }

func (s *Switch) read(ctx context.Context, lock string) (State, error) {
	if !database.InTransaction(ctx) {
		lock = ""
	}
	return read(ctx, s.db, lock)
}

// Read gives how the switch stands in a database, for a command that works without the panel.
func Read(ctx context.Context, db *database.DB) (State, error) { return read(ctx, db, "") }

func read(ctx context.Context, db *database.DB, lock string) (state State, err error) {
	err = db.In(ctx).NewRaw("select stopped, actor_name, reason, changed_at from automation_switch"+lock).
		Scan(ctx, &state.Stopped, &state.By, &state.Reason, &state.At)
	if err != nil {
		return state, database.Fault(fmt.Errorf("read whether automation is stopped: %w", err), nil)
	}
	if state.At != nil {
		at := state.At.UTC()
		state.At = &at
	}
	return state, nil
}

// Outlives is the query for a switch that stops everything, which must not be undone by the restore of an older backup.
const Outlives = "select to_jsonb(s) from automation_switch s where stopped"

// Restore stops everything in a restored database, if what Outlives gave of the one before says so. It takes part in
// the context's transaction.
func Restore(ctx context.Context, db *database.DB, kept json.RawMessage) error {
	if len(kept) == 0 {
		return nil
	}
	_, err := db.In(ctx).NewRaw(`update automation_switch s set stopped = k.stopped, actor_id = k.actor_id,
		actor_name = k.actor_name, reason = k.reason, changed_at = k.changed_at
		from jsonb_populate_record(null::automation_switch, ?::jsonb) k`, string(kept)).Exec(ctx)
	if err != nil {
		return database.Fault(fmt.Errorf("keep automation stopped after a restore: %w", err), nil)
	}
	return nil
}

// Stop stops everything. When it returns nothing begins any more; what has begun comes to its end. Fault:
// invalid_value (422) without a reason.
func (s *Switch) Stop(ctx context.Context, reason string) (State, error) {
	reason = strings.TrimSpace(reason)
	if reason == "" {
		return State{}, fault.InvalidValue("reason", "say why, for those who find everything stopped")
	}
	return s.set(ctx, true, reason)
}

// Resume lets everything happen again.
func (s *Switch) Resume(ctx context.Context) (State, error) { return s.set(ctx, false, "") }

// set changes the switch with its line in the journal and its event; what it is already is not changed again.
func (s *Switch) set(ctx context.Context, stopped bool, reason string) (state State, err error) {
	caller, now := access.From(ctx), s.clock.Now().UTC().Truncate(time.Microsecond)
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		before, err := s.read(ctx, " for update")
		if err != nil || before.Stopped == stopped && before.Reason == reason {
			state = before
			return err
		}
		state = State{Stopped: stopped, By: caller.Name(), Reason: reason, At: &now}
		_, err = s.db.In(ctx).NewRaw(`update automation_switch set stopped = ?, actor_id = ?, actor_name = ?, reason = ?,
			changed_at = ?`, stopped, caller.AccountID, state.By, reason, now).Exec(ctx)
		if err != nil {
			return database.Fault(fmt.Errorf("stop or resume automation: %w", err), nil)
		}
		return s.tell(ctx, before, state)
	})
	return state, err
}

// Object is what the journal calls the switch.
var Object = audit.Object{Type: "installation", ID: "automation", Name: "automation"}

func (s *Switch) tell(ctx context.Context, before, state State) error {
	kind, news := EventResumed, News{By: state.By, Reason: before.Reason}
	if state.Stopped {
		kind, news.Reason = EventStopped, state.Reason
	}
	entry := audit.Entry{Action: kind, Object: Object, Changes: map[string]audit.Change{
		"stopped": {From: before.Stopped, To: state.Stopped}, "reason": {From: before.Reason, To: state.Reason},
	}}
	if err := s.journal.Record(ctx, s.db.In(ctx), entry); err != nil {
		return err
	}
	return s.bus.Emit(ctx, events.Event{Kind: kind, SubjectID: Object.ID, At: *state.At, Data: news})
}

// Shown is an act with how it stands.
type Shown struct {
	Act

	Why  Why
	Last *Last // nil: it was never done, or the journal does not go back so far
}

// Last is what an act did last, as the journal has it.
type Last struct {
	At     time.Time `bun:"at"`
	Action string    `bun:"action"`
	Object string    `bun:"object_name"`
}

// List gives all acts with what keeps each from happening, and what it did last.
func (s *Switch) List(ctx context.Context) ([]Shown, State, error) {
	state, err := s.State(ctx)
	if err != nil {
		return nil, state, err
	}
	all := []Shown{}
	for _, a := range s.Acts() {
		last, err := s.last(ctx, a)
		if err != nil {
			return nil, state, err
		}
		all = append(all, Shown{Act: a, Why: s.why(state, a), Last: last})
	}
	return all, state, nil
}

func (s *Switch) last(ctx context.Context, a Act) (*Last, error) {
	var newest *Last
	for _, action := range a.Actions {
		var rows []Last
		err := s.db.In(ctx).NewRaw(`select at, action, object_name from journal where action = ? order by at desc limit 1`,
			action).Scan(ctx, &rows)
		if err != nil {
			return nil, database.Fault(fmt.Errorf("read what %s did last: %w", a.Name, err), nil)
		}
		if len(rows) > 0 && (newest == nil || rows[0].At.After(newest.At)) {
			rows[0].At = rows[0].At.UTC()
			newest = &rows[0]
		}
	}
	return newest, nil
}
