package operations

import (
	"context"
	"time"

	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/jobs"
	"panel/platform/operations"
)

type handlers struct {
	db      *database.DB
	store   *operations.Store
	queue   *jobs.Enqueuer
	journal audit.Journal
}

func newHandlers(db *database.DB, store *operations.Store, queue *jobs.Enqueuer, journal audit.Journal) *handlers {
	return &handlers{db: db, store: store, queue: queue, journal: journal}
}

func (h *handlers) routes() httpapi.Routes {
	return httpapi.Under("/api/v1/operations", "",
		httpapi.Get("", "List what was started", access.Session(), h.list),
		httpapi.Get("/{id}", "Show how far an operation is", access.Session(), h.get),
		httpapi.Post("/{id}/cancel", "Cancel an operation", access.Session(), h.cancel),
	)
}

// Operation is what somebody started.
type Operation struct {
	ID         string           `json:"id"`
	Kind       string           `json:"kind" example:"backups.run"`
	About      about            `json:"about"`
	State      operations.State `json:"state" enum:"queued,running,succeeded,failed,cancelled"`
	Progress   int              `json:"progress" doc:"Percent"`
	StartedBy  string           `json:"started_by"`
	Error      string           `json:"error" doc:"Why it failed, or why its last attempt did; empty without a failure"`
	CreatedAt  time.Time        `json:"created_at"`
	FinishedAt *time.Time       `json:"finished_at"`
}

type about struct {
	Type string `json:"type"`
	ID   string `json:"id"`
	Name string `json:"name"`
}

func shown(row operations.Row) Operation {
	return Operation{
		ID: row.ID, Kind: row.Kind, About: about{Type: row.ObjectType, ID: row.ObjectID, Name: row.ObjectName},
		State:    row.State,
		Progress: row.Progress, StartedBy: row.StartedBy, Error: row.Error, CreatedAt: row.CreatedAt,
		FinishedAt: row.FinishedAt,
	}
}

type listInput struct {
	httpapi.PageQuery
	Active bool `query:"active" doc:"Only what has not ended"`
}

type listOutput struct{ Body httpapi.Page[Operation] }

// The two orders of operations.
const (
	newestFirst = "-created_at"
	oldestFirst = "created_at"
)

// list shows the caller's own operations; full access shows those of all.
func (h *handlers) list(ctx context.Context, in *listInput) (*listOutput, error) {
	if in.Sort == "" {
		in.Sort = newestFirst
	}
	if in.Sort != newestFirst && in.Sort != oldestFirst {
		return nil, httpapi.ErrSort
	}
	filter := operations.Filter{Active: in.Active, OldestFirst: in.Sort == oldestFirst}
	if caller := access.From(ctx); !caller.Permissions.Has(access.All) {
		filter.AccountID = caller.AccountID
	}
	after, err := httpapi.ReadCursor(in.Cursor, in.Sort, httpapi.CursorMoment)
	if err != nil {
		return nil, err
	}
	if after != nil {
		if filter.After, err = time.Parse(time.RFC3339Nano, after.Value); err != nil {
			return nil, httpapi.ErrCursor
		}
		filter.AfterID = after.ID
	}
	rows, total, err := h.store.List(ctx, filter, in.Limit+1)
	if err != nil {
		return nil, err
	}
	page := httpapi.Page[Operation]{Items: []Operation{}, Total: total}
	for i, row := range rows {
		if i == in.Limit {
			page.NextCursor = httpapi.Cursor{
				Sort:  in.Sort,
				Value: rows[i-1].CreatedAt.UTC().Format(time.RFC3339Nano),
				ID:    rows[i-1].ID,
			}.Text()
			break
		}
		page.Items = append(page.Items, shown(row))
	}
	return &listOutput{page}, nil
}

type oneInput struct {
	ID string `path:"id"`
}

type oneOutput struct{ Body Operation }

func (h *handlers) get(ctx context.Context, in *oneInput) (*oneOutput, error) {
	row, err := h.own(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return &oneOutput{shown(row)}, nil
}

// own gives an operation to whoever started it and to full access. Fault: not_found (404), for everybody else too.
func (h *handlers) own(ctx context.Context, id string) (operations.Row, error) {
	missing := fault.Missing(fault.NoSuchThing)
	if !database.IsID(id) {
		return operations.Row{}, missing
	}
	row, err := h.store.Get(ctx, id)
	caller := access.From(ctx)
	if err == nil && row.AccountID != caller.AccountID && !caller.Permissions.Has(access.All) {
		err = missing
	}
	return row, err
}

// cancel ends what has not begun; what runs is told to end, and shows it in its state. Fault: operation_ended (409).
func (h *handlers) cancel(ctx context.Context, in *oneInput) (*oneOutput, error) {
	row, err := h.own(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if row.FinishedAt != nil || row.JobID == nil {
		return nil, fault.Conflict("operation_ended", "this operation has ended; there is nothing left to cancel")
	}
	err = h.db.InTx(ctx, func(ctx context.Context) error {
		over, err := h.queue.Cancel(ctx, *row.JobID)
		if err == nil && over {
			err = h.store.End(ctx, row.ID, operations.ErrCancelled)
		}
		if err != nil {
			return err
		}
		object := audit.Object{Type: "job", ID: row.ID, Name: row.Kind}
		return h.journal.Record(ctx, h.db.In(ctx), audit.Entry{Action: "operation.cancelled", Object: object})
	})
	if err != nil {
		return nil, err
	}
	h.store.Publish(ctx, row.ID)
	return h.get(ctx, in)
}
