package license

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
)

// broken is a clock with which no question can be put.
type broken struct {
	clockwork.Clock
	tries atomic.Int64
}

func (b *broken) Now() time.Time {
	b.tries.Add(1)
	panic("no time")
}

// A panic in the question ends neither the panel nor repeats for ever: after three tries, with pauses, it counts as a
// question without an answer, and the next one is put a quarter of an hour later. On a machine that stalls for seconds
// a try may count twice or not at all, as the lease then ends in the middle of it, and the reason is that stall.
func TestAPanicInTheQuestionIsOneWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	p.activated()
	sound, fails := p.client.watch, &broken{}
	p.client.watch = fails
	p.wall.Advance(9 * time.Hour)
	stop := p.drives()
	const pausing = "lease_token = '' and lease_until > now() + interval '30 s'"
	const ended = pausing + " and lease_failures = 0 and not asking"
	eventually := func(columns string) {
		t.Helper()
		require.Eventually(t, func() bool { return p.stored(columns) == "true" }, 60*time.Second, time.Millisecond)
	}
	reasons := map[string]bool{}
	failed := func() {
		t.Helper()
		reason := p.stored("lease_error")
		require.Contains(t, []string{"panic: no time", "the panel that drove it was killed or stalled"}, reason)
		reasons[reason] = true
	}
	for eventually(pausing); p.stored(ended) != "true"; eventually(pausing) {
		failed()
		require.Less(t, fails.tries.Load(), int64(3*questionTries))
		p.is("active", "ok")
		require.NotContains(t, p.news.kinds(), kindGrace)
		stop()
		p.set("lease_until = now()") // the pause is over
		stop = p.drives()
	}
	stop()
	require.GreaterOrEqual(t, fails.tries.Load(), int64(questionTries-1))
	failed()
	require.True(t, reasons["panic: no time"], "a try that did not stall leaves its panic as the reason")
	require.Equal(t, "true", p.stored("next_check_at > check_at + interval '13 minutes'"))
	require.Equal(t, givenUp.summary, *p.is("grace", "unreachable").LastCheck.Error)
	require.Contains(t, p.news.kinds(), kindGrace)
	require.Contains(t, p.journal.lines(), "license.grace_started failed")
	p.client.watch = sound
	p.set("lease_until = now()")
	p.pass(17 * time.Minute)
	p.is("active", "ok")
	require.Equal(t, "true", p.stored("lease_error = '' and lease_failures = 0 and not asking"))
}

// What a person asks for is not in the way of the clock's question for long, and is not repeated by it.
func TestAQuestionWaitsForTheOneOfAPerson(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	p.activated()
	p.wall.Advance(9 * time.Hour)
	require.NoError(t, p.begin(t.Context()))
	asked := p.authority.asked.Load()
	p.asks()
	require.Equal(t, asked, p.authority.asked.Load())
	require.Equal(t, "true", p.stored("lease_failures = 0 and not asking"))
	p.end()
	p.refreshed()
	p.set("lease_until = now()")
	p.looked()
	require.Equal(t, asked+1, p.authority.asked.Load())
}

// A panel that was frozen in its question, while another one took it over, writes nothing when it wakes up.
func TestAFencedPanelWritesNothing(t *testing.T) {
	t.Parallel()
	const took = "lease_token = 'another panel', lease_until = now() + interval '1 hour', check_error = 'of the other'"
	for name, wakesUp := range map[string]func(*panel){
		"with an answer": func(p *panel) { p.authority.fails(nil) },
		"with a failure": func(*panel) {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPanel(t)
			p.activated()
			p.wall.Advance(9 * time.Hour)
			lines, kinds := p.journal.lines(), p.news.kinds()
			var kept string
			p.authority.fails(func(w http.ResponseWriter, r *http.Request) {
				p.set(took)
				kept = p.stored("to_jsonb(licenses)")
				wakesUp(p)
				if p.authority.fault.Load() == nil {
					p.authority.front.Config.Handler.ServeHTTP(w, r)
					return
				}
				w.WriteHeader(http.StatusServiceUnavailable)
			})
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			asked := p.authority.asked.Load()
			go func() { ended <- p.questions.Run(ctx) }()
			require.Eventually(t, func() bool { return p.authority.asked.Load() > asked },
				60*time.Second, time.Millisecond)
			require.NoError(t, p.begin(t.Context()), "the question has come to its end")
			p.end()
			stop()
			require.NoError(t, <-ended)
			require.NotEmpty(t, kept)
			require.Equal(t, kept, p.stored("to_jsonb(licenses)"))
			require.Equal(t, lines, p.journal.lines())
			require.Equal(t, kinds, p.news.kinds())
			p.is("active", "ok")
		})
	}
}

// A panel that stops in its question gives it back: another one asks at once, and the stop is no failure.
func TestAStoppingPanelReleasesTheQuestion(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	p.activated()
	other := panelOn(t, p.authority, p.store.db, t.TempDir())
	p.wall.Advance(9 * time.Hour)
	life, end := context.WithCancel(t.Context())
	p.authority.fails(func(_ http.ResponseWriter, r *http.Request) { end(); <-r.Context().Done() })
	require.NoError(t, p.questions.Run(life))
	require.Equal(t, "true", p.stored("lease_token = '' and lease_until <= now() and lease_failures = 0 and asking"))
	p.authority.fails(nil)
	asked := p.authority.asked.Load()
	other.pass(9 * time.Hour)
	require.Equal(t, asked+1, p.authority.asked.Load())
	other.is("active", "ok")
	require.Empty(t, other.news.kinds(), "nobody is told of a grace period that no outage began")
	require.Equal(t, "true", p.stored("lease_token = '' and not asking and failing_since is null"))
}

// An answer that is older than the one that is kept changes nothing, and the server is not asked again and again.
func TestAnAnswerThatIsTooOldIsNotAskedForAtOnceAgain(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	p.activated()
	p.look().document.IssuedAt = p.look().document.IssuedAt.Add(24 * time.Hour)
	document := p.look().Document
	asked := p.authority.asked.Load()
	p.pass(9 * time.Hour)
	p.looked()
	require.Equal(t, asked+1, p.authority.asked.Load())
	require.Equal(t, document, p.stored("document"))
	require.Equal(t, "true", p.stored("lease_until > now() + interval '14 minutes'"))
}

// A license that takes the place of another one does not wait for the pause of the former question.
func TestANewLicenseEndsThePauseOfTheFormerQuestion(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	p.activated()
	p.set("lease_until = now() + interval '1 hour'")
	p.activated()
	require.Equal(t, "true", p.stored("lease_until <= now()"))
}
