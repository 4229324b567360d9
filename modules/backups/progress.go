package backups

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"

	"panel/modules/backups/internal/artefact"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/lease"
)

// follower writes how far a run is about once a second, and reads whether somebody cancelled it.
type follower struct {
	clock clockwork.Clock
	mu    sync.Mutex
	last  artefact.Progress
	lines []string
	ended sync.WaitGroup
}

func (r *runner) watch(
	ctx context.Context, c *lease.Claim, row *runRow, cancel context.CancelCauseFunc,
) *follower {
	f := &follower{clock: r.clock}
	f.ended.Go(func() {
		ticker := time.NewTicker(reportEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			asked, err := r.report(ctx, c, row.ID, f.now())
			if err == nil && asked {
				cancel(errCancelAsked)
			}
		}
	})
	return f
}

// report writes the progress of a run and tells whether somebody cancelled it.
func (r *runner) report(ctx context.Context, c *lease.Claim, id string, p artefact.Progress) (asked bool, err error) {
	state := stateRunning
	if p.Step == "uploading" {
		state = stateUploading
	}
	err = r.store.db.NewRaw(`update backup_runs set state = ?, step = ?, bytes = ?
		where id = ? and lease_token = ? and finished_at is null returning cancel_asked`,
		state, p.Step, p.Bytes, id, c.Token).Scan(ctx, &asked)
	if err != nil {
		return false, database.Fault(err, nil)
	}
	return asked, r.bus.Emit(ctx, events.Event{Kind: kindProgress, SubjectID: id, At: r.now()})
}

func (f *follower) now() artefact.Progress {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.last
}

func (f *follower) note(p artefact.Progress) {
	f.mu.Lock()
	begins := p.Step != f.last.Step || p.Entry != f.last.Entry
	f.last = p
	f.mu.Unlock()
	if begins {
		f.say(p.Step + " " + string(p.Entry))
	}
}

func (f *follower) say(line string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	const most = 50
	f.lines = append(f.lines, f.clock.Now().UTC().Format(time.TimeOnly)+" "+shortened(strings.TrimSpace(line)))
	f.lines = f.lines[max(0, len(f.lines)-most):]
}

func (f *follower) wait() { f.ended.Wait() }

func (f *follower) log() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.lines, "\n")
}
