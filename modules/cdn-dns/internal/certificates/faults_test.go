package certificates_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/cdn-dns/acmetest"
	"panel/modules/cdn-dns/internal/certificates"
	"panel/platform/fault"
	"panel/platform/paneltest"
)

const day = 24 * time.Hour

// issued has a quiet panel work until each of the host names, which lie in zones of two labels, has a certificate.
func (s *stand) issued(hosts ...string) (ids []string) {
	s.t.Helper()
	for _, host := range hosts {
		_, zone, _ := strings.Cut(host, ".")
		id := s.ensure(host, zone)
		require.NoError(s.t, s.Order(s.t.Context(), id))
		s.finishes(host)
		ids = append(ids, id)
	}
	return ids
}

// given is what nodes get for a host name.
func (s *stand) given(host string) certificates.Pair {
	s.t.Helper()
	pairs, err := s.Pairs(s.t.Context(), host)
	require.NoError(s.t, err)
	return pairs[host]
}

func (s *stand) open() int {
	s.t.Helper()
	return s.number("select count(*) from certificate_orders where finished_at is null")
}

// hangs lets no answer to some requests come back, and counts them.
func hangs(path string) (count *atomic.Int32, hook func(http.ResponseWriter, *http.Request) bool) {
	count = new(atomic.Int32)
	return count, func(_ http.ResponseWriter, r *http.Request) bool {
		if !strings.Contains(r.URL.Path, path) {
			return false
		}
		count.Add(1)
		<-r.Context().Done()
		return true
	}
}

// An authority that takes requests and never answers delays neither the alarm of what expires nor the renewals that are
// due, and no certificate waits for another one's turn.
func TestAnAuthorityThatHangsSilencesNoAlarmAndHoldsNoRenewalUp(t *testing.T) {
	t.Parallel()
	s := newStand(t, true)
	s.issued("a.hang.test", "b.stuck.test")
	made, now := acmetest.NewRoot(t), s.clock.Now()
	_, err := s.Upload(t.Context(), certificates.Pair(made.Sign(now.Add(-time.Hour), now.Add(70*day), "own.test")))
	require.NoError(t, err)
	asked, hook := hangs("renewalInfo")
	s.gate.set(func(g *gate) { g.before = hook })
	news := s.Follow()
	s.clock.Advance(61 * day)
	s.due()
	require.Equal(t, []string{"own.test"}, paneltest.NextData[certificates.News](news, certificates.KindExpiring).Names)
	require.Equal(t, 2, s.open(), "both are renewed when a third of their lifetime is left")
	require.EqualValues(t, 1, asked.Load(), "who does not answer for one is not asked about the next")
}

// What was heard from the authority before holds while it hangs, and what was not asked is asked at the next look.
func TestWhatAHangingAuthoritySaidBeforeHolds(t *testing.T) {
	t.Parallel()
	s := newStand(t, true)
	s.issued("a.early.test", "b.later.test")
	from := s.clock.Now().Add(5 * day)
	answered := atomic.Int32{}
	s.gate.set(func(g *gate) {
		g.before = func(w http.ResponseWriter, r *http.Request) bool {
			if !strings.Contains(r.URL.Path, "renewalInfo") {
				return false
			}
			answered.Add(1)
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"suggestedWindow":{"start":%q,"end":%q}}`, from.Format(time.RFC3339),
				from.Add(time.Hour).Format(time.RFC3339))
			return true
		}
	})
	s.due()
	require.EqualValues(t, 2, answered.Load())
	chosen := s.shown("a.early.test").RenewAt
	require.WithinRange(t, *chosen, from.Add(-time.Second), from.Add(time.Hour+time.Second))

	asked, hook := hangs("renewalInfo")
	s.gate.set(func(g *gate) { g.before = hook })
	s.clock.Advance(7 * time.Hour)
	for range 2 {
		s.due()
	}
	require.EqualValues(t, 2, asked.Load(), "one certificate at each look")
	require.Equal(t, chosen, s.shown("a.early.test").RenewAt)
	require.Zero(t, s.open())
}

// An authority that is down ends an order after a while with the reason and without its address. What is in use serves
// on, and the next order comes by itself when the authority is back.
func TestAnAuthorityThatIsDownLeavesTheCertificateInUse(t *testing.T) {
	t.Parallel()
	s := newStand(t, true)
	const host = "a.down.test"
	s.issued(host)
	before, inUse, news := s.shown(host), s.given(host), s.Follow()
	s.gate.set(func(g *gate) {
		g.before = func(http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) }
	})
	s.clock.Advance(61 * day)
	s.due()
	// The last of eight attempts, which follow each other slowly.
	_, err := s.db.NewRaw("update certificate_orders set lease_failures = 7 where finished_at is null").
		Exec(t.Context())
	require.NoError(t, err)
	s.ends(host, certificates.StateFailed)
	failed := s.shown(host)
	require.Contains(t, failed.LastError, "the certificate authority could not be used")
	require.NotContains(t, failed.LastError, "127.0.0.1")
	require.Equal(t, before.Fingerprint, failed.Fingerprint)
	require.Equal(t, inUse, s.given(host), "nodes keep what they have")
	told := paneltest.NextData[certificates.News](news, certificates.KindFailed)
	require.Equal(t, *before.NotAfter, told.NotAfter)
	require.WithinDuration(t, *failed.RetryAt, told.NextTry, time.Millisecond)
	require.Zero(t, s.zone.left())

	s.gate.set(func(g *gate) { g.before = nil })
	s.clock.Advance(max(failed.RetryAt.Sub(s.clock.Now()), 0) + time.Second)
	s.due()
	stop := s.working()
	defer stop()
	require.Eventually(t, func() bool { return s.shown(host).Fingerprint != before.Fingerprint }, within, every)
}

// A certificate for a key of somebody else, handed out in the place of the one that was ordered, does not take the
// place of the one in use.
func TestWhatWasNotOrderedTakesNoPlace(t *testing.T) {
	t.Parallel()
	s := newStand(t, true)
	const host = "a.other.test"
	id := s.issued(host)[0]
	inUse, now := s.given(host), s.clock.Now()
	chain := acmetest.NewRoot(t).Sign(now.Add(-time.Hour), now.Add(90*day), "*.other.test", "other.test").Chain
	s.gate.set(func(g *gate) {
		g.before = func(w http.ResponseWriter, r *http.Request) bool {
			if !strings.HasPrefix(r.URL.Path, "/certZ") {
				return false
			}
			w.Header().Set("Content-Type", "application/pem-certificate-chain")
			_, _ = io.WriteString(w, chain)
			return true
		}
	})
	require.NoError(t, s.Order(t.Context(), id))
	s.ends(host, certificates.StateFailed)
	require.Contains(t, s.shown(host).LastError, "do not belong together")
	require.Equal(t, inUse, s.given(host))
}

// ends lets a quiet panel work until an order has come to this state.
func (s *stand) ends(host, state string) {
	s.t.Helper()
	stop := s.working()
	defer stop()
	s.until(host, state)
}

// A proof that could not be removed when its order ended is removed later, once, and is not forgotten meanwhile.
func TestAProofThatStaysIsRemovedLater(t *testing.T) {
	t.Parallel()
	s := newStand(t, true)
	s.zone.set(func(z *zone) { z.keeps = errors.New("the service does not answer") })
	s.issued("a.tidy.test")
	require.NotZero(t, s.zone.left(), "the certificate does not wait for that")
	require.Error(t, s.Due(t.Context()), "it is said")
	require.NotZero(t, s.zone.left())
	s.zone.set(func(z *zone) { z.keeps = nil })
	s.due()
	require.Zero(t, s.zone.left())
	require.Zero(t, s.number("select count(*) from certificate_orders where records <> '[]'"))
}

// A proof that nobody can remove is given up after a week.
func TestAProofIsNotLookedForForEver(t *testing.T) {
	t.Parallel()
	s := newStand(t, true)
	s.zone.set(func(z *zone) { z.keeps = errors.New("the service does not answer") })
	s.issued("a.weeds.test")
	tries := func() (n int) {
		s.zone.set(func(z *zone) { n = z.removals })
		return n
	}
	before := tries()
	require.Error(t, s.Due(t.Context()))
	require.Greater(t, tries(), before)
	s.clock.Advance(8 * day)
	before = tries()
	require.NoError(t, s.Due(t.Context()))
	require.Equal(t, before, tries())
}

// The settings name another authority while an order is on its way: it ends before anything is asked. The budgets of
// authorities are counted apart.
func TestAnOrderEndsWithItsAuthority(t *testing.T) {
	t.Parallel()
	s := newStand(t, true)
	const host = "a.moved.test"
	id := s.ensure(host, "moved.test")
	s.asked(5, "*.moved.test,moved.test", "moved.test", true, time.Hour)
	require.Equal(t, "certificate_budget_spent", fault.Code(s.Order(t.Context(), id)))
	here := s.authority
	s.authority.Directory = s.gate.URL + "/dir?of=another"
	require.NoError(t, s.Order(t.Context(), id), "another authority has its own budget")
	s.authority = here
	s.ends(host, certificates.StateFailed)
	require.Contains(t, s.shown(host).LastError, "its authority was changed")
	require.Zero(t, s.gate.count("order-plz"), "nothing was asked of the authority that it was not for")
	require.Zero(t, s.number("select count(*) from certificate_orders where asked_at > ?", s.clock.Now().Add(-time.Minute)),
		"nothing counts that was never signed")
}

// A certificate that nobody can read any more keeps none of the others from being looked at.
func TestOneBadCertificateHoldsNoOtherUp(t *testing.T) {
	t.Parallel()
	s := newStand(t, true)
	s.issued("a.broken.test", "b.whole.test")
	_, err := s.db.NewRaw(`update certificates set chain = 'no PEM', not_after = not_after - interval '1 day'
		where names @> '{broken.test}'`).Exec(t.Context())
	require.NoError(t, err)
	require.ErrorContains(t, s.Due(t.Context()), "read a stored certificate")
	require.True(t, s.shown("b.whole.test").RenewAt.After(s.clock.Now()))
	require.Equal(t, 1, s.number("select count(*) from certificates where ask_at > ?", s.clock.Now()), "it was asked about")
}
