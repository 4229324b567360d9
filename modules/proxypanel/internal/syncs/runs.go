// Package syncs reads what proxy panels hold into the shadow: their objects every minute, their users every ten.
//
// A run is a job with a row. Of one connection at most one runs, over all panels on the database; one that a panel died
// over begins anew, because its job is run again. What a run found is written part by part, each with a sign of life
// that also fences off a run that was given up. Only a whole list and a whole pass over the users make anything gone.
package syncs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"panel/modules/proxypanel/internal/shadow"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/jobs"
	"panel/platform/keyset"
)

// What a run reads.
const (
	Objects = "objects"
	Full    = "full" // objects and users
)

// States of a run.
const (
	Running   = "running"
	Succeeded = "succeeded"
	Failed    = "failed"
)

// Interrupted is the cause of a run that was ended before it was through.
const Interrupted = "interrupted"

// Who had a run begin.
const (
	bySchedule = "schedule"
	byPerson   = "person"
)

// Run is one reading of a proxy panel.
type Run struct {
	ID          string     `json:"id" format:"uuid"`
	Scope       string     `json:"scope" enum:"objects,full" doc:"full: objects and users"`
	Source      string     `json:"source" enum:"schedule,person"`
	State       string     `json:"state" enum:"running,succeeded,failed"`
	Cause       string     `json:"cause" doc:"Stable word for why it failed, as those of connections, or interrupted"`
	Detail      string     `json:"detail" doc:"What the cause does not say, in English; may be empty"`
	StartedBy   string     `json:"started_by" doc:"Empty: nobody"`
	OperationID *string    `json:"operation_id"`
	Objects     int        `json:"objects" doc:"Objects read"`
	Users       int        `json:"users" doc:"Users read"`
	Added       int        `json:"added"`
	Changed     int        `json:"changed"`
	Gone        int        `json:"gone"`
	StartedAt   time.Time  `json:"started_at"`
	FinishedAt  *time.Time `json:"finished_at"`
}

// row is a run as it is stored.
type row struct {
	bun.BaseModel `bun:"table:proxypanel_syncs,alias:r"`

	ID           string     `bun:"id,pk,type:uuid"`
	ConnectionID string     `bun:"connection_id,type:uuid"`
	JobID        int64      `bun:"job_id"`
	Scope        string     `bun:"scope"`
	Source       string     `bun:"source"`
	State        string     `bun:"state"`
	Cause        string     `bun:"cause"`
	Detail       string     `bun:"detail"`
	ByName       string     `bun:"by_name"`
	OperationID  *string    `bun:"operation_id,type:uuid"`
	Objects      int        `bun:"objects"`
	Users        int        `bun:"users"`
	Added        int        `bun:"added"`
	Changed      int        `bun:"changed"`
	Gone         int        `bun:"gone"`
	StartedAt    time.Time  `bun:"started_at"`
	BeatAt       time.Time  `bun:"beat_at"`
	FinishedAt   *time.Time `bun:"finished_at"`
	SortKey      string     `bun:"sort_key,scanonly"`
}

func (r *row) shown() Run {
	run := Run{
		ID: r.ID, Scope: r.Scope, Source: r.Source, State: r.State, Cause: r.Cause, Detail: r.Detail,
		StartedBy: r.ByName, OperationID: r.OperationID, Objects: r.Objects, Users: r.Users, Added: r.Added,
		Changed: r.Changed, Gone: r.Gone,
		StartedAt: r.StartedAt.UTC(), FinishedAt: r.FinishedAt,
	}
	if r.FinishedAt != nil {
		at := r.FinishedAt.UTC()
		run.FinishedAt = &at
	}
	return run
}

func (r *row) count(c shadow.Changes) {
	r.Added, r.Changed, r.Gone = r.Added+c.Added, r.Changed+c.Changed, r.Gone+c.Gone
}

var orders = map[string]keyset.Order{"started_at": {Expression: "r.started_at", Kind: httpapi.CursorMoment}}

// Page lists the runs of a connection, the newest first.
func (s *Syncs) Page(
	ctx context.Context, connectionID string, query httpapi.PageQuery,
) (page httpapi.Page[Run], err error) {
	k, err := keyset.New(query, "r.id", "-started_at", orders)
	if err != nil {
		return page, err
	}
	var rows []row
	err = k.Apply(s.DB.In(ctx).NewSelect().Model(&rows).ColumnExpr("r.*").Where("r.connection_id = ?", connectionID), nil).
		Scan(ctx)
	if err != nil {
		return page, database.Fault(fmt.Errorf("list runs: %w", err), nil)
	}
	total, err := s.DB.In(ctx).NewSelect().Model((*row)(nil)).Where("r.connection_id = ?", connectionID).Count(ctx)
	if err != nil {
		return page, database.Fault(fmt.Errorf("count runs: %w", err), nil)
	}
	last := func(r *row) (string, string) { return r.SortKey, r.ID }
	return keyset.Page(k, rows, int(total), (*row).shown, last), nil
}

// Times are when a connection was last read.
type Times struct {
	bun.BaseModel `bun:"table:proxypanel_sync_states,alias:t"`

	ConnectionID string     `bun:"connection_id,pk,type:uuid"`
	ObjectsAt    *time.Time `bun:"objects_at"` // its objects, whole
	UsersAt      *time.Time `bun:"users_at"`   // its users, whole
	UsersBegun   *time.Time `bun:"users_begun"`
}

// Times gives those of connections; one that was never read is not among them.
func (s *Syncs) Times(ctx context.Context, connectionIDs ...string) (map[string]Times, error) {
	all := map[string]Times{}
	if len(connectionIDs) == 0 {
		return all, nil
	}
	var rows []Times
	err := s.DB.In(ctx).NewSelect().Model(&rows).Where("t.connection_id in ?", bun.Tuple(connectionIDs)).Scan(ctx)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read when proxy panels were last read: %w", err), nil)
	}
	for _, one := range rows {
		all[one.ConnectionID] = one
	}
	return all, nil
}

// errBusy says that another run of the connection goes on, errLost that this run counts no more.
var (
	errBusy = errors.New("another run reads this proxy panel")
	errLost = errors.New("this run was given up, or its connection removed")
)

// staleAfter is how long a run may show no sign of life. Each question is answered or given up well before.
const staleAfter = 2 * time.Minute

// begin makes the row of a run. One that shows no sign of life any more, and one of the same job, which is run again,
// are over. Errors: errBusy, errLost where the connection was removed.
func (s *Syncs) begin(ctx context.Context, r *row) error {
	return s.DB.InTx(ctx, func(ctx context.Context) error {
		db := s.DB.In(ctx)
		_, err := db.NewRaw(`update proxypanel_syncs set state = ?, cause = ?, finished_at = clock_timestamp()
			where connection_id = ? and state = ? and (job_id = ? or beat_at < clock_timestamp() - make_interval(secs => ?))`,
			Failed, Interrupted, r.ConnectionID, Running, r.JobID, staleAfter.Seconds()).Exec(ctx)
		if err != nil {
			return database.Fault(fmt.Errorf("end what a run has left: %w", err), nil)
		}
		var there []string
		err = db.NewRaw("select id from proxypanel_connections where id = ? for key share", r.ConnectionID).Scan(ctx, &there)
		if err != nil || len(there) == 0 {
			return errors.Join(errLost, database.Fault(err, nil))
		}
		done, err := db.NewRaw(`insert into proxypanel_syncs (id, connection_id, job_id, scope, source, state, by_name,
				operation_id, started_at, beat_at)
			values (?, ?, ?, ?, ?, ?, ?, ?, clock_timestamp(), clock_timestamp())
			on conflict (connection_id) where state = 'running' do nothing`,
			r.ID, r.ConnectionID, r.JobID, r.Scope, r.Source, Running, r.ByName, r.OperationID).Exec(ctx)
		if err != nil {
			return database.Fault(fmt.Errorf("begin a run: %w", err), nil)
		}
		if n, err := done.RowsAffected(); err != nil || n == 0 {
			return errors.Join(errBusy, err)
		}
		return nil
	})
}

// note writes what a part of a run has found, with its figures and a sign of life, all or nothing. Error: errLost.
func (s *Syncs) note(ctx context.Context, r *row, write func(ctx context.Context) (shadow.Changes, error)) error {
	return s.DB.InTx(ctx, func(ctx context.Context) error {
		if err := s.fence(ctx, r); err != nil {
			return err
		}
		changes, err := write(ctx)
		if err != nil {
			return err
		}
		r.count(changes)
		_, err = s.DB.In(ctx).NewRaw(`update proxypanel_syncs set objects = ?, users = ?, added = ?, changed = ?, gone = ?,
			beat_at = clock_timestamp() where id = ?`, r.Objects, r.Users, r.Added, r.Changed, r.Gone, r.ID).Exec(ctx)
		return database.Fault(err, nil)
	})
}

// fence holds the row of a run that still counts. Error: errLost.
func (s *Syncs) fence(ctx context.Context, r *row) error {
	var ids []string
	err := s.DB.In(ctx).NewRaw("select id from proxypanel_syncs where id = ? and state = ? for update", r.ID, Running).
		Scan(ctx, &ids)
	switch {
	case err != nil:
		return database.Fault(fmt.Errorf("look whether a run counts: %w", err), nil)
	case len(ids) == 0:
		return errLost
	}
	return nil
}

// end writes how a run ended. One that the schedule began and that has found nothing new leaves no row.
func (s *Syncs) end(ctx context.Context, r *row) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endWithin)
	defer cancel()
	if r.State == Succeeded && r.Source == bySchedule && r.Scope == Objects && r.Added+r.Changed+r.Gone == 0 {
		_, err := s.DB.In(ctx).NewRaw("delete from proxypanel_syncs where id = ? and state = ?", r.ID, Running).Exec(ctx)
		return database.Fault(err, nil)
	}
	_, err := s.DB.In(ctx).NewRaw(`update proxypanel_syncs set state = ?, cause = ?, detail = ?,
		finished_at = clock_timestamp() where id = ? and state = ?`, r.State, r.Cause, r.Detail, r.ID, Running).Exec(ctx)
	return database.Fault(err, nil)
}

const endWithin = 5 * time.Second

// mark notes when something of a connection was read, in one column of its times.
func (s *Syncs) mark(ctx context.Context, r *row, column string) error {
	_, err := s.DB.In(ctx).NewRaw(`insert into proxypanel_sync_states as t (connection_id, ?0) values (?1, clock_timestamp())
		on conflict (connection_id) do update set ?0 = excluded.?0`, bun.Ident(column), r.ConnectionID).Exec(ctx)
	return database.Fault(err, nil)
}

// Tidy lets old runs go.
func Tidy() jobs.Tidy {
	const keep = 14 * 24 * time.Hour
	return jobs.Tidy{Table: "proxypanel_syncs", Column: "finished_at", Age: keep}
}

var errActive = fault.Conflict("sync_active", "a reading of this proxy panel waits or runs already")

// Faults are the codes of this package.
func Faults() []fault.Declared {
	return []fault.Declared{{
		Kind: fault.KindConflict, Code: errActive.Code, Summary: "The proxy panel is being read already",
	}}
}
