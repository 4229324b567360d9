package tui

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"

	"golang.org/x/term"
)

// signIn asks what the screen asks; the session ends with the conversation.
func (q *lines) signIn() {
	username := q.ask(q.w.say("Username:"))
	said := q.login("/api/v1/auth/login", map[string]string{"username": username, "password": q.secret(q.w.say("Password:"))})
	wrong := "the username or the password is wrong"
	if said.challenge != "" {
		wrong = "the code is wrong or too late"
		said = q.login("/api/v1/auth/second-factor", secondFactor(said.challenge, q.ask(q.w.say("Code of the app, or a recovery code:"))))
	}
	switch {
	case q.ctx.Err() != nil:
	case said.token != "":
		q.w.token = said.token
		q.print(q.w.say("signed in until you leave"))
	case said.refused:
		q.print(q.w.say(wrong))
	default:
		q.fail(said.err)
	}
}

func (q *lines) login(path string, body map[string]string) signedInMsg {
	ctx, cancel := context.WithTimeout(q.ctx, signInWithin)
	defer cancel()
	client, err := q.w.fixed().Client()
	if err != nil {
		return signedInMsg{err: err}
	}
	status, answer, err := client.Answer(ctx, http.MethodPost, path, body)
	return q.w.understood(nil, status, answer, err)
}

// secret is ask without the echo of a terminal, which comes back whatever ends the question.
func (q *lines) secret(question string) string {
	file, is := q.w.env.In.(*os.File)
	if !is || !term.IsTerminal(int(file.Fd())) { //nolint:gosec // a descriptor is small
		return q.ask(question)
	}
	before, err := term.GetState(int(file.Fd())) //nolint:gosec // as above
	if err != nil {
		return q.ask(question)
	}
	defer func() { _ = term.Restore(int(file.Fd()), before) }() //nolint:gosec // as above
	fmt.Fprint(q.w.env.Out, q.w.look.plain(question), " ")
	typed := make(chan string, 1)
	go func() {
		text, err := term.ReadPassword(int(file.Fd())) //nolint:gosec // as above
		if err != nil {
			close(typed)
			return
		}
		typed <- string(text)
	}()
	select {
	case text, open := <-typed:
		q.ended = !open
		q.print("")
		return strings.TrimSuffix(text, "\r")
	case <-q.ctx.Done():
		return ""
	}
}
