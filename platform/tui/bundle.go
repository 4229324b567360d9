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

	"panel/platform/cli"
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

func newBundlePage(w *session) page {
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
		{
			key:  "enter",
			does: "next",
		},
		{key: "↑↓ ←→", does: "choose"},
		{key: "p", does: "preview: what the bundle holds"},
		{key: "esc", does: "back"},
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

// parsePeriod reads 30m, 2h or 7d as the commands do; nothing is no period here.
func parsePeriod(text string) (time.Duration, error) {
	long, err := cli.Period(strings.TrimSpace(text))
	if err != nil || long <= 0 {
		return 0, errPeriod
	}
	return long, nil
}

var errPeriod = errors.New("no period")

// gather finds out what the bundle would hold, without writing anything.
func (p *bundlePage) gather() tea.Cmd {
	long, err := p.length()
	if err != nil {
		p.trouble = errPeriod
		return nil
	}
	p.working, p.trouble = "gathering: the checks are asked and the logs are read", nil
	ctx, options := p.ctx, p.w.bundle(long)
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, gatherWithin)
		defer cancel()
		o := options()
		manifest, err := support.Preview(ctx, o)
		return bundleMsg{
			page:     p,
			step:     stepReview,
			options:  o,
			address:  o.Env.Getenv("PANEL_SUPPORT_URL"),
			manifest: manifest,
			err:      err,
		}
	}
}

// bundle says what goes into a bundle with logs of that length; the function it gives looks at files of this machine.
func (w *session) bundle(long time.Duration) func() support.Options {
	env, ask, places, since := w.fixed(), w.doctor, w.places, w.clock.Now().Add(-long)
	return func() support.Options {
		machine, all := ask(env)
		return support.Options{Env: machine, Checks: all, Places: places(machine), Since: since, Version: env.Version}
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
		text := p.w.say("%s (%s) leaves this machine and goes to %s.", filepath.Base(p.path), p.w.size(p.bytes),
			p.address)
		masked := p.w.say("%d values are masked in it. The file stays here too.", p.manifest.MaskedTotal())
		return append(
			append([]line{row("")}, rows(p.w.look.wrapped(text, width))...),
			rows(p.w.look.wrapped(masked, width))...)
	}
	return push(newConfirmPage(p.w, "Send to the support", sendWord, lines, p.upload))
}

func (p *bundlePage) upload() tea.Cmd {
	p.working = "sending"
	ctx, path, address, proxy := p.ctx, p.path, p.address, p.options.Env.Getenv("PANEL_HTTP_PROXY")
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, sendWithin)
		defer cancel()
		return bundleMsg{page: p, sent: true, err: support.Send(ctx, path, address, proxy)}
	}
}

func (p *bundlePage) view(width, _ int) []line {
	w := p.w
	lines := append([]line{row("")}, p.labelled("Period", p.periodText(width), width)...)
	if p.step >= stepReview {
		lines = append(lines, row(""))
		lines = append(lines, p.labelled("Masked", p.maskedText(), width)...)
		lines = append(lines, p.labelled("Holds", p.holdsText(), width)...)
	}
	switch p.step {
	case stepReview:
		lines = append(append(lines, row("")), p.targets(width)...)
	case stepSaved:
		lines = append(append(lines, row("")), p.labelled("Saved", p.path+"  "+p.w.size(p.bytes), width)...)
		lines = append(lines, row(""), row(w.say("Only you can read it. Look inside before you pass it on: tar -xzf")))
	}
	return append(lines, p.outcome(width)...)
}

// labelled puts a text beside its label; all labels of the dialog are of one width.
func (p *bundlePage) labelled(label, text string, width int) []line {
	wide := 0
	for _, one := range []string{
		p.w.say("Period"), p.w.say("Masked"), p.w.say("Holds"), p.w.say("Send to"),
		p.w.say("Saved"),
	} {
		wide = max(wide, p.w.look.width(one))
	}
	return p.w.labelledAt(wide, label, text, width)
}

// foot are the keys of the step.
func (p *bundlePage) foot() string {
	switch p.step {
	case stepPeriod:
		return "←→ choose  enter next  esc back"
	case stepReview:
		return "enter pack  p preview  ↑↓ choose  esc back"
	}
	return "enter close"
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
		lines = append(
			lines,
			row(w.look.paint(quiet, w.say("Passwords, tokens and keys are masked before anything is saved."))),
		)
	}
	return lines
}

func (p *bundlePage) periodText(width int) string {
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
	return text
}

func (p *bundlePage) maskedText() string {
	var found []string
	for _, kind := range slices.Sorted(maps.Keys(p.manifest.Masked)) {
		if n := p.manifest.Masked[kind]; n > 0 {
			found = append(found, fmt.Sprintf("%s %d", p.w.kind(kind), n))
		}
	}
	text := p.w.say("%d values", p.manifest.MaskedTotal())
	if len(found) > 0 {
		text += " (" + strings.Join(found, ", ") + ")"
	}
	return text
}

var kinds = map[string]string{
	"password": "passwords",
	"token":    "tokens",
	"key":      "keys|for masked",
	"address":  "addresses",
	"id":       "identifiers",
}

func (w *session) kind(key string) string {
	if name := kinds[key]; name != "" {
		return w.say(name)
	}
	return key
}

func (p *bundlePage) holdsText() string {
	text := p.w.say("%d files", len(p.manifest.Files)) + ", " + p.w.size(p.manifest.Bytes)
	if n := len(p.manifest.Missing); n > 0 {
		text += " · " + p.w.say("missing parts: %d (p tells why)", n)
	}
	return text
}

func (p *bundlePage) targets(width int) []line {
	folder := p.options.Folder
	if folder == "" {
		folder = p.w.say("the support folder of the data folder")
	}
	lines := p.labelled("Send to", p.w.look.choice(!p.send)+" "+p.w.say("save in %s", folder), width)
	if p.address != "" {
		text := p.w.look.choice(p.send) + " " + p.w.say("support — saves, then uploads the file, asks once more")
		lines = append(lines, p.labelled("", text, width)...)
	}
	return lines
}

// size is a number of bytes as people say it.
func (w *session) size(bytes int64) string {
	const kilo, mega = 1 << 10, 1 << 20
	switch {
	case bytes >= mega:
		return w.decimal(w.say("%.1f MB", float64(bytes)/mega))
	case bytes >= kilo:
		return w.say("%d kB", bytes/kilo)
	}
	return w.say("%d B", bytes)
}
