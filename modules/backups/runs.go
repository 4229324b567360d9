package backups

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"panel/modules/backups/internal/artefact"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/keyset"
	"panel/platform/operations"
)

// digestOf is one digest for all parts of an artefact.
func digestOf(m *artefact.Manifest) string {
	sum := sha256.New()
	for _, entry := range m.Entries {
		for _, part := range entry.Parts {
			_, _ = sum.Write([]byte(part.SHA256))
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// start begins a run; its profile has at most one that goes on, which an index decides for all panels.
// Faults: backup_run_active (409), invalid_value (422).
func (s *service) start(ctx context.Context, profileID, trigger string) (row runRow, err error) {
	err = s.store.db.InTx(ctx, func(ctx context.Context) error {
		p, err := s.store.profileRow(ctx, profileID, false)
		if fault.KindOf(err) == fault.KindMissing {
			return fault.InvalidValue("profile_id", "there is no such profile")
		}
		if err != nil {
			return err
		}
		caller := access.From(ctx)
		row = runRow{
			ID: database.NewID(), ProfileID: p.ID, ProfileName: p.Name, State: stateQueued, Trigger: trigger,
			StartedBy: caller.Username, AccountID: caller.AccountID, CreatedAt: s.now(),
		}
		if row.Destinations, err = s.planned(ctx, p.ID); err != nil {
			return err
		}
		row.OperationID, err = s.follow(ctx, runOperation, p.object())
		if err != nil {
			return err
		}
		_, err = s.store.db.In(ctx).NewInsert().Model(&row).Exec(ctx)
		if err != nil {
			return database.Fault(err, constraints)
		}
		entry := audit.Entry{Action: actionStarted, Object: row.object()}
		if err := s.journal.Record(ctx, s.store.db.In(ctx), entry); err != nil {
			return err
		}
		return s.wakeRun(ctx, row.ID)
	})
	return row, err
}

// The kinds of operations that show how far runs and restore tests are.
const (
	runOperation  = "backups.run"
	testOperation = "backups.verify"
)

// follow begins an operation for a person; what a schedule starts has none.
func (s *service) follow(ctx context.Context, kind string, about audit.Object) (*string, error) {
	if access.From(ctx).AccountID == "" {
		return nil, nil //nolint:nilnil // nobody follows it
	}
	id := database.NewID()
	err := s.operations.Begin(ctx, id, kind, operations.About{Type: about.Type, ID: about.ID, Name: about.Name}, nil)
	return &id, err
}

func (s *service) planned(ctx context.Context, profileID string) ([]RunDestination, error) {
	places, err := s.store.destinations(ctx, profileID)
	if err != nil {
		return nil, err
	}
	list := []RunDestination{}
	for _, one := range places[profileID] {
		list = append(list, RunDestination{ID: one.ID, Kind: one.Kind, State: stateQueued, URLHint: hintOf(&one)})
	}
	return list, nil
}

// hintOf says where a place is, from settings that hold no secret.
func hintOf(r *destinationRow) string {
	c := r.shown().Config
	text := func(name string) string { value, _ := c[name].(string); return value }
	switch r.Kind {
	case "s3":
		return fmt.Sprintf("%s/%s/%s", text("endpoint"), text("bucket"), text("prefix"))
	case "sftp":
		return fmt.Sprintf("sftp://%s/%s", text("host"), text("folder"))
	case "messenger":
		return "chat " + text("chat_id")
	}
	return text("folder")
}

// cancel ends a run: a queued one at once, another one as soon as its panel has heard of it.
// Faults: not_found (404), backup_run_ended (409).
func (s *service) cancel(ctx context.Context, id string) (row runRow, err error) {
	err = s.store.db.InTx(ctx, func(ctx context.Context) error {
		if row, err = s.store.run(ctx, id, true); err != nil {
			return err
		}
		if row.FinishedAt != nil {
			return fault.Conflict("backup_run_ended", "this run has ended")
		}
		row.CancelAsked = true
		columns := []string{"cancel_asked"}
		if row.State == stateQueued {
			now := s.now()
			row.State, row.FinishedAt = stateCancelled, &now
			columns = append(columns, "state", "finished_at")
			if err := s.endOperation(ctx, row.OperationID, operations.ErrCancelled); err != nil {
				return err
			}
		}
		if _, err := s.store.db.In(ctx).NewUpdate().Model(&row).Column(columns...).WherePK().Exec(ctx); err != nil {
			return database.Fault(err, nil)
		}
		entry := audit.Entry{Action: actionCancelled, Object: row.object()}
		return s.journal.Record(ctx, s.store.db.In(ctx), entry)
	})
	return row, err
}

func (s *service) endOperation(ctx context.Context, id *string, cause error) error {
	if id == nil {
		return nil
	}
	if err := s.operations.End(ctx, *id, cause); err != nil {
		return err
	}
	database.AfterCommit(ctx, func() { s.operations.Publish(context.WithoutCancel(ctx), *id) })
	return nil
}

func (s *store) run(ctx context.Context, id string, lock bool) (row runRow, err error) {
	query := s.db.In(ctx).NewSelect().Model(&row).Where("r.id = ?", id)
	if lock {
		query = query.For("UPDATE")
	}
	return row, database.Fault(query.Scan(ctx), nil)
}

var runOrders = map[string]keyset.Order{
	"created_at": {Expression: "r.created_at", Kind: httpapi.CursorMoment},
}

func (s *store) runs(ctx context.Context, query httpapi.PageQuery, profile string) (page httpapi.Page[Run], err error) {
	k, err := keyset.New(query, "r.id", "-created_at", runOrders)
	if err != nil {
		return page, err
	}
	var rows []runRow
	list, all := s.db.In(ctx).NewSelect().Model(&rows).ColumnExpr("?TableColumns"), s.db.In(ctx).NewSelect().Model((*runRow)(nil))
	if profile != "" {
		list, all = list.Where("r.profile_id = ?", profile), all.Where("r.profile_id = ?", profile)
	}
	if err := k.Apply(list, nil).Scan(ctx); err != nil {
		return page, database.Fault(fmt.Errorf("list backup runs: %w", err), nil)
	}
	total, err := all.Count(ctx)
	if err != nil {
		return page, database.Fault(fmt.Errorf("count backup runs: %w", err), nil)
	}
	last := func(r *runRow) (sortKey, id string) { return r.SortKey, r.ID }
	return keyset.Page(k, rows, int(total), (*runRow).shown, last), nil
}
