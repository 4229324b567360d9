package httpapi

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"panel/platform/access"
	"panel/platform/entitlement"
)

type empty struct{}

// public is a running server with one throttled route, and a clock that stands still.
type public struct {
	t     *testing.T
	url   string
	clock *clockwork.FakeClock
	logs  *observer.ObservedLogs
}

func newPublic(t *testing.T, proxies ...string) *public {
	t.Helper()
	core, logs := observer.New(zap.InfoLevel)
	p := &public{t: t, clock: clockwork.NewFakeClock(), logs: logs}
	opts := Options{
		Log: zap.New(core), Clock: p.clock, License: entitlement.Fixed{State: entitlement.Active},
		Streams: NewStreams(),
	}
	for _, text := range proxies {
		opts.TrustedProxies = append(opts.TrustedProxies, netip.MustParsePrefix(text))
	}
	s, err := New(opts, Routes{
		Get("/open", "x", access.Throttled(access.PublicLimit), func(context.Context, *empty) (*empty,
			error,
		) {
			return &empty{}, nil
		}),
		Get("/other", "x", access.Throttled(access.PublicLimit), func(context.Context, *empty) (*empty,
			error,
		) {
			return &empty{}, nil
		}),
	})
	require.NoError(t, err)
	on, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() { _ = s.Serve(on) }()
	t.Cleanup(func() { require.NoError(t, s.Stop(context.WithoutCancel(t.Context()))) })
	p.url = "http://" + on.Addr().String()
	return p
}

func (p *public) ask(client *http.Client, path, forwarded string) (status, retryAfter int) {
	request, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, p.url+path, nil)
	require.NoError(p.t, err)
	for line := range strings.SplitSeq(forwarded, "\n") {
		request.Header.Add("X-Forwarded-For", line)
	}
	answer, err := client.Do(request)
	require.NoError(p.t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	require.NoError(p.t, err)
	if answer.StatusCode == http.StatusTooManyRequests {
		require.Contains(p.t, string(body), `"code":"throttled"`)
		require.Contains(p.t, string(body), `"request_id":"`+answer.Header.Get("X-Request-Id")+`"`)
		retryAfter, err = strconv.Atoi(answer.Header.Get("Retry-After"))
		require.NoError(p.t, err)
	}
	return answer.StatusCode, retryAfter
}

// passed sends many requests at once and counts those that were let in.
func (p *public) passed(connections, each int) int {
	p.t.Helper()
	var let atomic.Int64
	var all sync.WaitGroup
	for range connections {
		all.Go(func() {
			transport := &http.Transport{MaxConnsPerHost: 1}
			defer transport.CloseIdleConnections()
			for range each {
				if status, _ := p.ask(&http.Client{Transport: transport}, "/open",
					""); status < http.StatusMultipleChoices {
					let.Add(1)
				}
			}
		})
	}
	all.Wait()
	return int(let.Load())
}

// R17: however many connections share the work, exactly the burst passes, and then exactly one request per interval.
func TestThrottledRoutesAreExactOnManyConnections(t *testing.T) {
	t.Parallel()
	for _, connections := range []int{1, 8, 64} {
		t.Run(strconv.Itoa(connections), func(t *testing.T) {
			t.Parallel()
			p := newPublic(t)
			require.Equal(t, access.PublicLimit.Burst, p.passed(connections, 1+128/connections))
			p.clock.Advance(access.PublicLimit.Interval())
			require.Equal(t, 1, p.passed(connections, 2))
			p.clock.Advance(5 * access.PublicLimit.Interval())
			require.Equal(t, 5, p.passed(connections, 8))
			p.clock.Advance(time.Hour)
			require.Equal(t, access.PublicLimit.Burst, p.passed(connections, 1+128/connections),
				"rest saves up no more than the burst")
		})
	}
}

// R17: the edge of the window is exact: one millisecond before, Retry-After still asks to wait; waiting as told works.
func TestRetryAfterIsTheTimeToWait(t *testing.T) {
	t.Parallel()
	p := newPublic(t)
	require.Equal(t, access.PublicLimit.Burst, p.passed(1, 20))
	status, wait := p.ask(http.DefaultClient, "/open", "")
	require.Equal(t, http.StatusTooManyRequests, status)
	require.Equal(t, 2, wait)
	p.clock.Advance(time.Duration(wait)*time.Second - time.Millisecond)
	status, early := p.ask(http.DefaultClient, "/open", "")
	require.Equal(t, []int{http.StatusTooManyRequests, 1}, []int{status, early})
	p.clock.Advance(time.Millisecond)
	status, _ = p.ask(http.DefaultClient, "/open", "")
	require.Equal(t, http.StatusNoContent, status)
	status, _ = p.ask(http.DefaultClient, "/other", "")
	require.Equal(t, http.StatusNoContent, status, "another route has a limit of its own")
}

// R17: a forged X-Forwarded-For wins nothing while the peer is no trusted proxy.
func TestForgedForwardingIsIgnored(t *testing.T) {
	t.Parallel()
	p := newPublic(t)
	let := 0
	for i := range 40 {
		if status, _ := p.ask(http.DefaultClient, "/open",
			"203.0.113."+strconv.Itoa(i)); status == http.StatusNoContent {
			let++
		}
	}
	require.Equal(t, access.PublicLimit.Burst, let)
}

// R17: behind a trusted proxy the address that the proxy saw counts, whatever the client wrote before it; a client that
// rotates inside its own /64 stays one client.
func TestATrustedProxyNamesTheClient(t *testing.T) {
	t.Parallel()
	p := newPublic(t, "127.0.0.0/8", "10.0.0.0/8")
	exhaust := func(forwarded func(i int) string) (let int) {
		for i := range 30 {
			if status, _ := p.ask(http.DefaultClient, "/open", forwarded(i)); status == http.StatusNoContent {
				let++
			}
		}
		return let
	}
	burst := access.PublicLimit.Burst
	require.Equal(t, burst, exhaust(func(int) string { return "198.51.100.1" }))
	require.Equal(t, burst, exhaust(func(i int) string { return "203.0.113." + strconv.Itoa(i) + ", 198.51.100.2" }),
		"what stands to the left is the client's own word")
	require.Equal(t, burst, exhaust(func(i int) string {
		return "203.0.113." + strconv.Itoa(i) +
			", 198.51.100.3, 10.0.0.7"
	}), "trusted hops are stepped over")
	require.Equal(t, burst, exhaust(func(i int) string { return "203.0.113." + strconv.Itoa(i) + "\n198.51.100.4" }),
		"also where the proxy adds a line of its own")
	require.Equal(t, burst, exhaust(func(i int) string { return "2001:db8:1:2::" + strconv.FormatInt(int64(i+1), 16) }))
	require.Equal(t, 30, exhaust(func(i int) string {
		return "2001:db8:1:" + strconv.FormatInt(int64(i+16), 16) +
			"::1"
	}), "another /64 is another client")
	require.Equal(t, burst, exhaust(func(i int) string { return strings.Repeat("x", i+1) }), "garbage is one client")
	require.Zero(t, exhaust(func(i int) string { return "unknown, " + strings.Repeat("_", i+1) }),
		"and that client is the proxy that sends it")
	require.Equal(t, burst, exhaust(func(i int) string { return "198.51.100.9:" + strconv.Itoa(1024+i) }),
		"a port makes no other client")
	require.Zero(t, exhaust(func(int) string { return "198.51.100.9" }), "nor does its absence")
	require.Equal(t, burst, exhaust(func(i int) string { return "[2001:db8:7::1]:" + strconv.Itoa(1024+i) }))
	require.Zero(t, exhaust(func(int) string { return "2001:db8:7::1%eth0" }), "nor a zone")
	require.Equal(t, burst, exhaust(func(i int) string { return "198.51.100.10:1, 10.0.0.7:" + strconv.Itoa(1024+i) }),
		"trusted hops too may have one")
}

// A flood fills no log: the first refusal is a line, the rest is told as a sum.
func TestAFloodFillsNoLog(t *testing.T) {
	t.Parallel()
	p := newPublic(t)
	p.passed(4, 50)
	refusals := p.logs.FilterField(zap.Int("status", http.StatusTooManyRequests))
	require.Equal(t, 1, refusals.Len())
	p.clock.Advance(refusalsEvery)
	sums := func() []observer.LoggedEntry { return p.logs.FilterMessage("more requests were refused").All() }
	require.Eventually(t, func() bool { return len(sums()) == 1 }, 60*time.Second, time.Millisecond)
	require.Equal(t, 200-access.PublicLimit.Burst-1, sumOf(sums()))
}
