package selfupdate

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"panel/platform/access"
	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/jobs"
	"panel/platform/release"
)

const (
	firstCheck  = time.Minute // after the start of a panel when nobody has checked for long
	checkEvery  = 6 * time.Hour
	checkWithin = 25 * time.Second
)

type checkArgs struct{}

// Kind is that of the job that checks for a newer release.
func (checkArgs) Kind() string { return "selfupdate.check" }

// schedule checks four times a day, once for all panels. A panel without a license still learns of its security
// updates.
func schedule() jobs.Schedule {
	return jobs.Schedule{
		Name: checkArgs{}.Kind(), Cron: "37 */6 * * *", Jitter: time.Hour, ReadOnly: entitlement.GoesOn,
		Blocked: entitlement.GoesOn, Args: func() jobs.Args { return checkArgs{} },
	}
}

// worker makes the check, unless the settings say that nobody wants it. One that fails is not repeated: the view says
// what went wrong, and the schedule comes again.
func (s *service) worker() jobs.Worker {
	return jobs.Worker{Kind: checkArgs{}.Kind(), Timeout: checkWithin + 5*time.Second, Attempts: 1, Work: jobs.Do(
		func(ctx context.Context, _ jobs.Job, _ checkArgs) error {
			wanted, _, err := s.settings.Get(ctx)
			if err != nil || !wanted.Check || !s.configured() {
				return err
			}
			return s.check(ctx)
		})}
}

// first checks soon after the start of a panel when the last check is older than the schedule lets it become.
func (s *service) first(queue *jobs.Enqueuer) func(context.Context) error {
	return func(ctx context.Context) error {
		if !s.configured() {
			return nil
		}
		found, err := s.latest(ctx)
		if err != nil || s.clock.Since(found.at) < checkEvery+time.Hour {
			return err
		}
		return queue.Insert(ctx, checkArgs{}, jobs.Opts{Unique: "first", At: s.clock.Now().Add(firstCheck)})
	}
}

// checked is what the last check found.
type checked struct {
	at       time.Time
	problem  string
	manifest *release.Manifest
}

// check reads the manifest now. The view says what is wrong with the release server. Fault: update_not_configured
// (409).
func (s *service) check(ctx context.Context) error {
	if !s.configured() {
		return errNotConfigured
	}
	asking, cancel := context.WithTimeout(ctx, checkWithin)
	defer cancel()
	found, err := s.releases.Open(asking, s.cfg.String(config.UpdateURL), s.cfg.String(PublicKey))
	now := checked{at: s.clock.Now().UTC(), problem: problemOf(err)}
	if err != nil {
		s.log.Warn("no release could be read", access.Logged(ctx), zap.Error(err))
	} else {
		now.manifest = &found.Manifest
	}
	return s.db.InTx(ctx, func(ctx context.Context) error { return s.note(ctx, now) })
}

func problemOf(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, release.ErrUntrusted), errors.Is(err, release.ErrKey):
		return "untrusted"
	case errors.Is(err, release.ErrManifest):
		return "unusable"
	}
	return "unreachable"
}

// note stores what a check found, and emits a newer release with it, once for all panels.
func (s *service) note(ctx context.Context, now checked) error {
	_, err := s.db.In(ctx).ExecContext(ctx, "select pg_advisory_xact_lock(hashtextextended('release_checks', 0))")
	if err != nil {
		return database.Fault(fmt.Errorf("lock the check for releases: %w", err), nil)
	}
	before, err := s.latest(ctx)
	if err != nil {
		return err
	}
	if now.problem == "unreachable" {
		now.manifest = before.manifest // what was offered is still there
	}
	text, err := json.Marshal(now.manifest)
	if err != nil {
		return fmt.Errorf("encode the manifest of a release: %w", err)
	}
	_, err = s.db.In(ctx).ExecContext(ctx, `insert into release_checks (checked_at, problem, manifest)
		values (?, ?, nullif(?::jsonb, 'null'))
		on conflict (singleton) do update set checked_at = excluded.checked_at, problem = excluded.problem,
			manifest = excluded.manifest`, now.at, now.problem, string(text))
	if err != nil {
		return database.Fault(fmt.Errorf("store the check for releases: %w", err), nil)
	}
	return s.emitNew(ctx, before.manifest, now.manifest)
}

// latest gives what the last check found, through whichever panel; nothing before the first one.
func (s *service) latest(ctx context.Context) (found checked, err error) {
	var text []byte
	err = s.db.In(ctx).NewRaw("select checked_at, problem, coalesce(manifest, 'null') from release_checks").
		Scan(ctx, &found.at, &found.problem, &text)
	if errors.Is(err, sql.ErrNoRows) {
		return checked{}, nil
	}
	if err != nil {
		return checked{}, database.Fault(fmt.Errorf("read the check for releases: %w", err), nil)
	}
	found.at = found.at.UTC()
	if err := json.Unmarshal(text, &found.manifest); err != nil {
		return checked{}, fmt.Errorf("read the manifest of a release: %w", err)
	}
	return found, nil
}

func (s *service) emitNew(ctx context.Context, before, now *release.Manifest) error {
	wanted, _, err := s.settings.Get(ctx)
	if err != nil {
		return err
	}
	offered := s.offer(now, wanted.Channel)
	if offered == nil || before != nil && before.Version == now.Version {
		return nil
	}
	return s.bus.Emit(ctx, events.Event{
		Kind: "system.update_available", SubjectID: offered.Version, At: s.clock.Now().UTC(), Data: *offered,
	})
}
