package syncs

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"panel/modules/proxypanel/internal/remnawave"
	"panel/modules/proxypanel/internal/shadow"
	"panel/platform/access"
	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/jobs"
	"panel/platform/operations"
)

// Kind is that of the jobs and of the schedule.
const Kind = "proxypanel.sync"

// UsersEvery is how far two passes over the users of a connection lie apart, from begin to begin.
const UsersEvery = 10 * time.Minute

const (
	// runWithin bounds a run: at five questions a second it is enough for two million users.
	runWithin = 10 * time.Minute
	// stepWithin bounds one question with the wait for its turn.
	stepWithin = 45 * time.Second
	// waitWithin is how long a run that a person began waits for the one before it, waitStep how often it looks.
	waitWithin = 5 * time.Minute
	waitStep   = 500 * time.Millisecond
	// tries is how often one question is asked where the next time may be better.
	tries = 3
	// mostPages keeps a panel that never ends its list from being read for ever.
	mostPages = 10_000
)

// Panel is a connection that may be read.
type Panel struct {
	ID, Label string
	Users     int // as the panel said last; for the progress
}

// Tools are what runs work with.
type Tools struct {
	DB     *database.DB
	Shadow *shadow.Shadow
	Queue  *jobs.Enqueuer
	// Due gives the connections that work, or have not been looked at yet.
	Due func(ctx context.Context) ([]Panel, error)
	// Open gives a connection and a client for it, to be closed. Fault: not_found (404).
	Open func(ctx context.Context, connectionID string) (Panel, *remnawave.Client, error)
}

// Syncs reads proxy panels.
type Syncs struct{ Tools }

// New makes it.
func New(t Tools) *Syncs { return &Syncs{t} }

// args say which connection to read; without one it is all that are due.
type args struct {
	ConnectionID string `json:"connection_id,omitempty"`
	Scope        string `json:"scope,omitempty"`
	Source       string `json:"source,omitempty"`
	By           string `json:"by,omitempty"`
	OperationID  string `json:"operation_id,omitempty"`
}

// Kind names the worker.
func (args) Kind() string { return Kind }

// Schedule goes on in read-only mode and without the feature: it only reads.
func Schedule(feature string) jobs.Schedule {
	return jobs.Schedule{
		Name: Kind, Cron: "* * * * *", Feature: feature, ReadOnly: entitlement.GoesOn, Blocked: entitlement.GoesOn,
		Args: func() jobs.Args { return args{} },
	}
}

// Worker runs the jobs.
func (s *Syncs) Worker() jobs.Worker {
	const together, attempts = 4, 5
	return jobs.Worker{
		Kind: Kind, Limit: together, Attempts: attempts, Timeout: waitWithin + runWithin + time.Minute,
		Work: jobs.Do(s.work),
	}
}

// Begin has a connection read whole, as an operation of the context's caller. Fault: sync_active (409).
func (s *Syncs) Begin(ctx context.Context, p Panel, about operations.About) (operationID string, err error) {
	order := args{ConnectionID: p.ID, Scope: Full, Source: byPerson, By: access.From(ctx).Name()}
	follow := operations.New{About: about}
	if err := s.Queue.Insert(ctx, order, jobs.Opts{Unique: byPerson + "/" + p.ID, Operation: &follow}); err != nil {
		return "", fmt.Errorf("have a proxy panel read: %w", err)
	}
	if follow.ID == "" {
		return "", errActive
	}
	return follow.ID, nil
}

// work reads one connection, or has each that is due read by a job of its own, so that a slow one delays no other.
func (s *Syncs) work(ctx context.Context, job jobs.Job, order args) error {
	if order.ConnectionID != "" {
		return s.run(ctx, job, order)
	}
	due, err := s.Due(ctx)
	if err != nil {
		return err
	}
	ids := make([]string, len(due))
	for i, one := range due {
		ids[i] = one.ID
	}
	times, err := s.Times(ctx, ids...)
	if err != nil {
		return err
	}
	now, err := s.Shadow.Now(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		scope := Objects
		if begun := times[id].UsersBegun; begun == nil || now.Sub(*begun) >= UsersEvery {
			scope = Full
		}
		order := args{ConnectionID: id, Scope: scope, Source: bySchedule}
		if err := s.Queue.Insert(ctx, order, jobs.Opts{Unique: id}); err != nil {
			return fmt.Errorf("have a proxy panel read: %w", err)
		}
	}
	return nil
}

// run reads one connection and writes down how it went. What fails is the run, not its job: the next run is due soon.
// Only who began a run by hand is told by the operation.
func (s *Syncs) run(ctx context.Context, job jobs.Job, order args) error {
	r := &row{
		ID: database.NewID(), ConnectionID: order.ConnectionID, JobID: job.ID, Scope: order.Scope, Source: order.Source,
		ByName: order.By,
	}
	if id := job.Operation(); id != "" {
		r.OperationID = &id
	}
	err := s.enter(ctx, r)
	switch {
	case errors.Is(err, errLost), errors.Is(err, errBusy) && r.Source == bySchedule:
		return nil
	case err != nil:
		return err
	}
	failure := s.read(ctx, job, r)
	if errors.Is(failure, errLost) {
		return nil
	}
	r.judge(ctx, failure)
	if err := s.end(ctx, r); err != nil {
		return err
	}
	switch {
	case failure != nil && context.Cause(ctx) != nil:
		return failure
	case failure != nil && r.Source == byPerson:
		return jobs.Permanent(failure)
	}
	return nil
}

// enter begins a run. One that a person began waits for the one that goes on. Error: errBusy.
func (s *Syncs) enter(ctx context.Context, r *row) error {
	ctx, cancel := context.WithTimeout(ctx, waitWithin)
	defer cancel()
	for {
		err := s.begin(ctx, r)
		if !errors.Is(err, errBusy) || r.Source == bySchedule {
			return err
		}
		select {
		case <-ctx.Done():
			return errBusy
		case <-time.After(waitStep):
		}
	}
}

// judge says how a run ended.
func (r *row) judge(ctx context.Context, failure error) {
	var problem *remnawave.Problem
	switch r.State = Failed; {
	case failure == nil:
		r.State = Succeeded
	case context.Cause(ctx) != nil:
		r.Cause = Interrupted
	case errors.As(failure, &problem):
		r.Cause, r.Detail = problem.Cause, problem.Detail
	default:
		r.Cause = remnawave.PanelFailed
	}
}

// read reads the objects, and the users where the run is full. Error: *remnawave.Problem, errLost.
func (s *Syncs) read(ctx context.Context, job jobs.Job, r *row) error {
	ctx, cancel := context.WithTimeout(ctx, runWithin)
	defer cancel()
	panel, client, err := s.Open(ctx, r.ConnectionID)
	if err != nil {
		return err
	}
	defer client.Close()
	for i, kind := range remnawave.Kinds() {
		if err := s.readObjects(ctx, client, r, kind); err != nil {
			return err
		}
		if err := job.Progress(ctx, (i+1)*2); err != nil {
			return err
		}
	}
	if err := s.mark(ctx, r, "objects_at"); err != nil || r.Scope == Objects {
		return err
	}
	return s.readUsers(ctx, client, job, r, panel.Users)
}

func (s *Syncs) readObjects(ctx context.Context, client *remnawave.Client, r *row, kind string) error {
	asked, err := s.Shadow.Now(ctx)
	if err != nil {
		return err
	}
	all, err := again(ctx, func(ctx context.Context) ([]remnawave.Listed, error) { return client.List(ctx, kind) })
	if err != nil {
		return err
	}
	r.Objects += len(all)
	return s.note(ctx, r, func(ctx context.Context) (shadow.Changes, error) {
		return s.Shadow.PutObjects(ctx, r.ConnectionID, kind, all, asked)
	})
}

// readUsers goes through all users, part by part, and marks those gone that a whole pass has not met.
func (s *Syncs) readUsers(
	ctx context.Context, client *remnawave.Client, job jobs.Job, r *row, expected int,
) error {
	began, err := s.Shadow.Now(ctx)
	if err != nil {
		return err
	}
	if err := s.mark(ctx, r, "users_begun"); err != nil {
		return err
	}
	seen, cursors := make([]int64, 0, expected), map[string]bool{}
	for cursor, more := "", true; more; {
		page, err := again(ctx, func(ctx context.Context) (remnawave.UserPage, error) {
			return client.Users(ctx, cursor, pageSize(expected))
		})
		if err != nil {
			return err
		}
		for i := range page.Users {
			seen = append(seen, page.Users[i].ID)
		}
		r.Users = len(seen)
		err = s.note(ctx, r, func(ctx context.Context) (shadow.Changes, error) {
			return s.Shadow.PutUsers(ctx, r.ConnectionID, page.Users)
		})
		if err != nil {
			return err
		}
		if cursor, more = page.Next, page.Next != ""; more && (cursors[cursor] || len(cursors) == mostPages) {
			return &remnawave.Problem{
				Cause: remnawave.AnswerUnreadable, Status: http.StatusOK, Detail: "the list of users has no end",
			}
		}
		cursors[cursor] = true
		if err := job.Progress(ctx, share(len(seen), expected)); err != nil {
			return err
		}
	}
	err = s.note(ctx, r, func(ctx context.Context) (done shadow.Changes, err error) {
		done.Gone, err = s.Shadow.Lost(ctx, r.ConnectionID, seen, began)
		return done, err
	})
	if err != nil {
		return err
	}
	return s.mark(ctx, r, "users_at")
}

// pageSize is how many users one question asks for. Reading a small part is not felt by who waits for an answer of this
// panel meanwhile; of many users the parts are larger, so that a pass does not take long.
func pageSize(expected int) int {
	const fewest, questions = 250, 500
	return min(max(expected/questions, fewest), remnawave.MostUsers)
}

// share is the progress in percent: the objects are a tenth.
func share(seen, expected int) int {
	const objects, whole = 10, 99
	if expected <= 0 {
		return objects
	}
	return min(objects+(whole-objects)*seen/expected, whole)
}

// again asks a question up to three times where the next time may be better: the connection broke, the panel's proxy
// has lost it for a moment, or it wants to be left alone for no longer than a question may take.
func again[T any](ctx context.Context, ask func(ctx context.Context) (T, error)) (answer T, err error) {
	for range tries {
		step, cancel := context.WithTimeout(ctx, stepWithin)
		answer, err = ask(step)
		cancel()
		var problem *remnawave.Problem
		if err == nil || !errors.As(err, &problem) || !problem.Passing(stepWithin) {
			return answer, err
		}
	}
	return answer, err
}
