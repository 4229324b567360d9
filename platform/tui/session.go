package tui

import (
	"os"

	"github.com/jonboulle/clockwork"

	"panel/platform/cli"
	"panel/platform/doctor"
	"panel/platform/logs"
)

// session is what all pages share: the command line's view of this machine, the language, the look and the state of the
// panel.
type session struct {
	env     cli.Env // answers in the chosen language
	russian bool
	look    look
	clock   clockwork.Clock
	host    string
	address string
	token   string // of a sign-in from here; else the environment's
	state   panelState
	last    *doctor.Document // the diagnosis that was kept last; nil for none
	step    int              // of the spinner

	outside func(string) string // the environment without what was chosen here
	// doctor and places are this machine; tests have one of their own.
	doctor func(cli.Env) (doctor.Env, []doctor.Check)
	places func(doctor.Env) logs.Places
}

func newSession(env cli.Env) *session {
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	w := &session{
		russian: env.Russian(),
		look:    lookOf(env),
		clock:   clockwork.NewRealClock(),
		host:    host,
		address: env.Getenv("PANEL_API_URL"),
	}
	w.doctor, w.places = ofThisMachine, logs.Standard
	w.env, w.outside = env, env.Getenv
	spoken := cli.Speaking(func() bool { return w.russian }, env.Getenv)
	w.env.Getenv = func(name string) string {
		if name == "PANEL_API_TOKEN" && w.token != "" {
			return w.token
		}
		return spoken(name)
	}
	return w
}

func ofThisMachine(env cli.Env) (doctor.Env, []doctor.Check) { return env.DoctorEnv(), env.Diagnosis() }

func (w *session) language() string {
	if w.russian {
		return "ru"
	}
	return "en"
}

// fixed is the command line's view as it is now, for work that goes on beside the screen.
func (w *session) fixed() cli.Env {
	russian, token := w.russian, w.env.Getenv("PANEL_API_TOKEN")
	spoken := cli.Speaking(func() bool { return russian }, w.outside)
	env := w.env
	env.Getenv = func(name string) string {
		if name == "PANEL_API_TOKEN" {
			return token
		}
		return spoken(name)
	}
	return env
}
