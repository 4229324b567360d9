package license

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/licensedoc"
)

func keys(a *authority) []licensedoc.PublicKey { return []licensedoc.PublicKey{a.publicKey()} }

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

func body(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(text)) }
}

func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func drip(w http.ResponseWriter, r *http.Request) {
	for r.Context().Err() == nil {
		_, _ = w.Write([]byte(" "))
		_ = http.NewResponseController(w).Flush()
		select {
		case <-r.Context().Done():
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func breakOff(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

func cut(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "1000")
	_, _ = w.Write([]byte(`{"document":"PNLDOC1.`))
	panic(http.ErrAbortHandler)
}

func elsewhere(w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, "http://192.0.2.1/", http.StatusTemporaryRedirect)
}

// forged answers the right question, signed by somebody else.
func forged(t testing.TB, verdict string) http.HandlerFunc {
	thief, err := licensedoc.GenerateSigningKey()
	require.NoError(t, err)
	return func(w http.ResponseWriter, r *http.Request) {
		var question licensedoc.Request
		_ = json.NewDecoder(r.Body).Decode(&question)
		key, _ := licensedoc.ParseKey(question.Key)
		text, err := licensedoc.Sign(claim(question, key, verdict), thief)
		if err != nil {
			panic(err)
		}
		_ = json.NewEncoder(w).Encode(licensedoc.Reply{Document: text})
	}
}

func claim(q licensedoc.Request, key licensedoc.Key, verdict string) licensedoc.Document {
	now := stamp(time.Now()) //nolint:forbidigo // the forger lives in real time
	d := licensedoc.Document{
		LicenseID: q.InstanceID, KeyHash: key.Hash(q.InstanceID), InstanceID: q.InstanceID, Plan: "Fleet",
		Features:   []string{"*"},
		ValidUntil: now.AddDate(9, 0, 0), IssuedAt: now, Verdict: verdict, Nonce: q.Nonce,
	}
	if verdict == licensedoc.Refused {
		d.Features, d.Reason = []string{}, licensedoc.ReasonRevoked
	}
	return d
}

// temporaryFaults are all the ways not to give a signed verdict.
func temporaryFaults(t testing.TB, p *panel) map[string]http.HandlerFunc {
	recorded := replyOf(p.look().Document)
	return map[string]http.HandlerFunc{
		"timeout":             hang,
		"slow-loris":          drip,
		"broken connection":   breakOff,
		"answer cut off":      cut,
		"500":                 status(http.StatusInternalServerError),
		"503":                 status(http.StatusServiceUnavailable),
		"429":                 status(http.StatusTooManyRequests),
		"404":                 status(http.StatusNotFound),
		"unsigned refusal":    status(http.StatusForbidden),
		"garbage":             body("\x00\xff<html>"),
		"empty":               body(""),
		"flood":               body(strings.Repeat("x", 4<<20)),
		"redirect":            elsewhere,
		"forged approval":     forged(t, licensedoc.Active),
		"forged refusal":      forged(t, licensedoc.Refused),
		"recorded approval":   body(recorded),
		"one byte is changed": body(strings.Replace(recorded, "PNLDOC1.e", "PNLDOC1.f", 1)),
	}
}

func replyOf(document string) string {
	raw, _ := json.Marshal(licensedoc.Reply{Document: document})
	return string(raw)
}

// R9. Specification, License: "active | refresh | license server temporarily unavailable | grace period".
func TestEveryTemporaryFaultLeadsFromActiveToGraceAndKeepsTheDocument(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	p.activated()
	for name, how := range temporaryFaults(t, p) {
		document := p.look().Document
		p.breaks(name, how)
		status := p.refreshed()
		require.Equal(t, []string{"grace", "unreachable"}, []string{status.State, status.Reason}, name)
		require.False(t, status.LastCheck.OK, name)
		require.NotEmpty(t, *status.LastCheck.Error, name)
		require.Equal(t, status.GraceSince.Add(72*time.Hour), *status.GraceUntil, name)
		require.WithinDuration(t, p.clock.Now(), *status.GraceSince, time.Minute, name)
		require.Equal(t, document, p.look().Document, name)
		require.Equal(t, declared, status.Features.Enabled, "entitlements follow the stored document")
		p.works()
		require.Equal(t, "active", p.refreshed().State, name)
	}
}

// R9. A failure while in grace moves nothing; grace counts from the first failure.
func TestEveryTemporaryFaultInGraceLeavesItsEndWhereItWas(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	p.activated()
	p.authority.fails(status(http.StatusServiceUnavailable))
	until := *p.refreshed().GraceUntil
	for name, how := range temporaryFaults(t, p) {
		p.pass(time.Hour)
		p.breaks(name, how)
		require.Equal(t, until, *p.refreshed().GraceUntil, name)
		p.is("grace", "unreachable")
	}
}

// R9. A degraded panel is not brought back by a server that does not answer.
func TestEveryTemporaryFaultLeavesDegradedDegraded(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	p.activated()
	p.authority.fails(status503)
	p.refreshed()
	p.pass(73 * time.Hour)
	p.is("degraded", "unreachable")
	for name, how := range temporaryFaults(t, p) {
		p.breaks(name, how)
		require.Equal(t, "degraded", p.refreshed().State, name)
	}
}

// R9. Without a license there is nothing to refresh, and a failing activation changes nothing.
func TestEveryTemporaryFaultWithoutALicenseIsAnUpstreamFault(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	license := p.authority.issue()
	_, err := p.Refresh(t.Context())
	p.refused(err, "license_missing")
	for name, how := range temporaryFaults(t, p) {
		p.breaks(name, how)
		_, err := p.Activate(t.Context(), license.Key)
		want := "license_server_error"
		if hangs(name) {
			want = "license_server_timeout"
		}
		p.refused(err, want)
		p.is("degraded", "none")
	}
}

// A failing activation leaves the license that there is.
func TestAFailedActivationKeepsTheOldLicense(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	p.activated()
	kept := p.look().Document
	other := p.authority.issue()
	for name, how := range temporaryFaults(t, p) {
		p.breaks(name, how)
		_, err := p.Activate(t.Context(), other.Key)
		require.Error(t, err)
		require.Equal(t, kept, p.look().Document)
		p.is("active", "ok")
	}
}

// R9. An unreachable server: nobody listens, and a certificate that nobody vouches for.
func TestUnreachableServersAreTemporary(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	p.activated()
	strange := httptest.NewTLSServer(status(http.StatusOK))
	t.Cleanup(strange.Close)
	for address, word := range map[string]string{
		"http://127.0.0.1:1": "connection refused", strange.URL: "TLS failed", "http://no-such-host.invalid": "",
	} {
		p.client.addresses = []string{address}
		require.Equal(t, "grace", p.refreshed().State, address)
		require.Contains(t, *p.Status().LastCheck.Error, word)
	}
}

// Mirrors are asked in their order; the first signed verdict counts.
func TestMirrorsAreTriedInOrder(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	bad := httptest.NewServer(status(http.StatusServiceUnavailable))
	t.Cleanup(bad.Close)
	p.client.addresses = []string{bad.URL, "http://127.0.0.1:1", p.authority.front.URL}
	p.activated()
	p.client.addresses = p.client.addresses[:2]
	status := p.refreshed()
	require.Equal(t, "grace", status.State)
	require.Contains(t, *status.LastCheck.Error, "HTTP 503")
	require.Contains(t, *status.LastCheck.Error, "connection refused")
}

// PANEL_HTTP_PROXY carries the questions; the proxy sees no direct connection.
func TestTheProxyCarriesTheQuestions(t *testing.T) {
	t.Parallel()
	p := newPanel(t)
	through := calls(t, map[string]string{"PANEL_HTTP_PROXY": p.authority.front.URL})
	p.client = newClient([]string{"http://license.invalid"}, keys(p.authority), through, "test")
	asked := p.authority.asked.Load()
	p.activated()
	require.Greater(t, p.authority.asked.Load(), asked, "the name resolves nowhere: only the proxy can have carried it")
}
