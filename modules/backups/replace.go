package backups

import (
	"context"
	"errors"
	"fmt"
	"time"

	"panel/modules/backups/internal/artefact"
	"panel/modules/backups/internal/destination"
	"panel/modules/backups/internal/restore"
	"panel/platform/database"
	"panel/platform/lease"
	"panel/platform/restored"
)

// panelsStopWithin is how long other panels may take to see that this one restores, and to stop.
const panelsStopWithin = 45 * time.Second

// replacement is a full restore. It outlives the panel that began it: this process goes on with it while the panel is
// stopped. It ends with the process, and then nothing has been changed.
type replacement struct {
	*engine
	row     restoreRow
	from    restore.From
	note    restored.Note
	show    func(step string) // while the panel still answers
	entered bool
}

// replace puts a backup in the place of the database. It returns when the restore has failed before the panel had to
// stop, or when the panel stops for it; what comes then is told by the database that is there afterwards.
func (t *tester) replace(ctx context.Context, c *lease.Claim, row *restoreRow) error {
	r, err := t.prepare(ctx, c, row)
	ended := make(chan error, 1)
	if err == nil {
		go func() { ended <- r.run(context.WithoutCancel(ctx)) }()
		select {
		case err = <-ended:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if err == nil {
		return nil
	}
	row.Verdict, row.Error = string(restore.Skipped), shortened(err.Error())
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), afterwards)
	defer cancel()
	return t.finish(ending, c, row)
}

// prepare opens what the restore reads, so that it needs nothing of the database afterwards.
func (t *tester) prepare(ctx context.Context, c *lease.Claim, row *restoreRow) (*replacement, error) {
	run, err := t.store.run(ctx, row.RunID, false)
	if err != nil {
		return nil, err
	}
	p, err := t.store.profile(ctx, run.ProfileID)
	if err != nil {
		return nil, err
	}
	keys, err := t.keysOf(row, p)
	if err != nil {
		return nil, err
	}
	at, listed, err := t.find(ctx, &run, p, keys)
	if err != nil {
		return nil, fmt.Errorf("open the backup: %w", err)
	}
	note := t.note(ctx, c, row.ID)
	return &replacement{
		engine: t.engine, row: *row, from: restore.From{At: at, Manifest: listed.Manifest, Keys: keys},
		note: restored.Note{
			ID: row.ID, Artefact: listed.Manifest.Name, By: row.StartedBy, Account: row.AccountID,
		},
		show: func(step string) { note(artefact.Progress{Step: step}) },
	}, nil
}

func (r *replacement) run(ctx context.Context) error {
	defer func() { _ = r.from.At.Close() }()
	out, err := restore.Full(ctx, r.from, r.build, restore.Options{
		Alone: true, Patience: panelsStopWithin,
		Progress: func(p artefact.Progress) { r.progress(ctx, p.Step) },
		Hooks: restore.Hooks{
			Enter: r.enter, Snapshot: r.copyFirst, SQL: restore.Outliving(r.outlives, &r.note),
		},
	})
	if !r.entered {
		return err
	}
	defer r.downtime.Leave()
	if err != nil && !out.Changed {
		r.failed(ctx, err)
	}
	return err
}

func (r *replacement) enter(ctx context.Context) error {
	r.entered = true // from here on the panel stops, also when it does not in time
	return r.downtime.Enter(ctx, r.row.ID, "stopping")
}

func (r *replacement) progress(ctx context.Context, step string) {
	if r.entered {
		r.downtime.Step(ctx, step)
		return
	}
	r.show(step)
}

// copyFirst keeps the present database in the folder of local backups.
func (r *replacement) copyFirst(ctx context.Context) error {
	at, err := r.places.Open(destination.Spec{Kind: destination.Local})
	if err != nil {
		return err
	}
	defer func() { _ = at.Close() }()
	result, err := artefact.Create(ctx, r.source, artefact.Options{
		Word: "before-restore", Encryption: artefact.Encryption{Mode: artefact.Plain}, Clock: r.clock,
	}, []artefact.Target{{Name: string(destination.Local), Destination: at}})
	if err == nil {
		r.note.Snapshot = result.Manifest.Name
	}
	return err
}

// failed leaves the reason on the row: the panel that goes on with the database as it was gives the restore up with it.
func (r *replacement) failed(ctx context.Context, cause error) {
	ctx, cancel := context.WithTimeout(ctx, afterwards)
	defer cancel()
	conn, err := database.Connect(ctx, r.build.DSN)
	if err != nil {
		return // the row is found as interrupted
	}
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx, `update backup_restores set lease_token = '', lease_until = now(), lease_failures = $2,
		lease_error = $3 where id = $1 and finished_at is null`, r.row.ID, testAttempts, shortened(cause.Error()))
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return // as above
	}
}
