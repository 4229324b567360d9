package tui

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"

	"panel/platform/cli"
)

// lines is the interface without a screen: numbered questions and answers line by line, for screen readers and for
// terminals that cannot move their cursor. Its answers are those of the commands themselves.
type lines struct {
	w     *session
	ctx   context.Context //nolint:containedctx // the life of the conversation
	ended bool            // nobody answers any more
}

func newLines(w *session) *lines { return &lines{w: w} }

func (q *lines) run(ctx context.Context) error {
	q.ctx = ctx
	defer q.leave()
	q.print("panelctl " + q.w.env.Version + ", " + q.w.host + ", " + q.w.address)
	for !q.ended && ctx.Err() == nil {
		if !q.menu() {
			break
		}
	}
	return ctx.Err()
}

// leave ends the session of a sign-in from here.
func (q *lines) leave() {
	if end := q.w.signOut(); end != nil {
		end()
	}
}

func (q *lines) menu() bool {
	var names []string
	all := entries()
	for _, one := range all {
		names = append(names, q.w.say(one.name))
	}
	names = append(names, q.w.say("Russian or English"), q.w.say("Sign in"))
	switch at := q.choose(q.w.say("Menu"), names, q.w.say("leave")); {
	case at < 0:
		return false
	case at == len(all):
		q.w.russian = !q.w.russian
	case at > len(all):
		q.signIn()
	default:
		all[at].lines(q)
	}
	return true
}

func (q *lines) print(text string) { fmt.Fprintln(q.w.env.Out, q.w.look.plain(text)) }

// choose prints numbered names and asks until one of them or 0 is given; -1 is 0, or the end of the input.
func (q *lines) choose(title string, names []string, zero string) int {
	for {
		q.print("")
		q.print(title)
		for i, name := range names {
			q.print(fmt.Sprintf("%d. %s", i+1, name))
		}
		q.print("0. " + zero)
		answer := q.ask(q.w.say("Number:"))
		number, err := strconv.Atoi(answer)
		switch {
		case q.ended || q.ctx.Err() != nil || err == nil && number == 0:
			return -1
		case err == nil && number >= 1 && number <= len(names):
			return number - 1
		}
		q.print(q.w.say("There is no %q here.", answer))
	}
}

// ask reads one line and not a byte more, since the commands read from the same place. The read is left behind when ctx
// ends.
func (q *lines) ask(question string) string {
	fmt.Fprint(q.w.env.Out, q.w.look.plain(question), " ")
	answered := make(chan string, 1)
	go func() {
		text, open := readLine(q.w.env.In)
		if !open && text == "" {
			close(answered)
			return
		}
		answered <- text
	}()
	select {
	case text, open := <-answered:
		q.ended = !open
		return strings.TrimSpace(text)
	case <-q.ctx.Done():
		return ""
	}
}

func readLine(from io.Reader) (text string, open bool) {
	var read []byte
	for one := make([]byte, 1); ; {
		n, err := from.Read(one)
		switch {
		case n == 1 && one[0] == '\n':
			return string(read), true
		case n == 1:
			read = append(read, one[0])
		case err != nil:
			return string(read), false
		}
	}
}

// command runs a command of panelctl; it prints and asks by itself.
func (q *lines) command(args ...string) {
	q.print("")
	cli.Run(q.ctx, q.w.fixed(), append(args, "--table"))
}

// agreed asks for a word before anything happens.
func (q *lines) agreed(word string) bool {
	if q.ask(q.w.say("Type %s to go on:", word)) == word {
		return true
	}
	q.print(q.w.say("That is not %s. Nothing was changed.", word))
	return false
}

func (q *lines) fail(err error) {
	for _, text := range q.w.trouble(err) {
		q.print(text)
	}
}

func licenseLines(q *lines) {
	names := []string{
		q.w.say("Show the license"),
		q.w.say("Activate a license"),
		q.w.say("Refresh"),
		q.w.say("Remove the license"),
	}
	switch q.choose(q.w.say("License"), names, q.w.say("back")) {
	case 0:
		q.command("license", "status")
	case 1:
		q.activate()
	case 2:
		q.command("license", "refresh")
	case 3:
		q.command("license", "remove")
	}
}

// activate asks the panel directly: on a command line the key would be a thing to warn of.
func (q *lines) activate() {
	key := q.ask(q.w.say("License key:"))
	if key == "" {
		return
	}
	ctx, cancel := context.WithTimeout(q.ctx, licenseWithin)
	defer cancel()
	client, err := q.w.fixed().Client()
	if err == nil {
		err = client.Post(ctx, licensePath+"activate", map[string]string{"license_key": key}, nil)
	}
	if err != nil {
		q.fail(err)
		return
	}
	q.command("license", "status")
}

func logsLines(q *lines) {
	names := []string{"backend", "worker", "scheduler", "nginx"}
	if at := q.choose(q.w.say("Logs"), names, q.w.say("back")); at >= 0 {
		q.command("logs", names[at], "-n", "30")
	}
}

// signIn asks what the screen asks; the session ends with the conversation.
func (q *lines) signIn() {
	username := q.ask(q.w.say("Username:"))
	said := q.login(
		"/api/v1/auth/login",
		map[string]string{"username": username, "password": q.secret(q.w.say("Password:"))},
	)
	wrong := "the username or the password is wrong"
	if said.challenge != "" {
		wrong = "the code is wrong or too late"
		said = q.login(
			"/api/v1/auth/second-factor",
			secondFactor(said.challenge, q.ask(q.w.say("Code of the app, or a recovery code:"))),
		)
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
