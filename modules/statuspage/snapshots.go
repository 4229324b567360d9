package statuspage

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/modules/statuspage/internal/site"
	"panel/modules/statuspage/statuspageapi"
	"panel/platform/database"
	"panel/platform/lease"
	"panel/platform/restored"
)

const (
	pushEvery   = time.Minute
	staleAfter  = 5 * time.Minute // that a page promises
	pushStep    = 2 * time.Minute
	pushTries   = 2
	pushAtOnce  = 4
	pushTryPast = 5 * time.Second
)

// pusher brings news to the places of pages, once a minute and whenever readers are told something.
type pusher struct {
	*service
	*lease.Driver
}

func newPusher(s *service, listener *database.Listener, clock clockwork.Clock, log *zap.Logger) *pusher {
	p := &pusher{service: s}
	p.Driver = lease.New(s.store.db, listener, clock, log, lease.Process{
		Name: "status page snapshot", Attempts: pushTries, StepLimit: pushStep, Parallel: pushAtOnce, Step: p.step,
		GiveUp: p.giveUp, FirstPause: pushTryPast,
		Table: lease.Table{Name: "statuspage_targets", Open: "push_at is not null", Order: "push_at", Due: "push_at"},
	})
	s.wakeTarget = p.Wake
	return p
}

// step brings one snapshot. A place that cannot be reached is tried again a minute later.
func (p *pusher) step(ctx context.Context, c *lease.Claim) (lease.Next, error) {
	t, err := p.store.target(ctx, c.ID, false)
	if err != nil || t.PushAt == nil || t.LiveDeployID == nil {
		return lease.Done(), err
	}
	due, began := *t.PushAt, p.now()
	failure := p.push(ctx, c, &t)
	var lost *notedError
	if errors.As(failure, &lost) || ctx.Err() != nil {
		return lease.Done(), errors.Join(failure, ctx.Err())
	}
	return lease.Done(), c.InTx(ctx, func(ctx context.Context) error {
		if err := p.pushed(ctx, &t, began, failure); err != nil {
			return err
		}
		// News that came meanwhile have made it due again.
		_, err := p.store.db.In(ctx).NewRaw("update statuspage_targets set push_at = ? where id = ? and push_at = ?",
			began.Add(pushEvery), t.ID, due).Exec(ctx)
		return database.Fault(err, nil)
	})
}

// push renews what tells how things are now, and whatever an earlier one left unknown.
func (p *pusher) push(ctx context.Context, c *lease.Claim, t *targetRow) error {
	deploy, err := p.store.deploy(ctx, *t.LiveDeployID)
	if err != nil {
		return &notedError{err}
	}
	slug := deploy.Content.Slug
	shown, err := p.siteOf(ctx, t.PageID, &deploy.Content, p.readersAt(ctx, t, slug))
	if err != nil {
		return &notedError{err}
	}
	files, err := site.Build(shown)
	if err != nil {
		return err
	}
	b, err := p.bringing(t, slug, c.InTx)
	if err != nil {
		return err
	}
	if _, err = b.compare(ctx, t, files); err == nil {
		for _, part := range []func(*site.File) bool{early, late} {
			if err == nil {
				err = b.send(ctx, part)
			}
		}
	}
	return errors.Join(err, b.place.Close())
}

// pushed writes down what came of a snapshot, and tells of a place that gets no news for longer than a page promises.
func (p *pusher) pushed(ctx context.Context, t *targetRow, at time.Time, failure error) error {
	was := *t
	if failure != nil {
		t.Error = failure.Error()
		t.Stale = t.Stale || t.DataAt == nil || at.Sub(*t.DataAt) >= staleAfter
	} else {
		t.DataAt, t.Stale = &at, false
		if !t.Failed {
			t.Error = ""
		}
	}
	if err := p.store.save(ctx, t, "data_at", "error", "stale"); err != nil || was.Stale == t.Stale {
		return err
	}
	page, err := p.store.page(ctx, t.PageID, false)
	if err != nil {
		return err
	}
	kind, news := statuspageapi.PageFresh, statuspageapi.News{TargetID: t.ID, Target: t.Label}
	if t.Stale {
		kind, news.Error = statuspageapi.PageStale, t.Error
	}
	return p.publish(ctx, kind, &page, news, nil)
}

func (p *pusher) giveUp(ctx context.Context, c *lease.Claim, cause error) error {
	t, err := p.store.target(ctx, c.ID, true)
	if err != nil {
		return err
	}
	if err := p.pushed(ctx, &t, p.now(), cause); err != nil {
		return err
	}
	next := p.now().Add(pushEvery)
	t.PushAt = &next
	return p.store.save(ctx, &t, "push_at")
}

// restored ends deploys of then, and has every place looked at again: what it holds may be newer than what the database
// says of it.
func (d *deployer) restored(ctx context.Context, _ json.RawMessage, _ *restored.Restoration) error {
	if err := d.Abandon(ctx, restored.Cause); err != nil {
		return err
	}
	_, err := d.store.db.In(ctx).NewRaw("update statuspage_targets set files = '{}' where kind <> ?", kindPanel).Exec(ctx)
	return database.Fault(err, nil)
}
