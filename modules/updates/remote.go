package updates

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"time"

	"panel/platform/entitlement"
	"panel/platform/jobs"
	"panel/platform/release"
	releases "panel/platform/release/remote"
	"panel/platform/selfupdate"
	"panel/platform/settings"
)

const (
	firstAfter  = time.Minute // when a panel that starts has nothing else to do
	fetchWithin = 30 * time.Minute
)

// remote is the server of releases, where one is set.
type remote struct {
	address string
	wanted  func(ctx context.Context) (selfupdate.Settings, error)
	server  *releases.Server
	folder  string
}

func wantedOf(doc *settings.Doc[selfupdate.Settings]) func(ctx context.Context) (selfupdate.Settings, error) {
	return func(ctx context.Context) (selfupdate.Settings, error) {
		value, _, err := doc.Get(ctx)
		return value, err
	}
}

type fetchArgs struct{}

// Kind is that of the job that fetches newer agents.
func (fetchArgs) Kind() string { return "updates.fetch" }

// worker brings newer agents into the database, so that nodes need no other server, unless the settings say that nobody
// wants it.
func (b *builds) worker() jobs.Worker {
	const tries = 5 // the schedule comes again
	return jobs.Worker{
		Kind: fetchArgs{}.Kind(), Timeout: fetchWithin, Attempts: tries,
		Work: func(ctx context.Context, _ jobs.Job) error {
			if b.remote.address == "" || b.keys == "" {
				return nil
			}
			wanted, err := b.remote.wanted(ctx)
			if err != nil || !wanted.Check {
				return err
			}
			return errors.Join(b.bring(ctx, wanted.Channel), b.store(ctx))
		},
	}
}

// schedule asks for newer agents four times a day.
func schedule() jobs.Schedule {
	return jobs.Schedule{
		Name: fetchArgs{}.Kind(), Cron: "11 */6 * * *", Jitter: time.Hour, ReadOnly: entitlement.GoesOn,
		Blocked: entitlement.GoesOn, Args: func() jobs.Args { return fetchArgs{} },
	}
}

// first asks soon after the start of a panel that has no agents yet.
func (b *builds) first(queue *jobs.Enqueuer) func(context.Context) error {
	return func(ctx context.Context) error {
		if b.remote.address == "" || b.keys == "" {
			return nil
		}
		if stored, err := b.all(ctx); err != nil || len(stored) > 0 {
			return err
		}
		return queue.Insert(ctx, fetchArgs{}, jobs.Opts{Unique: "first", At: b.clock.Now().Add(firstAfter)})
	}
}

// bring fetches the agents of the newest release; the manifest comes last, so that it never names a file that is
// missing.
func (b *builds) bring(ctx context.Context, channel string) error {
	ctx, cancel := context.WithTimeout(ctx, fetchWithin)
	defer cancel()
	opened, err := b.remote.server.Open(ctx, b.remote.address, b.keys)
	if err != nil {
		return err
	}
	if here, _ := b.newest(ctx); opened.Manifest.Channel != channel ||
		here != nil && release.Compare(opened.Manifest.Version, here.Version) <= 0 {
		return nil
	}
	if err := os.MkdirAll(b.remote.folder, 0o755); err != nil {
		return fmt.Errorf("make the folder of agents: %w", err)
	}
	for _, artefact := range opened.Manifest.Artefacts[release.Agent] {
		if err := opened.Fetch(ctx, artefact, filepath.Join(b.remote.folder, path.Base(artefact.URL))); err != nil {
			return err
		}
	}
	return opened.Keep(b.remote.folder)
}
