package backups

import (
	"context"
	"time"

	"panel/modules/backups/internal/artefact"
	"panel/platform/fault"
)

var errElsewhere = fault.Conflict("backup_elsewhere", "the backup is in a folder of another panel on this database")

// heldBy is errElsewhere with the panel that has the backup.
func heldBy(panel string) *fault.Fault {
	refusal := *errElsewhere
	refusal.Detail += ", " + panel + ": ask that panel, or copy the files from there"
	return &refusal
}

// elsewhere names the panel that alone has the backup of a run; empty: it may be at a place that every panel reaches,
// or with this one.
func (s *service) elsewhere(run *runRow) (panel string) {
	for _, one := range run.Destinations {
		switch {
		case one.State != stateSucceeded:
		case one.Panel == "" || one.Panel == s.holder:
			return ""
		default:
			panel = one.Panel
		}
	}
	return panel
}

const (
	handOver    = 3 * time.Second // in which the panel that has the backup may take the restore
	handsOverIn = time.Minute
)

// handsOver tells whether another panel should take a restore, because it alone has the backup. After a while this
// panel goes on, so that the restore ends with the reason.
func (t *tester) handsOver(ctx context.Context, row *restoreRow) (bool, error) {
	if t.now().Sub(row.CreatedAt) > handsOverIn {
		return false, nil
	}
	run, err := t.store.run(ctx, row.RunID, false)
	if err != nil || t.elsewhere(&run) == "" {
		return false, err
	}
	p, err := t.store.profile(ctx, run.ProfileID)
	if err != nil {
		return false, err
	}
	at, _, err := t.find(ctx, &run, p, artefact.Keys{Masters: t.masters})
	if err == nil {
		_ = at.Close() // a folder that panels share
	}
	return fault.Code(err) == errElsewhere.Code, nil
}
