package selfupdate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.uber.org/zap"

	"panel/platform/audit"
	"panel/platform/config"
	"panel/platform/durable"
	"panel/platform/fault"
	"panel/platform/release"
	"panel/platform/version"
)

const outcomeEvery = 5 * time.Second

// offer is a release of the wanted channel that is newer than this panel. A stable panel is offered nothing of dev.
func (s *service) offer(m *release.Manifest, channel string) *Offer {
	if m == nil || release.Compare(m.Version, version.Version) <= 0 {
		return nil
	}
	if m.Channel == "dev" && channel != "dev" {
		return nil
	}
	return &Offer{
		Version: m.Version, Channel: m.Channel, ReleasedAt: m.ReleasedAt, Notes: m.Notes, Breaking: m.Breaking,
		MinPanel: m.MinPanel, MinAgent: m.MinAgent, Size: sizeOf(programsHere(*m)),
	}
}

// checks are the conditions of an update; root's half asks them again.
func (s *service) checks(ctx context.Context, m release.Manifest) []Check {
	list := []Check{
		{
			ID:      "installer",
			OK:      s.installer(),
			Finding: "panel-update.service takes requests",
			Action:  "install the new package by hand",
		},
	}
	if !s.installer() {
		list[0].Finding = "PANEL_UPDATE_REQUEST is not set: nothing here installs updates"
	}
	err := suits(m, version.Version, m.Version)
	list = append(
		list,
		Check{
			ID:      "version",
			OK:      !errors.Is(err, errTooOld),
			Finding: "panel " + version.Version + ", needed " + orAny(m.MinPanel),
			Action:  "install the releases between first",
		},
		Check{
			ID:      "platform",
			OK:      !errors.Is(err, errPlatform),
			Finding: release.Platform(),
			Action:  "ask the publisher for a build of this platform",
		},
		s.diskCheck(m),
		s.databaseCheck(ctx),
	)
	return list
}

func orAny(version string) string {
	if version == "" {
		return "any"
	}
	return version
}

// programsHere are those of an update of this panel; a release without one for this machine has none.
func programsHere(m release.Manifest) []program {
	own, err := os.Executable()
	if err != nil {
		return nil
	}
	list, err := programsOf(m, filepath.Dir(own))
	if err != nil {
		return nil
	}
	return list
}

func (s *service) diskCheck(m release.Manifest) Check {
	c := Check{
		ID:      "disk",
		OK:      true,
		Finding: "there is room for the set and the new release",
		Action:  "free space on the disk of the data folder",
	}
	err := room(s.cfg.DataDir(), sizeOf(programsHere(m))+databaseSize(s.cfg.DataDir()))
	if errors.Is(err, errRoom) {
		c.OK, c.Finding = false, err.Error()
	}
	return c
}

func (s *service) databaseCheck(ctx context.Context) Check {
	c := Check{
		ID:     "database",
		Action: "install the operating system's postgresql-client of the server's version or newer, or set PANEL_PG_BIN",
	}
	var server int
	if err := s.db.NewRaw("select current_setting('server_version_num')::int / 10000").Scan(ctx, &server); err != nil {
		c.Finding = "the database does not answer"
		return c
	}
	folder, err := postgresPrograms(ctx, s.cfg.String(config.PGBin), server)
	c.OK, c.Finding = err == nil, fmt.Sprintf("PostgreSQL %d, pg_dump in %s", server, folder)
	if err != nil {
		c.Finding = err.Error()
	}
	return c
}

// recordOutcomes puts what root's half wrote about ended runs into the panel's journal, once each. It is a loop of each
// panel and no schedule, because root's half writes on the disk of the machine that was updated.
func (s *service) recordOutcomes(ctx context.Context) error {
	ticker := s.clock.NewTicker(outcomeEvery)
	defer ticker.Stop()
	for {
		if err := s.outcomes(ctx); err != nil && ctx.Err() == nil {
			s.log.Warn("the outcome of an update could not be told", zap.Error(err))
		}
		select {
		case <-ticker.Chan():
		case <-ctx.Done():
			return nil
		}
	}
}

const announcedName = "update-journal.told"

// outcomes relies on run ids that rise with time.
func (s *service) outcomes(ctx context.Context) error {
	past, _, err := s.history()
	if err != nil || len(past) == 0 {
		return err
	}
	marker := filepath.Join(s.cfg.DataDir(), announcedName)
	announced, err := os.ReadFile(marker)
	if err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("read which updates were announced: %w", err)
	}
	for _, run := range past {
		if run.FinishedAt == nil || run.ID <= strings.TrimSpace(string(announced)) {
			continue
		}
		if err := s.record(ctx, run); err != nil {
			return err
		}
		if err := durable.Write(marker, 0o640, []byte(run.ID+"\n")); err != nil {
			return err
		}
	}
	return nil
}

func (s *service) record(ctx context.Context, run Run) error {
	entry := audit.Entry{
		Action: "system.updated", Object: audit.Object{Type: "update", ID: run.ID, Name: run.To},
		Changes: map[string]audit.Change{"version": {From: run.From, To: run.To}},
	}
	if run.State != Done {
		entry.Action, entry.Result = "system.update_failed", audit.Failed
		entry.Changes = map[string]audit.Change{"reason": {To: run.Reason}, "state": {To: run.State}}
	}
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.journal.Record(ctx, s.db.In(ctx), entry); err != nil {
			return err
		}
		return s.emit(ctx, entry.Action, run)
	})
	if err != nil {
		return fault.Unavailable("the journal cannot be written").Wrap(err)
	}
	return nil
}
