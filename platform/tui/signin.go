package tui

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"panel/platform/cli"
)

const signInWithin = 10 * time.Second

// signIn opens a session for as long as this interface runs; nothing is stored on the machine.
type signIn struct {
	base
	fields    []*field // username, password, then a code where the account wants one
	at        int
	challenge string
	asking    bool
	trouble   []string
}

// signedInMsg carries a token, or a challenge, or why there is neither.
type signedInMsg struct {
	page             *signIn
	token, challenge string
	refused          bool // the panel answers, but not with a session
	err              error
}

func newSignIn(w *session) page {
	p := &signIn{base: base{w: w}, fields: []*field{newField(""), newField("").secret()}}
	p.choose(0)
	return p
}

// choose is where keys go from now on.
func (p *signIn) choose(at int) {
	p.at = max(0, min(at, len(p.fields)-1))
	for i, one := range p.fields {
		if i == p.at {
			one.input.Focus()
		} else {
			one.input.Blur()
		}
	}
}

func (p *signIn) title() (string, string) { return p.w.say("Sign in"), "" }

func (p *signIn) typing() bool { return true }

func (p *signIn) busy() bool { return p.asking }

func (p *signIn) leave() {
	for _, one := range p.fields {
		one.wipe()
	}
}

func (p *signIn) update(msg tea.Msg) tea.Cmd {
	answer, is := msg.(signedInMsg)
	switch {
	case !is:
		return p.fields[p.at].update(msg)
	case answer.page != p:
		return nil
	}
	p.asking = false
	switch {
	case answer.token != "":
		p.w.token = answer.token
		return tea.Sequence(
			pop(p),
			note(p.w.say("signed in until you leave")),
			p.w.lookAtPanel(context.WithoutCancel(p.ctx), false),
		)
	case answer.challenge != "":
		p.challenge, p.trouble = answer.challenge, nil
		p.fields = append(p.fields, newField(""))
		p.choose(len(p.fields) - 1)
	case answer.refused && p.challenge == "":
		p.trouble = []string{p.w.say("the username or the password is wrong")}
	case answer.refused:
		p.trouble = []string{p.w.say("the code is wrong or too late")}
	default:
		p.trouble = p.w.trouble(answer.err)
	}
	return nil
}

func (p *signIn) press(key string, msg tea.KeyPressMsg) tea.Cmd {
	switch {
	case p.asking:
		return nil
	case key == "up" || key == "shift+tab":
		p.choose(p.at - 1)
	case key == "down" || key == "tab" || key == "enter" && p.at < len(p.fields)-1:
		p.choose(p.at + 1)
	case key == "enter":
		return p.ask()
	default:
		p.trouble = nil
		return p.fields[p.at].update(msg)
	}
	return nil
}

func (p *signIn) ask() tea.Cmd {
	p.asking, p.trouble = true, nil
	path, body := "/api/v1/auth/login", map[string]string{
		"username": p.fields[0].value(),
		"password": p.fields[1].value(),
	}
	if p.challenge != "" {
		path, body = "/api/v1/auth/second-factor", secondFactor(p.challenge, p.fields[2].value())
	}
	env, ctx := p.w.fixed(), p.ctx
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, signInWithin)
		defer cancel()
		client, err := env.Client()
		if err != nil {
			return signedInMsg{page: p, err: err}
		}
		status, answer, err := client.Answer(ctx, http.MethodPost, path, body)
		return p.w.understood(p, status, answer, err)
	}
}

// secondFactor takes six digits for a code of an app, and anything longer for a recovery code.
func secondFactor(challenge, typed string) map[string]string {
	const digits = 6
	typed = strings.TrimSpace(typed)
	if len(typed) == digits {
		return map[string]string{"challenge": challenge, "code": typed}
	}
	return map[string]string{"challenge": challenge, "recovery_code": typed}
}

func (w *session) understood(p *signIn, status int, answer []byte, err error) signedInMsg {
	var said struct{ Token, Challenge, Detail string }
	switch {
	case err != nil:
		return signedInMsg{page: p, err: err}
	case json.Unmarshal(answer, &said) != nil:
		return signedInMsg{page: p, err: cli.Failed(cli.Say("the answer of %s is not that of a panel", w.address))}
	case status == http.StatusOK && said.Token != "":
		return signedInMsg{page: p, token: said.Token}
	case said.Challenge != "":
		return signedInMsg{page: p, challenge: said.Challenge}
	case status == http.StatusUnauthorized:
		return signedInMsg{page: p, refused: true}
	}
	return signedInMsg{page: p, err: errors.New(said.Detail)}
}

// signOut ends the session of this interface; a panel that does not answer keeps nobody waiting.
func (w *session) signOut() tea.Cmd {
	if w.token == "" {
		return nil
	}
	env := w.fixed()
	w.token = ""
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if client, err := env.Client(); err == nil {
			_, _, _ = client.Answer(ctx, http.MethodPost, "/api/v1/auth/logout", nil) // the session ends by itself else
		}
		return nil
	}
}

func (p *signIn) view(width, _ int) []line {
	w := p.w
	labels := []string{w.say("Username:"), w.say("Password:"), w.say("Code of the app, or a recovery code:")}
	room := 0
	for i := range p.fields {
		room = max(room, w.look.width(labels[i]))
	}
	lines := []line{row("")}
	for i, one := range p.fields {
		marker := "  "
		if i == p.at {
			marker = "> "
		}
		lines = append(lines, row(marker+w.look.fit(labels[i], room)+" "+one.view(width-room-3)))
	}
	lines = append(
		lines,
		row(""),
		row(w.look.paint(quiet, w.say("The session ends when you leave; nothing is stored on this machine."))),
	)
	if p.asking {
		lines = append(lines, row(""), row(w.look.spinner(w.step)+" "+w.say("asking the panel")))
	}
	for i, text := range p.trouble {
		if i == 0 {
			lines = append(lines, row(""))
		}
		lines = append(lines, rows(w.look.wrapped(w.look.paint(bad, text), width))...)
	}
	return lines
}
