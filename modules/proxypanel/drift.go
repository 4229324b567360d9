package proxypanel

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/proxypanel/internal/offers"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/jobs"
)

// The words for what is not there as it was written.
const (
	driftFound       = "proxypanel.drift"
	driftOver        = "proxypanel.drift_over"
	driftAdopted     = "proxypanel.drift_adopted"
	driftOverwritten = "proxypanel.drift_overwritten"
)

// Drifted is the data of the event that something is not there as it was written.
type Drifted struct {
	Label   string `json:"label"`
	Name    string `json:"name"`
	Objects int    `json:"objects"`
}

// DriftList is what differs at a proxy panel.
type DriftList struct {
	Items    []offers.Drift `json:"items"`
	LookedAt *time.Time     `json:"looked_at" doc:"null: never"`
}

const driftKind = "proxypanel.drift"

// driftArgs say which connection to compare; without one it is all of them.
type driftArgs struct {
	ConnectionID string `json:"connection_id,omitempty"`
}

// Kind names the worker.
func (driftArgs) Kind() string { return driftKind }

// driftSchedule goes on in read-only mode and without the feature: it looks, ends what was committed, and releases
// nodes whose node of ours was deleted.
func driftSchedule() jobs.Schedule {
	return jobs.Schedule{
		Name: driftKind, Cron: "*/5 * * * *", Jitter: time.Minute, Feature: feature, ReadOnly: entitlement.GoesOn,
		Blocked: entitlement.GoesOn, Args: func() jobs.Args { return driftArgs{} },
	}
}

// drifts compares what was written to proxy panels with what is there.
type drifts struct {
	connections *connections
	offers      *offers.Engine
	adopting    *adopting
	queue       *jobs.Enqueuer
}

func newDrifts(c *connections, e *offers.Engine, a *adopting, q *jobs.Enqueuer) *drifts {
	return &drifts{c, e, a, q}
}

func (d *drifts) worker() jobs.Worker {
	const together, tries, limit = 4, 2, 2 * time.Minute
	return jobs.Worker{Kind: driftKind, Limit: together, Attempts: tries, Timeout: limit, Work: jobs.Do(d.work)}
}

// work compares one connection, or has each that has adopted nodes compared by a job of its own.
func (d *drifts) work(ctx context.Context, _ jobs.Job, args driftArgs) error {
	if args.ConnectionID != "" {
		if err := d.offers.Sweep(ctx, args.ConnectionID); err != nil {
			return err
		}
		if err := d.adopting.releaseGone(ctx, args.ConnectionID); err != nil {
			return err
		}
		_, err := d.compare(ctx, args.ConnectionID)
		return err
	}
	var ids []string
	err := d.connections.store.db.In(ctx).NewRaw("select distinct connection_id::text from proxypanel_mappings order by 1").
		Scan(ctx, &ids)
	if err != nil {
		return database.Fault(err, nil)
	}
	for _, id := range ids {
		if err := d.queue.Insert(ctx, driftArgs{ConnectionID: id}, jobs.Opts{Unique: id}); err != nil {
			return fmt.Errorf("have a proxy panel compared: %w", err)
		}
	}
	return nil
}

// compare asks a proxy panel and keeps what differs; that something does, and that nothing does any more, is told once.
// Fault: not_found (404), those of calls.
func (d *drifts) compare(ctx context.Context, connectionID string) (DriftList, error) {
	row, err := d.connections.store.get(ctx, connectionID)
	if err != nil {
		return DriftList{}, err
	}
	asking, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	found, quiet, err := d.offers.Look(asking, connectionID)
	if err != nil {
		return DriftList{}, asFault(err)
	}
	if quiet {
		err = d.connections.store.db.InTx(ctx, func(ctx context.Context) error { return d.keep(ctx, &row, found) })
	}
	if err != nil {
		return DriftList{}, err
	}
	return d.list(ctx, connectionID)
}

func (d *drifts) keep(ctx context.Context, row *connectionRow, found []offers.Drift) error {
	db, now := d.connections.store.db.In(ctx), d.connections.now()
	keys := []string{}
	for i := range found {
		found[i].Since = now
		keys = append(keys, found[i].Object+"/"+found[i].Field)
	}
	_, err := db.NewRaw("delete from proxypanel_drifts where connection_id = ? and not (object || '/' || field = any(?))",
		row.ID, pgdialect.Array(keys)).Exec(ctx)
	if err == nil && len(found) > 0 {
		_, err = db.NewInsert().Model(&found).On("conflict (connection_id, object, field) do update").
			Set("name = excluded.name, ours = excluded.ours, theirs = excluded.theirs").Exec(ctx)
	}
	if err != nil {
		return database.Fault(fmt.Errorf("keep what differs at a proxy panel: %w", err), nil)
	}
	return d.tell(ctx, row, found, now)
}

// driftLook is when a proxy panel was compared, and whether it was told that something differs.
type driftLook struct {
	bun.BaseModel `bun:"table:proxypanel_drift_looks,alias:l"`

	ConnectionID string    `bun:"connection_id,pk,type:uuid"`
	LookedAt     time.Time `bun:"looked_at"`
	Told         bool      `bun:"told"`
}

func (d *drifts) tell(ctx context.Context, row *connectionRow, found []offers.Drift, now time.Time) error {
	db := d.connections.store.db.In(ctx)
	var last []driftLook
	err := db.NewSelect().Model(&last).Where("l.connection_id = ?", row.ID).For("UPDATE").Scan(ctx)
	if err != nil {
		return database.Fault(err, nil)
	}
	told := len(last) > 0 && last[0].Told
	look := driftLook{ConnectionID: row.ID, LookedAt: now, Told: len(found) > 0}
	_, err = db.NewInsert().Model(&look).On("conflict (connection_id) do update").
		Set("looked_at = excluded.looked_at, told = excluded.told").Exec(ctx)
	switch {
	case err != nil:
		return database.Fault(err, nil)
	case look.Told && !told:
		return d.connections.emit(ctx, driftFound, row, Drifted{row.Label, found[0].Name, objectsOf(found)})
	case told && !look.Told:
		return d.connections.emit(ctx, driftOver, row, Named{row.Label})
	}
	return nil
}

func objectsOf(found []offers.Drift) int {
	objects := map[string]bool{}
	for _, one := range found {
		objects[one.Object] = true
	}
	return len(objects)
}

// list shows what differed at the last look. Fault: not_found (404).
func (d *drifts) list(ctx context.Context, connectionID string) (DriftList, error) {
	list := DriftList{Items: []offers.Drift{}}
	if _, err := d.connections.store.get(ctx, connectionID); err != nil {
		return list, err
	}
	db := d.connections.store.db.In(ctx)
	err := db.NewSelect().Model(&list.Items).Where("d.connection_id = ?", connectionID).
		OrderExpr("d.kind, d.name, d.object, d.field").Scan(ctx)
	if err != nil {
		return list, database.Fault(err, nil)
	}
	for i := range list.Items {
		list.Items[i].Since = list.Items[i].Since.UTC()
	}
	var looks []driftLook
	if err := db.NewSelect().Model(&looks).Where("l.connection_id = ?", connectionID).Scan(ctx); err != nil {
		return list, database.Fault(err, nil)
	}
	if len(looks) > 0 {
		list.LookedAt = utc(&looks[0].LookedAt)
	}
	return list, nil
}

// adopt takes over what is there, overwrite writes ours again; both give what differs then.
// Faults: not_found (404), drift_not_adoptable, proxy_panel_busy (409), those of calls.
func (d *drifts) adopt(ctx context.Context, connectionID, object string) (DriftList, error) {
	return d.settle(ctx, connectionID, object, driftAdopted, d.offers.Adopt)
}

func (d *drifts) overwrite(ctx context.Context, connectionID, object string) (DriftList, error) {
	return d.settle(ctx, connectionID, object, driftOverwritten, d.offers.Overwrite)
}

func (d *drifts) settle(
	ctx context.Context, connectionID, object, action string,
	act func(ctx context.Context, connectionID, object string) error,
) (DriftList, error) {
	row, err := d.connections.store.get(ctx, connectionID)
	if err != nil {
		return DriftList{}, err
	}
	before, err := d.list(ctx, connectionID)
	if err != nil {
		return DriftList{}, err
	}
	if err := act(ctx, connectionID, object); err != nil {
		return DriftList{}, asFault(err)
	}
	err = d.connections.store.db.InTx(ctx, func(ctx context.Context) error {
		changes := map[string]audit.Change{}
		for _, one := range before.Items {
			if one.Object == object && len(changes) < mostChanges {
				changes[one.Name+" "+one.Field] = audit.Change{From: one.Theirs, To: one.Ours}
			}
		}
		return d.connections.journal.Record(ctx, d.connections.store.db.In(ctx), audit.Entry{
			Action: action, Object: row.object(), Changes: changes,
		})
	})
	if err != nil {
		return DriftList{}, err
	}
	return d.compare(ctx, connectionID)
}

// mostChanges of one act stand in the journal.
const mostChanges = 10
