package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"panel/platform/access"
	"panel/platform/entitlement"
	"panel/platform/fault"
)

// onlyAnna knows one token.
type onlyAnna struct{}

func (onlyAnna) Recognise(ctx context.Context, token string) (access.Caller, error) {
	return onlyAnna{}.Authenticate(ctx, token)
}

func (onlyAnna) Authenticate(_ context.Context, token string) (access.Caller, error) {
	if token != "anna's" {
		return access.Caller{}, fault.Unauthenticated("session_invalid", "sign in again")
	}
	return access.Caller{Kind: access.Admin, AccountID: "0197f3a0-0000-7000-8000-000000000001", Username: "anna"}, nil
}

// counted is a meter and a journal that only count.
type counted struct {
	noMeter
	answers, denials atomic.Int64
}

func (c *counted) Route(string, string) func(int, time.Duration) {
	return func(int, time.Duration) { c.answers.Add(1) }
}

func (c *counted) Denied(context.Context, Operation, string) { c.denials.Add(1) }

// besieged is a server behind a proxy, where every request may come from another address.
type besieged struct {
	*counted
	t      *testing.T
	server *Server
	clock  *clockwork.FakeClock
	logs   *observer.ObservedLogs
	answer fasthttp.RequestHandler
}

func newBesieged(t *testing.T) *besieged {
	t.Helper()
	core, logs := observer.New(zap.InfoLevel)
	b := &besieged{counted: &counted{}, t: t, clock: clockwork.NewFakeClock(), logs: logs}
	missing := func(context.Context, *empty) (*empty, error) { return nil, fault.Missing("no such subscription") }
	s, err := New(Options{
		Log: zap.New(core), Clock: b.clock, License: entitlement.Fixed{State: entitlement.Active},
		Streams:  NewStreams(),
		Sessions: onlyAnna{}, Meter: b.counted, Denials: b.counted,
		Permissions: []access.Permission{{Key: "rows.view"}},
		// a request without a network comes from 0.0.0.0
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("0.0.0.0/8")},
	}, Routes{
		Get("/rows", "x", access.Needs("rows.view"), func(context.Context, *empty) (*empty, error) {
			return &empty{},
				nil
		}),
		Get("/s/x", "x", access.Public(), missing),
		Get("/mine", "x", access.Session(), missing),
	})
	require.NoError(t, err)
	b.server, b.answer = s, s.App().Handler()
	return b
}

func (b *besieged) ask(path, from, token string) (status int) {
	c := &fasthttp.RequestCtx{}
	c.Request.SetRequestURI(path)
	c.Request.Header.Set("X-Forwarded-For", from)
	c.Request.Header.Set("Authorization", "Bearer "+token)
	b.answer(c)
	return c.Response.StatusCode()
}

// logged waits for the sums of a minute, which a timer writes.
func (b *besieged) logged(lines int) []observer.LoggedEntry {
	b.t.Helper()
	b.clock.Advance(refusalsEvery)
	sums := func() *observer.ObservedLogs { return b.logs.FilterMessage("more requests were refused") }
	require.Eventually(b.t, func() bool { return sums().Len() >= lines }, 60*time.Second, time.Millisecond)
	b.server.refused.mu.Lock() // the timer has written all of them
	defer b.server.refused.mu.Unlock()
	return sums().All()
}

func sumOf(entries []observer.LoggedEntry) (sum int) {
	for _, entry := range entries {
		sum += int(entry.ContextMap()["count"].(int64)) //nolint:forcetypeassert // it is what is tested
	}
	return sum
}

// Whoever sends garbage from many addresses, each request with another token, gets a bounded number of lines, and the
// lines say how many requests there were; all of them count.
func TestAFloodOfGarbageTokensIsLoggedAsAFewLinesAndTheirSum(t *testing.T) {
	t.Parallel()
	b := newBesieged(t)
	const flood = 10_000
	for i := range flood {
		from := fmt.Sprintf("198.%d.%d.7", 18+i%2, i/2%250)
		require.Equal(t, http.StatusUnauthorized, b.ask("/rows", from, fmt.Sprintf("ps_garbage-%d", i)))
	}
	firsts := b.logs.Len()
	require.Equal(t, mostRefusals+1, firsts)
	require.Equal(t, "session_invalid", b.logs.All()[0].ContextMap()["code"])
	sums := b.logged(mostRefusals + 1)
	require.Len(t, sums, mostRefusals+1)
	require.Equal(t, flood, firsts+sumOf(sums))
	require.EqualValues(t, flood, b.answers.Load())
	require.EqualValues(t, flood, b.denials.Load(), "the journal hears of each")
}

// The memory of a million strangers is that of the first few.
func TestTheSumsOfRefusalsAreBounded(t *testing.T) {
	t.Parallel()
	r := newRefusals(zap.NewNop(), clockwork.NewFakeClock())
	for i := range 1_000_000 {
		r.first(refusalKey{from: netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), status: 401})
	}
	require.Len(t, r.counts, mostRefusals+1)
	require.Equal(t, 1_000_000-mostRefusals-1, r.counts[refusalKey{}])
	runtime.KeepAlive(r)
}

// A kind is the network, the status and the code: of each the first is a line. A network is an IPv4 address or a /64.
func TestTheFirstRefusalOfAKindIsLoggedAtOnce(t *testing.T) {
	t.Parallel()
	b := newBesieged(t)
	for range 3 {
		b.ask("/rows", "198.51.100.1", "ps_garbage")
		b.ask("/rows", "198.51.100.1", "")
		b.ask("/s/x", "198.51.100.1", "")
		b.ask("/nowhere", "198.51.100.1", "")
		b.ask("/s/x", "198.51.100.2", "")
	}
	for i := range 3 {
		b.ask("/s/x", fmt.Sprintf("2001:db8:1:2::%x", i+1), "")
	}
	require.Equal(t, 5, b.logs.Len(), "what is not found is one kind, whatever was looked for")
	sums := b.logged(5)
	require.Equal(t, 18-5, sumOf(sums))
	networks := map[any]int{}
	for _, sum := range sums {
		networks[sum.ContextMap()["network"]]++
	}
	require.Equal(t, map[any]int{"198.51.100.1": 3, "198.51.100.2": 1, "2001:db8:1:2::/64": 1}, networks)
}

// While a flood goes on it gets its sum each minute and nothing else; when it is over the next refusal
// is a first one again.
func TestAFloodThatGoesOnGetsOneLineAMinute(t *testing.T) {
	t.Parallel()
	b := newBesieged(t)
	for minute := range 3 {
		for range 10 {
			b.ask("/rows", "198.51.100.1", "ps_garbage")
		}
		require.Len(t, b.logged(minute+1), minute+1)
		require.Equal(t, minute+2, b.logs.Len())
	}
	b.clock.Advance(refusalsEvery)
	require.Eventually(t, func() bool {
		b.server.refused.mu.Lock()
		defer b.server.refused.mu.Unlock()
		return len(b.server.refused.counts) == 0 && b.server.refused.timer == nil
	}, 60*time.Second, time.Millisecond)
	require.Equal(t, 4, b.logs.Len(), "of nothing nothing is told")
	b.ask("/rows", "198.51.100.1", "ps_garbage")
	require.Equal(t, 5, b.logs.Len())
}

// Of those who proved who they are every request has its line, refused or not.
func TestEveryRequestOfASignedInCallerIsLogged(t *testing.T) {
	t.Parallel()
	b := newBesieged(t)
	for range 20 {
		require.Equal(t, http.StatusForbidden, b.ask("/rows", "198.51.100.1", "anna's"))
		require.Equal(t, http.StatusNotFound, b.ask("/mine", "198.51.100.1", "anna's"))
	}
	require.Equal(t, 40, b.logs.FilterMessage("request").Len())
	require.Equal(t, 20, b.logs.FilterField(zap.String("code", "permission_denied")).Len())
}

// A stop tells what was counted and leaves no timer behind.
func TestAStopTellsTheSumsOfRefusals(t *testing.T) {
	t.Parallel()
	b := newBesieged(t)
	for range 7 {
		b.ask("/rows", "198.51.100.1", "ps_garbage")
	}
	require.NoError(t, b.server.Stop(t.Context()))
	require.Equal(t, 6, sumOf(b.logs.FilterMessage("more requests were refused").All()))
	b.clock.Advance(refusalsEvery)
	require.Equal(t, 2, b.logs.Len())
}
