// Package foreign is what a configuration of another program becomes before it is a flow: entries with their clients,
// and a list of what could not be read. Its entries carry secrets; findings never do.
package foreign

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Limits of one source.
const (
	MaxEntries  = 200
	MaxClients  = 50_000
	MaxFindings = 500
	MaxRules    = 100 // of one entry
	MaxLabel    = 64
	MaxNote     = 1000
)

// Config is what was read of a source.
type Config struct {
	Schema   string    `json:"schema"`
	Format   string    `json:"format"`
	Entries  []Entry   `json:"entries"`
	Findings []Finding `json:"findings"`

	Clients int `json:"clients"` // of all entries
}

// Schema marks a Config that another panelctl has read.
const Schema = "panel.foreign/v1"

// Entry is a listener that becomes a flow.
type Entry struct {
	Key      string    `json:"key"` // names it within the source
	Name     string    `json:"name"`
	Off      bool      `json:"off,omitempty"` // it was switched off there
	Domain   string    `json:"domain,omitempty"`
	Listener *Listener `json:"listener,omitempty"`
	Rules    []Rule    `json:"rules,omitempty"`
	Refuses  bool      `json:"refuses,omitempty"` // whatever no rule lets out
	Clients  []Client  `json:"clients,omitempty"`
	Flow     *Flow     `json:"flow,omitempty"` // instead of a listener: a whole flow
}

// Client is who may use an entry, with the secret that its links carry.
type Client struct {
	Label     string     `json:"label"`
	Note      string     `json:"note,omitempty"`
	UUID      string     `json:"uuid,omitempty"`
	Password  string     `json:"password,omitempty"`
	Key       []byte     `json:"key,omitempty"`
	Disabled  bool       `json:"disabled,omitempty"`
	ExpiresAt *time.Time `json:"expires_at,omitempty"`
	LastsDays int        `json:"lasts_days,omitempty"` // from its first use, in place of ExpiresAt
	Quota     int64      `json:"quota,omitempty"`      // bytes
	Addresses int        `json:"addresses,omitempty"`
	Reset     string     `json:"reset,omitempty"`
	Up        int64      `json:"up,omitempty"`
	Down      int64      `json:"down,omitempty"`
	// Subscription is the last part of the address that its programs ask.
	Subscription string `json:"subscription,omitempty"`
}

// Finding is what could not be read, or is another in the flow. Its words hold no secret.
type Finding struct {
	Path  string `json:"path"`
	Code  Code   `json:"code"`
	Entry string `json:"entry,omitempty"` // key of the entry that it is about
	What  string `json:"what,omitempty"`  // name of a protocol, a setting, a client
}

// Note adds a finding; the first ones are enough to go on.
func (c *Config) Note(path string, code Code, entry, what string) {
	if len(c.Findings) < MaxFindings {
		c.Findings = append(c.Findings, Finding{Path: path, Code: code, Entry: entry, What: Clean(what, MaxLabel)})
	}
}

// Add takes an entry. Those and their clients above the limits are left out, and a finding says so.
func (c *Config) Add(path string, e Entry) {
	if len(c.Entries) >= MaxEntries {
		c.Note(path, TooMany, "", e.Name)
		return
	}
	if room := MaxClients - c.Clients; len(e.Clients) > room {
		c.Note(path+".clients", TooMany, e.Key, "")
		e.Clients = e.Clients[:room]
	}
	c.Clients += len(e.Clients)
	c.Entries = append(c.Entries, e)
}

// Has says whether an entry has this key.
func (c *Config) Has(key string) bool {
	return slices.ContainsFunc(c.Entries, func(e Entry) bool { return e.Key == key })
}

// Clean makes a text of another program fit to be shown: without control characters and no longer than so many letters.
func Clean(text string, most int) string {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "")
	}
	text = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) {
			return ' '
		}
		return r
	}, text))
	if utf8.RuneCountInString(text) > most {
		text = strings.TrimSpace(string([]rune(text)[:most]))
	}
	return text
}

// Moment is a time in milliseconds since 1970, as other panels keep it; nil for one outside the years of a calendar.
func Moment(ms int64) *time.Time {
	const last = 253402300799000
	if ms <= 0 || ms > last {
		return nil
	}
	at := time.UnixMilli(ms).UTC()
	return &at
}
