package probing_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
	"panel/platform/probing"
	"panel/platform/testneed/freeport"
)

var errClosed = errors.New("closed to this look")

func prober() *probing.Prober {
	dial := (&net.Dialer{}).DialContext
	return &probing.Prober{
		Dial: dial, DialPublic: dial, Now: time.Now,
		Lookup: func(_ context.Context, name string) ([]string, error) {
			if name == "here.example" {
				return []string{"192.0.2.1"}, nil
			}
			return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
		},
		Forbidden: func(err error) bool { return errors.Is(err, errClosed) },
	}
}

func watch(kind string, with func(*agentapi.Watch)) agentapi.Watch {
	w := agentapi.Watch{ID: "w", Type: kind, IntervalSeconds: 30, TimeoutSeconds: 20}
	with(&w)
	return w
}

func look(t *testing.T, p *probing.Prober, w agentapi.Watch) agentapi.CheckResult {
	t.Helper()
	result, said := p.Look(t.Context(), w)
	require.True(t, said)
	require.Equal(t, "w", result.WatchID)
	require.WithinDuration(t, time.Now(), result.At, time.Minute)
	return result
}

func at(address string) func(*agentapi.Watch) {
	return func(w *agentapi.Watch) { w.Address = address }
}

func listener(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func TestAPortAnswersOrRefuses(t *testing.T) {
	t.Parallel()
	l := listener(t)
	well := look(t, prober(), watch(agentapi.WatchTCP, at(l.Addr().String())))
	require.True(t, well.OK)
	require.Empty(t, well.Reason)
	require.Positive(t, well.LatencyMillis)

	refused := look(t, prober(), watch(agentapi.WatchTCP, at(net.JoinHostPort("127.0.0.1", strconv.Itoa(freeport.For(t))))))
	require.False(t, refused.OK)
	require.Equal(t, agentapi.CheckRefused, refused.Reason)
	require.NotEmpty(t, refused.Error)
}

// A target that hangs ends the look at the time of the watch.
func TestATargetThatHangsEndsWithTheTimeOfTheWatch(t *testing.T) {
	t.Parallel()
	l := listener(t) // nobody accepts, and nobody answers
	hung := look(t, prober(), watch(agentapi.WatchTLS, func(w *agentapi.Watch) {
		w.Address, w.ServerName, w.TimeoutSeconds = l.Addr().String(), "a.example", 1
	}))
	require.Equal(t, agentapi.CheckTimeout, hung.Reason)
}

// What must not be dialled is no failure of the target.
func TestAnAddressThatIsClosedToTheLookSaysNothing(t *testing.T) {
	t.Parallel()
	p := prober()
	p.Dial = func(context.Context, string, string) (net.Conn, error) { return nil, errClosed }
	p.DialPublic = p.Dial
	for _, kind := range []string{agentapi.WatchTCP, agentapi.WatchUDP, agentapi.WatchTLS, agentapi.WatchHTTP} {
		_, said := p.Look(t.Context(), watch(kind, func(w *agentapi.Watch) {
			w.Address, w.URL = "127.0.0.1:1", "http://127.0.0.1:1/"
		}))
		require.False(t, said, kind)
	}
}

// Whoever has no way to look at pages or names says nothing about them, as about a type it does not know.
func TestWhoCannotLookSaysNothing(t *testing.T) {
	t.Parallel()
	p := prober()
	p.DialPublic, p.Lookup = nil, nil
	for _, kind := range []string{agentapi.WatchHTTP, agentapi.WatchDNS, "later"} {
		_, said := p.Look(t.Context(), watch(kind, func(*agentapi.Watch) {}))
		require.False(t, said, kind)
	}
}

func serveTLS(t *testing.T, name string, until time.Time) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	form := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{name}, NotBefore: until.Add(-48 * time.Hour), NotAfter: until,
	}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	require.NoError(t, err)
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = nil
	server.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

// A certificate that nobody here trusts is fine as long as it is of the name and has not ended: an expired one is not.
func TestAHandshakeIsJudgedByTheCertificatesNameAndTime(t *testing.T) {
	t.Parallel()
	soon := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	for _, one := range []struct {
		certificate string
		until       time.Time
		reason      string
	}{
		{"a.example", soon, ""},
		{"a.example", soon.Add(-2 * time.Hour), agentapi.CheckCertExpired},
		{"b.example", soon, agentapi.CheckCertName},
	} {
		address := serveTLS(t, one.certificate, one.until)
		result := look(t, prober(), watch(agentapi.WatchTLS, func(w *agentapi.Watch) {
			w.Address, w.ServerName = address, "a.example"
		}))
		require.Equal(t, one.reason, result.Reason, result.Error)
		require.Equal(t, one.reason == "", result.OK)
		require.True(t, one.until.Equal(*result.CertExpires))
	}
}

func TestWhoeverSpeaksNoTLSIsToldApartFromWhoClosesTheConnection(t *testing.T) {
	t.Parallel()
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	with := func(address string) agentapi.Watch {
		return watch(agentapi.WatchTLS, func(w *agentapi.Watch) { w.Address, w.ServerName = address, "a.example" })
	}
	require.Equal(t, agentapi.CheckNoTLS, look(t, prober(), with(plain.Listener.Addr().String())).Reason)

	closing := listener(t)
	go func() {
		for {
			conn, err := closing.Accept()
			if err != nil {
				return
			}
			_ = conn.Close()
		}
	}()
	require.Equal(t, agentapi.CheckReset, look(t, prober(), with(closing.Addr().String())).Reason)
}

// Redirects are not followed, and a page that sends without end is read a little.
func TestAPageIsJudgedByItsStatusAlone(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("/well", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.Handle("/moved", http.RedirectHandler("http://127.0.0.1:1/", http.StatusFound))
	mux.HandleFunc("/broken", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	mux.HandleFunc("/flood", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.Copy(w, strings.NewReader(strings.Repeat("x", 10<<20)))
	})
	site := httptest.NewServer(mux)
	t.Cleanup(site.Close)
	for path, reason := range map[string]string{
		"/well": "", "/moved": "", "/flood": "", "/broken": agentapi.CheckHTTPStatus,
	} {
		result := look(t, prober(), watch(agentapi.WatchHTTP, func(w *agentapi.Watch) { w.URL = site.URL + path }))
		require.Equal(t, reason, result.Reason, path)
	}
	bad := look(t, prober(), watch(agentapi.WatchHTTP, func(w *agentapi.Watch) { w.URL = "http://[::1" }))
	require.Equal(t, agentapi.CheckFailed, bad.Reason)
}

func TestANameIsThereOrNot(t *testing.T) {
	t.Parallel()
	named := func(name string) agentapi.Watch {
		return watch(agentapi.WatchDNS, func(w *agentapi.Watch) { w.Name = name })
	}
	require.True(t, look(t, prober(), named("here.example")).OK)
	require.Equal(t, agentapi.CheckUnresolved, look(t, prober(), named("gone.example")).Reason)
}

// Over UDP an answer is well and a refusal is not. Silence is a failure only where somebody has to answer.
func TestSilenceOverUDPSaysNothingWhereNobodyHasToAnswer(t *testing.T) {
	t.Parallel()
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = socket.Close() })
	go func() {
		packet := make([]byte, 2000)
		for {
			n, from, err := socket.ReadFrom(packet)
			if err != nil {
				return
			}
			if n == 1200 { // what a server of QUIC answers to
				_, _ = socket.WriteTo(packet[:20], from)
			}
		}
	}()
	udp := func(address string, answers bool) agentapi.Watch {
		return watch(agentapi.WatchUDP, func(w *agentapi.Watch) {
			w.Address, w.Answers, w.TimeoutSeconds = address, answers, 3
		})
	}
	require.True(t, look(t, prober(), udp(socket.LocalAddr().String(), true)).OK)

	closed := net.JoinHostPort("127.0.0.1", strconv.Itoa(freeport.For(t)))
	require.Equal(t, agentapi.CheckRefused, look(t, prober(), udp(closed, false)).Reason)

	silent, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = silent.Close() })
	_, said := prober().Look(t.Context(), udp(silent.LocalAddr().String(), false))
	require.False(t, said)
	require.Equal(t, agentapi.CheckTimeout, look(t, prober(), udp(silent.LocalAddr().String(), true)).Reason)
}
