// Package notifications sends messages about what happens to people and programs: by a messenger, by e-mail and by
// signed webhooks.
//
// A listener takes every event whose kind says Notify and queues deliveries for the channels that the rules name. Jobs
// send them. Nothing here touches the operation that an event is about, and no other module knows that this one exists.
//
// The order in which things lock: the lane of a channel, then its deliveries. Everything that queues, claims or records
// holds the lane, so a run that ends knows what was queued meanwhile.
package notifications

import (
	"embed"
	"time"

	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/config"
	"panel/platform/doctor"
	"panel/platform/entitlement"
	"panel/platform/events"
	"panel/platform/fault"
	"panel/platform/jobs"
	"panel/platform/module"
	"panel/platform/settings"
	"panel/platform/vault"
)

//go:embed migrations
var files embed.FS

//go:embed russian.txt
var russian string

// The words for what happens here, in the journal and as events.
const (
	objectChannel  = "notification_channel"
	objectRule     = "notification_rule"
	objectDelivery = "notification_delivery"

	channelAdded   = "notification.channel_added"
	channelChanged = "notification.channel_changed"
	channelRemoved = "notification.channel_removed"
	ruleAdded      = "notification.rule_added"
	ruleChanged    = "notification.rule_changed"
	ruleRemoved    = "notification.rule_removed"
	kindFailed     = "notification.failed"
	kindMoved      = "notification.delivery_moved"
	kindTest       = "notification.test"
	actionSettings = "notification.settings_changed"
)

// Named is the data of an event about a channel or a rule.
type Named struct {
	Name string `json:"name"`
}

// Moved is the data of the event that a delivery came to its end.
type Moved struct {
	Channel string `json:"channel"`
	State   string `json:"state"`
}

// Failed is the data of the event that a delivery was given up.
type Failed struct {
	Channel      string `json:"channel"`
	ChannelName  string `json:"channel_name"`
	Reason       string `json:"reason" doc:"In English"`
	ReasonCode   string `json:"reason_code"`
	ReasonDetail string `json:"reason_detail,omitempty"`
	Event        string `json:"event"`
}

// Module is the manifest.
func Module() module.Module {
	return module.Module{
		Name:    "notifications",
		Summary: "Messages about what happens, by messenger, e-mail and webhook",
		Russian: russian,
		Permissions: []access.Permission{
			{Key: View, Summary: "See rules, channels and deliveries of notifications"},
			{Key: Manage, Summary: "Set up notifications and send tests"},
		},
		Features: []entitlement.Feature{{Key: feature, Summary: "Notifications"}},
		Faults: []fault.Declared{
			{Kind: fault.KindMalformed, Code: "notifications_not_configured", Summary: "The bot token or the chat id is missing"},
			{Kind: fault.KindUpstream, Code: "messenger_error", Summary: "The messenger refused the message or cannot be used"},
			{Kind: fault.KindUpstreamTimeout, Code: "messenger_timeout", Summary: "The messenger did not answer in time"},
		},
		Journal: audit.Kinds{
			Actions: []string{
				channelAdded, channelChanged, channelRemoved, ruleAdded, ruleChanged, ruleRemoved, kindFailed, kindTest,
				actionSettings,
			},
			Objects: []string{objectChannel, objectRule, objectDelivery},
		},
		Events:     eventKinds(),
		Config:     []config.Key{config.MessengerAPIRoot},
		Secrets:    []vault.Column{{Table: "notifications_channels", ID: "id", Column: "sealed"}},
		Migrations: module.SQL(files),
		Commands:   commands,
		Tidy:       tidy(),
		Checks:     []doctor.Check{check()},
		Private:    []any{openSettings, newStore, newChannels, newRules, newQueue, newCourier, newHandlers},
		Attach:     attach,
	}
}

func eventKinds() []events.Kind {
	kinds := []events.Kind{
		{
			Name: kindFailed, Summary: "A notification could not be delivered", Severity: events.Warning, Notify: true,
			Effect: "Other messages may be lost as well until the channel works again.", Screen: "/notifications",
			Data: Failed{},
		},
		{Name: kindMoved, Summary: "A delivery came to its end", Transient: true, Data: Moved{}},
	}
	for name, summary := range map[string]string{
		channelAdded: "A channel of notifications was added", channelChanged: "A channel of notifications was changed",
		channelRemoved: "A channel of notifications was removed", ruleAdded: "A rule of notifications was added",
		ruleChanged: "A rule of notifications was changed", ruleRemoved: "A rule of notifications was removed",
	} {
		kinds = append(kinds, events.Kind{Name: name, Summary: summary, Data: Named{}})
	}
	for i := range kinds {
		kinds[i].Needs, kinds[i].Live = View, true
	}
	return append(kinds, settings.Kind(actionSettings, "Settings of notifications were changed", View))
}

// tidy keeps the history of deliveries for a month. What waits stays, however old it is.
func tidy() []jobs.Tidy {
	const month, week = 30 * 24 * time.Hour, 7 * 24 * time.Hour
	return []jobs.Tidy{
		{Table: "notifications_deliveries", Column: "finished_at", Age: month},
		{Table: "notifications_seen", Column: "at", Age: week},
	}
}

func attach(h *handlers) module.Parts {
	return module.Parts{
		Routes:    h.routes(),
		Jobs:      h.courier.workers(),
		Listeners: []events.Listener{h.courier.listener()},
		Metrics:   h.courier.metrics(),
	}
}
