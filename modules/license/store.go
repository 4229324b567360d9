package license

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"panel/platform/database"
	"panel/platform/vault"
)

const channel = "license"

// row is the one line of the table licenses.
type row struct {
	bun.BaseModel `bun:"table:licenses"`

	Singleton      bool       `bun:"singleton,pk"`
	InstanceID     string     `bun:"instance_id"`
	Document       string     `bun:"document"`
	SealedKey      string     `bun:"sealed_key"`
	KeyMasked      string     `bun:"key_masked"`
	RemovedAt      *time.Time `bun:"removed_at"`
	FailingSince   *time.Time `bun:"failing_since"`
	CheckAt        *time.Time `bun:"check_at"`
	CheckOK        bool       `bun:"check_ok"`
	CheckError     string     `bun:"check_error"`
	NextCheckAt    *time.Time `bun:"next_check_at"`
	Asking         bool       `bun:"asking"`
	Checks         []Attempt  `bun:"checks,type:jsonb,nullzero,default:'[]'"`
	AnnouncedState string     `bun:"told_state"`
	WarnedDays     int        `bun:"told_days"`
	ClockAt        time.Time  `bun:"clock_at"`
	Known          statements `bun:"known,type:jsonb,nullzero,default:'{}'"`

	unconfirmed error // why it is not known whether every panel has heard of the change that made this row
}

func (r row) place() vault.Ref {
	return vault.Ref{Table: "licenses", ID: r.InstanceID, Column: "sealed_key"}
}

type store struct{ db *database.DB }

func newStore(db *database.DB) *store { return &store{db} }

// found makes the row, and with it the identity of the installation, the first time.
func (s *store) found(ctx context.Context, now time.Time) error {
	fresh := row{Singleton: true, InstanceID: database.NewID(), AnnouncedState: "degraded", ClockAt: now}
	if _, err := s.db.NewInsert().Model(&fresh).On("conflict do nothing").Exec(ctx); err != nil {
		return fmt.Errorf("founding the license row: %w", err)
	}
	return nil
}

func (s *store) read(ctx context.Context) (row, error) {
	var r row
	if err := s.db.In(ctx).NewSelect().Model(&r).Scan(ctx); err != nil {
		return r, database.Fault(fmt.Errorf("reading the license: %w", err), nil)
	}
	return r, nil
}

// edit gives the next row of the locked one; false changes nothing.
type edit func(ctx context.Context, tx bun.Tx, r row) (row, bool, error)

// change makes an edit and tells the other panels; it returns when they know.
func (s *store) change(ctx context.Context, do edit) (next row, err error) {
	var barrier *database.Barrier
	err = s.db.WithTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		var changed bool
		if next, changed, err = s.apply(ctx, tx, do); err != nil || !changed {
			return err
		}
		asked, err := database.NewBarrier(ctx, tx)
		barrier = &asked
		return err
	})
	if err == nil && barrier != nil {
		// A panel that does not answer reads the row as soon as it hears again; what is committed stays.
		next.unconfirmed = barrier.Await(ctx, s.db)
	}
	return next, database.Fault(err, nil)
}

// apply makes an edit in the transaction of the context and waits for nobody.
func (s *store) apply(ctx context.Context, tx bun.Tx, do edit) (next row, changed bool, err error) {
	var current row
	if err := tx.NewSelect().Model(&current).For("update").Scan(ctx); err != nil {
		return next, false, fmt.Errorf("locking the license: %w", err)
	}
	if next, changed, err = do(ctx, tx, current); err != nil || !changed {
		return next, changed, err
	}
	if err := s.write(ctx, next); err != nil {
		return next, false, err
	}
	return next, true, database.Notify(ctx, tx, channel, "")
}

func (s *store) write(ctx context.Context, r row) error {
	if _, err := s.db.In(ctx).NewUpdate().Model(&r).WherePK().Exec(ctx); err != nil {
		return database.Fault(fmt.Errorf("writing the license: %w", err), nil)
	}
	return nil
}

// noteClock keeps the latest trusted time; it never goes back here.
func (s *store) noteClock(ctx context.Context, now time.Time) error {
	_, err := s.db.NewUpdate().Model((*row)(nil)).Set("clock_at = greatest(clock_at, ?)", now).Where("true").Exec(ctx)
	if err != nil {
		return fmt.Errorf("noting the time: %w", err)
	}
	return nil
}
