package geo

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/modules/geo/geoapi"
	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/lease"
	"panel/platform/restored"
)

// Rings of a roll-out: one node, a twentieth of the fleet, a quarter, all.
const (
	firstRing = 1
	lastRing  = 4
)

var ringPercent = []int{5, 25} // of the rings between the first and the last

const (
	watchEvery  = time.Second
	tellAtOnce  = 250
	takeWithin  = 10 * time.Minute // an online node of a ring that has not taken the file by then has failed
	illWithin   = 2 * time.Minute  // for which a core may be away after it has taken a file
	attempts    = 12
	coreFailed  = "failed"
	rollRunning = "running"
	rollDone    = "done"
	rollFailed  = "failed"
	rollBack    = "rolled_back"
)

// roller carries roll-outs to their end: each step reads what the database says of one and does what is due.
type roller struct {
	*service
	*lease.Driver
}

func newRoller(s *service, listener *database.Listener, clock clockwork.Clock, log *zap.Logger) *roller {
	r := &roller{service: s}
	r.Driver = lease.New(s.store.db, listener, clock, log, lease.Process{
		Name: "geo roll-out", Attempts: attempts, Step: r.step, GiveUp: r.giveUp,
		Table: lease.Table{Name: "geo_rollouts", Open: "finished_at is null", Order: "started_at"},
	})
	s.wake = r.Wake
	return r
}

// rolling says whether an asset is being rolled out.
func (s *service) rolling(ctx context.Context, assetID string) (active bool, err error) {
	err = s.store.db.In(ctx).NewRaw("select exists (select from geo_rollouts where asset_id = ? and finished_at is null)",
		assetID).Scan(ctx, &active)
	return active, database.Fault(err, nil)
}

// lastRollOut is the state of the newest roll-out of the version that nodes shall hold; empty when it had none.
func (s *service) lastRollOut(ctx context.Context, row *assetRow) (string, error) {
	var states []string
	err := s.store.db.In(ctx).NewRaw(`select state from geo_rollouts where asset_id = ? and sha256 = ?
		order by started_at desc limit 1`, row.ID, row.Version).Scan(ctx, &states)
	if err != nil || len(states) == 0 {
		return "", database.Fault(err, nil)
	}
	return states[0], nil
}

// rollOut begins to roll out what was fetched. Faults: not_found (404), geo_no_candidate, geo_distributing (409),
// geo_category_missing (422).
func (s *service) rollOut(ctx context.Context, id string) error {
	return s.store.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.store.one(ctx, id, true)
		if err != nil {
			return err
		}
		if row.Candidate == nil {
			return errNoCandidate
		}
		if err := s.fits(ctx, &row, *row.Candidate); err != nil {
			return err
		}
		if row.Withdrawn == *row.Candidate {
			row.Withdrawn = ""
		}
		return s.begin(ctx, &row, *row.Candidate, firstRing)
	})
}

// goBack returns to the version before, on all nodes at once. The other one stays as a candidate: the schedule does not
// bring it again, and a person may roll it out again, in rings.
// Faults: not_found (404), geo_no_previous (409), geo_category_missing (422).
func (s *service) goBack(ctx context.Context, id string) error {
	return s.store.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.store.one(ctx, id, true)
		if err != nil {
			return err
		}
		if row.Previous == nil || row.Version == nil {
			return errNoPrevious
		}
		if err := s.fits(ctx, &row, *row.Previous); err != nil {
			return err
		}
		_, err = s.store.db.In(ctx).NewRaw(`update geo_rollouts set state = ?, finished_at = ?, detail = ''
			where asset_id = ? and finished_at is null`, rollBack, s.now(), row.ID).Exec(ctx)
		if err != nil {
			return database.Fault(err, nil)
		}
		from, to := *row.Version, *row.Previous
		row.Withdrawn = from
		if err := s.begin(ctx, &row, to, lastRing); err != nil {
			return err
		}
		return s.publish(ctx, geoapi.RolledBack, &row, geoapi.News{SHA256: to},
			map[string]audit.Change{"sha256": {From: from, To: to}})
	})
}

// fits says whether a version that is kept has what installed flows use. Fault: geo_category_missing (422).
func (s *service) fits(ctx context.Context, row *assetRow, sha256 string) error {
	if row.File == fileMMDB {
		return nil
	}
	content, err := s.known.of(ctx, row.ID, sha256)
	if err != nil {
		return err
	}
	missing, err := s.lacking(ctx, row.Name, content.Entries)
	if err != nil || len(missing) == 0 {
		return err
	}
	return errLacking.With("missing", missing[:min(len(missing), mostMissing)])
}

// begin makes a version the one that nodes shall hold and has it rolled out from a ring on. What only the panel holds
// is in force at once. Fault: geo_distributing (409).
func (s *service) begin(ctx context.Context, row *assetRow, sha256 string, ring int) error {
	now, caller := s.now(), access.From(ctx)
	returns := ring == lastRing && row.Previous != nil && *row.Previous == sha256
	switch {
	case returns && row.Candidate == nil:
		row.Previous, row.Candidate = nil, row.Version
	case returns:
		row.Previous = nil
	default:
		row.Candidate = nil
		if row.Version != nil && *row.Version != sha256 {
			row.Previous = row.Version
		}
	}
	row.Version, row.UpdatedAt = &sha256, now
	row.RejectReason, row.RejectDetail, row.Missing = "", "", []MissingToken{}
	if !row.OnNodes {
		row.State = row.settled()
		if err := s.store.save(ctx, row); err != nil {
			return err
		}
		return s.publish(ctx, geoapi.Updated, row, geoapi.News{SHA256: sha256}, nil)
	}
	row.State = stateDistributing
	rollout := rolloutRow{
		ID: database.NewID(), AssetID: row.ID, SHA256: sha256, Ring: ring, LastRing: lastRing, RingAt: now,
		State: rollRunning, StartedBy: caller.Name(), AccountID: caller.AccountID, StartedAt: now,
	}
	if err := s.store.save(ctx, row); err != nil {
		return err
	}
	if err := s.store.insert(ctx, &rollout); err != nil {
		return err
	}
	if err := s.share(ctx, row.ID); err != nil {
		return err
	}
	err := s.journal.Record(ctx, s.store.db.In(ctx), audit.Entry{
		Action: actionDistribute, Object: row.object(), Changes: map[string]audit.Change{"sha256": {To: sha256}},
	})
	if err == nil {
		err = s.emit(ctx, geoapi.Moved, row, geoapi.News{SHA256: sha256})
	}
	if err != nil {
		return err
	}
	return s.wake(ctx, rollout.ID)
}

// share puts all nodes into rings: those that answer first, because what they say decides about the others.
func (s *service) share(ctx context.Context, assetID string) error {
	all, err := s.fleet.Nodes(ctx)
	if err != nil {
		return fmt.Errorf("read the nodes for a roll-out: %w", err)
	}
	slices.SortStableFunc(all, func(a, b nodesapi.Node) int {
		if answers(a) != answers(b) {
			if answers(a) {
				return -1
			}
			return 1
		}
		return strings.Compare(a.ID, b.ID)
	})
	rows := make([]nodeRow, len(all))
	for at, n := range all {
		rows[at] = nodeRow{AssetID: assetID, NodeID: n.ID, Ring: ringOf(at, len(all))}
	}
	if len(rows) == 0 {
		return nil
	}
	_, err = s.store.db.In(ctx).NewInsert().Model(&rows).Column("asset_id", "node_id", "ring").
		On("conflict (asset_id, node_id) do update").Set("ring = excluded.ring").Exec(ctx)
	return database.Fault(err, nil)
}

func ringOf(at, all int) int {
	if at == 0 {
		return firstRing
	}
	for i, percent := range ringPercent {
		if at*100 < all*percent {
			return firstRing + 1 + i
		}
	}
	return lastRing
}

func answers(n nodesapi.Node) bool { return n.Online && n.Can(capability) }

// drive is a roll-out in the hands of this panel.
type drive struct {
	*roller
	claim *lease.Claim
	row   *rolloutRow
	asset *assetRow
}

func (r *roller) step(ctx context.Context, c *lease.Claim) (lease.Next, error) {
	d, err := r.drive(ctx, c)
	if err != nil || d.row.FinishedAt != nil {
		return lease.Done(), err
	}
	return d.advance(ctx)
}

func (r *roller) drive(ctx context.Context, c *lease.Claim) (*drive, error) {
	row := new(rolloutRow)
	if err := r.store.db.In(ctx).NewSelect().Model(row).Where("r.id = ?", c.ID).Scan(ctx); err != nil {
		return nil, database.Fault(err, nil)
	}
	asset, err := r.store.one(ctx, row.AssetID, false)
	return &drive{roller: r, claim: c, row: row, asset: &asset}, err
}

// giveUp ends a roll-out whose steps fail again and again.
func (r *roller) giveUp(ctx context.Context, c *lease.Claim, cause error) error {
	d, err := r.drive(ctx, c)
	if err != nil {
		return err
	}
	return d.end(ctx, rollFailed, "the roll-out could not go on: "+cause.Error())
}

// restored ends what was under way in a database that was restored from a backup.
func (r *roller) restored(ctx context.Context, _ json.RawMessage, _ *restored.Restoration) error {
	return r.Abandon(ctx, restored.Cause)
}

// advance tells the nodes of the ring, then looks how they do, then goes to the next ring.
func (d *drive) advance(ctx context.Context) (lease.Next, error) {
	behind, err := d.behind(ctx)
	if err != nil {
		return lease.Done(), err
	}
	if len(behind) > 0 {
		return lease.Again(), d.own(ctx, func(ctx context.Context) error {
			return d.tell(ctx, d.asset.ID, d.row.SHA256, behind)
		})
	}
	w, err := d.look(ctx)
	if err != nil {
		return lease.Done(), err
	}
	now := d.now()
	switch {
	case w.failure != "" && (d.ill(now) || w.final):
		return lease.Done(), d.own(ctx, func(ctx context.Context) error { return d.end(ctx, rollFailed, w.failure) })
	case w.failure != "":
		return lease.After(watchEvery), d.mark(ctx, nil, first(d.row.IllAt, now))
	case w.waiting > 0:
		return lease.After(watchEvery), d.mark(ctx, nil, nil)
	case d.row.WellAt == nil && d.settle > 0 && w.online > 0:
		return lease.After(watchEvery), d.mark(ctx, &now, nil)
	case d.row.WellAt != nil && now.Sub(*d.row.WellAt) < d.settle && w.online > 0:
		return lease.After(min(watchEvery, d.settle)), nil
	case d.row.Ring >= d.row.LastRing:
		return lease.Done(), d.own(ctx, func(ctx context.Context) error { return d.end(ctx, rollDone, "") })
	}
	return lease.Again(), d.own(ctx, func(ctx context.Context) error {
		d.row.Ring, d.row.RingAt, d.row.WellAt, d.row.IllAt = d.row.Ring+1, now, nil, nil
		_, err := d.store.db.In(ctx).NewUpdate().Model(d.row).Column("ring", "ring_at", "well_at", "ill_at").
			WherePK().Exec(ctx)
		if err != nil {
			return database.Fault(err, nil)
		}
		return d.emit(ctx, geoapi.Moved, d.asset, geoapi.News{SHA256: d.row.SHA256})
	})
}

func first(known *time.Time, now time.Time) *time.Time {
	if known != nil {
		return known
	}
	return &now
}

// ill says whether something has been wrong for so long that it will not pass by itself.
func (d *drive) ill(now time.Time) bool {
	return d.row.IllAt != nil && now.Sub(*d.row.IllAt) >= d.settle
}

// own runs a change while this panel has the roll-out and nobody has ended it.
func (d *drive) own(ctx context.Context, change func(ctx context.Context) error) error {
	return d.claim.InTx(ctx, func(ctx context.Context) error {
		var open bool
		err := d.store.db.In(ctx).NewRaw("select finished_at is null from geo_rollouts where id = ? for update", d.row.ID).
			Scan(ctx, &open)
		if err != nil || !open {
			return database.Fault(err, nil)
		}
		return change(ctx)
	})
}

// mark notes since when the ring is well or ill; what stays as it is costs no write.
func (d *drive) mark(ctx context.Context, well, ill *time.Time) error {
	if (well == nil) == (d.row.WellAt == nil) && (ill == nil) == (d.row.IllAt == nil) {
		return nil
	}
	d.row.WellAt, d.row.IllAt = well, ill
	return d.own(ctx, func(ctx context.Context) error {
		_, err := d.store.db.In(ctx).NewUpdate().Model(d.row).Column("well_at", "ill_at").WherePK().Exec(ctx)
		return database.Fault(err, nil)
	})
}

// behind gives nodes up to the ring that were not told of the version yet and can hold it.
func (d *drive) behind(ctx context.Context) (ids []string, err error) {
	err = d.store.db.In(ctx).NewRaw(`select node_id from geo_nodes where asset_id = ? and ring <= ? and wanted <> ?
		order by ring, node_id`, d.asset.ID, d.row.Ring, d.row.SHA256).Scan(ctx, &ids)
	if err != nil || len(ids) == 0 {
		return nil, database.Fault(err, nil)
	}
	nodes, err := d.fleet.Nodes(ctx, ids...)
	if err != nil {
		return nil, fmt.Errorf("read the nodes of a ring: %w", err)
	}
	able := ids[:0]
	for _, n := range nodes {
		if n.Can(capability) && len(able) < tellAtOnce {
			able = append(able, n.ID)
		}
	}
	return able, nil
}

// watch is how the nodes of a ring do.
type watch struct {
	online  int    // that count
	waiting int    // of those, have not taken the file yet
	failure string // of one of them
	final   bool   // waiting any longer will not help
}

// look asks about the nodes of the ring. Nodes that do not answer hold up nobody: they take the file when they are
// back.
func (d *drive) look(ctx context.Context) (w watch, err error) {
	var ids []string
	err = d.store.db.In(ctx).NewRaw("select node_id from geo_nodes where asset_id = ? and ring = ? and wanted = ?",
		d.asset.ID, d.row.Ring, d.row.SHA256).Scan(ctx, &ids)
	if err != nil || len(ids) == 0 {
		return w, database.Fault(err, nil)
	}
	nodes, err := d.fleet.Nodes(ctx, ids...)
	if err != nil {
		return w, fmt.Errorf("read the nodes of a ring: %w", err)
	}
	states, err := d.docs.States(ctx, document, ids...)
	if err != nil {
		return w, fmt.Errorf("read what nodes of a ring hold: %w", err)
	}
	for _, n := range nodes {
		if !answers(n) {
			continue
		}
		w.online++
		state := states[n.ID]
		late := d.now().Sub(d.row.RingAt)
		switch {
		case state.State == nodesapi.DocumentFailed:
			w.failure = n.Name + ": " + state.Error
		case state.State != nodesapi.DocumentApplied:
			if w.waiting++; late > takeWithin {
				w.failure, w.final = n.Name+" has not taken the file in time", true
			}
		case n.CoreState == coreFailed:
			w.waiting++
			if late > illWithin {
				w.failure, w.final = "the core of "+n.Name+" does not run with the file", true
			}
		}
	}
	return w, nil
}

// end closes a roll-out. After a failure the nodes of later rings go on with what they hold.
func (d *drive) end(ctx context.Context, state, detail string) error {
	now := d.now()
	d.row.State, d.row.Detail, d.row.FinishedAt = state, detail, &now
	_, err := d.store.db.In(ctx).NewUpdate().Model(d.row).Column("state", "detail", "finished_at").WherePK().Exec(ctx)
	if err != nil {
		return database.Fault(err, nil)
	}
	asset, err := d.store.one(ctx, d.asset.ID, true)
	if err != nil {
		return err
	}
	asset.UpdatedAt, asset.State = now, asset.settled()
	if state != rollFailed {
		if err := d.store.save(ctx, &asset); err != nil {
			return err
		}
		return d.publish(ctx, geoapi.Updated, &asset, geoapi.News{SHA256: d.row.SHA256}, nil)
	}
	asset.State, asset.RejectReason, asset.RejectDetail = stateFailed, reasonNode, detail
	if strings.Contains(detail, "no space left") {
		asset.RejectReason = reasonDisk
	}
	if err := d.store.save(ctx, &asset); err != nil {
		return err
	}
	news := geoapi.News{SHA256: d.row.SHA256, Reason: asset.RejectReason, Detail: detail}
	return d.publish(ctx, geoapi.DistributionFailed, &asset, news, map[string]audit.Change{
		"ring": {To: d.row.Ring}, "detail": {To: detail},
	})
}
