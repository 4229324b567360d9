// Package stages keeps the stages that modules have in applies, and what an apply remembers of each.
//
// A Record is the state of one stage in one apply. Its moves are made here; when they are written down and what the
// apply does between them is the business of whoever drives the apply.
package stages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"panel/modules/flows/flowsapi"
	"panel/platform/pattern"
)

// UsualLimit is the limit of a stage that names none.
const UsualLimit = 10 * time.Minute

// States of a stage in an apply.
const (
	Pending    = "pending" // its turn has not come, or after the commit: it does not hold yet
	Running    = "running" // called, and what came of it is not noted
	Waiting    = "waiting" // it is called again later
	Done       = "done"
	Skipped    = "skipped" // the change was none of its business
	Failed     = "failed"
	Undoing    = "undoing"
	Undone     = "undone"
	UndoFailed = "undo_failed" // repeated beyond the end of the apply until it holds
	Superseded = "superseded"  // a newer apply took its place before it held
)

// Record is what an apply remembers of one stage.
type Record struct {
	Name       string         `json:"name"`
	At         flowsapi.Point `json:"at" enum:"before_prepare,before_switch,after_commit"`
	Part       string         `json:"part,omitempty" doc:"Group of differences that it makes"`
	State      string         `json:"state" enum:"pending,running,waiting,done,skipped,failed,undoing,undone,undo_failed,superseded"`
	Detail     flowsapi.Text  `json:"detail"`
	Error      string         `json:"error" doc:"What the last call failed with; empty when it did not"`
	Attempts   int            `json:"attempts" doc:"Calls up to now"`
	StartedAt  *time.Time     `json:"started_at"`
	AgainAt    *time.Time     `json:"again_at" doc:"When it is called again; null when nothing is waited for"`
	FinishedAt *time.Time     `json:"finished_at"`
	UndoneFrom *time.Time     `json:"undone_from" doc:"When undoing it began"`
	UndoError  string         `json:"undo_error" doc:"What undoing it failed with the last time"`
}

// Registry holds the stages of all modules.
type Registry struct{ stages []flowsapi.Stage }

// NewRegistry makes an empty registry.
func NewRegistry() *Registry { return &Registry{} }

var name = pattern.Of(`^[a-z]+\.[a-z_]+$`)

// Add takes stages of a module. A stage that can not work is an error of whoever wrote it and ends the start.
func (r *Registry) Add(more ...flowsapi.Stage) {
	for _, s := range more {
		if problem := r.problem(s); problem != "" {
			//nolint:forbidigo // only while the panel is composed
			panic(fmt.Sprintf("the stage %q %s", s.Name, problem))
		}
		if s.Limit == 0 {
			s.Limit = UsualLimit
		}
		r.stages = append(r.stages, s)
	}
	slices.SortFunc(r.stages, func(a, b flowsapi.Stage) int {
		return cmp.Or(cmp.Compare(place(a.At), place(b.At)), cmp.Compare(a.Name, b.Name))
	})
}

func (r *Registry) problem(s flowsapi.Stage) string {
	switch {
	case !name().MatchString(s.Name):
		return "needs a name of a module and a verb, cdn.provision"
	case place(s.At) < 0:
		return "is at no point of an apply"
	case s.Do == nil:
		return "does nothing"
	case s.Undo != nil && s.At == flowsapi.AfterCommit:
		return "is never undone after the commit"
	case slices.ContainsFunc(r.stages, func(o flowsapi.Stage) bool { return o.Name == s.Name }):
		return "is there twice"
	}
	return ""
}

func place(at flowsapi.Point) int {
	return slices.Index([]flowsapi.Point{flowsapi.BeforePrepare, flowsapi.BeforeSwitch, flowsapi.AfterCommit}, at)
}

// Records are those of a new apply, in the order of the stages.
func (r *Registry) Records() []Record {
	out := make([]Record, len(r.stages))
	for i, s := range r.stages {
		out[i] = Record{Name: s.Name, At: s.At, Part: s.Part, State: Pending}
	}
	return out
}

func (r *Registry) find(name string) (flowsapi.Stage, bool) {
	i := slices.IndexFunc(r.stages, func(s flowsapi.Stage) bool { return s.Name == name })
	if i < 0 {
		return flowsapi.Stage{Limit: UsualLimit}, false
	}
	return r.stages[i], true
}

// Next gives the first stage of a point whose turn is not over; nil when all have had theirs.
func Next(records []Record, at flowsapi.Point) *Record {
	for i := range records {
		if r := &records[i]; r.At == at && slices.Contains([]string{Pending, Running, Waiting}, r.State) {
			return r
		}
	}
	return nil
}

// NextUndo gives the stage that is to be undone next, the last one that was begun; nil when none is left.
func NextUndo(records []Record) *Record {
	for i := len(records) - 1; i >= 0; i-- {
		if r := &records[i]; r.At != flowsapi.AfterCommit &&
			slices.Contains([]string{Running, Waiting, Done, Failed, Undoing}, r.State) {
			return r
		}
	}
	return nil
}

// Begin notes that the stage is about to be called. It has to be written down before the call, so that whoever
// continues after a kill knows that something may have been done.
func (rec *Record) Begin(now time.Time) {
	if rec.StartedAt == nil {
		rec.StartedAt = &now
	}
	rec.State, rec.AgainAt = Running, nil
	rec.Attempts++
}

// BeginUndo notes that undoing the stage is about to begin.
func (rec *Record) BeginUndo(now time.Time) {
	if rec.UndoneFrom == nil {
		rec.UndoneFrom = &now
	}
	rec.State, rec.AgainAt = Undoing, nil
}

// Wait gives how long the stage is not to be called yet.
func (rec *Record) Wait(now time.Time) time.Duration {
	if rec.AgainAt == nil {
		return 0
	}
	return max(0, rec.AgainAt.Sub(now))
}

// Late reports whether a stage before the commit has used up its limit.
func (r *Registry) Late(rec *Record, now time.Time) bool {
	s, _ := r.find(rec.Name)
	return rec.StartedAt != nil && now.Sub(*rec.StartedAt) >= s.Limit
}

// UndoLate reports whether undoing a stage has used up its limit.
func (r *Registry) UndoLate(rec *Record, now time.Time) bool {
	s, _ := r.find(rec.Name)
	return rec.UndoneFrom != nil && now.Sub(*rec.UndoneFrom) >= s.Limit
}

var errGone = errors.New("the module that does this is not in this panel any more")

// Do calls a stage that has begun and moves its record: to done, skipped, waiting or failed. It does not touch the
// record when the context of the caller has ended, because then nothing is known.
func (r *Registry) Do(ctx context.Context, rec *Record, a flowsapi.Apply, now func() time.Time) {
	s, there := r.find(rec.Name)
	var outcome flowsapi.Outcome
	err := errGone
	if there {
		outcome, err = called(ctx, func(ctx context.Context) (flowsapi.Outcome, error) { return s.Do(ctx, a) })
	}
	if err != nil && ctx.Err() != nil {
		return
	}
	end := now()
	rec.Detail, rec.Error = outcome.Detail, ""
	switch {
	case err != nil:
		rec.State, rec.Error, rec.FinishedAt = Failed, err.Error(), &end
	case outcome.Result == flowsapi.Again:
		at := outcome.At
		rec.State, rec.AgainAt = Waiting, &at
	case outcome.Result == flowsapi.Nothing:
		rec.State, rec.FinishedAt = Skipped, &end
	default:
		rec.State, rec.FinishedAt = Done, &end
	}
}

// Undo calls the undoing of a stage and moves its record to undone; with an error it stays where it is, to be repeated.
func (r *Registry) Undo(ctx context.Context, rec *Record, a flowsapi.Apply, now func() time.Time) {
	s, there := r.find(rec.Name)
	err := errGone
	switch {
	case there && s.Undo != nil:
		_, err = called(
			ctx,
			func(ctx context.Context) (flowsapi.Outcome, error) { return flowsapi.Outcome{}, s.Undo(ctx, a) },
		)
	case there:
		err = nil
	}
	if err != nil && ctx.Err() != nil {
		return
	}
	if err != nil {
		rec.UndoError = err.Error()
		return
	}
	end := now()
	rec.State, rec.UndoError, rec.FinishedAt = Undone, "", &end
}

// called bounds a call of a module and makes its panic an error.
func called(
	ctx context.Context,
	call func(ctx context.Context) (flowsapi.Outcome, error),
) (out flowsapi.Outcome, err error) {
	ctx, cancel := context.WithTimeout(ctx, flowsapi.CallLimit)
	defer cancel()
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v", cause)
		}
	}()
	out, err = call(ctx)
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("no answer within %s: %w", flowsapi.CallLimit, err)
	}
	return out, err
}
