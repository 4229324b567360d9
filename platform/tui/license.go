package tui

import (
	"cmp"
	"context"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"panel/platform/cli"
)

func licenseEntry() entry {
	return entry{
		name:  "License",
		hint:  (*session).licenseHint,
		open:  func(w *session) page { return &licensePage{base: base{w: w}} },
		lines: licenseLines,
	}
}

func (w *session) licenseHint() string {
	license := w.state.license
	switch {
	case license == nil && w.state.silence != nil:
		return w.say("needs the panel")
	case license == nil && w.state.refused:
		return w.say("needs a sign-in")
	case license == nil:
		return w.say("status, activation, removal")
	case license.ReadOnly:
		return w.say("%s: the panel is read-only", license.State)
	case license.GraceUntil != nil:
		return w.say("grace period, %d h left", w.hoursTo(*license.GraceUntil))
	case license.ValidUntil != nil:
		return w.say("%s until %s", license.State, license.ValidUntil.Format(time.DateOnly))
	}
	return license.State
}

const licensePath = "/api/v1/license/"

// licenseWithin leaves the panel time to ask its license server.
const licenseWithin = 30 * time.Second

// licensePage shows the license as the command prints it, and changes it.
type licensePage struct {
	base
	text    string
	trouble error
	asking  bool
	waits   bool // for a sign-in, or for a panel that answers
}

type licenseMsg struct {
	page  *licensePage
	text  string
	said  string // what was done; empty when it was only looked at
	err   error
	shown error // why the license cannot be shown
}

func (p *licensePage) start(ctx context.Context) tea.Cmd {
	p.ctx = ctx
	return p.read()
}

// read asks for the license, but not in the name of nobody: that would be a refusal in the journal of the panel.
func (p *licensePage) read() tea.Cmd {
	if p.waits = p.locked(); p.waits {
		return nil
	}
	return p.ask("", nil, "")
}

// locked says that the panel answers, but not to whoever sits here.
func (p *licensePage) locked() bool { return p.w.state.refused && p.w.state.silence == nil }

// ask does one of the license operations, then reads the license anew; the empty operation only reads.
func (p *licensePage) ask(operation string, body any, said string) tea.Cmd {
	p.asking = true
	env, ctx, look := p.w.fixed(), p.ctx, p.w.look
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, licenseWithin)
		defer cancel()
		msg := licenseMsg{page: p, said: said}
		client, err := env.Client()
		if err == nil && operation != "" {
			err = client.Post(ctx, licensePath+operation, body, nil)
		}
		msg.err = err
		if err == nil || operation != "" {
			msg.text, msg.shown = printed(ctx, env, look, "license", "status")
		}
		return msg
	}
}

// printed is what a command prints; a command that complains gives its complaint as the error.
func printed(ctx context.Context, env cli.Env, l look, args ...string) (string, error) {
	var out, said strings.Builder
	env.In, env.Out, env.Err = strings.NewReader(""), &out, &said
	env.Terminal = cli.Terminal{Out: l.coloured}
	cli.Run(ctx, env, append(args, "--table"))
	if text := strings.TrimSpace(said.String()); text != "" && out.Len() == 0 {
		return "", complaint(text)
	}
	return out.String(), nil
}

// complaint is what a command has said on its error stream, in the language of the operator.
type complaint string

func (c complaint) Error() string { return string(c) }

func (p *licensePage) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case languageMsg:
		return p.read()
	case stateMsg:
		p.waits = p.waits || msg.state.silence != nil
		if p.waits && !p.asking && msg.state.silence == nil && !p.locked() {
			return p.read()
		}
	case licenseMsg:
		if msg.page != p {
			return nil
		}
		p.asking, p.text, p.trouble = false, msg.text, cmp.Or(msg.err, msg.shown)
		if msg.err == nil && msg.said != "" {
			return tea.Batch(note(p.w.say(msg.said)), p.w.lookAtPanel(p.ctx, false))
		}
	}
	return nil
}

func (p *licensePage) busy() bool { return p.asking }

func (p *licensePage) title() (string, string) { return p.w.say("License"), "" }

func (p *licensePage) keys() []binding {
	return []binding{{key: "a", does: "Activate"}, {key: "r", does: "Refresh"}, {key: "x", does: "Remove"}}
}

// removeWord is the word that the command asks for too.
const removeWord = "REMOVE"

func (p *licensePage) press(key string, _ tea.KeyPressMsg) tea.Cmd {
	if p.asking {
		return nil
	}
	if p.locked() && (key == "a" || key == "r" || key == "x") {
		return push(newSignIn(p.w))
	}
	switch key {
	case "a":
		return push(newActivatePage(p.w, func(key string) tea.Cmd {
			return p.ask("activate", map[string]string{"license_key": key}, "the license is activated")
		}))
	case "r":
		return p.ask("refresh", nil, "the license was checked")
	case "x":
		warning := func(width int) []line {
			return append(
				[]line{row("")},
				rows(p.w.look.wrapped(p.w.env.T("Without a license the panel is read-only. Traffic on nodes goes on."),
					width))...)
		}
		return push(
			newConfirmPage(
				p.w,
				"Remove the license",
				removeWord,
				warning,
				func() tea.Cmd { return p.ask("remove", nil, "the license is removed") },
			),
		)
	}
	return nil
}

func (p *licensePage) view(width, _ int) []line {
	w := p.w
	lines := []line{row(w.bar(p.keys())), row("")}
	if p.locked() {
		return append(
			lines,
			rows(
				w.look.wrapped(w.say("The license needs an administrator: press i to sign in, or set PANEL_API_TOKEN."),
					width),
			)...)
	}
	if p.trouble != nil {
		for _, text := range w.trouble(p.trouble) {
			lines = append(lines, rows(w.look.wrapped(w.look.paint(careful, text), width))...)
		}
		lines = append(lines, row(""))
	}
	for text := range strings.SplitSeq(strings.TrimSpace(p.text), "\n") {
		lines = append(lines, row(text))
	}
	if p.asking {
		lines = append(lines, row(w.look.spinner(w.step)+" "+w.say("asking the panel")))
	}
	return lines
}

// activatePage takes a license key, the text of an offline document, or the name of a file with either.
type activatePage struct {
	base
	field  *field
	wrong  string
	agreed func(key string) tea.Cmd
}

type readKeyMsg struct {
	page *activatePage
	key  string
	err  error
}

func newActivatePage(w *session, agreed func(string) tea.Cmd) page {
	return &activatePage{base: base{w: w}, field: newField(""), agreed: agreed}
}

func (p *activatePage) title() (string, string) { return p.w.say("Activate a license"), "" }

func (p *activatePage) typing() bool { return true }

func (p *activatePage) leave() { p.field.wipe() }

func (p *activatePage) update(msg tea.Msg) tea.Cmd {
	read, is := msg.(readKeyMsg)
	switch {
	case !is:
		return p.field.update(msg)
	case read.page != p:
		return nil
	case read.err != nil:
		p.wrong = p.w.say("the file cannot be read: %s", innermost(read.err))
		return nil
	}
	return tea.Sequence(pop(p), p.agreed(read.key))
}

func (p *activatePage) press(key string, msg tea.KeyPressMsg) tea.Cmd {
	if key != "enter" {
		p.wrong = ""
		return p.field.update(msg)
	}
	given := strings.TrimSpace(p.field.value())
	if given == "" {
		return nil
	}
	return func() tea.Msg {
		if !strings.HasPrefix(given, "/") && !strings.HasPrefix(given, "./") {
			return readKeyMsg{page: p, key: given}
		}
		text, err := os.ReadFile(given)
		return readKeyMsg{page: p, key: strings.TrimSpace(string(text)), err: err}
	}
}

func (p *activatePage) view(width, _ int) []line {
	question := p.w.say("Key or /path/of/a/file:")
	lines := []line{row(""), row(question + " " + p.field.view(width-p.w.look.width(question)-1)), row("")}
	lines = append(
		lines,
		rows(
			p.w.look.wrapped(
				p.w.say("It replaces the license that is there. If the key is refused, the old license stays."),
				width,
			),
		)...)
	if p.wrong != "" {
		lines = append(lines, row(""), row(p.w.look.paint(bad, p.wrong)))
	}
	return lines
}
