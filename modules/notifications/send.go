package notifications

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"panel/modules/notifications/internal/message"
	"panel/modules/notifications/internal/messenger"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/outbound"
)

// errUnusable says that the channel is not there any more, switched off or not set up.
var errUnusable = errors.New("the channel was removed, switched off or is not set up")

// between is the least time between two messages: fewer than 20 a second over all panels and channels.
const between = 55 * time.Millisecond

// pace waits for the moment that the database gives this message; it is the clock of all panels.
func (c *courier) pace(ctx context.Context) error {
	var wait float64
	err := c.queue.db.NewRaw(`update notifications_pace
		set next_at = greatest(next_at, clock_timestamp()) + make_interval(secs => ?)
		returning extract(epoch from next_at - clock_timestamp())::float8 - ?`, between.Seconds(), between.Seconds()).
		Scan(ctx, &wait)
	if err != nil {
		return database.Fault(fmt.Errorf("ask when the next message may be sent: %w", err), nil)
	}
	if wait <= 0 {
		return nil
	}
	timer := time.NewTimer(time.Duration(wait * float64(time.Second)))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return fmt.Errorf("wait for the turn of a message: %w", context.Cause(ctx))
	case <-timer.C:
		return nil
	}
}

// send sends a delivery by its channel. Errors: *message.Refusal, errUnusable.
func (c *courier) send(ctx context.Context, row *deliveryRow) (external string, err error) {
	now, _, err := c.settings.Get(ctx)
	if err != nil {
		return "", err
	}
	m, err := c.message(ctx, row, now)
	if err != nil {
		return "", err
	}
	if row.Channel == kindMessenger {
		return c.sendMessenger(ctx, now, m)
	}
	channel, err := c.channels.get(ctx, row.Channel)
	switch {
	case fault.Code(err) == "not_found", err == nil && !channel.Enabled && row.Kind != kindTest:
		return "", errUnusable
	case err != nil:
		return "", err
	case channel.Kind == kindWebhook:
		target, err := c.channels.webhook(&channel)
		if err != nil {
			return "", unreadable(err)
		}
		return "", target.Send(ctx, c.network, m, c.now())
	}
	server, err := c.channels.server(&channel)
	if err != nil {
		return "", unreadable(err)
	}
	return "", server.Send(ctx, c.network, m, c.now())
}

// unreadable gives up a message whose channel has secrets that this panel's key does not open.
func unreadable(err error) error {
	return fmt.Errorf("%w: %w", message.Refused(message.SecretsUnreadable, "", true), err)
}

func (c *courier) sendMessenger(ctx context.Context, now Settings, m message.Message) (string, error) {
	if !now.configured() {
		return "", errUnusable
	}
	return c.account(now).Send(ctx, c.network, m)
}

// account reaches whatever the operator's own variable names, and what administrators set only where they may.
func (c *courier) account(now Settings) messenger.Account {
	reach := outbound.Private
	if now.APIRoot == c.root {
		reach = outbound.Configured
	}
	return messenger.Account{
		Token: now.Messenger.BotToken.Reveal(), ChatID: now.Messenger.ChatID, ThreadID: now.Messenger.ThreadID,
		APIRoot: now.APIRoot, Proxy: now.Messenger.Proxy.Reveal(), Reach: reach,
	}
}

// message puts a delivery into the words of the language that is set now.
func (c *courier) message(ctx context.Context, row *deliveryRow, now Settings) (message.Message, error) {
	words := message.In(now.Language)
	m := message.Message{
		ID: row.EventID, Kind: row.Kind, Severity: row.Severity, Words: words, Zone: now.zone(), Count: row.Count,
		At: row.CreatedAt, Last: row.LastEventAt, SubjectType: row.SubjectType, SubjectID: row.SubjectID,
		Name: row.SubjectName,
	}
	if row.Kind == kindTest {
		m.Title = words.Test
		return m, nil
	}
	c.describe(&m, row, now.Language)
	if row.Answers == nil {
		return m, nil
	}
	m.Resolved = true
	first, err := c.queue.get(ctx, *row.Answers)
	if fault.Code(err) == "not_found" {
		return m, nil
	}
	m.Answers, m.Thread = first.EventID, first.ExternalID
	return m, err
}

// describe adds what the event and its kind say. A message about several subjects names none of them.
func (c *courier) describe(m *message.Message, row *deliveryRow, language string) {
	kind, known := c.kindOf(row.Kind)
	m.Title, m.Effect = kind.Summary, kind.Effect
	if !known {
		m.Title = row.Kind
	}
	say := func(english string) string { return english }
	if language == "ru" {
		say = russianOf
	}
	m.Title, m.Effect = say(m.Title), say(m.Effect)
	if event, err := events.Read(row.Event); err == nil {
		m.At = event.At
		if data, encoded := event.Data.(json.RawMessage); encoded && (row.Count == 1 || row.SubjectName != "") {
			m.Details = message.Read(data).Details(m.Words, say)
		}
	}
	if c.panel != "" {
		screen := kind.Screen
		if row.Count > 1 && row.SubjectName == "" {
			screen = strings.TrimSuffix(screen, "/{id}")
		}
		m.Link = strings.TrimSuffix(c.panel, "/") + strings.ReplaceAll(screen, "{id}", row.SubjectID)
	}
}
