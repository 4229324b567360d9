package notifications

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/notifications/internal/message"
	"panel/platform/database"
	"panel/platform/events"
)

const (
	burst       = 5 // more events of a kind in a minute become one message
	burstWithin = time.Minute
)

// queueFor decides what an event becomes for one channel: a message, an answer to an earlier one, part of one that
// still waits, or nothing, because no message was sent about what it ends.
func (c *courier) queueFor(ctx context.Context, to aim, kind events.Kind, event events.Event) error {
	if _, there, err := c.queue.lock(ctx, to.channel); err != nil || !there {
		return err
	}
	row, err := c.row(to, kind, event)
	if err != nil {
		return err
	}
	if len(kind.Resolves) > 0 {
		if settled, err := c.resolve(ctx, to, kind, row); err != nil || settled {
			return err
		}
	}
	if !to.severe {
		return nil
	}
	if joined, err := c.join(ctx, to, row); err != nil || joined {
		return err
	}
	if err := c.postpone(ctx, to, row); err != nil {
		return err
	}
	return c.enqueue(ctx, to, row)
}

// enqueue stores a delivery, after the quiet hours unless it is critical, and wakes the channel.
func (c *courier) enqueue(ctx context.Context, to aim, row *deliveryRow) error {
	now, _, err := c.settings.Get(ctx)
	if err != nil {
		return err
	}
	if end := now.until(c.now()); row.Severity != string(events.Critical) && end.After(row.NotBefore) {
		row.NotBefore = end
	}
	if err := c.queue.insert(ctx, row); err != nil {
		return err
	}
	return c.queue.wake(ctx, to.channel, to.kind, row.NotBefore, c.now())
}

// resolve closes the deliveries about the subject that the event resolves. One that was not sent yet is superseded, and
// then the event needs no message either; to one that was sent, or is being sent, the event is an answer, whatever
// severity the rule wants.
func (c *courier) resolve(ctx context.Context, to aim, kind events.Kind, row *deliveryRow) (settled bool, err error) {
	var open []deliveryRow
	err = c.queue.db.In(ctx).NewSelect().Model(&open).Where("d.channel = ?", to.channel).
		Where("d.kind = any(?)", pgdialect.Array(kind.Resolves)).Where("d.subject_id = ?", row.SubjectID).
		Where("not d.resolved").Where("d.state in ('queued', 'sending', 'sent')").OrderExpr("d.created_at desc, d.id desc").
		Scan(ctx)
	if err != nil {
		return false, database.Fault(fmt.Errorf("find what an event resolves: %w", err), nil)
	}
	var sent *deliveryRow
	for i := range open {
		one := &open[i]
		one.Resolved = true
		if one.State == stateQueued && one.Attempts == 0 && one.NotBefore.After(c.now()) {
			one.end(stateSuperseded, message.Reason{Code: message.Over}, c.now())
		} else if sent == nil {
			sent = one
		}
		if err := c.queue.update(ctx, one, endColumns("resolved")...); err != nil {
			return false, err
		}
	}
	if sent == nil {
		return len(open) > 0, nil
	}
	row.Answers = &sent.ID
	return true, c.enqueue(ctx, to, row)
}

// join adds the event to a message of its kind that still waits for more.
func (c *courier) join(ctx context.Context, to aim, row *deliveryRow) (bool, error) {
	done, err := c.queue.db.In(ctx).NewRaw(`update notifications_deliveries set count = count + 1,
			last_event_at = greatest(last_event_at, ?0),
			subject_name = case when subject_id = ?1 then subject_name else '' end
		where id = (select id from notifications_deliveries where channel = ?2 and kind = ?3 and state = 'queued'
			and attempts = 0 and fold_key in ('', ?4) order by fold_key limit 1)`,
		row.LastEventAt, row.SubjectID, to.channel, row.Kind, to.key(row)).Exec(ctx)
	if err != nil {
		return false, database.Fault(fmt.Errorf("add an event to a message that waits: %w", err), nil)
	}
	n, err := done.RowsAffected()
	return n > 0, err
}

// key is what counts as the same for a rule; the empty one is the kind alone.
func (a aim) key(row *deliveryRow) string {
	if a.groupBy == "kind" {
		return ""
	}
	return "subject " + row.SubjectID
}

// postpone lets a message gather what follows: within the cooldown of the one before it, and in a burst.
func (c *courier) postpone(ctx context.Context, to aim, row *deliveryRow) error {
	now := c.now()
	if end, err := c.cooldownEnd(ctx, to, row, now); err != nil || end.After(now) {
		key := to.key(row)
		row.FoldKey, row.NotBefore = &key, end
		return err
	}
	var recent []deliveryRow
	err := c.queue.db.In(ctx).NewSelect().Model(&recent).Where("d.channel = ?", to.channel).Where("d.kind = ?", row.Kind).
		Where("d.created_at > ?", now.Add(-burstWithin)).Where("d.answers is null").OrderExpr("d.created_at").Scan(ctx)
	if err != nil {
		return database.Fault(fmt.Errorf("count the events of the last minute: %w", err), nil)
	}
	if len(recent) < burst {
		return nil
	}
	return c.gather(ctx, recent, row)
}

// gather makes one message of what has not been sent yet and the new event. It is sent when the minute is over.
func (c *courier) gather(ctx context.Context, recent []deliveryRow, row *deliveryRow) error {
	now, all := c.now(), ""
	row.FoldKey, row.NotBefore = &all, recent[0].CreatedAt.Add(burstWithin)
	for i := range recent {
		one := &recent[i]
		if one.State != stateQueued || one.Attempts > 0 {
			continue
		}
		row.Count, row.SubjectName = row.Count+one.Count, ""
		one.end(stateFolded, message.Reason{Code: message.Gathered}, now)
		if err := c.queue.update(ctx, one, endColumns()...); err != nil {
			return err
		}
	}
	return nil
}

// cooldownEnd is when the next message about the same may be sent.
func (c *courier) cooldownEnd(ctx context.Context, to aim, row *deliveryRow, now time.Time) (end time.Time, err error) {
	if to.cooldown == 0 {
		return end, nil
	}
	same := func(q *bun.SelectQuery) *bun.SelectQuery {
		if to.groupBy == "kind" {
			return q
		}
		return q.Where("d.subject_id = ?", row.SubjectID)
	}
	var last []time.Time
	err = same(c.queue.db.In(ctx).NewSelect().Model((*deliveryRow)(nil)).Column("created_at").
		Where("d.channel = ?", to.channel).Where("d.kind = ?", row.Kind).Where("d.created_at > ?", now.Add(-to.cooldown)).
		Where("d.state in ('queued', 'sending', 'sent')")).OrderExpr("d.created_at desc").Limit(1).Scan(ctx, &last)
	if err != nil || len(last) == 0 {
		return end, database.Fault(err, nil)
	}
	return last[0].Add(to.cooldown), nil
}
