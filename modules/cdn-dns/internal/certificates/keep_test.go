package certificates_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/cdn-dns/acmetest"
	"panel/modules/cdn-dns/internal/certificates"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/paneltest"
)

func (s *stand) asked(n int, names, domain string, renewal bool, ago time.Duration) {
	s.t.Helper()
	at := s.clock.Now().Add(-ago)
	for range n {
		_, err := s.db.ExecContext(s.t.Context(), `insert into certificate_orders
			(id, directory, names, domains, renewal, stage, asked_at, created_at, finished_at)
			values (?, ?, ?::text[], ?::text[], ?, 'done', ?, ?, ?)`, database.NewID(), s.authority.Directory,
			"{"+names+"}", "{"+domain+"}", renewal, at, at, at)
		require.NoError(s.t, err)
	}
}

// 50 new certificates per registered domain and week: the next one waits until the oldest has left the window.
// Renewals take none of them.
func TestTheBudgetOfARegisteredDomain(t *testing.T) {
	t.Parallel()
	s := newStand(t, true)
	s.asked(1, "old.mu.test", "mu.test", false, 169*time.Hour)
	s.asked(1, "first.mu.test", "mu.test", false, 160*time.Hour)
	s.asked(48, "others.mu.test", "mu.test", false, time.Hour)
	s.asked(3, "again.mu.test", "mu.test", true, time.Hour)
	require.Equal(t, 49, s.budgets()[0].Issued)
	require.Equal(t, 50, s.budgets()[0].Limit)
	require.WithinDuration(t, s.clock.Now().Add(8*time.Hour), *s.budgets()[0].FreeAt, time.Second)

	require.NoError(t, s.Order(t.Context(), s.ensure("a.b.mu.test", "mu.test")), "the fiftieth")
	last := s.ensure("c.d.mu.test", "mu.test")
	err := s.Order(t.Context(), last)
	require.Equal(t, "certificate_budget_spent", fault.Code(err))
	said, _ := fault.As(err)
	require.InDelta(t, (8 * time.Hour).Seconds(), said.RetryAfter.Seconds(), 1)
	require.NoError(t, s.Order(t.Context(), s.ensure("a.nu.test", "nu.test")), "another domain")
	s.clock.Advance(8*time.Hour + time.Second)
	require.NoError(t, s.Order(t.Context(), last))
}

// 5 certificates for the same names in 168 hours, renewals or not.
func TestTheBudgetOfTheSameNames(t *testing.T) {
	t.Parallel()
	s := newStand(t, true)
	id := s.ensure("a.xi.test", "xi.test")
	s.asked(4, "*.xi.test,xi.test", "xi.test", true, 100*time.Hour)
	s.asked(1, "*.xi.test,xi.test", "xi.test", true, 167*time.Hour)
	require.Equal(t, "certificate_budget_spent", fault.Code(s.Order(t.Context(), id)))
	s.clock.Advance(2 * time.Hour)
	require.NoError(t, s.Order(t.Context(), id))
}

// The numbers hold for all panels together.
func TestPanelsShareOneBudget(t *testing.T) {
	t.Parallel()
	s := newStand(t, true)
	other := s.another()
	s.asked(47, "others.omicron.test", "omicron.test", false, time.Hour)
	var asking sync.WaitGroup
	var mu sync.Mutex
	codes := map[string]int{}
	for i := range 10 {
		one := []*stand{s, other}[i%2]
		id := s.ensure(fmt.Sprintf("a.n%d.omicron.test", i), "omicron.test")
		asking.Go(func() {
			err := one.Order(t.Context(), id)
			mu.Lock()
			defer mu.Unlock()
			codes[fault.Code(err)]++
		})
	}
	asking.Wait()
	require.Equal(t, 7, codes["certificate_budget_spent"], codes)
}

// A renewal that the budget has no place for waits, is said, and comes by itself.
func TestARenewalWaitsForTheBudget(t *testing.T) {
	t.Parallel()
	s := newStand(t, false)
	s.issue("a.pi.test", "pi.test")
	s.clock.Advance(61 * 24 * time.Hour)
	s.asked(5, "*.pi.test,pi.test", "pi.test", true, 167*time.Hour)
	s.due()
	shown := s.until("a.pi.test", certificates.StateFailed)
	require.Contains(t, shown.LastError, "no more certificates for the same names")
	require.WithinDuration(t, s.clock.Now().Add(time.Hour), *shown.RetryAt, time.Second)
	s.clock.Advance(61 * time.Minute)
	s.due()
	require.Eventually(t, func() bool { return s.shown("a.pi.test").LastError == "" }, within, every)
}

// To name the certificate that is replaced is a courtesy: an authority that fails over it is asked without, for some
// number certificates in another way than their identifiers do.
func TestARenewalComesWhereTheAuthorityDoesNotFindWhatIsReplaced(t *testing.T) {
	t.Parallel()
	s := newStand(t, false)
	_, before := s.issue("a.tau.test", "tau.test")
	failed := 0
	s.gate.set(func(g *gate) {
		g.before = func(w http.ResponseWriter, r *http.Request) bool {
			if !strings.Contains(payload(r), `"replaces"`) {
				return false
			}
			g.set(func(*gate) { failed++ })
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(w, `{"type":"urn:ietf:params:acme:error:serverInternal","detail":"no such order",
				"status":500}`)
			return true
		}
	})
	s.clock.Advance(61 * 24 * time.Hour)
	s.due()
	require.Eventually(t, func() bool { return s.shown("a.tau.test").Fingerprint != before.Fingerprint }, within, every)
	s.gate.set(func(*gate) {
		require.Equal(t, 3, failed, "the client repeats what a server failed at, the order does not")
	})
	require.Empty(t, s.shown("a.tau.test").LastError)
}

// payload reads what a signed request of the protocol says, and leaves it to be read again.
func payload(r *http.Request) string {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return ""
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var signed struct {
		Payload string `json:"payload"`
	}
	_ = json.Unmarshal(body, &signed) // reads of a directory or a nonce have no body
	text, _ := base64.RawURLEncoding.DecodeString(signed.Payload)
	return string(text)
}

// The authority's renewal information says when: here at once, because it is about to revoke. The order names what it
// replaces.
func TestTheAuthoritySaysWhenToRenew(t *testing.T) {
	t.Parallel()
	s := newStand(t, false)
	_, before := s.issue("a.rho.test", "rho.test")
	window := func(from, until time.Time) {
		s.gate.set(func(g *gate) {
			g.before = func(w http.ResponseWriter, r *http.Request) bool {
				if !strings.Contains(r.URL.Path, "renewalInfo") {
					return false
				}
				w.Header().Set("Content-Type", "application/json")
				_, _ = fmt.Fprintf(w, `{"suggestedWindow":{"start":%q,"end":%q}}`, from.Format(time.RFC3339),
					until.Format(time.RFC3339))
				return true
			}
		})
	}
	from, until := s.clock.Now().Add(10*24*time.Hour), s.clock.Now().Add(20*24*time.Hour)
	window(from, until)
	s.due()
	chosen := s.shown("a.rho.test").RenewAt
	require.WithinRange(t, *chosen, from.Add(-time.Second), until.Add(time.Second))
	s.clock.Advance(7 * time.Hour)
	s.due()
	require.Equal(t, chosen, s.shown("a.rho.test").RenewAt, "a moment that was chosen stays")

	window(s.clock.Now().Add(-48*time.Hour), s.clock.Now().Add(-24*time.Hour))
	s.clock.Advance(7 * time.Hour)
	s.due()
	require.Eventually(t, func() bool { return s.shown("a.rho.test").Fingerprint != before.Fingerprint }, within, every)
}

// An authority without such information, or that does not answer, is renewed at when a third of the lifetime is left.
func TestWithoutRenewalInformationAThirdDecides(t *testing.T) {
	t.Parallel()
	s := newStand(t, false)
	s.gate.set(func(g *gate) {
		g.before = func(w http.ResponseWriter, r *http.Request) bool {
			if strings.Contains(r.URL.Path, "renewalInfo") {
				w.WriteHeader(http.StatusNotFound)
				return true
			}
			return false
		}
	})
	_, shown := s.issue("a.sigma.test", "sigma.test")
	s.due()
	require.Equal(t, shown.RenewAt, s.shown("a.sigma.test").RenewAt)
	third := shown.NotAfter.Sub(*shown.NotBefore) / 3
	require.WithinDuration(t, shown.NotAfter.Add(-third), *shown.RenewAt, time.Millisecond)
}

// Alarm 14 days before the end or when a sixth of the lifetime is left, once, whoever renews it.
func TestPeopleAreWarnedOnce(t *testing.T) {
	t.Parallel()
	s := newStand(t, true)
	made, now := acmetest.NewRoot(t), s.clock.Now()
	_, err := s.Upload(t.Context(), certificates.Pair(made.Sign(now.Add(-time.Hour), now.Add(200*24*time.Hour), "long.test")))
	require.NoError(t, err)
	_, err = s.Upload(t.Context(), certificates.Pair(made.Sign(now.Add(-time.Hour), now.Add(6*24*time.Hour-time.Hour), "short.test")))
	require.NoError(t, err)
	news := s.Follow()
	s.due()
	s.clock.Advance(5*24*time.Hour + time.Minute)
	s.due()
	require.Equal(t, []string{"short.test"}, paneltest.NextData[certificates.News](news, certificates.KindExpiring).Names)
	require.Equal(t, certificates.StateExpiring, s.shown("short.test").State)
	s.clock.Advance(181*24*time.Hour + time.Hour)
	s.due()
	s.due()
	require.Equal(t, []string{"long.test"}, paneltest.NextData[certificates.News](news, certificates.KindExpiring).Names)
	require.Equal(t, 2, s.number("select count(*) from certificates where warned_at is not null"))
	require.Equal(t, certificates.StateExpired, s.shown("short.test").State)
}

// The switch for everything automatic does not reach renewals: one that is forgotten must not let certificates expire.
func TestCertificatesAreRenewedWhileEverythingAutomaticIsStopped(t *testing.T) {
	t.Parallel()
	s := newStand(t, true)
	id := s.ensure("a.tau.test", "tau.test")
	_, err := s.db.ExecContext(t.Context(), "update certificates set failures = 1 where id = ?", id)
	require.NoError(t, err)
	s.Admin().Post("/api/v1/system/automation/stop", map[string]any{"reason": "strange"}).Is(http.StatusOK)
	s.due()
	require.Equal(t, 1, s.number("select count(*) from certificate_orders"))
}

// An own certificate is taken when chain and key fit, and takes the place of the one before. It is never echoed.
func TestAnOwnCertificate(t *testing.T) {
	t.Parallel()
	s := newStand(t, true)
	made, now := acmetest.NewRoot(t), s.clock.Now()
	from, until := now.Add(-time.Hour), now.Add(100*24*time.Hour)
	good, other := made.Sign(from, until, "own.test", "www.own.test"), made.Sign(from, until, "own.test")
	leafOnly, _, _ := strings.Cut(other.Chain, "-----END CERTIFICATE-----")
	stranger := acmetest.NewRoot(t)
	for what, pair := range map[string]acmetest.Pair{
		"not a PEM":          {Chain: "canary", Key: "canary"},
		"the key of another": {Chain: good.Chain, Key: other.Key},
		"a foreign chain":    {Chain: leafOnly + "-----END CERTIFICATE-----\n" + stranger.Chain, Key: other.Key},
		"expired":            made.Sign(from.Add(-time.Hour), from, "own.test"),
		"not yet":            made.Sign(now.Add(time.Hour), until, "own.test"),
		"no names":           made.Sign(from, until),
	} {
		_, err := s.Upload(t.Context(), certificates.Pair(pair))
		require.Equal(t, "invalid_value", fault.Code(err), what)
		require.NotContains(t, err.Error(), "canary", what)
	}
	require.Zero(t, s.number("select count(*) from certificates"))

	first, err := s.Upload(t.Context(), certificates.Pair(good))
	require.NoError(t, err)
	require.Equal(t, certificates.FromUpload, first.Source)
	require.Equal(t, certificates.StateValid, s.shown("www.own.test").State)
	next, err := s.Upload(t.Context(), certificates.Pair(made.Sign(from, until.Add(time.Hour), "www.own.test", "own.test")))
	require.NoError(t, err)
	require.Equal(t, first.ID, next.ID)
	require.NotEqual(t, first.Fingerprint, s.shown("own.test").Fingerprint)
	require.Equal(t, "invalid_value", fault.Code(s.Order(t.Context(), next.ID)), "it is not the authority's")
	require.Equal(t, []string{certificates.ActionUploaded, certificates.ActionUploaded},
		s.Recorded(certificates.Object, first.ID))
	require.NoError(t, s.Remove(t.Context(), first.ID))
}
