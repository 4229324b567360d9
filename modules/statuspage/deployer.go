package statuspage

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/modules/statuspage/internal/site"
	"panel/modules/statuspage/statuspageapi"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/lease"
	"panel/platform/remote"
)

var (
	errHostKey = remote.ErrHostKey
	errFull    = remote.ErrFull
	errOther   = remote.ErrOther
	errMissing = remote.ErrMissing
)

const (
	deployAttempts = 5
	deployStep     = 10 * time.Minute
	freeAgain      = 300 * time.Millisecond // until a snapshot that is on its way has ended
)

// deployer carries deploys to their end: each step reads what the database says of one and does what is due. What is
// built is not stored; a panel that goes on builds again and sends again whatever was not verified.
type deployer struct {
	*service
	*lease.Driver
}

func newDeployer(s *service, listener *database.Listener, clock clockwork.Clock, log *zap.Logger) *deployer {
	d := &deployer{service: s}
	d.Driver = lease.New(s.store.db, listener, clock, log, lease.Process{
		Name: "status page deploy", Attempts: deployAttempts, StepLimit: deployStep, Step: d.step, GiveUp: d.giveUp,
		Table: lease.Table{Name: "statuspage_deploys", Open: "finished_at is null", Order: "started_at"},
	})
	s.wakeDeploy = d.Wake
	return d
}

// built are the files for each place, kept from step to step of one claim.
type built map[string][]site.File

func (d *deployer) step(ctx context.Context, c *lease.Claim) (lease.Next, error) {
	row, err := d.store.deploy(ctx, c.ID)
	if err != nil {
		return lease.Done(), err
	}
	switch row.State {
	case deployQueued:
		return lease.Again(), d.enter(ctx, c, &row, deployBuilding)
	case deployBuilding:
		if _, err := d.build(ctx, c, &row); err != nil {
			return lease.Done(), err
		}
		return lease.Again(), d.enter(ctx, c, &row, deployUploading)
	case deployUploading:
		return d.each(ctx, c, &row, targetWaiting, deployVerifying, d.upload)
	}
	return d.each(ctx, c, &row, deployVerifying, "", d.verify)
}

// enter writes that a deploy has got on.
func (d *deployer) enter(ctx context.Context, c *lease.Claim, row *deployRow, state string) error {
	row.State = state
	return c.InTx(ctx, func(ctx context.Context) error { return d.storeProgress(ctx, row) })
}

// storeProgress stores the state and the targets of a deploy, and shows them.
func (d *deployer) storeProgress(ctx context.Context, row *deployRow) error {
	if err := d.store.save(ctx, row, "state", "targets", "finished_at"); err != nil {
		return err
	}
	if row.OperationID != "" {
		if err := d.operations.Move(ctx, row.OperationID, row.percent()); err != nil {
			return err
		}
	}
	page, err := d.store.page(ctx, row.PageID, false)
	if err != nil {
		return err
	}
	return d.emit(ctx, statuspageapi.DeployMoved, &page, news(row))
}

func (r *deployRow) percent() int {
	const building, each = 10, 45
	done := 0
	for i := range r.Targets {
		switch r.Targets[i].State {
		case targetWaiting:
		case deployUploading, deployVerifying:
			done++
		default:
			done += 2
		}
	}
	return building + each*done/max(1, len(r.Targets))
}

// build writes the files for each place, whose feeds name its address.
func (d *deployer) build(ctx context.Context, c *lease.Claim, row *deployRow) (built, error) {
	if done, is := c.State.(built); is {
		return done, nil
	}
	shown, err := d.siteOf(ctx, row.PageID, &row.Content, "")
	if err != nil {
		return nil, err
	}
	out := built{}
	for i := range row.Targets {
		shown.Address = row.Targets[i].Address
		if out[row.Targets[i].TargetID], err = site.Build(shown); err != nil {
			return nil, err
		}
	}
	c.State = out
	return out, nil
}

// each brings the next target in a state further; when there is none, the deploy gets into the next state, or ends.
func (d *deployer) each(
	ctx context.Context, c *lease.Claim, row *deployRow, from, next string,
	work func(context.Context, *lease.Claim, *deployRow, *DeployTarget, []site.File) (lease.Next, error),
) (lease.Next, error) {
	at := slices.IndexFunc(row.Targets, func(t DeployTarget) bool {
		return t.State == from || from == targetWaiting && t.State == deployUploading
	})
	if at < 0 && next != "" {
		return lease.Again(), d.enter(ctx, c, row, next)
	}
	if at < 0 {
		return lease.Done(), d.finish(ctx, c, row)
	}
	files, err := d.build(ctx, c, row)
	if err != nil {
		return lease.Done(), err
	}
	return work(ctx, c, row, &row.Targets[at], files[row.Targets[at].TargetID])
}

// upload brings all that nobody sees yet: a deploy that stops here leaves the old page as it was.
func (d *deployer) upload(
	ctx context.Context, c *lease.Claim, row *deployRow, at *DeployTarget, files []site.File,
) (lease.Next, error) {
	target, free, err := d.takeTarget(ctx, at.TargetID)
	switch {
	case err != nil:
		return lease.Done(), err
	case target == nil:
		at.State, at.Error = deployFailed, "the place is gone"
		return lease.Again(), d.enter(ctx, c, row, row.State)
	case !free:
		return lease.After(freeAgain), nil
	}
	at.State = deployUploading
	if err := d.enter(ctx, c, row, row.State); err != nil {
		return lease.Done(), err
	}
	return lease.Again(), d.carry(ctx, c, row, at, func(b *bringing) error {
		changes, err := b.compare(ctx, target, files)
		if err != nil {
			return err
		}
		if !changes {
			at.State, at.SHA256 = targetUnchanged, b.whole()
			return nil
		}
		at.State = deployVerifying
		return b.send(ctx, early)
	}, target)
}

// verify fetches back what was sent, brings what readers see, and fetches that back as well.
func (d *deployer) verify(
	ctx context.Context, c *lease.Claim, row *deployRow, at *DeployTarget, files []site.File,
) (lease.Next, error) {
	target, _, err := d.takeTarget(ctx, at.TargetID)
	if err != nil || target == nil {
		at.State, at.Error = deployFailed, "the place is gone"
		return lease.Again(), errors.Join(err, d.enter(ctx, c, row, row.State))
	}
	return lease.Again(), d.carry(ctx, c, row, at, func(b *bringing) error {
		if _, err := b.compare(ctx, target, files); err != nil {
			return err
		}
		for _, part := range []func(*site.File) bool{early, late} {
			if err := b.send(ctx, part); err != nil {
				return err
			}
			if err := b.check(ctx, part); err != nil {
				return err
			}
		}
		at.State, at.SHA256 = deployLive, b.whole()
		at.Files, at.Bytes = b.sent, b.bytes
		return b.clean(ctx)
	}, target)
}

func early(f *site.File) bool { return site.Order(f.Path) < site.Order("index.html") }
func late(f *site.File) bool  { return !early(f) }

// takeTarget reads a place; free says that no snapshot is on its way to it. Nil: it is gone.
func (d *deployer) takeTarget(ctx context.Context, id string) (row *targetRow, free bool, err error) {
	var rows []targetRow
	err = d.store.db.In(ctx).NewSelect().Model(&rows).Where("id = ?", id).Scan(ctx)
	if err != nil || len(rows) == 0 {
		return nil, false, database.Fault(err, nil)
	}
	err = d.store.db.In(ctx).NewRaw(`select lease_token = '' or lease_until < now() from statuspage_targets where id = ?`,
		id).Scan(ctx, &free)
	return &rows[0], free, database.Fault(err, nil)
}

// carry does something at a place and writes down what came of it: what fails there fails this place alone.
func (d *deployer) carry(
	ctx context.Context, c *lease.Claim, row *deployRow, at *DeployTarget, work func(*bringing) error, t *targetRow,
) error {
	page, err := d.store.page(ctx, row.PageID, false)
	if err != nil {
		return err
	}
	b, failure := d.bringing(t, page.Slug, c.InTx)
	if failure == nil {
		failure = work(b)
		failure = errors.Join(failure, b.place.Close())
	}
	var lost *notedError
	if errors.As(failure, &lost) || ctx.Err() != nil {
		return errors.Join(failure, ctx.Err()) // the database or the panel, and not the place
	}
	if failure != nil {
		at.State, at.Error = deployFailed, failure.Error()
	}
	return c.InTx(ctx, func(ctx context.Context) error {
		if err := d.storeOutcome(ctx, row, at, t); err != nil {
			return err
		}
		return d.storeProgress(ctx, row)
	})
}

// storeOutcome writes on the place what became of the deploy there.
func (d *deployer) storeOutcome(ctx context.Context, row *deployRow, at *DeployTarget, t *targetRow) error {
	now := d.now()
	switch at.State {
	case deployLive, targetUnchanged:
		t.LiveDeployID, t.LiveRevision, t.Failed, t.Error, t.PushAt = &row.ID, row.Revision, false, "", nil
		if at.State == deployLive {
			t.DataAt = &now
		}
	case deployFailed:
		t.Failed, t.Error = true, at.Error
	default:
		return nil
	}
	return d.store.save(ctx, t, "live_deploy_id", "live_revision", "failed", "error", "data_at")
}

// finish ends a deploy. It is live where one place at least shows it.
func (d *deployer) finish(ctx context.Context, c *lease.Claim, row *deployRow) error {
	return c.InTx(ctx, func(ctx context.Context) error { return d.ended(ctx, row, "") })
}

func (d *deployer) ended(ctx context.Context, row *deployRow, failure string) error {
	page, err := d.store.page(ctx, row.PageID, true)
	if err != nil {
		return err
	}
	now := d.now()
	row.State, row.FinishedAt = deployFailed, &now
	for i := range row.Targets {
		at := &row.Targets[i]
		switch at.State {
		case deployLive, targetUnchanged:
			row.State = deployLive
		case deployFailed:
			failure = cmp.Or(failure, at.Label+": "+at.Error)
		default:
			at.State, at.Error = deployFailed, failure
		}
	}
	if row.State == deployLive {
		page.PublishedDeployID, page.PublishedRevision, page.PublishedAt = &row.ID, row.Revision, &now
		err = d.store.save(ctx, &page, "published_deploy_id", "published_revision", "published_at")
	}
	if err == nil {
		err = d.storeProgress(ctx, row)
	}
	if err == nil {
		err = d.announced(ctx, &page, row, failure)
	}
	if err == nil {
		err = d.store.trimLogos(ctx, page.ID)
	}
	if err != nil {
		return err
	}
	return d.resume(ctx, row)
}

// announced tells how a deploy has ended: it may be live at one place and have failed at another.
func (d *deployer) announced(ctx context.Context, page *pageRow, row *deployRow, failure string) error {
	var cause error
	said := map[string]audit.Change{"revision": {To: row.Revision}}
	if row.State == deployLive {
		if err := d.publish(ctx, statuspageapi.Deployed, page, news(row), said); err != nil {
			return err
		}
	}
	if failure != "" {
		told := news(row)
		told.Error = failure
		if err := d.publish(ctx, statuspageapi.DeployFailed, page, told, said); err != nil {
			return err
		}
	}
	if row.State == deployFailed {
		cause = errors.New(failure)
	}
	if row.OperationID == "" {
		return nil
	}
	return d.operations.End(ctx, row.OperationID, cause)
}

// resume has snapshots go on at all places that show something.
func (d *deployer) resume(ctx context.Context, row *deployRow) error {
	for i := range row.Targets {
		id := row.Targets[i].TargetID
		_, err := d.store.db.In(ctx).NewRaw(`update statuspage_targets set push_at = ?
			where id = ? and enabled and live_deploy_id is not null`, d.now().Add(pushEvery), id).Exec(ctx)
		if err != nil {
			return database.Fault(err, nil)
		}
	}
	return d.refreshOld(ctx, row)
}

// refreshOld has places at once get news that did not get this deploy.
func (d *deployer) refreshOld(ctx context.Context, row *deployRow) error {
	for i := range row.Targets {
		if state := row.Targets[i].State; state != deployLive {
			_, err := d.store.db.In(ctx).NewRaw(`update statuspage_targets set push_at = ?
				where id = ? and push_at is not null`, d.now(), row.Targets[i].TargetID).Exec(ctx)
			if err == nil {
				err = d.wakeTarget(ctx, row.Targets[i].TargetID)
			}
			if err != nil {
				return database.Fault(err, nil)
			}
		}
	}
	return nil
}

func (d *deployer) giveUp(ctx context.Context, c *lease.Claim, cause error) error {
	row, err := d.store.deploy(ctx, c.ID)
	if err != nil {
		return err
	}
	return d.ended(ctx, &row, cause.Error())
}

// notedError is a failure to write down what happens at a place: not a failure of the place.
type notedError struct{ error }

func (e *notedError) Unwrap() error { return e.error }
