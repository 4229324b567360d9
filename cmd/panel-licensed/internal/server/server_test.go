package server

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/cmd/panel-licensed/internal/authority"
	"panel/platform/licensedoc"
)

const token = "the-admin-token"

type fixture struct {
	*testing.T
	server *Server
	clock  *clockwork.FakeClock
	log    *bytes.Buffer
}

func newFixture(t *testing.T) fixture {
	clock := clockwork.NewFakeClockAt(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	a, err := authority.Open(t.TempDir(), clock)
	require.NoError(t, err)
	log := &bytes.Buffer{}
	return fixture{t, New(a, token, clock, slog.New(slog.NewTextHandler(log, nil))), clock, log}
}

func (f fixture) send(method, path, bearer string, body any) *httptest.ResponseRecorder {
	f.Helper()
	raw, isText := body.(string)
	if !isText {
		encoded, err := json.Marshal(body)
		require.NoError(f, err)
		raw = string(encoded)
	}
	r := httptest.NewRequest(method, path, strings.NewReader(raw))
	r.Header.Set("Authorization", "Bearer "+bearer)
	w := httptest.NewRecorder()
	f.server.Handler().ServeHTTP(w, r)
	return w
}

func (f fixture) issue() Issued {
	f.Helper()
	w := f.send("POST", "/admin/v1/licenses", token, authority.Order{Plan: "Pro", ValidUntil: f.clock.Now().AddDate(1,
		0, 0), Activations: 1})
	require.Equal(f, http.StatusCreated, w.Code)
	return decoded[Issued](f, w)
}

func decoded[T any](f fixture, w *httptest.ResponseRecorder) (value T) {
	f.Helper()
	require.NoError(f, json.Unmarshal(w.Body.Bytes(), &value))
	return value
}

func question(key string) licensedoc.Request {
	return licensedoc.Request{Key: key, InstanceID: uuid.NewString(), Nonce: "0123456789abcdef"}
}

func TestTheDescriptionNamesExactlyTheRoutes(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var described struct{ Paths map[string]map[string]any }
	require.NoError(t, json.Unmarshal(f.send("GET", "/openapi.json", "", "").Body.Bytes(), &described))
	got, want := map[string]bool{}, map[string]bool{}
	for path, methods := range described.Paths {
		for method := range methods {
			got[strings.ToUpper(method)+" "+path] = true
		}
	}
	for _, r := range append(f.server.public(), f.server.vendor()...) {
		want[r.method+" "+r.path] = true
	}
	require.Equal(t, want, got)
}

func TestAGoodAndABadVerdictAreBothSignedAnswers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	issued := f.issue()
	key := decoded[PublicKey](f, f.send("GET", "/v1/public-key", "", ""))
	trusted, err := licensedoc.ParsePublicKey(key.PublicKey)
	require.NoError(t, err)
	ask := question(issued.Key)
	require.Equal(t, licensedoc.Active, f.verdict("/v1/activate", ask, trusted))
	require.Equal(t, licensedoc.Active, f.verdict("/v1/refresh", ask, trusted))
	f.revoke(issued.ID)
	require.Equal(t, licensedoc.Refused, f.verdict("/v1/refresh", ask, trusted))
}

func (f fixture) revoke(id string) {
	f.Helper()
	require.Equal(f, http.StatusOK, f.send("POST", "/admin/v1/licenses/"+id+"/revoke", token, "").Code)
}

func (f fixture) verdict(path string, ask licensedoc.Request, trusted licensedoc.PublicKey) string {
	f.Helper()
	w := f.send("POST", path, "", ask)
	require.Equal(f, http.StatusOK, w.Code)
	d, err := licensedoc.Verify(decoded[licensedoc.Reply](f, w).Document, trusted)
	require.NoError(f, err)
	return d.Verdict
}

func TestTheVendorsHalfNeedsItsToken(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, r := range f.server.vendor() {
		path := strings.NewReplacer("{id}", uuid.NewString(), "{instance}", uuid.NewString()).Replace(r.path)
		for _, bearer := range []string{"", "wrong", token + "x", token[:3]} {
			w := f.send(r.method, path, bearer, "{}")
			require.Equal(t, http.StatusUnauthorized, w.Code, r.path)
			require.Equal(t, "admin_token_invalid", decoded[Problem](f, w).Code)
		}
	}
}

func TestBadInputIsNeverAServerErrorNorEchoed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for name, body := range map[string]string{
		"broken": `{"key":`, "unknown field": `{"surprise":1}`, "wrong type": `{"key":1}`, "two documents": `{}{}`,
		"deep": strings.Repeat("[", 10_000), "empty": "", "control": "{\"key\":\"\x01surprise\"}", "no key": `{}`,
	} {
		for _, path := range []string{
			"/v1/activate", "/v1/refresh", "/v1/release", "/admin/v1/licenses",
			"/admin/v1/offline",
		} {
			w := f.send("POST", path, token, body)
			require.Equal(t, http.StatusBadRequest, w.Code, name+path)
			require.NotContains(t, w.Body.String(), "surprise")
		}
	}
	w := f.send("POST", "/v1/activate", "", `{"key":"`+strings.Repeat("x", maxBody)+`"}`)
	require.Equal(t, http.StatusRequestEntityTooLarge, w.Code)
	require.Equal(t, http.StatusNotFound, f.send("POST", "/admin/v1/licenses/unknown/revoke", token, "").Code)
}

func TestGuessingKeysIsThrottledPerAddress(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for range maxGuesses {
		require.Equal(t, http.StatusOK, f.send("POST", "/v1/activate", "", question(unknownKey(f))).Code)
	}
	w := f.send("POST", "/v1/activate", "", question(unknownKey(f)))
	require.Equal(t, http.StatusTooManyRequests, w.Code)
	require.Equal(t, "60", w.Header().Get("Retry-After"))
	f.clock.Advance(window)
	require.Equal(t, http.StatusOK, f.send("POST", "/v1/activate", "", question(unknownKey(f))).Code)
}

func unknownKey(f fixture) string {
	key, err := licensedoc.NewKey()
	require.NoError(f, err)
	return key.Reveal()
}

func TestTheVendorManagesLicensesOverHTTP(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	issued := f.issue()
	ask := question(issued.Key)
	f.send("POST", "/v1/activate", "", ask)
	list := decoded[Licenses](f, f.send("GET", "/admin/v1/licenses", token, ""))
	require.Contains(t, list.Items[0].Installations, ask.InstanceID)
	require.Equal(t, http.StatusNoContent,
		f.send("DELETE", "/admin/v1/licenses/"+issued.ID+"/installations/"+ask.InstanceID, token, "").Code)
	require.Equal(t, http.StatusOK, f.send("POST", "/admin/v1/offline", token, map[string]string{
		"key":         issued.Key,
		"instance_id": uuid.NewString(),
	}).Code)
	until := f.clock.Now().AddDate(2, 0, 0)
	extended := decoded[authority.License](f, f.send("POST", "/admin/v1/licenses/"+issued.ID+"/extend", token,
		map[string]any{"valid_until": until}))
	require.Equal(t, until, extended.ValidUntil)
	require.Equal(t, http.StatusOK, f.send("POST", "/admin/v1/rotate", token, "").Code)
	require.Equal(t, http.StatusNoContent, f.send("POST", "/v1/release", "", ask).Code)
	require.Equal(t, http.StatusOK, f.send("GET", "/health", "", "").Code)
}

func TestTheLogHoldsNoKey(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	issued := f.issue()
	f.send("POST", "/v1/activate", "", question(issued.Key))
	logged, err := io.ReadAll(f.log)
	require.NoError(t, err)
	require.Contains(t, string(logged), issued.ID)
	require.NotContains(t, string(logged), issued.Key)
	require.NotContains(t, string(logged), token)
}
