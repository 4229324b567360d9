package subscriptions

import (
	"net/url"
	"strings"
	"unicode"

	"panel/platform/access"
	"panel/platform/fault"
	"panel/platform/settings"
)

// Manage is the permission to see and change what all subscriptions say.
const Manage access.Key = "settings.manage"

const actionSettings = "subscriptions.settings_changed"

// Settings are what every subscription says beside its connections.
type Settings struct {
	Title         string `json:"title" maxLength:"64" doc:"Name of the subscription in programs; empty: the name of the flow"`
	Support       string `json:"support" maxLength:"300" doc:"Where clients find help: https://, mailto: or tg:; empty: nowhere"`
	Announcement  string `json:"announcement" maxLength:"200" doc:"News that programs and the page show"`
	IntervalHours int    `json:"interval_hours" minimum:"1" maximum:"168" doc:"After how many hours programs ask again"`
}

const usualInterval = 12

func openSettings(s *settings.Store) *settings.Doc[Settings] {
	return settings.Open(s, "subscriptions", actionSettings, Settings{IntervalHours: usualInterval}, check)
}

func shown(s Settings) Settings { return s }

// check refuses what headers or a link of the page cannot carry.
func check(s *Settings) error {
	s.Title, s.Announcement = strings.TrimSpace(s.Title), strings.TrimSpace(s.Announcement)
	for field, text := range map[string]string{"title": s.Title, "announcement": s.Announcement} {
		if strings.ContainsFunc(text, unicode.IsControl) {
			return fault.InvalidValue("settings."+field, "must be one line of text")
		}
	}
	if s.Support = strings.TrimSpace(s.Support); s.Support == "" {
		return nil
	}
	address, err := url.Parse(s.Support)
	if err != nil || !reachable(address) || strings.ContainsFunc(s.Support, outsideASCII) {
		return fault.InvalidValue("settings.support", "must begin with https://, mailto: or tg:")
	}
	return nil
}

func reachable(a *url.URL) bool {
	switch a.Scheme {
	case "https":
		return a.Host != "" && a.User == nil
	case "mailto":
		return strings.Contains(a.Opaque, "@")
	case "tg":
		return a.Host != "" || a.Opaque != ""
	}
	return false
}

func outsideASCII(r rune) bool { return r <= ' ' || r > unicode.MaxASCII }
