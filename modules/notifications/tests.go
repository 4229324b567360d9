package notifications

import (
	"context"
	"errors"
	"fmt"

	"panel/modules/notifications/internal/message"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
)

// test queues a test through a channel, quiet hours or not; how it went stands in its delivery alone.
// Fault: not_found (404).
func (c *courier) test(ctx context.Context, id string) (Delivery, error) {
	channel, err := c.channels.get(ctx, id)
	if err != nil {
		return Delivery{}, err
	}
	now := c.now()
	row := deliveryRow{
		ID: database.NewID(), Channel: channel.ID, ChannelName: channel.Name, Kind: kindTest,
		Severity: string(events.Info), SubjectType: objectChannel, SubjectID: channel.ID, SubjectName: channel.Name,
		Event: []byte("{}"), Count: 1, State: stateQueued, NotBefore: now, CreatedAt: now, LastEventAt: now,
	}
	row.EventID = row.ID
	err = c.queue.db.InTx(ctx, func(ctx context.Context) error {
		if _, there, err := c.queue.lock(ctx, channel.ID); err != nil || !there {
			return errors.Join(err, fault.Missing("there is no such channel"))
		}
		if err := c.queue.insert(ctx, &row); err != nil {
			return err
		}
		if err := c.recordTest(ctx, channel.ID, channel.Name, audit.OK); err != nil {
			return err
		}
		return c.queue.wake(ctx, channel.ID, channel.Kind, now, now)
	})
	return row.shown(), err
}

func (c *courier) recordTest(ctx context.Context, id, name, result string) error {
	return c.journal.Record(ctx, c.queue.db.In(ctx), audit.Entry{
		Action: kindTest, Result: result, Object: audit.Object{Type: objectChannel, ID: id, Name: name},
	})
}

// testMessenger sends a test and answers how it went, in the messenger's own words. Faults:
// notifications_not_configured (400) before any call, messenger_error (502), messenger_timeout (504).
func (c *courier) testMessenger(ctx context.Context) (string, error) {
	now, _, err := c.settings.Get(ctx)
	if err != nil {
		return "", err
	}
	if !now.configured() {
		return "", fault.Malformed("notifications_not_configured",
			"the bot token or the chat id of the messenger is missing; set both in the settings of notifications")
	}
	if err := c.pace(ctx); err != nil {
		return "", err
	}
	id, err := c.account(now).Send(ctx, c.network, c.trial(now))
	result := audit.OK
	if err != nil {
		result = audit.Failed
	}
	recorded := c.queue.db.InTx(ctx, func(ctx context.Context) error {
		return c.recordTest(ctx, kindMessenger, kindMessenger, result)
	})
	var refused *message.Refusal
	switch {
	case errors.As(err, &refused) && refused.Late:
		return "", fault.UpstreamTimeout("messenger_timeout", "the messenger did not answer in time")
	case errors.As(err, &refused):
		return "", fault.Upstream("messenger_error", "the messenger refused the test: "+ownWords(refused.Reason)).
			With("reason", shownReason(refused.Reason))
	case err != nil:
		return "", fmt.Errorf("send a test to the messenger: %w", err)
	}
	return id, recorded
}

// ownWords are the messenger's own words, or why it could not be asked.
func ownWords(why message.Reason) string {
	if why.Code == message.MessengerRefused {
		return why.Detail
	}
	return message.English.Reason(why)
}

func (c *courier) trial(now Settings) message.Message {
	words, at := message.In(now.Language), c.now()
	return message.Message{
		ID: database.NewID(), Kind: kindTest, Severity: string(events.Info), Title: words.Test, Words: words,
		Zone: now.zone(), At: at, Last: at, Count: 1, Link: c.panel,
	}
}
