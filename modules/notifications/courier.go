package notifications

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jonboulle/clockwork"

	"panel/modules/notifications/internal/message"
	"panel/platform/audit"
	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/jobs"
	"panel/platform/outbound"
	"panel/platform/settings"
)

// courier brings what is queued to its channels.
type courier struct {
	queue    *queue
	channels *channels
	settings *settings.Doc[Settings]
	journal  audit.Journal
	bus      *events.Bus
	clock    clockwork.Clock
	network  *outbound.Network
	panel    string // address of the panel for browsers; empty where nobody said it
	root     string // address of the Bot API that PANEL_MESSENGER_API_ROOT says

	gathering *gathering // of the events that are to be queued
}

func newCourier(
	q *queue, c *channels, doc *settings.Doc[Settings], j audit.Journal, b *events.Bus, clock clockwork.Clock,
	n *outbound.Network, cfg *config.Config,
) *courier {
	made := &courier{
		queue: q, channels: c, settings: doc, journal: j, bus: b, clock: clock, network: n,
		panel: cfg.String(config.PublicURL), root: cfg.String(config.MessengerAPIRoot),
	}
	made.gathering = newGathering(made.takeAll)
	return made
}

func (c *courier) now() time.Time { return c.clock.Now().UTC().Truncate(time.Microsecond) }

const (
	runFor      = 45 * time.Second // then the job ends and another one goes on
	runLimit    = 3 * time.Minute
	claimFor    = 90 * time.Second // what was claimed by a panel that died is sent again after it
	tooOld      = 24 * time.Hour
	maxAttempts = 8
)

// workers send, each kind of channel by itself. Nobody waits there for a channel that does not answer but its own kind.
func (c *courier) workers() (all []jobs.Worker) {
	for kind, limit := range map[string]int{kindMessenger: 1, kindWebhook: 4, kindEmail: 2} {
		all = append(all, jobs.Worker{Kind: jobOf(kind), Limit: limit, Timeout: runLimit, Work: jobs.Do(c.drain)})
	}
	return all
}

// drain sends what is due for a channel, the oldest first. A panel that is killed between a message and the record of
// it sends that message once more: a delivery arrives at least once, and its id is the same.
func (c *courier) drain(ctx context.Context, job jobs.Job, args drainArgs) error {
	end := c.clock.Now().Add(runFor)
	for c.clock.Now().Before(end) {
		row, err := c.claim(ctx, args.Channel)
		if err != nil {
			return err
		}
		if row == nil {
			break
		}
		if err := c.deliver(ctx, row); err != nil {
			return err
		}
	}
	return c.queue.db.InTx(ctx, func(ctx context.Context) error {
		next, err := c.next(ctx, args.Channel)
		if err != nil {
			return err
		}
		if err := job.Finish(ctx); err != nil || next == nil {
			return err
		}
		return c.queue.wake(ctx, args.Channel, args.Type, *next, c.now())
	})
}

// next is when there is something to do for the channel again; nil for never.
func (c *courier) next(ctx context.Context, channel string) (*time.Time, error) {
	if _, there, err := c.queue.lock(ctx, channel); err != nil || !there {
		return nil, err
	}
	var next *time.Time
	err := c.queue.db.In(ctx).NewRaw(`select greatest(min(case d.state when 'queued' then d.not_before
			else d.claimed_until end), min(l.blocked_until))
		from notifications_deliveries d join notifications_lanes l on l.channel = d.channel
		where d.channel = ? and d.state in ('queued', 'sending')`, channel).Scan(ctx, &next)
	return next, database.Fault(err, nil)
}

// claim takes the next delivery of a channel that is due, for a while.
func (c *courier) claim(ctx context.Context, channel string) (row *deliveryRow, err error) {
	err = c.queue.db.InTx(ctx, func(ctx context.Context) error {
		lane, there, err := c.queue.lock(ctx, channel)
		if err != nil || !there || lane.Blocked != nil && lane.Blocked.After(c.now()) {
			return err
		}
		if err := c.hush(ctx, channel); err != nil {
			return err
		}
		row, err = c.due(ctx, channel)
		return err
	})
	return row, err
}

// hush holds back what is not critical until the quiet hours are over; a test was asked for just now.
func (c *courier) hush(ctx context.Context, channel string) error {
	now, _, err := c.settings.Get(ctx)
	if err != nil {
		return err
	}
	end := now.until(c.now())
	if end.IsZero() {
		return nil
	}
	_, err = c.queue.db.In(ctx).NewRaw(`update notifications_deliveries set not_before = ? where channel = ?
		and state = 'queued' and severity <> 'critical' and kind <> ? and not_before < ?`, end, channel, kindTest, end).
		Exec(ctx)
	return database.Fault(err, nil)
}

func (c *courier) due(ctx context.Context, channel string) (*deliveryRow, error) {
	var rows []deliveryRow
	now := c.now()
	err := c.queue.db.In(ctx).NewSelect().Model(&rows).Where("d.channel = ?", channel).
		Where("(d.state = 'queued' and d.not_before <= ? or d.state = 'sending' and d.claimed_until <= ?)", now, now).
		OrderExpr("d.not_before, d.id").Limit(1).Scan(ctx)
	if err != nil || len(rows) == 0 {
		return nil, database.Fault(err, nil)
	}
	row, until := &rows[0], now.Add(claimFor)
	row.State, row.Claim, row.ClaimedTill, row.Attempts = stateSending, database.NewID(), &until, row.Attempts+1
	return row, c.queue.update(ctx, row, "state", "claim", "claimed_until", "attempts")
}

// deliver sends what was claimed and records how it went.
func (c *courier) deliver(ctx context.Context, row *deliveryRow) error {
	if err := c.pace(ctx); err != nil {
		return err
	}
	external, err := c.send(ctx, row)
	if ctx.Err() != nil {
		return fmt.Errorf("send a notification: %w", context.Cause(ctx))
	}
	var refused *message.Refusal
	if err != nil && !errors.As(err, &refused) && !errors.Is(err, errUnusable) {
		return err
	}
	return c.queue.db.InTx(ctx, func(ctx context.Context) error {
		lane, there, lockErr := c.queue.lock(ctx, row.Channel)
		if lockErr != nil {
			return lockErr
		}
		if held, heldErr := c.holds(ctx, row); heldErr != nil || !held {
			return heldErr
		}
		switch {
		case err == nil:
			return c.sent(ctx, row, external)
		case errors.Is(err, errUnusable) || !there:
			return c.finish(ctx, row, stateCancelled, message.Reason{Code: message.ChannelUnusable})
		}
		return c.refused(ctx, row, lane, refused)
	})
}

// holds tells whether the claim of this run still counts.
func (c *courier) holds(ctx context.Context, row *deliveryRow) (bool, error) {
	n, err := c.queue.db.In(ctx).NewSelect().Model((*deliveryRow)(nil)).
		Where("d.id = ? and d.state = 'sending' and d.claim = ?", row.ID, row.Claim).Count(ctx)
	return n == 1, database.Fault(err, nil)
}

func (c *courier) sent(ctx context.Context, row *deliveryRow, external string) error {
	row.ExternalID = external
	if err := c.queue.update(ctx, row, "external_id"); err != nil {
		return err
	}
	if err := c.block(ctx, row.Channel, nil, 0); err != nil {
		return err
	}
	return c.finish(ctx, row, stateSent, message.Reason{})
}

func (c *courier) finish(ctx context.Context, row *deliveryRow, state string, reason message.Reason) error {
	now := c.now()
	row.end(state, reason, now)
	row.ClaimedTill = nil
	if err := c.queue.update(ctx, row, endColumns("claimed_until")...); err != nil {
		return err
	}
	return c.bus.Emit(ctx, events.Event{Kind: kindMoved, SubjectID: row.ID, At: now, Data: Moved{row.Channel, state}})
}

func (c *courier) block(ctx context.Context, channel string, until *time.Time, failures int) error {
	_, err := c.queue.db.In(ctx).NewRaw("update notifications_lanes set blocked_until = ?, failures = ? where channel = ?",
		until, failures, channel).Exec(ctx)
	return database.Fault(err, nil)
}

// refused tries again later, or gives the delivery up. The whole channel waits: what refused one message now will
// refuse the next, and a receiver that asks to be left alone is.
func (c *courier) refused(ctx context.Context, row *deliveryRow, lane laneRow, why *message.Refusal) error {
	now := c.now()
	if why.After > 0 {
		row.Attempts-- // it was asked to wait, which is no failure
	}
	if why.Final || row.Attempts >= maxAttempts || now.Sub(row.CreatedAt) > tooOld {
		return c.giveUp(ctx, row, why)
	}
	failures := lane.Failures + 1
	pause := why.After
	if pause == 0 {
		pause = min(10*time.Second<<min(failures-1, 8), 15*time.Minute)
	}
	until := now.Add(pause)
	if err := c.block(ctx, row.Channel, &until, failures); err != nil {
		return err
	}
	row.because(why.Reason)
	row.State, row.NotBefore, row.ClaimedTill = stateQueued, now, nil
	return c.queue.update(ctx, row, reasonColumns("state", "not_before", "claimed_until", "attempts")...)
}

// giveUp writes the failure into the journal, once, and lets other channels know. That a message about a failure
// failed, too, is no news.
func (c *courier) giveUp(ctx context.Context, row *deliveryRow, why *message.Refusal) error {
	if err := c.finish(ctx, row, stateFailed, why.Reason); err != nil {
		return err
	}
	err := c.journal.Record(ctx, c.queue.db.In(ctx), audit.Entry{
		Action: kindFailed, Result: audit.Failed,
		Object: audit.Object{Type: objectDelivery, ID: row.ID, Name: row.ChannelName},
		Changes: map[string]audit.Change{
			"reason": {To: row.Reason}, "channel": {To: row.Channel}, "event": {To: row.Kind},
		},
	})
	if err != nil || row.Kind == kindFailed {
		return err
	}
	return c.bus.Emit(ctx, events.Event{Kind: kindFailed, SubjectID: row.Channel, At: c.now(), Data: Failed{
		Channel: row.Channel, ChannelName: row.ChannelName, Reason: row.Reason, ReasonCode: row.ReasonCode,
		ReasonDetail: row.ReasonDetail, Event: row.Kind,
	}})
}
