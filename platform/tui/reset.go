package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"panel/platform/cli"
	"panel/platform/core/accounts"
)

func resetEntry() entry {
	return entry{
		name:  "Reset password",
		hint:  func(w *session) string { return w.say("needs root, works without the API") },
		open:  func(w *session) page { return &resetPage{base: base{w: w}, filter: filter{w: w}} },
		lines: func(q *lines) { q.command("admin", "reset-password") },
	}
}

// resetWithin covers the start of a private database that nobody runs.
const resetWithin = 90 * time.Second

// resetPage chooses an administrator, says what follows, and has the username typed before anything changes.
type resetPage struct {
	base
	all        []accounts.Administrator
	source     cli.Message
	list       list
	filter     filter
	working    string // what is being done
	trouble    error
	withFactor bool // also remove the second factor
}

type (
	administratorsMsg struct {
		page   *resetPage
		all    []accounts.Administrator
		source cli.Message
		err    error
	}
	resetMsg struct {
		page            *resetPage
		username, plain string
		err             error
	}
)

// withPasswordReset opens the database for one piece of work only, so that nothing is held while somebody thinks.
func withPasswordReset(ctx context.Context, env cli.Env, work func(context.Context,
	*accounts.PasswordReset) error,
) error {
	ctx, cancel := context.WithTimeout(ctx, resetWithin)
	defer cancel()
	reset, err := accounts.OpenPasswordReset(ctx, env)
	if err != nil {
		return err
	}
	err = work(ctx, reset)
	if closed := reset.Close(ctx); err == nil {
		err = closed
	}
	return err
}

func (p *resetPage) start(ctx context.Context) tea.Cmd {
	p.ctx = ctx
	return p.read()
}

func (p *resetPage) read() tea.Cmd {
	p.working, p.trouble = "opening the database", nil
	env, ctx := p.w.fixed(), p.ctx
	return func() tea.Msg {
		msg := administratorsMsg{page: p}
		msg.err = withPasswordReset(ctx, env, func(ctx context.Context, reset *accounts.PasswordReset) (err error) {
			msg.source = reset.Source()
			msg.all, err = reset.Administrators(ctx)
			return err
		})
		return msg
	}
}

func (p *resetPage) reset(owner accounts.Administrator) tea.Cmd {
	p.working, p.trouble = "setting the password", nil
	env, ctx, withFactor := p.w.fixed(), context.WithoutCancel(p.ctx), p.withFactor
	return func() tea.Msg {
		msg := resetMsg{page: p, username: owner.Username}
		msg.err = withPasswordReset(ctx, env, func(ctx context.Context, reset *accounts.PasswordReset) (err error) {
			msg.plain, err = reset.Reset(ctx, owner, accounts.ResetOptions{RemoveSecondFactor: withFactor})
			return err
		})
		return msg
	}
}

func (p *resetPage) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case administratorsMsg:
		if msg.page == p {
			p.working, p.all, p.source, p.trouble = "", msg.all, msg.source, msg.err
		}
	case resetMsg:
		if msg.page != p {
			return nil
		}
		p.working, p.trouble = "", msg.err
		// A password that is set must be seen, even if closing the database failed afterwards.
		if msg.plain != "" {
			return push(&passwordPage{base: base{w: p.w}, username: msg.username, plain: []byte(msg.plain)})
		}
	}
	if p.filter.typing() {
		return p.filter.field.update(msg)
	}
	return nil
}

func (p *resetPage) busy() bool { return p.working != "" }

func (p *resetPage) typing() bool { return p.filter.typing() }

// closes keeps the page open while a password is being set, so that the new one is seen.
func (p *resetPage) closes() bool {
	return p.working == "setting the password" || p.filter.closes()
}

func (p *resetPage) title() (string, string) { return p.w.say("Reset password"), "" }

func (p *resetPage) keys() []binding {
	return []binding{
		{key: "enter", does: "choose"},
		{key: "f", does: "also remove the second factor", quiet: true},
		{key: "r", does: "Refresh", quiet: true},
		{key: "/", does: "filter"},
		{key: "↑↓", does: "move"},
	}
}

func (p *resetPage) shown() []accounts.Administrator {
	var shown []accounts.Administrator
	for _, one := range p.all {
		if p.filter.matches(one.Username) {
			shown = append(shown, one)
		}
	}
	return shown
}

func (p *resetPage) press(key string, msg tea.KeyPressMsg) tea.Cmd {
	if p.working != "" {
		return nil
	}
	if cmd, used := p.filter.press(key, msg); used {
		p.list.at = 0
		return cmd
	}
	shown := p.shown()
	switch {
	case p.list.move(key, len(shown), len(shown)):
	case key == "f":
		p.withFactor = !p.withFactor
	case key == "r":
		return p.read()
	case key == "enter" && len(shown) > 0:
		return p.confirm(shown[p.list.at])
	}
	return nil
}

func (p *resetPage) confirm(owner accounts.Administrator) tea.Cmd {
	consequences := func(width int) []line {
		lines := append([]line{row("")}, rows(p.w.look.wrapped(p.w.env.Text(owner.Consequence()), width))...)
		lines = append(
			lines,
			rows(p.w.look.wrapped(p.w.say("It cannot be taken back. The new password is shown once."), width))...)
		if p.withFactor {
			lines = append(
				lines,
				rows(p.w.look.wrapped(p.w.say("Authenticator app, recovery codes and passkeys are removed too."),
					width))...)
		}
		return append(lines, row(""), row(p.w.look.paint(quiet, p.w.env.Text(p.source))))
	}
	return push(
		newConfirmPage(p.w, "Reset password", owner.Username, consequences, func() tea.Cmd { return p.reset(owner) }),
	)
}

func (p *resetPage) view(width, height int) []line {
	w := p.w
	head := p.filter.line(width)
	if head == "" {
		head = w.bar(p.keys())
	}
	lines := []line{row(head), row("")}
	if p.trouble != nil {
		for _, text := range w.trouble(p.trouble) {
			lines = append(lines, rows(w.look.wrapped(text, width))...)
		}
		return lines
	}
	if p.working != "" {
		return append(lines, row(w.look.spinner(w.step)+" "+w.say(p.working)))
	}
	lines = append(lines, rows(w.look.wrapped(w.env.Text(p.source), width))...)
	choice := "f " + w.look.choice(p.withFactor) + " " + w.say("also remove the second factor")
	lines = append(lines, row(choice), row(""))
	return append(lines, p.table(height-len(lines))...)
}

func (p *resetPage) table(height int) []line {
	w, shown := p.w, p.shown()
	from, to := p.list.window(len(shown), height)
	var cells [][]string
	for i := from; i < to; i++ {
		marker := "  "
		if i == p.list.at {
			marker = "> "
		}
		cells = append(cells, []string{marker + shown[i].Username, w.describe(shown[i])})
	}
	if len(cells) == 0 {
		return []line{row(w.say("nothing matches"))}
	}
	return rows(w.look.columns(cells))
}

func (w *session) describe(one accounts.Administrator) string {
	text := w.say("never signed in")
	if one.LastLogin != nil {
		text = w.say("last sign-in %s", w.moment(*one.LastLogin))
	}
	if !one.Active {
		text += " · " + w.say("disabled")
	}
	if one.Authenticator {
		text += " · " + w.say("authenticator app")
	}
	return text
}

// passwordPage shows the new password, and forgets it when it is left.
type passwordPage struct {
	base
	username string
	plain    []byte
}

func (p *passwordPage) title() (string, string) { return p.w.say("New password"), "" }

// typing keeps every key from leaving the page by accident, but for esc and enter.
func (p *passwordPage) typing() bool { return true }

func (p *passwordPage) foot() string { return "enter or esc hides it" }

func (p *passwordPage) leave() {
	clear(p.plain)
	p.plain = nil
}

func (p *passwordPage) press(key string, _ tea.KeyPressMsg) tea.Cmd {
	if key == "enter" {
		return pop(p)
	}
	return nil
}

func (p *passwordPage) view(width, _ int) []line {
	w := p.w
	inner := max(len(p.plain), 1) + sides
	b := w.look.border()
	lines := []line{row(""), row(w.say("New password of %s:", p.username)), row("")}
	lines = append(
		lines,
		row(w.look.top("", "", inner)),
		row(b.side+" "+w.look.paint(strong, string(p.plain))+" "+b.side),
		row(w.look.bottom("", "", inner)),
		row(""),
	)
	lines = append(
		lines,
		rows(
			w.look.wrapped(
				w.say(
					"Write it down now: it is shown this once and leaves the screen with enter or esc. All sessions of the account have ended.",
				),
				width,
			),
		)...)
	return lines
}
