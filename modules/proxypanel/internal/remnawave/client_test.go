package remnawave

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/platform/fault"
	"panel/platform/outbound"
)

func jwt(payload string) string {
	return "e30." + base64.RawURLEncoding.EncodeToString([]byte(payload)) + ".c2ln"
}

// The end of a token is read from it; what is no API token is refused without being echoed.
func TestTokensAreRead(t *testing.T) {
	t.Parallel()
	at, err := ReadToken(jwt(`{"uuid":"x","username":null,"role":"API","iat":1,"exp":1800000000}`))
	require.NoError(t, err)
	require.Equal(t, time.Unix(1800000000, 0).UTC(), *at)
	for _, endless := range []string{`{"role":"API"}`, `{"exp":9223372036854775807}`, `{"exp":-1}`} {
		at, err = ReadToken(jwt(endless))
		require.NoError(t, err)
		require.Nil(t, at)
	}
	for _, token := range []string{
		"", "sesame", "a.b", "a.b.c.d", "a.%%%.c", jwt(`{"exp":"sesame"}`), jwt(`sesame`), jwt(`{"role":"ADMIN"}`),
		"Bearer " + jwt(`{}`), jwt(`{}`) + strings.Repeat("x", mostToken),
	} {
		_, err = ReadToken(token)
		require.Equal(t, "invalid_value", fault.Code(err), token)
		require.NotContains(t, err.Error(), "sesame")
	}
}

func FuzzTokens(f *testing.F) {
	f.Add(jwt(`{"exp":1}`))
	f.Add("a..c")
	f.Fuzz(func(t *testing.T, token string) {
		if at, err := ReadToken(token); err == nil && at != nil {
			_, err := at.MarshalJSON()
			require.NoError(t, err)
		}
	})
}

// Supported is from 3.0 to below 4; a minor that was never tried is told apart.
func TestVersions(t *testing.T) {
	t.Parallel()
	for version, wanted := range map[string]string{
		"": Unknown, "3.0.0": Supported, "3.3.2": Supported, "v3.1.0": Supported, "3.3.2-beta": Supported,
		"3.4.0": Untested, "3.10.1": Untested, "2.8.1": Unsupported, "4.0.0": Unsupported, "33.1.0": Unsupported,
		"sesame": Unsupported, "3": Unsupported, "3.x": Unsupported,
	} {
		require.Equal(t, wanted, Compatible(version), version)
	}
}

// The address has one form, whatever was pasted.
func TestAddressesHaveOneForm(t *testing.T) {
	t.Parallel()
	network, err := outbound.Through("")
	require.NoError(t, err)
	for given, wanted := range map[string]string{
		"https://Panel.Example.com": "https://panel.example.com", "https://panel.example.com/": "https://panel.example.com",
		"https://panel.example.com/api": "https://panel.example.com", " https://a.example.com/x/api/ ": "https://a.example.com/x",
		"http://10.0.0.5:3000": "http://10.0.0.5:3000",
	} {
		access := Access{BaseURL: given}
		require.NoError(t, access.Check(network), given)
		require.Equal(t, wanted, access.BaseURL)
	}
	for _, given := range []string{
		"", "panel.example.com", "ftp://a.example.com", "https://a.example.com?", "https://a.example.com#x", "http://127.0.0.1",
		"http://[::1]:3000", "http://169.254.169.254", "https://anna:x@a.example.com", "https://",
	} {
		access := Access{BaseURL: given}
		require.Equal(t, "invalid_value", fault.Code(access.Check(network)), given)
	}
}

// A client certificate is its own text with the key, in either order.
func TestClientCertificates(t *testing.T) {
	t.Parallel()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	model := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, model, model, &key.PublicKey, key)
	require.NoError(t, err)
	secret, err := x509.MarshalECPrivateKey(key)
	require.NoError(t, err)
	certificate := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	private := string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: secret}))
	for _, text := range []string{certificate + private, private + certificate} {
		options, err := (&Access{Certificate: text, CA: certificate}).options()
		require.NoError(t, err)
		require.NotNil(t, options.Certificate)
		require.NotNil(t, options.Roots)
	}
	_, err = (&Access{Certificate: certificate}).options()
	require.Equal(t, "invalid_value", fault.Code(err))
}

// What is secret prints nowhere and comes back from its sealed form.
func TestSecretsOfAnAccess(t *testing.T) {
	t.Parallel()
	access := Access{BaseURL: "https://a.example.com", Token: "x.y.z", Headers: map[string]string{"X-Gate": "sesame"}, Cookie: "a=b"}
	text, err := access.Secrets()
	require.NoError(t, err)
	require.NotContains(t, string(text), "a.example.com")
	back := Access{BaseURL: access.BaseURL}
	require.NoError(t, back.ReadSecrets(text))
	require.Equal(t, access, back)
	options, err := access.options()
	require.NoError(t, err)
	require.NotContains(t, fmt.Sprintf("%+v", options.Headers), "sesame")
}

// Both forms of Retry-After are heeded, at most an hour of it.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	for text, wanted := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, "-1": 0, "sesame": 0, "999999": time.Hour,
		"Fri, 27 Nov 2026 12:00:30 GMT": 30 * time.Second, "Fri, 27 Nov 2026 11:00:00 GMT": 0,
	} {
		require.Equal(t, wanted, retryAfter(http.Header{"Retry-After": {text}}, now), text)
	}
}

// A refusal says what it is: JSON of the panel, a page of a gate, a proxy that has lost the panel.
func TestRefusalsAreToldApart(t *testing.T) {
	t.Parallel()
	client := &Client{clock: clockwork.NewRealClock()}
	const asJSON, asPage = "application/json; charset=utf-8", "text/html"
	for _, one := range []struct {
		status           int
		kind, body       string
		cause, code      string
		reached, waiting bool
	}{
		{401, asJSON, `{"message":"Unauthorized","statusCode":401}`, TokenRefused, "", false, false},
		{403, asJSON, `{"message":"Forbidden resource","statusCode":403}`, ScopeMissing, "", false, false},
		{403, asPage, `<html>`, GatePage, "", false, false},
		{302, asPage, ``, GatePage, "", false, false},
		{200, asJSON, `<html>`, GatePage, "", false, false},
		{404, asJSON, `{"errorCode":"A063","message":"no\nuser"}`, PanelFailed, "A063", true, false},
		{400, asJSON, `{"statusCode":400,"message":"Validation failed","errors":[]}`, PanelFailed, "", true, false},
		{500, asJSON, `{"errorCode":"A112","message":"x"}`, PanelFailed, "A112", true, false},
		{502, asPage, `<html>`, PanelFailed, "", false, false},
		{429, asPage, ``, SlowDown, "", false, true},
	} {
		problem := client.refusal(outbound.Answer{
			Status: one.status, Header: http.Header{"Content-Type": {one.kind}}, Body: []byte(one.body),
		})
		require.Equal(t, one.cause, problem.Cause, one.status)
		require.Equal(t, one.code, problem.Code)
		require.Equal(t, one.reached, problem.reached(), one.status)
		require.Equal(t, one.waiting, problem.Wait > 0)
		require.NotContains(t, problem.Detail, "\n")
		require.True(t, Is(problem, one.status, one.code))
	}
}

// Each scope has one question, and none of the questions can change anything: they ask for what is not there, or send a
// body that lacks what is required.
func TestProbesAreHarmless(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, one := range (v3{}).probes() {
		require.False(t, seen[one.Name], one.Name)
		seen[one.Name] = true
		nowhere := strings.Contains(one.path, noUUID) || strings.Contains(one.path, "/"+nothing)
		require.True(t, one.method == http.MethodGet || nowhere || one.body == struct{}{}, one.Name)
		require.NotEqual(t, http.MethodDelete, one.method)
		require.NotContains(t, one.path, "bulk")
	}
	require.True(t, IsRead("nodes:read"))
	require.False(t, IsRead("nodes:write"))
	require.False(t, IsRead("sesame"))
}
