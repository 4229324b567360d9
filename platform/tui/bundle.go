package tui

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"panel/platform/logs"
	"panel/platform/support"
)

// The steps of the dialog.
const (
	stepPeriod = iota + 1
	stepReview
	stepSaved
)

const (
	gatherWithin = 2 * time.Minute
	sendWithin   = 2 * time.Minute
)

var periods = []struct {
	words string
	long  time.Duration
}{{"1 h", time.Hour}, {"24 h", 24 * time.Hour}, {"7 d", 7 * 24 * time.Hour}}

// bundlePage leads through period, review and saving of a support bundle; sending asks once more.
type bundlePage struct {
	base
	step     int
	period   int // index in periods; one beyond is "other"
	other    *field
	send     bool
	address  string // of the support; empty when none is configured
	options  support.Options
	manifest *support.Manifest
	path     string
	bytes    int64
	working  string
	done     string
	trouble  error
}

type bundleMsg struct {
	page     *bundlePage
	step     int
	address  string
	options  support.Options
	manifest support.Manifest
	path     string
	bytes    int64
	sent     bool
	err      error
}

func newBundlePage(w *world) page {
	return &bundlePage{base: base{w: w}, step: stepPeriod, period: 1, other: newField("")}
}

func (p *bundlePage) title() (string, string) {
	return p.w.say("Support bundle"), p.w.say("step %d of 3", p.step)
}

func (p *bundlePage) busy() bool { return p.working != "" }

func (p *bundlePage) typing() bool { return p.step == stepPeriod && p.period == len(periods) }

// closes makes esc a step back, and keeps the page while a file is being written or sent.
func (p *bundlePage) closes() bool {
	return p.step == stepReview || p.working != "" && p.step != stepPeriod
}

func (p *bundlePage) keys() []binding {
	return []binding{
		{key: "enter", does: "next"}, {key: "↑↓ ←→", does: "choose"}, {key: "p", does: "preview: what the bundle holds"}, {key: "esc", does: "back"},
	}
}

func (p *bundlePage) press(key string, msg tea.KeyPressMsg) tea.Cmd {
	if p.working != "" {
		return nil
	}
	switch p.step {
	case stepPeriod:
		return p.choosePeriod(key, msg)
	case stepReview:
		return p.review(key)
	}
	if key == "enter" {
		return pop(p)
	}
	return nil
}

func (p *bundlePage) choosePeriod(key string, msg tea.KeyPressMsg) tea.Cmd {
	switch {
	case key == "enter":
		return p.gather()
	case key == "left" || key == "up":
		p.period = max(0, p.period-1)
	case key == "right" || key == "down" || key == "tab":
		p.period = min(len(periods), p.period+1)
	case p.typing():
		p.trouble = nil
		return p.other.update(msg)
	}
	return nil
}

// length is the chosen period.
func (p *bundlePage) length() (time.Duration, error) {
	if p.period < len(periods) {
		return periods[p.period].long, nil
	}
	return parsePeriod(p.other.value())
}

// parsePeriod reads 30m, 2h or 7d.
func parsePeriod(text string) (time.Duration, error) {
	text = strings.TrimSpace(text)
	if days, is := strings.CutSuffix(text, "d"); is {
		text = days + "h"
		long, err := time.ParseDuration(text)
		return positive(24*long, err)
	}
	long, err := time.ParseDuration(text)
	return positive(long, err)
}

var errPeriod = errors.New("no period")

func positive(long time.Duration, err error) (time.Duration, error) {
	if err != nil || long <= 0 {
		return 0, errPeriod
	}
	return long, nil
}

// gather finds out what the bundle would hold, without writing anything.
func (p *bundlePage) gather() tea.Cmd {
	long, err := p.length()
	if err != nil {
		p.trouble = errPeriod
		return nil
	}
	p.working, p.trouble = "gathering: the checks are asked and the logs are read", nil
	env, ctx, since, version := p.w.fixed(), p.ctx, p.w.clock.Now().Add(-long), p.w.env.Version
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, gatherWithin)
		defer cancel()
		world := env.World()
		o := support.Options{Env: world, Checks: env.Diagnosis(), Places: logs.Standard(world), Since: since, Version: version}
		manifest, err := support.Preview(ctx, o)
		return bundleMsg{page: p, step: stepReview, options: o, address: world.Getenv("PANEL_SUPPORT_URL"), manifest: manifest, err: err}
	}
}

func (p *bundlePage) review(key string) tea.Cmd {
	switch key {
	case "esc":
		p.step, p.trouble = stepPeriod, nil
	case "p":
		return push(&manifestPage{base: base{w: p.w}, manifest: *p.manifest})
	case "up", "down", "tab", "left", "right":
		p.send = !p.send && p.address != ""
	case "enter":
		return p.save()
	}
	return nil
}

func (p *bundlePage) save() tea.Cmd {
	p.working, p.trouble = "packing", nil
	ctx, o := p.ctx, p.options
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, gatherWithin)
		defer cancel()
		path, manifest, err := support.Save(ctx, o)
		msg := bundleMsg{page: p, step: stepSaved, manifest: manifest, path: path, err: err}
		if about, err := os.Stat(path); err == nil {
			msg.bytes = about.Size()
		}
		return msg
	}
}

func (p *bundlePage) update(msg tea.Msg) tea.Cmd {
	answer, is := msg.(bundleMsg)
	switch {
	case !is && p.typing():
		return p.other.update(msg)
	case !is || answer.page != p:
		return nil
	}
	p.working, p.trouble = "", answer.err
	switch {
	case answer.err != nil:
	case answer.sent:
		p.done = p.w.say("sent to %s", p.address)
	case answer.step == stepReview:
		p.step, p.options, p.address, p.manifest = stepReview, answer.options, answer.address, &answer.manifest
	default:
		p.step, p.manifest, p.path, p.bytes = stepSaved, &answer.manifest, answer.path, answer.bytes
		if p.send {
			return p.askOnceMore()
		}
	}
	return nil
}

// sendWord is typed to agree to an upload; it is the same in every language.
const sendWord = "SEND"

func (p *bundlePage) askOnceMore() tea.Cmd {
	lines := func(width int) []line {
		text := p.w.say("%s (%s) leaves this machine and goes to %s.", filepath.Base(p.path), size(p.bytes), p.address)
		masked := p.w.say("%d values are masked in it. The file stays here too.", p.manifest.MaskedTotal())
		return append(append([]line{row("")}, rows(p.w.look.wrapped(text, width))...), rows(p.w.look.wrapped(masked, width))...)
	}
	return push(newConfirmPage(p.w, "Send to the support", sendWord, lines, p.upload))
}

func (p *bundlePage) upload() tea.Cmd {
	p.working = "sending"
	ctx, path, address := p.ctx, p.path, p.address
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, sendWithin)
		defer cancel()
		return bundleMsg{page: p, sent: true, err: support.Send(ctx, path, address)}
	}
}

func (p *bundlePage) view(width, _ int) []line {
	w := p.w
	lines := append([]line{row("")}, p.periodLine(width)...)
	if p.step >= stepReview {
		lines = append(lines, row(""))
		lines = append(lines, w.labelled("Masked", p.maskedText(), width)...)
		lines = append(lines, w.labelled("Holds", p.holdsText(), width)...)
	}
	switch p.step {
	case stepReview:
		lines = append(append(lines, row("")), p.targets(width)...)
	case stepSaved:
		lines = append(append(lines, row("")), w.labelled("Saved", p.path+"  "+size(p.bytes), width)...)
		lines = append(lines, row(""), row(w.say("Only you can read it. Look inside before you pass it on: tar -xzf")))
	}
	return append(lines, p.outcome(width)...)
}

func (p *bundlePage) outcome(width int) []line {
	w := p.w
	lines := []line{row("")}
	switch {
	case p.working != "":
		lines = append(lines, row(w.look.spinner(w.step)+" "+w.say(p.working)))
	case errors.Is(p.trouble, errPeriod):
		lines = append(lines, row(w.look.paint(bad, w.say("Write a period such as 30m, 2h or 7d."))))
	case p.trouble != nil:
		for _, text := range w.trouble(p.trouble) {
			lines = append(lines, rows(w.look.wrapped(w.look.paint(bad, text), width))...)
		}
	case p.done != "":
		lines = append(lines, row(w.look.paint(good, p.done)))
	case p.step == stepPeriod:
		lines = append(lines, row(w.look.paint(quiet, w.say("Passwords, tokens and keys are masked before anything is saved."))), row(""), row(w.say("←→ choose  enter next  esc back")))
	case p.step == stepReview:
		lines = append(lines, row(w.say("enter pack  p preview  ↑↓ choose  esc back")))
	default:
		lines = append(lines, row(w.say("enter close")))
	}
	return lines
}

func (p *bundlePage) periodLine(width int) []line {
	text := ""
	for i, one := range periods {
		text += p.w.look.choice(i == p.period) + " " + p.w.say(one.words) + "   "
	}
	text += p.w.look.choice(p.period == len(periods)) + " " + p.w.say("other…")
	if p.typing() {
		text += " " + p.other.view(width/4)
	} else if p.period == len(periods) {
		text += " " + p.other.value()
	}
	return p.w.labelled("Period", text, width)
}

func (p *bundlePage) maskedText() string {
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(p.manifest.Masked)) {
		if n := p.manifest.Masked[kind]; n > 0 {
			kinds = append(kinds, fmt.Sprintf("%d %s", n, p.w.say(kind)))
		}
	}
	text := p.w.say("%d values", p.manifest.MaskedTotal())
	if len(kinds) > 0 {
		text += ": " + strings.Join(kinds, ", ")
	}
	return text
}

func (p *bundlePage) holdsText() string {
	text := p.w.say("%d files", len(p.manifest.Files)) + ", " + size(p.manifest.Bytes)
	if n := len(p.manifest.Missing); n > 0 {
		text += " · " + p.w.say("%d parts are missing: p tells why", n)
	}
	return text
}

func (p *bundlePage) targets(width int) []line {
	folder := p.options.Folder
	if folder == "" {
		folder = p.w.say("the support folder of the data folder")
	}
	lines := p.w.labelled("Send to", p.w.look.choice(!p.send)+" "+p.w.say("save in %s", folder), width)
	if p.address != "" {
		text := p.w.look.choice(p.send) + " " + p.w.say("support — saves, then uploads the file, asks once more")
		lines = append(lines, p.w.labelled("", text, width)...)
	}
	return lines
}

func size(bytes int64) string {
	const kilo, mega = 1 << 10, 1 << 20
	switch {
	case bytes >= mega:
		return fmt.Sprintf("%.1f MB", float64(bytes)/mega)
	case bytes >= kilo:
		return fmt.Sprintf("%d kB", bytes/kilo)
	}
	return fmt.Sprintf("%d B", bytes)
}

// manifestPage lists what a bundle holds, what was masked where, and what is missing.
type manifestPage struct {
	base
	manifest support.Manifest
	top      int
}

func (p *manifestPage) title() (string, string) { return p.w.say("Preview"), size(p.manifest.Bytes) }

func (p *manifestPage) keys() []binding { return []binding{{key: "↑↓", does: "scroll"}} }

func (p *manifestPage) press(key string, _ tea.KeyPressMsg) tea.Cmd {
	switch key {
	case "up", "k":
		p.top = max(0, p.top-1)
	case "down", "j":
		p.top++
	case "enter", "p":
		return pop(p)
	}
	return nil
}

func (p *manifestPage) view(width, height int) []line {
	w := p.w
	cells := [][]string{{w.say("FILE"), w.say("SIZE"), w.say("MASKED"), w.say("SOURCE")}}
	for _, file := range p.manifest.Files {
		masked := 0
		for _, n := range file.Masked {
			masked += n
		}
		cells = append(cells, []string{file.Name, size(file.Bytes), fmt.Sprint(masked), file.Source})
	}
	lines := rows(w.look.columns(cells))
	if len(p.manifest.Missing) > 0 {
		lines = append(lines, row(""), row(w.look.paint(careful, w.say("Missing"))))
		for _, one := range p.manifest.Missing {
			lines = append(lines, rows(w.look.wrapped("  "+one.Name+": "+one.Why, width))...)
		}
	}
	p.top = min(p.top, max(0, len(lines)-height))
	return lines[p.top:]
}
