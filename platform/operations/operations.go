// Package operations keeps what somebody started and can follow: how far it is, how it ended, and why.
//
// A job brings its operation along (jobs.Opts); what runs in another way begins, moves and ends it here.
package operations

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"panel/platform/access"
	"panel/platform/database"
	"panel/platform/events"
)

// State is where an operation stands.
type State string

// The states; the last three are final.
const (
	Queued    State = "queued"
	Running   State = "running"
	Succeeded State = "succeeded"
	Failed    State = "failed"
	Cancelled State = "cancelled"
)

// Changed is the kind of the event after every change; who may read the operation reads it again.
const Changed = "operation.changed"

// ErrCancelled ends an operation as cancelled and not as failed.
var ErrCancelled = errors.New("cancelled")

// About is the object that an operation works on.
type About struct{ Type, ID, Name string }

// New asks for an operation beside a job. ID is set by the insertion; it stays empty when the job was kept out.
type New struct {
	About About
	ID    string
}

// Row is an operation as it is stored.
type Row struct {
	bun.BaseModel `bun:"table:operations,alias:o"`

	ID         string `bun:",pk"`
	Kind       string // that of the job, "backups.run"
	ObjectType string
	ObjectID   string
	ObjectName string
	State      State
	Progress   int    // percent
	Error      string // why it failed, or why its last attempt did
	AccountID  string
	StartedBy  string // the name at that time
	JobID      *int64
	CreatedAt  time.Time
	FinishedAt *time.Time
}

// Store keeps operations in the database and tells their changes.
type Store struct {
	db  *database.DB
	bus *events.Bus
}

// NewStore makes a store.
func NewStore(db *database.DB, bus *events.Bus) *Store { return &Store{db: db, bus: bus} }

// Begin adds an operation of the context's caller, in the transaction of the context. Its change is told by its first
// Move.
func (s *Store) Begin(ctx context.Context, id, kind string, about About, job *int64) error {
	caller := access.From(ctx)
	row := Row{
		ID: id, Kind: kind, ObjectType: about.Type, ObjectID: about.ID, ObjectName: about.Name, State: Queued,
		AccountID: caller.AccountID, StartedBy: caller.Username, JobID: job,
	}
	if _, err := s.db.In(ctx).NewInsert().Model(&row).ExcludeColumn("created_at", "finished_at").Exec(ctx); err != nil {
		return database.Fault(fmt.Errorf("begin an operation of the kind %s: %w", kind, err), nil)
	}
	return nil
}

// Move notes that an operation runs and how far it is, in percent.
func (s *Store) Move(ctx context.Context, id string, percent int) error {
	return s.change(ctx, id, `update operations set state = 'running', progress = greatest(progress, ?)
		where id = ? and finished_at is null`, min(max(percent, 0), 100), id)
}

// Wait notes that an attempt failed and that another one follows.
func (s *Store) Wait(ctx context.Context, id string, cause error) error {
	return s.change(ctx, id, `update operations set state = 'queued', error = ? where id = ? and finished_at is null`,
		text(cause), id)
}

// End notes how an operation ended: well without an error, cancelled with ErrCancelled, else failed.
func (s *Store) End(ctx context.Context, id string, cause error) error {
	switch {
	case cause == nil:
		return s.change(ctx, id, `update operations set state = 'succeeded', progress = 100, error = '', finished_at = now()
			where id = ? and finished_at is null`, id)
	case errors.Is(cause, ErrCancelled):
		return s.change(ctx, id, `update operations set state = 'cancelled', finished_at = now()
			where id = ? and finished_at is null`, id)
	}
	return s.change(ctx, id, `update operations set state = 'failed', error = ?, finished_at = now()
		where id = ? and finished_at is null`, text(cause), id)
}

// EndJobs fails the operations of jobs that were given up together with their panel.
func (s *Store) EndJobs(ctx context.Context, jobs []int64, why string) error {
	var ids []string
	err := s.db.In(ctx).NewRaw(`update operations set state = 'failed', error = ?, finished_at = now()
		where job_id in ? and finished_at is null returning id`, why, bun.Tuple(jobs)).Scan(ctx, &ids)
	if err != nil {
		return database.Fault(fmt.Errorf("end the operations of %d jobs: %w", len(jobs), err), nil)
	}
	for _, id := range ids {
		s.Publish(ctx, id)
	}
	return nil
}

func (s *Store) change(ctx context.Context, id, statement string, args ...any) error {
	if _, err := s.db.In(ctx).NewRaw(statement, args...).Exec(ctx); err != nil {
		return database.Fault(fmt.Errorf("note the state of the operation %s: %w", id, err), nil)
	}
	if !database.InTransaction(ctx) {
		s.Publish(ctx, id)
	}
	return nil
}

// Publish shows that an operation has changed, after its transaction has committed. It says only which operation it is:
// who may not read it learns nothing.
func (s *Store) Publish(ctx context.Context, id string) {
	// nothing is stored; only a kind nobody declares fails
	_ = s.bus.Emit(ctx, events.Event{Kind: Changed, SubjectID: id})
}

const longestError = 2000

// text keeps the beginning of an error.
func text(err error) string {
	runes := []rune(err.Error())
	return string(runes[:min(len(runes), longestError)])
}

// Get gives one operation. Fault: not_found (404).
func (s *Store) Get(ctx context.Context, id string) (Row, error) {
	var row Row
	err := s.db.In(ctx).NewSelect().Model(&row).Where("id = ?", id).Scan(ctx)
	return row, database.Fault(err, nil)
}

// Filter chooses operations; the zero value chooses all.
type Filter struct {
	AccountID   string    // only his
	Active      bool      // only those that have not ended
	After       time.Time // where the page before ended
	AfterID     string
	OldestFirst bool
}

// List gives the newest first, and how many there are beside the place in the list.
func (s *Store) List(ctx context.Context, f Filter, limit int) ([]Row, int, error) {
	rows := []Row{}
	q := s.db.In(ctx).NewSelect().Model(&rows)
	if f.AccountID != "" {
		q.Where("account_id = ?", f.AccountID)
	}
	if f.Active {
		q.Where("finished_at is null")
	}
	total, err := q.Count(ctx)
	if err != nil {
		return nil, 0, database.Fault(fmt.Errorf("count operations: %w", err), nil)
	}
	direction, than := " desc", "<"
	if f.OldestFirst {
		direction, than = " asc", ">"
	}
	if f.AfterID != "" {
		q.Where("(created_at, id) "+than+" (?, ?)", f.After, f.AfterID)
	}
	if err := q.OrderExpr("created_at" + direction + ", id" + direction).Limit(int64(limit)).Scan(ctx); err != nil {
		return nil, 0, database.Fault(fmt.Errorf("list operations: %w", err), nil)
	}
	return rows, int(total), nil
}
