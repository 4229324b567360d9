package tui

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/cli"
	"panel/platform/doctor"
	"panel/platform/logs"
)

// manyChecks is a machine with more checks than a small screen has lines; each asks for something.
func manyChecks(w *session) {
	var all []doctor.Check
	for i := range 40 {
		finding := doctor.Finding{
			Status: doctor.Warning,
			Found:  doctor.Say("%s", fmt.Sprintf("finding %02d", i)),
			Do:     doctor.Say("%s", "do something"),
		}
		all = append(all, sample(fmt.Sprintf("services.c%02d", i), "services", fmt.Sprintf("check %02d", i), finding))
	}
	w.doctor = func(env cli.Env) (doctor.Env, []doctor.Check) {
		return doctor.Env{Getenv: env.Getenv, Now: func() time.Time { return noon }}, all
	}
}

// A page down is a page, not a jump to the end.
func TestAPageOfChecksIsAPage(t *testing.T) {
	t.Parallel()
	w := stillSession(t, settings{"PANEL_LANG": "en"})
	manyChecks(w)
	st := newStage(t, w, 80, 24)
	st.opens("2").until(" 1/40").keys("pgdown")
	require.Contains(t, st.frame(), " 13/40")
	st.keys("end").until(" 40/40")
}

// What does not fit is not cut in silence: the screen says how much follows, and the keys for moving show it.
func TestAPageThatIsTooLongIsScrolled(t *testing.T) {
	t.Parallel()
	w := stillSession(t, settings{"PANEL_LANG": "en"})
	manyChecks(w)
	st := newStage(t, w, 80, 24)
	st.opens("1").until("finding 00").until("more lines")
	require.NotContains(t, st.frame(), "finding 39")
	st.keys("end").until("finding 39")
	require.NotContains(t, st.frame(), "more lines")
	st.keys("up").until("more lines").keys("g").until("finding 00")
}

// Who is not signed in is told the next step, not an error; after the sign-in the license is there.
func TestTheLicenseWaitsForASignIn(t *testing.T) {
	t.Parallel()
	panel := newFakePanel(t)
	st := newStage(t, stillSession(t, settings{"PANEL_API_URL": panel.URL, "PANEL_LANG": "en"}), 80, 24)
	st.until("details need a sign-in").opens("4").until("press i to sign in")
	require.NotContains(t, st.frame(), "Error")
	st.opens("x").
		until("Username:").
		keys("=anna", "enter", "=right", "enter").
		until("Code of the app").
		keys("=123456", "enter").
		until("Pro")
	require.False(t, panel.did("/api/v1/license/remove "))
	require.Zero(t, panel.refusals())
}

// A remark belongs to the page that made it.
func TestARemarkGoesWithItsPage(t *testing.T) {
	t.Parallel()
	st := newStage(t, stillSession(t, settings{"PANEL_LANG": "en"}), 80, 24)
	st.opens("2").until("panel.service").keys("e").until("run the diagnosis first").keys("esc")
	require.NotContains(t, st.frame(), "run the diagnosis first")
}

// What happened stands before what only machines read, and messages stand below each other.
func TestALogLineBeginsWithWhatHappened(t *testing.T) {
	t.Parallel()
	w := stillSession(t, nil)
	attrs := map[string]any{
		"request_id": "r",
		"ip":         "192.0.2.1",
		"took":       0.1,
		"method":     "GET",
		"route":      "/health",
		"status":     200,
	}
	text := w.lineText(logs.Line{Time: noon, Level: "INFO", Component: "http", Message: "request", Attrs: attrs})
	require.Equal(
		t,
		"14:05:00 INFO  http       request method=GET route=/health status=200 ip=192.0.2.1 took=0.1 request_id=r",
		text,
	)
}

func TestNumbersHaveTheSignOfTheLanguage(t *testing.T) {
	t.Parallel()
	var said []string
	for _, language := range []string{"en", "ru"} {
		said = append(said, stillSession(t, settings{"PANEL_LANG": language}).seconds(1500*time.Millisecond))
	}
	require.True(t, slices.Equal([]string{"1.5 s", "1,5 с"}, said), "%v", said)
}

// Leaving a page in the middle of a question does not make the panel look unreachable.
func TestAQuestionThatIsLeftSaysNothingAboutThePanel(t *testing.T) {
	t.Parallel()
	w := stillSession(t, newFakePanel(t).vars())
	left, leave := context.WithCancel(t.Context())
	look := w.lookAtPanel(left, false)
	leave()
	require.Nil(t, look())
	require.IsType(t, stateMsg{}, w.lookAtPanel(t.Context(), false)())
}
