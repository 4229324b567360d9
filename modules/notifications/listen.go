package notifications

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/notifications/internal/message"
	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/events"
)

// listener takes all notices of all modules. It only queues: whatever happens to a message later, the change that the
// event is about has been committed long ago. It goes on while the panel is read-only, which is itself a notice, and
// while the feature is not in the plan: then nothing can be set up any more, and what was set up is still sent.
func (c *courier) listener() events.Listener {
	return events.Listener{
		Name: "notifications.queue", Every: events.Notices, Feature: feature, Limit: atOnce,
		ReadOnly: entitlement.GoesOn, Blocked: entitlement.GoesOn, Handle: c.take,
	}
}

// aim is a channel that an event goes to, by the rule that holds back least.
type aim struct {
	channel, name, kind string
	cooldown            time.Duration
	groupBy             string
	severe              bool // the rule wants events of this severity
}

// take queues an event for its channels. It may get the event twice, and then nothing happens twice.
func (c *courier) take(ctx context.Context, event events.Event) error {
	kind, known := c.kindOf(event.Kind)
	if !known {
		return nil
	}
	return c.gathering.add(ctx, &taken{event: event, kind: kind})
}

// takeAll queues events in one transaction, which holds the lanes of all their channels.
func (c *courier) takeAll(ctx context.Context, all []*taken) error {
	return c.queue.db.InTx(ctx, func(ctx context.Context) error {
		wanted, err := c.wanted(ctx, all)
		if err != nil || len(wanted) == 0 {
			return err
		}
		if err := c.holdLanes(ctx, wanted); err != nil {
			return err
		}
		fresh, err := c.first(ctx, wanted)
		if err != nil {
			return err
		}
		for _, one := range wanted {
			if !fresh[one.event.ID] {
				continue
			}
			delete(fresh, one.event.ID) // the same event may be there twice
			for _, to := range one.aims {
				if err := c.queueFor(ctx, to, one.kind, one.event); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// wanted gives those of the events that any channel gets, with their channels.
func (c *courier) wanted(ctx context.Context, all []*taken) (wanted []*taken, err error) {
	rules, there, err := c.reached(ctx)
	if err != nil {
		return nil, err
	}
	for _, one := range all {
		if one.aims = c.aims(rules, there, one.kind, one.event); len(one.aims) > 0 {
			wanted = append(wanted, one)
		}
	}
	return wanted, nil
}

// holdLanes locks the lanes of all channels in the order of their names, so that nobody waits for one in a circle.
func (c *courier) holdLanes(ctx context.Context, wanted []*taken) error {
	var names []string
	for _, one := range wanted {
		for _, to := range one.aims {
			names = append(names, to.channel)
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if _, _, err := c.queue.lock(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

func (c *courier) kindOf(name string) (events.Kind, bool) {
	found := c.bus.Kinds(func(k events.Kind) bool { return k.Name == name })
	if len(found) == 0 {
		return events.Kind{}, false
	}
	return found[0], true
}

// first gives the events that were never taken before.
func (c *courier) first(ctx context.Context, wanted []*taken) (fresh map[string]bool, err error) {
	ids := make([]string, len(wanted))
	for i, one := range wanted {
		ids[i] = one.event.ID
	}
	slices.Sort(ids)
	var noted []string
	err = c.queue.db.In(ctx).NewRaw(`insert into notifications_seen (event_id, at) select unnest(?::text[]), ?
		on conflict do nothing returning event_id`, pgdialect.Array(slices.Compact(ids)), c.now()).Scan(ctx, &noted)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("note that events were taken: %w", err), nil)
	}
	fresh = map[string]bool{}
	for _, id := range noted {
		fresh[id] = true
	}
	return fresh, nil
}

var severities = []string{string(events.Info), string(events.Warning), string(events.Critical)}

// reached gives the rules and the channels as they are now.
func (c *courier) reached(ctx context.Context) (rules []ruleRow, there map[string]aim, err error) {
	if err := c.queue.db.In(ctx).NewSelect().Model(&rules).Where("r.enabled").Scan(ctx); err != nil {
		return nil, nil, database.Fault(fmt.Errorf("read the rules: %w", err), nil)
	}
	there, err = c.reachable(ctx)
	return rules, there, err
}

// aims gives the channels of an event in the order of their names.
func (c *courier) aims(rules []ruleRow, there map[string]aim, kind events.Kind, event events.Event) []aim {
	found := map[string]aim{}
	level := slices.Index(severities, string(levelOf(kind, event)))
	for _, rule := range rules {
		if !names(rule.Event, kind.Name) {
			continue
		}
		for _, channel := range rule.Channels {
			target, open := there[channel]
			if !open || c.failedBy(event) == channel {
				continue
			}
			target.cooldown, target.groupBy = time.Duration(rule.CooldownS)*time.Second, rule.GroupBy
			target.severe = level >= slices.Index(severities, rule.MinSeverity)
			if before, named := found[channel]; !named || target.before(before) {
				found[channel] = target
			}
		}
	}
	aims := make([]aim, 0, len(found))
	for _, one := range found {
		aims = append(aims, one)
	}
	slices.SortFunc(aims, func(a, b aim) int {
		if a.channel < b.channel {
			return -1
		}
		return 1
	})
	return aims
}

// levelOf is how much an event matters.
func levelOf(kind events.Kind, event events.Event) events.Severity {
	return cmp.Or(event.Severity, kind.Level())
}

func (a aim) before(other aim) bool {
	if a.severe != other.severe {
		return a.severe
	}
	return a.cooldown < other.cooldown
}

// failedBy names the channel whose failure the event is about; its own failure is not sent through it.
func (c *courier) failedBy(event events.Event) string {
	if event.Kind != kindFailed {
		return ""
	}
	data, err := events.DataOf[Failed](event)
	if err != nil {
		return ""
	}
	return data.Channel
}

// reachable are the channels that can be used now.
func (c *courier) reachable(ctx context.Context) (map[string]aim, error) {
	now, _, err := c.settings.Get(ctx)
	if err != nil {
		return nil, err
	}
	var rows []channelRow
	if err := c.queue.db.In(ctx).NewSelect().Model(&rows).Where("c.enabled").Scan(ctx); err != nil {
		return nil, database.Fault(fmt.Errorf("read the channels: %w", err), nil)
	}
	there := map[string]aim{}
	if now.configured() {
		there[kindMessenger] = aim{channel: kindMessenger, name: kindMessenger, kind: kindMessenger}
	}
	for _, row := range rows {
		there[row.ID] = aim{channel: row.ID, name: row.Name, kind: row.Kind}
	}
	return there, nil
}

// row is the delivery of an event to a channel.
func (c *courier) row(to aim, kind events.Kind, event events.Event) (*deliveryRow, error) {
	data, err := json.Marshal(event.Data)
	if err != nil {
		return nil, fmt.Errorf("write the data of %s: %w", event.Kind, err)
	}
	now := c.now()
	return &deliveryRow{
		ID: database.NewID(), Channel: to.channel, ChannelName: to.name, Kind: event.Kind,
		Severity: string(levelOf(kind, event)), SubjectType: event.SubjectType, SubjectID: event.SubjectID,
		SubjectName: message.Clean(message.Read(data).Name, longestName), EventID: event.ID, Event: event.JSON(),
		Count: 1,
		State: stateQueued, NotBefore: now, CreatedAt: now, LastEventAt: event.At,
	}, nil
}

const longestName = 120
