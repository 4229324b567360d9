package geo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"panel/modules/geo/geoapi"
	"panel/modules/geo/internal/dat"
	"panel/platform/audit"
	"panel/platform/automation"
	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/files"
	"panel/platform/jobs"
	"panel/platform/operations"
)

// mostKept is how many versions of an asset are kept beside those in use.
const mostKept = 5

// audience is who may fetch versions; owner is on whose behalf they are kept.
const audience = files.Agents

func owner(assetID string) string { return "geo:" + assetID }

// updateArgs say which asset to fetch.
type updateArgs struct {
	AssetID    string `json:"asset_id"`
	Distribute bool   `json:"distribute"`
	Scheduled  bool   `json:"scheduled,omitempty"`
}

// Kind names the worker.
func (updateArgs) Kind() string { return "geo.update" }

// dueArgs have those assets fetched whose time has come.
type dueArgs struct{}

// Kind names the worker.
func (dueArgs) Kind() string { return "geo.due" }

func (s *service) workers() []jobs.Worker {
	const together = 2
	return []jobs.Worker{
		{
			Kind: updateArgs{}.Kind(), Limit: together, Timeout: 2*fetchWithin + time.Minute, Attempts: 5,
			Work: jobs.Do(func(ctx context.Context, job jobs.Job, a updateArgs) error { return s.run(ctx, job, a) }),
		},
		{
			Kind: dueArgs{}.Kind(),
			Work: jobs.Do(func(ctx context.Context, _ jobs.Job, _ dueArgs) error { return s.due(ctx) }),
		},
		{
			Kind: placeArgs{}.Kind(),
			Work: jobs.Do(func(ctx context.Context, _ jobs.Job, _ placeArgs) error { return s.place(ctx) }),
		},
	}
}

// schedules have the clocks of assets looked at, and nodes that came told what to hold. What changes nodes stops in
// read-only mode.
func schedules() []jobs.Schedule {
	return []jobs.Schedule{
		{
			Name: "geo.due", Cron: "* * * * *", Feature: feature, ReadOnly: entitlement.Stops, Blocked: entitlement.Stops,
			Args: func() jobs.Args { return dueArgs{} },
		},
		{
			Name: "geo.place", Cron: "*/5 * * * *", Feature: feature, ReadOnly: entitlement.GoesOn,
			Blocked: entitlement.GoesOn, Args: func() jobs.Args { return placeArgs{} },
		},
	}
}

// due inserts the updates whose time has come and gives each asset its next one.
func (s *service) due(ctx context.Context) error {
	return s.store.db.InTx(ctx, func(ctx context.Context) error {
		var rows []assetRow
		err := s.store.db.In(ctx).NewSelect().Model(&rows).
			Where("scheduled and not pinned and next_update_at <= ?", s.now()).OrderExpr("id").For("update").Scan(ctx)
		if err != nil {
			return database.Fault(err, nil)
		}
		for i := range rows {
			row := &rows[i]
			if err := s.timed(row); err != nil {
				return err
			}
			if _, err := s.store.db.In(ctx).NewUpdate().Model(row).Column("next_update_at").WherePK().Exec(ctx); err != nil {
				return database.Fault(err, nil)
			}
			order := updateArgs{AssetID: row.ID, Distribute: true, Scheduled: true}
			if err := s.queue.Insert(ctx, order, jobs.Opts{Unique: row.ID}); err != nil {
				return fmt.Errorf("have a geo file fetched: %w", err)
			}
		}
		return nil
	})
}

// beginUpdate has an asset fetched, as an operation of the context's caller.
// Faults: not_found (404), geo_update_active (409).
func (s *service) beginUpdate(ctx context.Context, id string, distribute bool) (operation string, err error) {
	row, err := s.store.one(ctx, id, false)
	if err != nil {
		return "", err
	}
	follow := operations.New{About: operations.About{Type: object, ID: row.ID, Name: row.Name}}
	err = s.store.db.InTx(ctx, func(ctx context.Context) error {
		order := updateArgs{AssetID: row.ID, Distribute: distribute}
		if err := s.queue.Insert(ctx, order, jobs.Opts{Unique: row.ID, Operation: &follow}); err != nil {
			return fmt.Errorf("have a geo file fetched: %w", err)
		}
		if follow.ID == "" {
			return errUpdating
		}
		return s.journal.Record(ctx, s.store.db.In(ctx), audit.Entry{
			Action: actionUpdate, Object: row.object(), Changes: map[string]audit.Change{"distribute": {To: distribute}},
		})
	})
	return follow.ID, err
}

// run fetches an asset, checks the file and stores it. A file that is refused leaves all as it was. After a kill the
// job begins again: nothing of it is left but the state.
func (s *service) run(ctx context.Context, job jobs.Job, order updateArgs) error {
	row, err := s.store.one(ctx, order.AssetID, false)
	if err != nil {
		return jobs.Permanent(err)
	}
	if order.Scheduled && row.Pinned {
		return nil
	}
	before := row.State
	if err := s.enterUnlessRolling(ctx, &row, stateDownloading); err != nil {
		return err
	}
	err = s.take(ctx, job, &row, order)
	refused := dat.AsRefusal(err)
	switch {
	case err == nil:
		return nil
	case refused == nil && ctx.Err() != nil && !job.Last:
		return err
	case refused == nil:
		refused = &dat.Refusal{Reason: reasonUnreachable, Detail: "the update could not go on: " + err.Error()}
		if !job.Last {
			_ = s.enterUnlessRolling(ctx, &row, before)
			return err
		}
	}
	if err := s.reject(ctx, row.ID, refused, err); err != nil {
		return err
	}
	return jobs.Permanent(refused)
}

// take is what run does with a file that is fine. Errors: *dat.Refusal; others may pass.
func (s *service) take(ctx context.Context, job jobs.Job, row *assetRow, order updateArgs) error {
	file, err := s.fetch(ctx, row)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := errors.Join(job.Progress(ctx, 60), s.enterUnlessRolling(ctx, row, stateChecking)); err != nil {
		return err
	}
	version, err := s.inspect(row, file)
	if err != nil {
		return err
	}
	if err := job.Progress(ctx, 80); err != nil {
		return err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read a geo file again: %w", err)
	}
	return s.keep(ctx, job, version, order, file)
}

// inspect reads a file as what it claims to be. Error: *dat.Refusal.
func (s *service) inspect(row *assetRow, file *fetched) (*versionRow, error) {
	version := &versionRow{
		AssetID: row.ID, SHA256: file.SHA256, Size: file.Size, SourceURL: row.SourceURL, FetchedAt: s.now(),
		Categories: []dat.Category{},
	}
	if row.File == fileMMDB {
		kind, nodes, err := inspectPlaces(file)
		version.Kind, version.Entries = kind, nodes
		return version, err
	}
	content, err := dat.Read(io.NewSectionReader(file, 0, file.Size), file.Size, nil)
	if err != nil {
		return nil, err
	}
	switch {
	case row.File == fileGeoIP && content.Kind != dat.Net:
		return nil, refusal(dat.NotGeoData, "it holds names and no networks")
	case row.File == fileGeosite && content.Kind != dat.Site:
		return nil, refusal(dat.NotGeoData, "it holds networks and no names")
	}
	version.Kind, version.Categories, version.Entries = string(content.Kind), content.Categories, int64(content.Entries)
	return version, nil
}

// keep stores a file that was read, unless flows use what it has not. The content and the row that names it commit
// together. Errors: *dat.Refusal of geo_category_missing and disk_full; others may pass.
func (s *service) keep(
	ctx context.Context, job jobs.Job, version *versionRow, order updateArgs, content io.Reader,
) error {
	return s.store.db.InTx(ctx, func(ctx context.Context) error {
		if _, err := s.files.Put(ctx, content, files.File{SHA256: version.SHA256, Size: version.Size}); err != nil {
			return onDisk(err)
		}
		row, err := s.store.one(ctx, version.AssetID, true)
		if err != nil {
			return err
		}
		if row.File != fileMMDB {
			if err := s.complete(ctx, row.Name, countsOf(version.Categories)); err != nil {
				return err
			}
		}
		if err := s.arrived(ctx, &row, version, order); err != nil {
			return err
		}
		return job.Finish(ctx)
	})
}

// lackingError names the categories that flows use and a file has not.
type lackingError struct {
	dat.Refusal

	missing []MissingToken
}

// Unwrap gives the refusal.
func (e *lackingError) Unwrap() error { return &e.Refusal }

// complete says whether a file has all that installed flows use. Error: *lackingError.
func (s *service) complete(ctx context.Context, file string, categories map[string]int) error {
	missing, err := s.lacking(ctx, file, categories)
	if err != nil || len(missing) == 0 {
		return err
	}
	detail := fmt.Sprintf("categories that flows use are not in it: %d, the first is %s", len(missing), missing[0].Token)
	return &lackingError{dat.Refusal{Reason: reasonMissing, Detail: detail}, missing[:min(len(missing), mostMissing)]}
}

// arrived notes a version that was checked, and begins to roll it out where that is asked for.
func (s *service) arrived(ctx context.Context, row *assetRow, version *versionRow, order updateArgs) error {
	now := s.now()
	_, err := s.store.db.In(ctx).NewInsert().Model(version).
		On("conflict (asset_id, sha256) do update").Set("fetched_at = excluded.fetched_at").Exec(ctx)
	if err != nil {
		return database.Fault(err, nil)
	}
	last, err := s.lastRollOut(ctx, row)
	if err != nil {
		return err
	}
	row.FetchedAt, row.UpdatedAt = &now, now
	rolls := row.received(version.SHA256, last, order)
	kept, err := s.store.trim(ctx, row, mostKept)
	if err == nil {
		err = s.files.Use(ctx, owner(row.ID), audience, kept...)
	}
	if err == nil {
		err = s.store.save(ctx, row)
	}
	if err != nil {
		return err
	}
	waits, err := s.waits(ctx, row, version, order)
	if err != nil {
		return err
	}
	if rolls && !waits {
		return s.begin(ctx, row, version.SHA256, firstRing)
	}
	return s.emit(ctx, geoapi.Moved, row, geoapi.News{SHA256: version.SHA256})
}

// received brings an asset into the state that a version which was fetched has led to, beside what became of the last
// roll-out, and says whether that version is to be rolled out. One whose roll-out failed is rolled out again when a
// person asks for it; a schedule leaves it alone.
func (r *assetRow) received(sha256, last string, order updateArgs) (rolls bool) {
	again := r.Version != nil && *r.Version == sha256
	failed := again && last == rollFailed
	if failed && order.Scheduled {
		if r.State = stateFailed; r.RejectReason != reasonDisk {
			r.RejectReason = reasonNode
		}
		return false
	}
	r.RejectReason, r.RejectDetail, r.Missing = "", "", []MissingToken{}
	r.Candidate = &sha256
	r.State = stateReady
	if again && !failed {
		r.Candidate, r.State = nil, stateCurrent
	}
	if last == rollRunning {
		r.State = stateDistributing
		return false
	}
	return order.Distribute && r.Candidate != nil
}

// waits says whether a version that a schedule has fetched waits for a person: because it was returned from, or because
// nothing shall happen by itself.
func (s *service) waits(ctx context.Context, row *assetRow, version *versionRow, order updateArgs) (bool, error) {
	if !order.Scheduled {
		return false, nil
	}
	why, err := s.stop.Stopped(ctx, actRollOut)
	if err != nil {
		return false, fmt.Errorf("ask whether a geo file may be rolled out: %w", err)
	}
	return why != automation.Free || version.SHA256 == row.Withdrawn, nil
}

// reject writes down why an update came to nothing.
func (s *service) reject(ctx context.Context, id string, why *dat.Refusal, cause error) error {
	var lacking *lackingError
	_ = errors.As(cause, &lacking)
	return s.store.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.store.one(ctx, id, true)
		if err != nil {
			return err
		}
		now := s.now()
		row.FetchedAt, row.UpdatedAt = &now, now
		row.RejectReason, row.RejectDetail, row.Missing = why.Reason, why.Detail, []MissingToken{}
		if lacking != nil {
			row.Missing = lacking.missing
		}
		rolling, err := s.rolling(ctx, row.ID)
		if err != nil {
			return err
		}
		if row.State = stateRejected; away(why.Reason) {
			row.State = stateFailed
		}
		if rolling {
			row.State = stateDistributing
		}
		const soon = time.Hour
		if retry := now.Add(soon); away(why.Reason) && row.NextUpdateAt != nil && retry.Before(*row.NextUpdateAt) {
			row.NextUpdateAt = &retry
		}
		if err := s.store.save(ctx, &row); err != nil {
			return err
		}
		return s.publish(ctx, geoapi.Rejected, &row, geoapi.News{Reason: why.Reason, Detail: why.Detail},
			map[string]audit.Change{"reason": {To: why.Reason}, "detail": {To: why.Detail}})
	})
}

// away says whether a reason is about the way to the file and not about the file.
func away(reason string) bool {
	return reason == reasonUnreachable || reason == reasonRefused || reason == reasonDisk
}

// enterUnlessRolling shows a state of the update, unless a roll-out goes on, which matters more.
func (s *service) enterUnlessRolling(ctx context.Context, row *assetRow, state string) error {
	if row.State == stateDistributing {
		return nil
	}
	return s.enter(ctx, row, state)
}
