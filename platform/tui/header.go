package tui

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"panel/platform/cli"
)

// A panel that is well is asked less often than one that somebody waits for.
const (
	lookEvery  = 10 * time.Second
	lookSoon   = 4 * time.Second
	lookWithin = 4 * time.Second
)

// panelState is what is known of the panel at the moment.
type panelState struct {
	asked   bool  // somebody has asked at least once
	silence error // why the panel cannot be reached; nil when it answers
	refused bool  // it answers, but not to this token
	token   string
	version string
	healthy bool
	status  panelStatus
	license *licenseState // nil where it is not known
}

// panelStatus is the body of GET /api/v1/system/status.
type panelStatus struct {
	Status        string `json:"status"`
	Version       string `json:"version"`
	Database      string `json:"database"`
	SetupDone     bool   `json:"setup_done"`
	UptimeSeconds int64  `json:"uptime_seconds"`
}

// licenseState is what the header and the menu need of GET /api/v1/license/status.
type licenseState struct {
	State      string     `json:"state"`
	ReadOnly   bool       `json:"read_only"`
	GraceUntil *time.Time `json:"grace_until"`
	ValidUntil *time.Time `json:"valid_until"`
}

// stateMsg is an answer about the panel; the one of the regular look brings the next look.
type stateMsg struct {
	state   panelState
	regular bool
}

type lookMsg struct{}

// lookAtPanel asks everything that the header shows, within its deadline.
func (w *session) lookAtPanel(ctx context.Context, regular bool) tea.Cmd {
	env := w.fixed()
	client, err := env.Client()
	token := env.Getenv("PANEL_API_TOKEN")
	// A refusal is a line in the panel's journal: the same token is not shown twice.
	hopeless := token == "" || w.state.refused && w.state.token == token
	return func() tea.Msg {
		if err != nil {
			return stateMsg{panelState{asked: true, silence: err}, regular}
		}
		within, cancel := context.WithTimeout(ctx, lookWithin)
		defer cancel()
		state := panelState{asked: true, refused: true}
		if hopeless {
			state = askHealth(within, client, state)
		} else {
			state = askPanel(within, client)
		}
		if ctx.Err() != nil {
			return nil // whoever asked has left: that the call broke off says nothing about the panel
		}
		state.token = token
		return stateMsg{state, regular}
	}
}

func askPanel(ctx context.Context, client *cli.Client) panelState {
	state := panelState{asked: true}
	err := client.Get(ctx, "/api/v1/system/status", &state.status)
	if err == nil {
		state.healthy, state.version = state.status.Status == "running", state.status.Version
		state.license = askLicense(ctx, client)
		return state
	}
	var answered *cli.APIError
	if !errors.As(err, &answered) {
		state.silence = err
		return state
	}
	state.refused = answered.Status == http.StatusUnauthorized || answered.Status == http.StatusForbidden
	return askHealth(ctx, client, state)
}

// askHealth needs no token and is believed of an unhealthy panel too.
func askHealth(ctx context.Context, client *cli.Client, state panelState) panelState {
	status, body, err := client.Answer(ctx, http.MethodGet, "/health", nil)
	if err != nil {
		state.silence = err
		return state
	}
	var health struct{ Version string }
	if json.Unmarshal(body, &health) == nil {
		state.version = health.Version
	}
	state.healthy = status == http.StatusOK && state.version != ""
	return state
}

// askLicense gives nil where the panel has no license, or this token may not see it.
func askLicense(ctx context.Context, client *cli.Client) *licenseState {
	license := new(licenseState)
	if client.Get(ctx, "/api/v1/license/status", license) != nil {
		return nil
	}
	return license
}

// stateLine is the second line of the frame: the panel in one look.
func (w *session) stateLine(room int) string {
	s := w.state
	switch {
	case !s.asked:
		return w.look.spinner(w.step) + " " + w.say("asking the panel")
	case s.silence != nil:
		return w.look.paint(
			bad,
			w.look.plain("○"),
		) + " " + w.say(
			"not reachable",
		) + "   " + w.look.paint(
			quiet,
			w.say("Doctor, logs and password reset work all the same"),
		)
	case s.refused:
		return w.healthWord() + "   " + w.look.paint(quiet, w.say("details need a sign-in: i"))
	}
	return w.fitting(w.facts(), room)
}

// fact is a part of the state line; a dispensable one gives way on a narrow screen, the first of them first.
type fact struct {
	text        string
	dispensable int
}

func (w *session) facts() []fact {
	s := w.state
	facts := []fact{{text: w.healthWord()}, {text: w.say("DB %s", s.status.Database)}, {text: w.setupWord()}}
	if s.status.SetupDone {
		facts[2].dispensable = 2
	}
	if s.status.UptimeSeconds > 0 {
		facts = append(facts, fact{w.say("up %s", w.span(time.Duration(s.status.UptimeSeconds)*time.Second)), 1})
	}
	if s.license != nil {
		facts = append(facts, fact{text: w.say("license: %s", w.licenseWord())})
	}
	return facts
}

func (w *session) fitting(facts []fact, room int) string {
	join := func(gap string) string {
		var texts []string
		for _, one := range facts {
			texts = append(texts, one.text)
		}
		return strings.Join(texts, gap)
	}
	for first := 1; first <= 2 && w.look.width(join("  ")) > room; first++ {
		facts = slices.DeleteFunc(facts, func(one fact) bool { return one.dispensable == first })
	}
	if text := join("   "); w.look.width(text) <= room {
		return text
	}
	return join("  ")
}

func (w *session) healthWord() string {
	if w.state.healthy {
		return w.look.paint(good, w.look.plain("●")) + " running"
	}
	word := w.state.status.Status
	if word == "" {
		word = "unavailable"
	}
	return w.look.paint(bad, w.look.plain("●")) + " " + word
}

func (w *session) setupWord() string {
	if w.state.status.SetupDone {
		return w.say("setup done")
	}
	return w.look.paint(careful, w.say("setup not done"))
}

// licenseWord keeps the word of the state in every language.
func (w *session) licenseWord() string {
	license := w.state.license
	switch {
	case license.ReadOnly:
		return w.look.paint(bad, license.State)
	case license.GraceUntil != nil:
		return w.look.paint(careful, license.State+" "+w.say("%dh", w.hoursTo(*license.GraceUntil)))
	}
	return license.State
}

func (w *session) hoursTo(moment time.Time) int {
	return max(0, int(moment.Sub(w.clock.Now()).Hours()))
}

// span is a duration with its two largest units.
func (w *session) span(d time.Duration) string {
	days, hours, minutes := int(d.Hours())/24, int(d.Hours())%24, int(d.Minutes())%60
	switch {
	case days > 0:
		return w.say("%dd %dh", days, hours)
	case hours > 0:
		return w.say("%dh %dm", hours, minutes)
	case minutes > 0:
		return w.say("%dm", minutes)
	}
	return w.say("%ds", int(d.Seconds()))
}
