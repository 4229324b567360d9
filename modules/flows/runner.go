package flows

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"

	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/lease"
)

// runner carries applies to their end. Each unfinished apply is leased by one panel; when that panel dies the lease
// ends and another one, or the next start, goes on from the stage that is written in the database.
type runner struct {
	*service
	asker *asker
	desk  *lease.Desk
	busy  sync.WaitGroup
}

func newRunner(s *service, a *asker) *runner {
	return &runner{service: s, asker: a, desk: lease.New(s.db, "flow_applies")}
}

// Times of the runner: how often an idle panel looks for work, and how long one look at the agents' answers may take.
const (
	idleLook = time.Second
	oneLook  = 2 * time.Second
)

// loop finds work until the context ends and then waits for what it has begun.
func (r *runner) loop(ctx context.Context) error {
	defer r.busy.Wait()
	defer r.desk.Wait()
	for ctx.Err() == nil {
		r.take(ctx)
		select {
		case <-ctx.Done():
		case <-r.wake:
		case <-r.clock.After(idleLook):
		}
	}
	return nil
}

func (r *runner) take(ctx context.Context) {
	ids, word, err := r.desk.Claim(ctx, r.now())
	if err != nil && ctx.Err() == nil {
		r.log.Warn("unfinished applies could not be looked up", zap.Error(err))
	}
	for _, id := range ids {
		r.desk.Go(id, func() { r.drive(ctx, id, word) })
	}
	for {
		row, err := r.asker.claim(ctx)
		if err != nil || row == nil {
			return
		}
		r.busy.Go(func() { r.asker.ask(ctx, row) })
	}
}

// drive goes on with one apply until it has ended, somebody else has it, or this panel stops. What this claim wrote is
// what is written as long as its lease holds, so that the row, which is large, is read again only after a failure or a pause.
func (r *runner) drive(ctx context.Context, id, word string) {
	var row *applyRow
	for ctx.Err() == nil {
		err := r.refresh(ctx, id, &row)
		if err == nil && (row.FinishedAt != nil || row.Runner != word) {
			return
		}
		if err == nil {
			err = r.advance(r.as(ctx, row), row)
		}
		if errors.Is(err, lease.ErrLost) {
			return
		}
		if err != nil && ctx.Err() == nil {
			row = nil
			r.log.Warn("an apply could not go on; it is tried again", zap.String("apply_id", id), zap.Error(err))
			r.pause(ctx)
		}
	}
	r.letGo(context.WithoutCancel(ctx), id, word)
}

// refresh reads the apply unless what is known of it is protected by a lease that still runs.
func (r *runner) refresh(ctx context.Context, id string, row **applyRow) error {
	if *row != nil && r.now().Before((*row).LeaseUntil) {
		return nil
	}
	read, err := r.store.apply(ctx, id)
	if err == nil {
		*row = read
	}
	return err
}

// as lets the journal name the person who started the apply.
func (r *runner) as(ctx context.Context, row *applyRow) context.Context {
	if row.AccountID == "" {
		return ctx
	}
	return access.With(ctx, access.Caller{Kind: access.Admin, AccountID: row.AccountID, Username: row.StartedBy})
}

func (r *runner) pause(ctx context.Context) {
	const beforeAgain = 500 * time.Millisecond
	select {
	case <-ctx.Done():
	case <-r.clock.After(beforeAgain):
	}
}

// letGo ends the lease early when the panel stops in good order.
func (r *runner) letGo(ctx context.Context, id, word string) {
	ctx, cancel := context.WithTimeout(ctx, oneLook)
	defer cancel()
	if err := r.desk.LetGo(ctx, id, word, r.now()); err != nil {
		r.log.Info("an apply keeps its lease until it ends by itself", zap.String("apply_id", id), zap.Error(err))
	}
}

// save writes what was decided or seen, if the lease is still ours, and tells who follows live.
func (r *runner) save(ctx context.Context, row *applyRow) error {
	row.LeaseUntil = r.now().Add(lease.Holds)
	return lease.Kept(r.db.In(ctx).NewUpdate().Model(row).
		Column("stage", "steps", "error", "detail", "version_id", "staged_at", "finished_at", "lease_until").
		WherePK().Where("runner = ?", row.Runner).Exec(ctx))
}

func (r *runner) keep(ctx context.Context, row *applyRow) error {
	if err := r.save(ctx, row); err != nil {
		return err
	}
	r.progress(ctx, row)
	return nil
}

// progress tells the live stream where every server stands.
func (r *runner) progress(ctx context.Context, row *applyRow) {
	states := make(map[string]string, len(row.Steps))
	for _, step := range row.Steps {
		states[step.NodeID] = step.State
	}
	r.tell(ctx, "flow.apply_progress", row.FlowID, map[string]any{"apply_id": row.ID, "detail": row.Detail, "steps": states})
}

func (r *runner) enter(row *applyRow, stage, detail string) {
	row.Stage, row.Detail, row.StagedAt = stage, detail, r.now()
}

// finish ends the apply, frees its servers and writes the journal, in one transaction.
func (r *runner) finish(ctx context.Context, row *applyRow, stage, detail, word string) error {
	now := r.now()
	r.enter(row, stage, detail)
	row.FinishedAt = &now
	err := r.db.InTx(ctx, func(ctx context.Context) error {
		f := new(flowRow)
		if err := r.db.In(ctx).NewSelect().Model(f).Where("id = ?", row.FlowID).For("update").Scan(ctx); err != nil {
			return database.Fault(err, nil)
		}
		if err := r.save(ctx, row); err != nil {
			return err
		}
		if _, err := r.db.In(ctx).NewUpdate().Model(row).Set("content = ''").WherePK().Exec(ctx); err != nil { // its secrets are not needed any more
			return database.Fault(err, nil)
		}
		if _, err := r.db.In(ctx).NewDelete().Model((*lockRow)(nil)).Where("apply_id = ?", row.ID).Exec(ctx); err != nil {
			return database.Fault(err, nil)
		}
		if err := r.ended(ctx, f, row, word); err != nil || !f.Deleting {
			return err
		}
		_, err := r.db.In(ctx).NewDelete().Model(f).WherePK().Exec(ctx)
		return database.Fault(err, nil)
	})
	if err != nil {
		return err
	}
	r.tell(ctx, word, row.FlowID, map[string]any{"apply_id": row.ID, "detail": detail})
	return nil
}

func (r *runner) ended(ctx context.Context, f *flowRow, row *applyRow, word string) error {
	changes := map[string]audit.Change{"apply": {To: row.ID}}
	result := audit.OK
	if row.Error != nil {
		result, changes["error"] = audit.Failed, audit.Change{To: row.Error.Code + ": " + row.Error.Message}
	}
	entry := audit.Entry{Action: word, Object: audit.Object{Type: "flow", ID: f.ID, Name: f.Name}, Result: result, Changes: changes}
	if err := r.journal.Record(ctx, r.db.In(ctx), entry); err != nil {
		return fmt.Errorf("record the end of an apply: %w", err)
	}
	return nil
}

func loops(r *runner) []func(context.Context) error { return []func(context.Context) error{r.loop} }
