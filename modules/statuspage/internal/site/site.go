// Package site writes a status page as files that any server of files can serve: pages that work without a script and
// fetch nothing from elsewhere, a feed, a calendar, a document for machines and a badge.
//
// It knows no node and no flow: whatever a reader sees is in Site, in words that operators chose for readers.
package site

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html/template"
	"path"
	"strings"
	"time"
)

// Text is a text by language.
type Text map[string]string

// In gives the text in a language, or in another one that the page has.
func (t Text) In(locale, otherwise string) string {
	if text := t[locale]; text != "" {
		return text
	}
	return t[otherwise]
}

// Statuses of components and days.
const (
	Operational   = "operational"
	Degraded      = "degraded"
	PartialOutage = "partial_outage"
	MajorOutage   = "major_outage"
	Maintained    = "maintenance"
	Unknown       = "unknown"
)

// Modes of a page.
const (
	Auto  = "auto"
	Light = "light"
	Dark  = "dark"
)

// Site is all that readers see.
type Site struct {
	Key          string // stable name of the page for feeds and calendars
	Address      string // where readers find index.html's folder, with a slash at the end; may be empty
	Titles       Text
	Descriptions Text
	Footers      Text
	Locales      []string
	Default      string // locale
	Mode         string
	Accent       string // #rrggbb
	Logo         *Logo

	Groups        []Group // the first may have no name: components in no group
	Announcements []Announcement
	Notices       []Notice // newest first
	Maintenance   []Maintenance
	DataAt        time.Time
}

// Logo is an image.
type Logo struct {
	MediaType string
	Content   []byte
}

// Group is a heading over components.
type Group struct {
	Names      Text
	Components []Component
}

// Component is something with a status.
type Component struct {
	ID     string
	Names  Text
	Status string
	Days   []Day // oldest first; none: no bars
	Uptime *float64
}

// Day is the worst of one day.
type Day struct {
	Date   string // 2006-01-02
	Worst  string
	Uptime *float64
}

// Announcement stands on top of the page.
type Announcement struct {
	Titles, Bodies Text
}

// Notice is an incident.
type Notice struct {
	ID         string
	Titles     Text
	Impact     string
	State      string
	Components []Text // names
	Updates    []Update
	StartedAt  time.Time
	ResolvedAt *time.Time
}

// Update is what was said at one time.
type Update struct {
	At     time.Time
	State  string
	Bodies Text
}

// Maintenance is work that was announced.
type Maintenance struct {
	ID             string
	Titles, Bodies Text
	Components     []Text
	StartsAt       time.Time
	EndsAt         time.Time
	State          string // planned, active, done or cancelled
	Revision       int64
	UpdatedAt      time.Time
}

// File is one file of a written page.
type File struct {
	Path      string
	MediaType string
	Content   []byte
	SHA256    string
	// Stable is the digest without the moment of the data: files with the same one say the same.
	Stable string
	// Live says that the file tells how things are now: snapshots renew it.
	Live bool
}

// Order of sending: what others need comes first, so that one who stops in the middle leaves the old page whole.
const (
	orderAssets = iota
	orderPages
	orderLast
)

// Order says how late a file is sent.
func Order(file string) int {
	switch {
	case strings.HasPrefix(file, "assets/"):
		return orderAssets
	case file == "index.html" || file == "status.json":
		return orderLast
	}
	return orderPages
}

// Build writes all files, in the order of sending.
func Build(s *Site) ([]File, error) {
	b := &builder{site: s}
	b.assets()
	for _, locale := range s.Locales {
		b.pages(locale)
	}
	b.add("feed.xml", "application/atom+xml; charset=utf-8", true, b.feed)
	b.add("maintenance.ics", "text/calendar; charset=utf-8", true, b.calendar)
	b.add("badge.svg", "image/svg+xml", true, b.badge)
	b.add("index.html", mediaHTML, true, func() ([]byte, error) { return b.first, nil })
	b.add("status.json", "application/json", true, b.machines)
	return b.files, b.err
}

const mediaHTML = "text/html; charset=utf-8"

// Preview writes the page as one document that needs no other file.
func Preview(s *Site, locale, mode string) ([]byte, error) {
	shown := *s
	if mode != "" {
		shown.Mode = mode
	}
	b := &builder{site: &shown, alone: true}
	content, err := b.page(locale)
	f := filling{at: s.DataAt, locale: locale}
	return f.fill(content), err
}

// builder writes the files of one page.
type builder struct {
	site  *Site
	alone bool // the page carries its style itself
	style string
	logo  string
	first []byte // index.html
	drawn [][]strip
	texts map[string]template.HTML

	files []File
	err   error
}

func (b *builder) add(file, mediaType string, live bool, write func() ([]byte, error)) {
	if b.err != nil {
		return
	}
	content, err := write()
	if err != nil {
		b.err = fmt.Errorf("write %s of a status page: %w", file, err)
		return
	}
	locale := b.site.Default
	if first, _, in := strings.Cut(file, "/"); in && known(first) {
		locale = first
	}
	f := filling{up: strings.Repeat("../", strings.Count(file, "/")), at: b.site.DataAt, locale: locale}
	written := f.fill(content)
	b.files = append(b.files, File{
		Path: file, MediaType: mediaType, Content: written, SHA256: digest(written), Stable: f.stable(), Live: live,
	})
}

func known(locale string) bool { return spoken[locale] != nil }

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// assets are named by their digest: a page always finds those that it was written with.
func (b *builder) assets() {
	style := []byte(b.css())
	b.style = "assets/" + digest(style)[:16] + ".css"
	b.add(b.style, "text/css; charset=utf-8", false, func() ([]byte, error) { return style, nil })
	if logo := b.site.Logo; logo != nil {
		b.logo = "assets/" + digest(logo.Content)[:16] + extensions[logo.MediaType]
		b.add(b.logo, logo.MediaType, false, func() ([]byte, error) { return logo.Content, nil })
	}
}

var extensions = map[string]string{"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp"}

// pages writes those of one language. The first page of the site is the one of the default language, from where it
// lies.
func (b *builder) pages(locale string) {
	page, err := b.page(locale)
	b.add(locale+"/index.html", mediaHTML, true, func() ([]byte, error) { return page, err })
	past, err := b.history(locale)
	b.add(locale+"/history.html", mediaHTML, true, func() ([]byte, error) { return past, err })
	if locale == b.site.Default {
		b.first = page
		b.add("history/index.html", mediaHTML, true, func() ([]byte, error) { return past, nil })
	}
}

// Whole is the digest of a set of files: of their paths and digests.
func Whole(files map[string]string) string {
	sum := sha256.New()
	for _, file := range sorted(files) {
		fmt.Fprintf(sum, "%s %s\n", files[file], path.Clean(file))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// NewFile is a file with its digest.
func NewFile(path, mediaType string, content []byte) File {
	sum := digest(content)
	return File{Path: path, MediaType: mediaType, Content: content, SHA256: sum, Stable: sum}
}
