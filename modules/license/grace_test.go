package license

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Specification, License: "active | license server temporarily unavailable | grace period | default length 72 hours",
// also for a panel that was off for longer than that: one 503 does not make it read-only.
func TestAPanelThatWasOffHasItsWholeGrace(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	p.activated()
	p.wall.Advance(30 * 24 * time.Hour)
	p.steady.Advance(30 * 24 * time.Hour)
	p.restart()
	p.is("active", "ok")
	p.authority.fails(status503)
	seen := p.looked()
	require.Equal(t, "grace", seen.State)
	require.WithinDuration(t, p.clock.Now().Add(72*time.Hour), *seen.GraceUntil, time.Minute)
	p.pass(71 * time.Hour)
	p.is("grace", "unreachable")
	p.pass(2 * time.Hour)
	p.is("degraded", "unreachable")
}

// Specification, Limits: grace has "default 72 hours": neither restarts nor a clock that is set back before each of
// them nor an older database nor another failure makes more of them; a good answer alone does.
func TestNothingButAnAnswerBeginsGraceAnew(t *testing.T) {
	t.Parallel()
	for name, between := range map[string]func(*testing.T, *panel){
		"restart": func(*testing.T, *panel) {},
		"clock set back": func(t *testing.T, p *panel) {
			p.noteTime(t.Context(), p.clock.Now())
			p.wall.Advance(-9 * time.Hour)
		},
		"older database": func(t *testing.T, p *panel) {
			_, err := p.store.db.ExecContext(t.Context(),
				"update licenses set failing_since = null, told_state = 'active'")
			require.NoError(t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPanel(t)
			p.activated()
			p.authority.fails(status503)
			until := *p.refreshed().GraceUntil
			for range 7 {
				p.pass(10 * time.Hour)
				between(t, p)
				p.restart()
				p.looked()
				require.Equal(t, until, *p.is("grace", "unreachable").GraceUntil)
			}
			p.pass(10 * time.Hour)
			p.is("degraded", "unreachable")
			p.authority.fails(nil)
			p.refreshed()
			p.is("active", "ok")
			p.authority.fails(status503)
			p.refreshed()
			require.True(t, p.is("grace", "unreachable").GraceUntil.After(until))
		})
	}
}

// A panel that is ended in every question, before its server can count as failing, has no more than grace either. To
// end once is no failure.
func TestAPanelThatNeverLivesToAnAnswerHasGraceAlone(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	p.activated()
	ended := func() {
		p.wall.Advance(9 * time.Hour)
		p.steady.Advance(9 * time.Hour)
		life, end := context.WithCancel(t.Context())
		p.authority.fails(func(_ http.ResponseWriter, r *http.Request) { end(); <-r.Context().Done() })
		require.NoError(t, p.questions.Run(life))
		p.restart()
	}
	ended()
	p.is("active", "ok")
	ended()
	until := *p.is("grace", "unreachable").GraceUntil
	for range 7 {
		ended()
		require.Equal(t, until, *p.is("grace", "unreachable").GraceUntil)
	}
	ended()
	p.is("degraded", "unreachable")
	p.authority.fails(nil)
	p.refreshed()
	p.is("active", "ok")
}

// A copy in the data folder that is older than the database says nothing about the outage of today.
func TestAFailureBeforeTheLatestAnswerIsForgotten(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	p.activated()
	p.authority.fails(status503)
	p.refreshed()
	old, err := p.file.read()
	require.NoError(t, err)
	require.NotNil(t, old.FailingSince)
	p.authority.fails(nil)
	p.pass(time.Hour)
	p.refreshed()
	require.NoError(t, p.file.write(old))
	p.restart()
	p.is("active", "ok")
}

// Whoever asks while another question is under way is told so in time.
func TestAQuestionWaitsForAnotherOneOnlySoLong(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	p.activated()
	require.NoError(t, p.begin(t.Context()))
	gone, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err := p.Activate(gone, "PNL-0000-0000-0000")
	p.refused(err, "unavailable")
	_, err = p.Remove(gone)
	p.refused(err, "unavailable")
	p.end()
	require.Equal(t, "active", p.refreshed().State)
}
