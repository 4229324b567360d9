package license

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"panel/platform/entitlement"
	"panel/platform/licensedoc"
	"panel/platform/restored"
)

// outlives is the license as it is before a full restore.
const outlives = "select to_jsonb(l) from licenses l"

// outlived is that row after the restore, in the form of the copy in the data folder.
type outlived struct {
	copied

	RemovedAt *time.Time `json:"removed_at"`
}

// restored keeps the newer license document over a full restore, and the removal of one.
func (s *service) restored(ctx context.Context, kept json.RawMessage, r *restored.Restoration) error {
	var before outlived
	if len(kept) == 0 {
		return nil
	}
	if err := json.Unmarshal(kept, &before); err != nil {
		return fmt.Errorf("read the license from before the restore: %w", err)
	}
	err := s.store.db.WithTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		_, _, err := s.store.apply(ctx, tx, s.outliving(before, &r.Outcome))
		return err
	})
	if errors.Is(err, sql.ErrNoRows) {
		return nil // a backup from before there was anything to license
	}
	return err
}

func (s *service) outliving(before outlived, out *restored.Outcome) edit {
	return func(ctx context.Context, tx bun.Tx, r row) (row, bool, error) {
		removed := s.removedSince(before, r)
		out.LicenseKept = removed || s.newer(before.copied, r)
		if removed {
			return row{
				Singleton: true, InstanceID: r.InstanceID, RemovedAt: before.RemovedAt,
				AnnouncedState: entitlement.Degraded, ClockAt: r.ClockAt, Known: s.knownOf(before.copied, r),
			}, true, nil
		}
		return s.broughtBack(before.copied)(ctx, tx, r)
	}
}

// removedSince tells whether the license of the backup was removed from this installation after it was signed.
func (s *service) removedSince(before outlived, r row) bool {
	if before.InstanceID != r.InstanceID || before.Document != "" || before.RemovedAt == nil {
		return false
	}
	d, err := licensedoc.Verify(r.Document, s.client.trusted...)
	return err != nil || !d.IssuedAt.After(*before.RemovedAt)
}
