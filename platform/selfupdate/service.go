package selfupdate

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/config"
	"panel/platform/core/system"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/outbound"
	"panel/platform/release/remote"
	"panel/platform/settings"
	"panel/platform/version"
)

// service is the panel's half: it looks for releases, shows them and hands requests over.
type service struct {
	cfg     *config.Config
	db      *database.DB
	clock   clockwork.Clock
	log     *zap.Logger
	journal audit.Journal
	bus     *events.Bus

	releases *remote.Server
	settings *settings.Doc[Settings]

	handing sync.Mutex // one request at a time
}

func newService(
	cfg *config.Config,
	db *database.DB,
	clock clockwork.Clock,
	log *zap.Logger,
	j audit.Journal,
	b *events.Bus,
	network *outbound.Network,
	doc *settings.Doc[Settings],
) *service {
	return &service{
		cfg: cfg, db: db, clock: clock, log: log, journal: j, bus: b, releases: remote.New(network), settings: doc,
	}
}

// Faults of an update.
var (
	errNotConfigured = fault.Conflict(
		"update_not_configured",
		"set PANEL_UPDATE_URL and PANEL_UPDATE_PUBLIC_KEY, then restart the panel",
	)
	errNoInstaller = fault.Conflict(
		"update_not_supported",
		"this installation cannot replace itself; install the new package by hand",
	)
	errActive     = fault.Conflict("update_active", "an update or rollback is already going on")
	errNotOffered = fault.Conflict("update_not_offered", "this version is not offered any more; check again")
	errBlocked    = fault.Conflict("update_blocked", "something must be put right before the update; see the checks")
	errNoWayBack  = fault.Conflict("rollback_impossible", "the release before cannot come back")
)

const (
	listed = 20
	// picked is how long root's half may take to begin before its service is thought to be off.
	picked = 2 * time.Minute
)

// View is everything the screen shows.
func (s *service) View(ctx context.Context) (View, error) {
	past, set, err := s.history()
	if err != nil {
		return View{}, err
	}
	found, err := s.latest(ctx)
	if err != nil {
		return View{}, err
	}
	wanted, _, err := s.settings.Get(ctx)
	if err != nil {
		return View{}, err
	}
	v := View{
		Current: version.Version, Channel: wanted.Channel, Configured: s.configured(),
		Installer:  s.installer(),
		CheckError: found.problem, Available: s.offer(found.manifest, wanted.Channel), Checks: []Check{},
		Run: s.active(past),
	}
	if !found.at.IsZero() {
		v.CheckedAt = &found.at
	}
	if v.Available != nil {
		v.Checks = s.checks(ctx, *found.manifest)
	}
	v.Rollback = s.wayBack(set, v.Run != nil)
	v.History = lastEnded(past)
	return v, nil
}

func (s *service) configured() bool { return s.cfg.Given(config.UpdateURL) && s.cfg.Given(PublicKey) }

func (s *service) installer() bool { return s.cfg.Given(RequestFile) }

func (s *service) history() ([]Run, *kept, error) {
	lines, err := readJournal(filepath.Join(s.cfg.DataDir(), journalName))
	past, set := runs(lines)
	return past, set, err
}

// active is the request that waits, or the run that is not ended. A request that nobody takes does not block for ever.
func (s *service) active(past []Run) *Run {
	if len(past) > 0 && past[len(past)-1].FinishedAt == nil {
		return &past[len(past)-1]
	}
	r, ok := s.waiting()
	if !ok || s.clock.Since(r.At) > picked {
		return nil
	}
	return &Run{
		ID: r.ID, Kind: r.Kind, From: version.Version, To: r.Version, State: Requested, By: r.By,
		StartedAt: r.At,
	}
}

func (s *service) waiting() (request, bool) {
	if !s.installer() {
		return request{}, false
	}
	folder, err := os.OpenRoot(filepath.Dir(s.cfg.Path(RequestFile)))
	if err != nil {
		return request{}, false
	}
	defer folder.Close()
	r, err := readRequest(folder)
	return r, err == nil
}

func lastEnded(past []Run) []Run {
	list := []Run{}
	for _, run := range slices.Backward(past) {
		if run.FinishedAt != nil && len(list) < listed {
			list = append(list, run)
		}
	}
	return list
}

func (s *service) wayBack(set *kept, active bool) Rollback {
	if set == nil {
		return Rollback{Reason: "none_kept"}
	}
	back := Rollback{
		Version:          set.Version,
		Until:            &set.Until,
		TakenAt:          &set.TakenAt,
		RestoresDatabase: set.RestoresDatabase,
	}
	switch {
	case !s.installer():
		back.Reason = "no_installer"
	case active:
		back.Reason = "run_active"
	case s.clock.Now().After(set.Until):
		back.Reason = "expired"
	case set.Version == version.Version:
		return Rollback{Reason: "none_kept"}
	default:
		back.Possible = true
	}
	return back
}

// apply hands the offered release to root's half. Faults: update_not_configured, update_not_supported, update_active,
// update_not_offered, update_blocked (409).
func (s *service) apply(ctx context.Context, wanted string) (Run, error) {
	if !s.configured() {
		return Run{}, errNotConfigured
	}
	if !s.installer() {
		return Run{}, errNoInstaller
	}
	s.handing.Lock()
	defer s.handing.Unlock()
	v, err := s.View(ctx)
	switch {
	case err != nil:
		return Run{}, err
	case v.Run != nil:
		return Run{}, errActive
	case v.Available == nil || v.Available.Version != wanted:
		return Run{}, errNotOffered
	}
	if failing := slices.DeleteFunc(v.Checks, func(c Check) bool { return c.OK }); len(failing) > 0 {
		return Run{}, errBlocked.With("checks", failing)
	}
	return s.hand(ctx, request{Kind: kindUpdate, Version: wanted}, "system.update_requested")
}

// rollback asks for the release before. Faults: update_not_supported, update_active, rollback_impossible (409).
func (s *service) rollback(ctx context.Context) (Run, error) {
	if !s.installer() {
		return Run{}, errNoInstaller
	}
	s.handing.Lock()
	defer s.handing.Unlock()
	v, err := s.View(ctx)
	switch {
	case err != nil:
		return Run{}, err
	case v.Run != nil:
		return Run{}, errActive
	case !v.Rollback.Possible:
		return Run{}, errNoWayBack.With("reason", v.Rollback.Reason)
	}
	return s.hand(ctx, request{Kind: kindRollback, Version: v.Rollback.Version}, "system.rollback_requested")
}

// hand writes the wish into the journal of the panel, then the file that root's half waits for.
func (s *service) hand(ctx context.Context, r request, action string) (Run, error) {
	caller := access.From(ctx)
	r.ID, r.By, r.At = database.NewID(), caller.Username, s.clock.Now().UTC()
	if !isPerson(r.By) {
		r.By = ""
	}
	run := Run{
		ID: r.ID, Kind: r.Kind, From: version.Version, To: r.Version, State: Requested, By: r.By,
		StartedAt: r.At,
	}
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		err := s.journal.Record(ctx, s.db.In(ctx), audit.Entry{
			Action: action, Object: audit.Object{Type: "update", ID: r.ID, Name: r.Version},
			Changes: map[string]audit.Change{"version": {From: version.Version, To: r.Version}},
		})
		if err != nil {
			return err
		}
		return s.emit(ctx, action, run)
	})
	if err != nil {
		return Run{}, err
	}
	if err := r.write(s.cfg.Path(RequestFile)); err != nil {
		return Run{}, err
	}
	return run, nil
}

func (s *service) emit(ctx context.Context, kind string, run Run) error {
	return s.bus.Emit(ctx, events.Event{Kind: kind, SubjectID: run.ID, At: s.clock.Now().UTC(), Data: run})
}

// screen is where the web interface shows updates.
const screen = "/updates"

func eventKinds() []events.Kind {
	kind := func(name, summary string) events.Kind {
		return events.Kind{
			Name: name, Summary: summary, Subject: "update", Needs: system.Manage, Live: true,
			Data: Run{},
		}
	}
	available, failed := kind("system.update_available", "A newer release of the panel is offered"),
		kind("system.update_failed",
			"An update of the panel failed, and the former release runs")
	available.Notify, available.Data = true, Offer{}
	failed.Notify, failed.Severity, failed.Screen = true, events.Critical, screen
	available.Screen = screen
	failed.Effect = "The panel works as before; the log of the update names the cause."
	return []events.Kind{
		available, failed,
		settings.Kind(actionSettings, "Settings of updates were changed", system.Manage),
		kind("system.updated", "The panel was updated"),
		kind("system.update_requested", "Somebody asked for an update of the panel"),
		kind("system.rollback_requested", "Somebody asked for the former release of the panel"),
	}
}
