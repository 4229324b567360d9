package notifications

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"panel/platform/config"
	"panel/platform/fault"
	"panel/platform/outbound"
	"panel/platform/settings"
)

// Settings are what administrators set while the panel runs.
type Settings struct {
	Messenger Messenger `json:"messenger"`
	// APIRoot is beside the messenger because its default is a variable.
	APIRoot    string `json:"messenger_api_root,omitempty" maxLength:"300" doc:"Address of the bot API; absent: what PANEL_MESSENGER_API_ROOT says"`
	QuietHours Quiet  `json:"quiet_hours"`
	Language   string `json:"language" enum:"en,ru" doc:"Language of messages"`
}

// Messenger is the chat that messages go to.
type Messenger struct {
	BotToken settings.Secret `json:"bot_token,omitempty" maxLength:"200" doc:"Absent: the stored one stays; empty: it is removed"`
	ChatID   string          `json:"chat_id" maxLength:"64" doc:"Number of the chat, or @name of a channel"`
	ThreadID int             `json:"thread_id" minimum:"0" doc:"Topic of the chat; 0: none"`
	Proxy    settings.Secret `json:"proxy,omitempty" maxLength:"300" doc:"http, https or socks5 address of a proxy for the messenger alone; it may hold a password and is never shown"`
}

// Quiet are hours in which only what is critical is sent; the rest waits for their end.
type Quiet struct {
	Enabled bool   `json:"enabled"`
	From    string `json:"from" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" doc:"22:00"`
	To      string `json:"to" pattern:"^([01][0-9]|2[0-3]):[0-5][0-9]$" doc:"07:00"`
	Zone    string `json:"zone" maxLength:"64" doc:"Time zone of the IANA list; messages show their times in it, too"`
}

// ShownSettings are the settings without their secrets.
type ShownSettings struct {
	Messenger  ShownMessenger `json:"messenger"`
	APIRoot    string         `json:"messenger_api_root"`
	QuietHours Quiet          `json:"quiet_hours"`
	Language   string         `json:"language" enum:"en,ru"`
}

// ShownMessenger says which secrets are set.
type ShownMessenger struct {
	HasBotToken bool   `json:"has_bot_token"`
	ChatID      string `json:"chat_id"`
	ThreadID    int    `json:"thread_id"`
	HasProxy    bool   `json:"has_proxy"`
}

func openSettings(s *settings.Store, cfg *config.Config, network *outbound.Network) *settings.Doc[Settings] {
	usual := Settings{
		APIRoot: cfg.String(config.MessengerAPIRoot), Language: "en",
		QuietHours: Quiet{From: "22:00", To: "07:00", Zone: "UTC"},
	}
	check := func(v *Settings) error { return v.check(network, cfg.String(config.MessengerAPIRoot)) }
	return settings.Open(s, "notifications", actionSettings, usual, check).
		DefaultsTo(cfg, "messenger_api_root", config.MessengerAPIRoot)
}

// shown is what GET answers: of a secret whether it is set.
func shown(s Settings) ShownSettings {
	return ShownSettings{
		Messenger: ShownMessenger{
			HasBotToken: s.Messenger.BotToken.Set(), ChatID: s.Messenger.ChatID, ThreadID: s.Messenger.ThreadID,
			HasProxy: s.Messenger.Proxy.Set(),
		},
		APIRoot: s.APIRoot, QuietHours: s.QuietHours, Language: s.Language,
	}
}

// check refuses what could never work. An address is judged by what is written in it; names when they are called.
func (s *Settings) check(network *outbound.Network, usualRoot string) error {
	if s.APIRoot != usualRoot {
		root, err := network.Address(s.APIRoot, outbound.Private)
		if err != nil || root.RawQuery != "" || root.Fragment != "" {
			return fault.InvalidValue("settings.messenger_api_root",
				"must be an http or https address that the panel may call, without a query")
		}
	}
	if strings.ContainsFunc(s.Messenger.BotToken.Reveal(), outsideTokens) {
		return fault.InvalidValue("settings.messenger.bot_token", "must be a token as the messenger gives it")
	}
	if proxy, err := url.Parse(s.Messenger.Proxy.Reveal()); err != nil || s.Messenger.Proxy.Set() && !proxies(proxy) {
		return fault.InvalidValue("settings.messenger.proxy", "must begin with http://, https:// or socks5://")
	}
	if _, err := time.LoadLocation(s.QuietHours.Zone); err != nil || s.QuietHours.Zone == "Local" {
		return fault.InvalidValue("settings.quiet_hours.zone", "must be a time zone of the IANA list")
	}
	return nil
}

// outsideTokens are characters that no token has and that would change the address it becomes part of.
func outsideTokens(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(":_-", r)
}

func proxies(address *url.URL) bool {
	return address.Hostname() != "" && slices.Contains([]string{"http", "https", "socks5"}, address.Scheme)
}

func (s *Settings) configured() bool {
	return s.Messenger.BotToken.Set() && s.Messenger.ChatID != ""
}

func (s *Settings) zone() *time.Location {
	zone, err := time.LoadLocation(s.QuietHours.Zone)
	if err != nil {
		return time.UTC
	}
	return zone
}

// until gives the end of the quiet hours that the moment lies in; zero outside of them. Hours from 22:00 to 07:00 go
// over midnight, and those from one time to the same are none.
func (s *Settings) until(now time.Time) (end time.Time) {
	from, errFrom := time.Parse("15:04", s.QuietHours.From)
	to, errTo := time.Parse("15:04", s.QuietHours.To)
	if !s.QuietHours.Enabled || errFrom != nil || errTo != nil || from.Equal(to) {
		return end
	}
	local := now.In(s.zone())
	on := func(day int, clock time.Time) time.Time {
		year, month, today := local.Date()
		return time.Date(year, month, today+day, clock.Hour(), clock.Minute(), 0, 0, local.Location())
	}
	for day := -1; day <= 0; day++ {
		begins, ends := on(day, from), on(day, to)
		if !ends.After(begins) {
			ends = on(day+1, to)
		}
		if !now.Before(begins) && now.Before(ends) {
			return ends.UTC()
		}
	}
	return end
}
