package outbound

import (
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/config"
	"panel/platform/database/dbtest"
	"panel/platform/fault"
)

// network is a panel's network in tests: servers of tests listen on loopback, which nothing reaches unless it is
// allowed.
func network(t *testing.T, settings map[string]string) *Network {
	t.Helper()
	cfg, err := config.Of(settings)
	require.NoError(t, err)
	n, err := NewNetwork(cfg)
	require.NoError(t, err)
	return n
}

func local(t *testing.T) *Network {
	t.Helper()
	return network(t, map[string]string{"PANEL_OUTBOUND_ALLOW": "127.0.0.1, ::1"})
}

func client(t *testing.T, n *Network, o Options) *Client {
	t.Helper()
	o.Name, o.Service = "example", "the example service"
	c := n.New(o)
	c.pause = func(int) time.Duration { return 0 }
	t.Cleanup(c.Close)
	return c
}

func serve(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

func get(t *testing.T, c *Client, address string) (Answer, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	require.NoError(t, err)
	return c.Do(t.Context(), request)
}

func TestAnAnswerComesWholeWithItsStatus(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, "short and stout")
	})
	answer, err := get(t, client(t, local(t), Options{}), server.URL)
	require.NoError(t, err)
	require.Equal(t, http.StatusTeapot, answer.Status)
	require.False(t, answer.OK())
	require.Equal(t, "short and stout", string(answer.Body))
}

func TestJSONIsSentAndRead(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Header.Get("Content-Type") != "application/json" || string(body) != `{"name":"anna"}` {
			w.WriteHeader(http.StatusBadRequest)
		}
		_, _ = io.WriteString(w, `{"greeting":"hello anna"}`)
	})
	var out struct{ Greeting string }
	in := map[string]string{"name": "anna"}
	require.NoError(t, client(t, local(t), Options{}).JSON(t.Context(), http.MethodPost, server.URL, in, &out))
	require.Equal(t, "hello anna", out.Greeting)
}

func TestARefusalOfTheOtherSideIsAFaultWithoutItsText(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, `{"reason":"token 12345 lacks rights"}`)
	})
	err := client(t, local(t), Options{}).JSON(t.Context(), http.MethodGet, server.URL+"/secret-path", nil, nil)
	require.Equal(t, "example_error", fault.Code(err))
	require.Equal(t, fault.KindUpstream, fault.KindOf(err))
	require.ErrorContains(t, err, "HTTP 403")
	require.NotContains(t, err.Error(), "12345")
	require.NotContains(t, err.Error(), "secret-path")
	var status *StatusError
	require.ErrorAs(t, err, &status)
	require.Contains(t, string(status.Body), "lacks rights", "the caller may read the reason")
}

func TestAnUnreadableAnswerIsAFault(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") })
	err := client(t, local(t), Options{}).JSON(t.Context(), http.MethodGet, server.URL, nil, &struct{}{})
	require.Equal(t, "example_error", fault.Code(err))
	require.ErrorContains(t, err, "cannot be read")
}

func TestAServerThatNeverAnswersIsATimeout(t *testing.T) {
	t.Parallel()
	server := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	_, err := get(t, client(t, local(t), Options{Timeout: 50 * time.Millisecond}), server.URL)
	require.Equal(t, "example_timeout", fault.Code(err))
	require.Equal(t, fault.KindUpstreamTimeout, fault.KindOf(err))
}

func TestABodyThatNeverEndsIsATimeout(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "first words")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	c := client(t, local(t), Options{Timeout: 100 * time.Millisecond})
	_, err := get(t, c, server.URL)
	require.Equal(t, "example_timeout", fault.Code(err))

	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
	require.NoError(t, err)
	response, err := c.Stream(t.Context(), request)
	require.NoError(t, err)
	defer response.Body.Close()
	_, err = io.ReadAll(response.Body)
	require.Equal(t, "example_timeout", fault.Code(err))
}

func TestAnAnswerOverTheLimitIsRefusedAlsoWhenItIsCompressed(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		text := strings.Repeat("x", len(r.URL.Path)*100)
		if r.URL.Query().Has("plain") {
			_, _ = io.WriteString(w, text)
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		packed := gzip.NewWriter(w)
		_, _ = io.WriteString(packed, text)
		_ = packed.Close()
	})
	c := client(t, local(t), Options{MaxAnswer: 300})
	for _, form := range []string{"", "?plain"} {
		answer, err := get(t, c, server.URL+"/ab"+form)
		require.NoError(t, err, "exactly the limit is allowed")
		require.Len(t, answer.Body, 300)
		_, err = get(t, c, server.URL+"/abc"+form)
		require.ErrorIs(t, err, ErrTooLarge)
		require.Equal(t, "example_error", fault.Code(err))
	}
}

func TestAClosedPortIsAFaultInWords(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())
	_, err = get(t, client(t, local(t), Options{}), "http://"+address+"/token-in-a-path")
	require.Equal(t, "example_error", fault.Code(err))
	require.ErrorContains(t, err, "connection refused")
	require.NotContains(t, err.Error(), "token-in-a-path")
}

func TestRedirectsAreFollowedAsFarAsAllowed(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if len(r.URL.Path) < 4 {
			http.Redirect(w, r, r.URL.Path+"x", http.StatusFound)
		}
	})
	for redirects, status := range map[int]int{0: 302, 2: 302, 3: 200} {
		answer, err := get(t, client(t, local(t), Options{Redirects: redirects}), server.URL+"/")
		require.NoError(t, err)
		require.Equal(t, status, answer.Status, "%d redirects", redirects)
	}
}

func TestHeadersGoToTheHostThatWasAskedAlone(t *testing.T) {
	t.Parallel()
	var foreign, own atomic.Value
	other := serve(t, func(_ http.ResponseWriter, r *http.Request) { foreign.Store(r.Header.Get("X-Token")) })
	first := serve(t, func(w http.ResponseWriter, r *http.Request) {
		own.Store(r.Header.Get("X-Token"))
		http.Redirect(w, r, other.URL, http.StatusFound)
	})
	headers := map[string]config.Secret{"X-Token": config.NewSecret("sesame")}
	_, err := get(t, client(t, local(t), Options{Redirects: 1, Headers: headers}), first.URL)
	require.NoError(t, err)
	require.Equal(t, "sesame", own.Load())
	require.Empty(t, foreign.Load())
}

func TestABodyIsNotCarriedToAnotherHost(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	other := serve(t, func(http.ResponseWriter, *http.Request) { calls.Add(1) })
	first := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	})
	err := client(t, local(t), Options{Redirects: 3}).JSON(t.Context(), http.MethodPost, first.URL, "secret", nil)
	require.ErrorIs(t, err, errForeignBody)
	require.Zero(t, calls.Load())
}

func TestARedirectNeverLeavesHTTPS(t *testing.T) {
	t.Parallel()
	plain := serve(t, func(http.ResponseWriter, *http.Request) {})
	secure := httptest.NewTLSServer(http.RedirectHandler(plain.URL, http.StatusFound))
	t.Cleanup(secure.Close)
	_, err := get(t, client(t, local(t), Options{Redirects: 3, Roots: rootsOf(secure)}), secure.URL)
	require.ErrorIs(t, err, errDowngrade)
}

func rootsOf(server *httptest.Server) *x509.CertPool {
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	return roots
}

func TestTLSUsesTheGivenAuthoritiesAndCertificate(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.TLS.PeerCertificates[0].Subject.Organization[0])
	}))
	server.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert, MinVersion: tls.VersionTLS13}
	server.StartTLS()
	t.Cleanup(server.Close)

	_, err := get(t, client(t, local(t), Options{}), server.URL)
	require.ErrorContains(t, err, "TLS failed", "an unknown authority")
	_, err = get(t, client(t, local(t), Options{Roots: rootsOf(server)}), server.URL)
	require.Equal(t, "example_error", fault.Code(err), "no certificate of the panel")
	answer, err := get(t, client(t, local(t), Options{
		Roots:       rootsOf(server),
		Certificate: &server.TLS.Certificates[0],
	}), server.URL)
	require.NoError(t, err)
	require.Equal(t, "Acme Co", string(answer.Body))
}

func TestIdempotentCallsAreRepeatedAndOthersAreNot(t *testing.T) {
	t.Parallel()
	for _, status := range []int{429, 502, 503, 504} {
		for method, wanted := range map[string]int64{"GET": 3, "PUT": 3, "DELETE": 3, "POST": 1, "PATCH": 1} {
			var calls atomic.Int64
			server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				calls.Add(1)
				w.WriteHeader(status)
			})
			err := client(t, local(t), Options{Retries: 2}).
				JSON(t.Context(), method, server.URL, map[string]int{"n": 1}, nil)
			require.Error(t, err)
			require.Equal(t, wanted, calls.Load(), "%s after %d", method, status)
		}
	}
}

func TestACallWithAnIdempotencyKeyIsRepeatedWithItsBody(t *testing.T) {
	t.Parallel()
	var bodies []string
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if bodies = append(bodies, string(body)); len(bodies) < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader("pay"))
	require.NoError(t, err)
	request.Header.Set("Idempotency-Key", "once")
	answer, err := client(t, local(t), Options{Retries: 5}).Do(t.Context(), request)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.Status)
	require.Equal(t, []string{"pay", "pay", "pay"}, bodies)
}

func TestARetryAfterBeyondTheDeadlineGivesTheAnswerAtOnce(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	answer, err := get(t, client(t, local(t), Options{Retries: 5}), server.URL)
	require.NoError(t, err)
	require.Equal(t, http.StatusTooManyRequests, answer.Status)
}

func TestACallInsideATransactionIsRefusedAndNotMade(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	var calls atomic.Int64
	server := serve(t, func(http.ResponseWriter, *http.Request) { calls.Add(1) })
	c := client(t, local(t), Options{Retries: 3})
	err := db.InTx(t.Context(), func(ctx context.Context) error {
		return c.JSON(ctx, http.MethodGet, server.URL, nil, nil)
	})
	require.ErrorIs(t, err, ErrInTransaction)
	require.Zero(t, calls.Load())
}

func TestTheProxyOfTheSettingCarriesTheCall(t *testing.T) {
	t.Parallel()
	var asked atomic.Value
	proxy := serve(t, func(_ http.ResponseWriter, r *http.Request) { asked.Store(r.URL.String()) })
	n := network(t, map[string]string{"PANEL_HTTP_PROXY": proxy.URL, "PANEL_OUTBOUND_ALLOW": "203.0.113.9"})
	_, err := get(t, client(t, n, Options{}), "http://203.0.113.9/through")
	require.NoError(t, err)
	require.Equal(t, "http://203.0.113.9/through", asked.Load())
}

// A panel is configured by PANEL_ variables alone.
func TestTheProxyVariablesOfTheSystemAreNotRead(t *testing.T) {
	var calls atomic.Int64
	proxy := serve(t, func(http.ResponseWriter, *http.Request) { calls.Add(1) })
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	server := serve(t, func(http.ResponseWriter, *http.Request) {})
	_, err := get(t, client(t, local(t), Options{}), server.URL)
	require.NoError(t, err)
	require.Zero(t, calls.Load())
}

func TestAnErrorOfTheClientSaysNoAddress(t *testing.T) {
	t.Parallel()
	err := bare(&url.Error{Op: "Get", URL: "http://host/bot123:token/send", Err: errors.New("broken")})
	require.EqualError(t, err, "broken")
}

// A plain connection is judged as every call is.
func TestAPlainConnectionGoesOnlyWhereCallsMayGo(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	network, err := Through("")
	require.NoError(t, err)
	for _, address := range []string{listener.Addr().String(), "localhost:1", "169.254.169.254:22", "nonsense"} {
		_, err = network.Dial(t.Context(), address, Private)
		require.ErrorIs(t, err, ErrForbidden, address)
	}
	conn, err := network.Dial(t.Context(), listener.Addr().String(), Configured)
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	allowed, err := local(t).Dial(t.Context(), listener.Addr().String(), Private)
	require.NoError(t, err, "networks of PANEL_OUTBOUND_ALLOW are allowed")
	require.NoError(t, allowed.Close())
}

// Name servers are asked by UDP, and only where calls may go.
func TestAPacketGoesOnlyWhereCallsMayGo(t *testing.T) {
	t.Parallel()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	defer server.Close()
	strict, err := Through("")
	require.NoError(t, err)
	_, err = strict.DialUDP(t.Context(), server.LocalAddr().String(), Private)
	require.ErrorIs(t, err, ErrForbidden)
	conn, err := local(t).DialUDP(t.Context(), server.LocalAddr().String(), Private)
	require.NoError(t, err)
	defer conn.Close()
	_, err = conn.Write([]byte("question"))
	require.NoError(t, err)
	question := make([]byte, 16)
	n, _, err := server.ReadFrom(question)
	require.NoError(t, err)
	require.Equal(t, "question", string(question[:n]))
}

// A library with a client of its own is judged request by request.
func TestTheRequestsOfALibraryAreJudged(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "here") })
	strict, err := Through("")
	require.NoError(t, err)
	ask := func(n *Network, reach Reach) error {
		client := &http.Client{Transport: n.RoundTripper(Options{Name: "example", Service: "the example", Reach: reach})}
		defer client.CloseIdleConnections()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
		require.NoError(t, err)
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		return response.Body.Close()
	}
	require.ErrorIs(t, ask(strict, Private), ErrForbidden)
	require.NoError(t, ask(strict, Configured))
	require.NoError(t, ask(local(t), Private))
}
