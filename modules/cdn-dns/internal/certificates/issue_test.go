package certificates_test

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/cdn-dns/acmetest"
	"panel/modules/cdn-dns/internal/certificates"
	"panel/platform/fault"
	"panel/platform/paneltest"
	"panel/platform/vault"
)

// One wildcard serves all nodes of a zone. Its key is sealed, its records are gone, and what happened is told.
func TestAWildcardIsIssued(t *testing.T) {
	t.Parallel()
	s := newStand(t, false)
	news := s.Follow()
	id, shown := s.issue("node-1.alpha.test", "alpha.test")
	require.Equal(t, []string{"*.alpha.test", "alpha.test"}, shown.Names)
	require.Equal(t, id, s.shown("node-2.alpha.test").ID)
	require.Empty(t, s.shown("deep.node-2.alpha.test").ID, "a wildcard covers one label")
	require.Contains(t, shown.Issuer, "Pebble")
	require.Equal(t, certificates.ChallengeDNS, shown.Challenge)
	require.WithinDuration(t, s.clock.Now().Add(60*24*time.Hour), *shown.RenewAt, time.Hour)
	require.Zero(t, s.zone.left())

	sealed := s.text("select key from certificates where id = ?", id)
	plain, err := s.vault.Open(vault.Ref{Table: "certificates", ID: id, Column: "key"}, sealed)
	require.NoError(t, err)
	_, err = tls.X509KeyPair([]byte(s.text("select chain from certificates where id = ?", id)), plain)
	require.NoError(t, err)
	require.Empty(t, s.text("select key from certificate_orders"), "a key is kept once")
	require.NotContains(t, s.text("select key from certificate_accounts"), "PRIVATE")

	require.Equal(t, []string{"*.alpha.test", "alpha.test"},
		paneltest.NextData[certificates.News](news, certificates.KindIssued).Names)
	require.Equal(t, []string{certificates.ActionOrdered, certificates.KindIssued}, s.Recorded(certificates.Object, id))
}

// The longest name that a record can prove, and one of another alphabet.
func TestNamesOfAnyLengthAndAlphabetAreIssued(t *testing.T) {
	t.Parallel()
	s := newStand(t, false)
	longest := strings.Repeat(strings.Repeat("l", 56)+".", 4) + "aaa.test"
	require.Len(t, "_acme-challenge."+longest, 252)
	_, shown := s.issue("n1.xn--e1afmkfd.test", "xn--e1afmkfd.test")
	require.Equal(t, []string{"*.xn--e1afmkfd.test", "xn--e1afmkfd.test"}, shown.Names)
	_, shown = s.issue(longest, "aaa.test")
	require.Equal(t, []string{longest}, shown.Names)
	require.Zero(t, s.zone.left())
}

// A panel whose clock is wrong by a day orders and renews all the same, and what is in use is never taken for expired.
func TestAClockThatIsWrongByADay(t *testing.T) {
	t.Parallel()
	for name, wrong := range map[string]time.Duration{"behind": -24 * time.Hour, "ahead": 24 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStand(t, false)
			s.clock.Advance(wrong)
			id, first := s.issue("a.sigma.test", "sigma.test")
			s.due()
			require.Equal(t, first.Serial, s.until("a.sigma.test", certificates.StateValid).Serial, "nothing is renewed early")
			require.NoError(t, s.Order(t.Context(), id))
			require.Eventually(t, func() bool { return s.shown("a.sigma.test").Serial != first.Serial }, within, every)
			require.Equal(t, certificates.StateValid, s.until("a.sigma.test", certificates.StateValid).State)
		})
	}
}

// Whoever asks, and however often: there is one order at a time, and one account.
func TestTwoPanelsOrderOnce(t *testing.T) {
	t.Parallel()
	s := newStand(t, false)
	other := s.another()
	id := s.ensure("a.beta.test", "beta.test")
	require.Equal(t, id, other.ensure("b.beta.test", "beta.test"))
	var asking sync.WaitGroup
	for i := range 8 {
		one := []*stand{s, other}[i%2]
		asking.Go(func() { require.NoError(t, one.Order(t.Context(), id)) })
	}
	asking.Wait()
	s.until("a.beta.test", certificates.StateValid)
	s.clock.Advance(61 * 24 * time.Hour)
	for range 2 {
		asking.Go(s.due)
		asking.Go(other.due)
	}
	asking.Wait()
	require.Eventually(t, func() bool {
		return s.number("select count(*) from certificate_orders where stage = 'done'") == 2
	}, within, every)
	require.Equal(t, 2, s.gate.count("finalize-order"), "one issue and one renewal")
	require.Equal(t, 1, s.number("select count(*) from certificate_accounts"))
}

// An order whose panel ends at any moment, with the answer of the authority lost, goes on at another panel: the
// certificate is signed once, and the records are removed.
func TestAnOrderSurvivesItsPanelAtEachStage(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"sign-me-up", "order-plz", "authZ", "chalZ", "finalize-order", "certZ"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			s := newStand(t, true)
			id := s.ensure("a.gamma.test", "gamma.test")
			require.NoError(t, s.Order(t.Context(), id))
			s.killedAt(at)

			s.another().finishes("a.gamma.test")
			require.Equal(t, 1, s.gate.count("finalize-order"), "signed once")
			require.Equal(t, 1, s.number("select count(*) from certificate_orders"))
			require.Zero(t, s.zone.left())
		})
	}
}

// killedAt lets this panel work until the authority has answered a call of this kind. The answer is lost.
func (s *stand) killedAt(call string) {
	s.t.Helper()
	running, kill := context.WithCancel(s.t.Context())
	var once sync.Once
	s.gate.set(func(g *gate) {
		g.after = func(r *http.Response) (lost error) {
			if strings.HasPrefix(r.Request.URL.Path, "/"+call) {
				once.Do(func() {
					kill()
					lost = errors.New("the answer is lost")
				})
			}
			return lost
		}
	})
	s.run(running)
	require.Error(s.t, running.Err(), "the panel has met the moment")
}

// A renewal whose panel ends at any moment goes on at the next one and is signed once. Until its end the certificate
// before is the one that is given out.
func TestARenewalSurvivesItsPanelAtEachStage(t *testing.T) {
	t.Parallel()
	s := newStand(t, true)
	const host = "a.upsilon.test"
	id := s.ensure(host, "upsilon.test")
	require.NoError(t, s.Order(t.Context(), id))
	s.finishes(host)
	for i, at := range []string{"order-plz", "finalize-order", "certZ"} {
		before, err := s.Pairs(t.Context(), host)
		require.NoError(t, err)
		require.NoError(t, s.Order(t.Context(), id))
		s.killedAt(at)
		held, err := s.Pairs(t.Context(), host)
		require.NoError(t, err)
		require.Equal(t, before, held, "killed at %s", at)
		require.Equal(t, certificates.StateValid, s.shown(host).State)

		s.finishes(host)
		after, err := s.Pairs(t.Context(), host)
		require.NoError(t, err)
		require.NotEqual(t, before[host].Chain, after[host].Chain, "killed at %s", at)
		require.Equal(t, i+2, s.gate.count("finalize-order"), "one issue and a renewal for each kill")
		require.Zero(t, s.zone.left())
	}
}

// finishes lets this panel work until the certificate is there.
func (s *stand) finishes(hostname string) {
	s.t.Helper()
	stop := s.working()
	defer stop()
	s.until(hostname, certificates.StateValid)
}

// working lets a quiet panel work until it is stopped.
func (s *stand) working() (stop func()) {
	running, cancel := context.WithCancel(s.t.Context())
	var work sync.WaitGroup
	work.Go(func() { s.run(running) })
	return func() {
		cancel()
		work.Wait()
	}
}

// What breaks off on the way is tried again by itself.
func TestAnOrderOutlivesABrokenConnection(t *testing.T) {
	t.Parallel()
	s := newStand(t, false)
	var broken sync.Map
	s.gate.set(func(g *gate) {
		g.before = func(_ http.ResponseWriter, r *http.Request) bool {
			stage := strings.Split(r.URL.Path, "/")[1]
			n, _ := broken.LoadOrStore(stage, new(int))
			if *n.(*int)++; stage != "dir" && *n.(*int) == 1 {
				panic(http.ErrAbortHandler)
			}
			return false
		}
	})
	s.issue("a.delta.test", "delta.test")
}

// Retry-After is obeyed and kept, also against people; then the panel goes on by itself.
func TestRetryAfterIsObeyedAndKept(t *testing.T) {
	t.Parallel()
	s := newStand(t, false)
	s.gate.set(func(g *gate) { g.before = retryAfter(7200) })
	id := s.ensure("a.epsilon.test", "epsilon.test")
	require.NoError(t, s.Order(t.Context(), id))
	shown := s.until("a.epsilon.test", certificates.StateFailed)
	require.Contains(t, shown.LastError, "too many certificates")
	require.WithinDuration(t, s.clock.Now().Add(2*time.Hour), *shown.RetryAt, time.Minute)

	err := s.Order(t.Context(), id)
	require.Equal(t, "certificate_held", fault.Code(err))
	said, _ := fault.As(err)
	require.InDelta(t, 7200, said.RetryAfter.Seconds(), 60)
	asked := s.gate.count("order-plz")
	s.clock.Advance(119 * time.Minute)
	s.due()
	require.Zero(t, s.number("select count(*) from certificate_orders where finished_at is null"))
	require.Equal(t, asked, s.gate.count("order-plz"))
	require.Empty(t, s.budgets(), "nothing was issued")

	s.gate.set(func(g *gate) { g.before = nil })
	s.clock.Advance(2 * time.Minute)
	s.due()
	require.Empty(t, s.until("a.epsilon.test", certificates.StateValid).LastError)
}

func (s *stand) budgets() []certificates.Budget {
	s.t.Helper()
	all, err := s.Budgets(s.t.Context())
	require.NoError(s.t, err)
	return all
}

// The certificate in use serves on when its renewal fails; the pauses grow, and a person need not wait for them.
func TestAFailedRenewalKeepsTheOldCertificate(t *testing.T) {
	t.Parallel()
	s := newStand(t, false)
	id, before := s.issue("a.zeta.test", "zeta.test")
	news := s.Follow()
	s.zone.set(func(z *zone) { z.wrong = true })
	s.clock.Advance(61 * 24 * time.Hour)
	s.due()
	failed := s.until("a.zeta.test", certificates.StateFailed)
	require.Equal(t, before.Fingerprint, failed.Fingerprint)
	require.Equal(t, before.NotAfter, failed.NotAfter)
	require.WithinDuration(t, s.clock.Now().Add(15*time.Minute), *failed.RetryAt, time.Second)
	require.Contains(t, paneltest.NextData[certificates.News](news, certificates.KindFailed).Error, "unauthorized")
	require.Zero(t, s.zone.left())

	s.clock.Advance(16 * time.Minute)
	s.due()
	require.Eventually(t, func() bool {
		again := s.until("a.zeta.test", certificates.StateFailed)
		return again.RetryAt.Sub(s.clock.Now()) > 29*time.Minute
	}, within, every)

	s.zone.set(func(z *zone) { z.wrong = false })
	require.NoError(t, s.Order(t.Context(), id), "renew now")
	require.Eventually(t, func() bool {
		return s.shown("a.zeta.test").Fingerprint != before.Fingerprint
	}, within, every)
	require.Empty(t, s.shown("a.zeta.test").LastError)
}

// A zone that no integration holds, or that cannot be written, is said in its words and asked for again.
func TestWhatTheZoneRefusesIsSaid(t *testing.T) {
	t.Parallel()
	s := newStand(t, true)
	s.zone.set(func(z *zone) {
		z.fails = fault.Upstream("dns_provider_error", "the DNS provider refuses the token").Wrap(errors.New("secret-7"))
	})
	id := s.ensure("a.eta.test", "eta.test")
	require.NoError(t, s.Order(t.Context(), id))
	stop := s.working()
	require.Eventually(t, func() bool {
		return strings.Contains(s.text("select lease_error from certificate_orders"), "refuses the token")
	}, within, every)
	require.NotContains(t, s.text("select lease_error from certificate_orders"), "secret-7")
	s.zone.set(func(z *zone) { z.fails = nil })
	s.until("a.eta.test", certificates.StateValid)
	stop()
}

// An authority may ask for the account that the operator has with it.
func TestAnExternalAccountIsBound(t *testing.T) {
	t.Parallel()
	mac := base64.RawURLEncoding.EncodeToString([]byte(strings.Repeat("m", 32)))
	s := newStand(t, false, map[string]any{
		"externalAccountBindingRequired": true, "externalAccountMACKeys": map[string]string{"kid-1": mac},
	})
	id := s.ensure("a.theta.test", "theta.test")
	require.NoError(t, s.Order(t.Context(), id))
	require.Contains(t, s.until("a.theta.test", certificates.StateFailed).LastError, "externalAccountRequired")
	s.authority.KeyID, s.authority.MACKey = "kid-1", mac
	require.NoError(t, s.Order(t.Context(), id))
	s.until("a.theta.test", certificates.StateValid)
}

// An authority that has lost its accounts gets them anew.
func TestAnAccountThatTheAuthorityForgotIsRegisteredAnew(t *testing.T) {
	t.Parallel()
	s := newStand(t, false)
	_, before := s.issue("a.iota.test", "iota.test")
	second := acmetest.Pebble(t, s.zone.address).URL
	s.gate.set(func(g *gate) { g.target = second })
	_, after := s.issue("a.kappa.test", "kappa.test")
	require.NotEqual(t, before.Issuer, after.Issuer)
}

// A certificate that was removed while it was ordered ends its order.
func TestAnOrderEndsWithItsCertificate(t *testing.T) {
	t.Parallel()
	s := newStand(t, true)
	id := s.ensure("a.lambda.test", "lambda.test")
	require.NoError(t, s.Order(t.Context(), id))
	require.NoError(t, s.Remove(t.Context(), id))
	require.Equal(t, fault.KindMissing, fault.KindOf(s.Remove(t.Context(), id)))
	require.Equal(t, fault.KindMissing, fault.KindOf(s.Order(t.Context(), id)))
	stop := s.working()
	require.Eventually(t, func() bool {
		return s.text("select stage from certificate_orders") == "failed"
	}, within, every)
	stop()
	require.Zero(t, s.gate.count("order-plz"))
}
