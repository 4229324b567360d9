package httpapi

import (
	"context"
	"fmt"
	"io"
	"net/netip"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jonboulle/clockwork"
	fast "github.com/segmentio/encoding/json"
	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"pgregory.net/rapid"

	"panel/platform/access"
	"panel/platform/entitlement"
)

type oneSession struct{ caller access.Caller }

func (o oneSession) Recognise(ctx context.Context, token string) (access.Caller, error) {
	return o.Authenticate(ctx, token)
}

func (o oneSession) Authenticate(context.Context, string) (access.Caller, error) {
	return o.caller, nil
}

type row struct {
	Key     string `json:"key"`
	Family  string `json:"family"`
	Summary string `json:"summary"`
}

type rowsOutput struct {
	Body struct {
		Items []row `json:"items"`
	}
}

// gated is a server with one reading operation behind the whole guard, and a request for it.
func gated(t testing.TB) (fasthttp.RequestHandler, *fasthttp.RequestCtx) {
	t.Helper()
	out := &rowsOutput{}
	for i := range 30 {
		out.Body.Items = append(out.Body.Items, row{
			fmt.Sprintf("noun%d.view", i), "noun.*",
			"See what belongs to this noun",
		})
	}
	encoder := zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig())
	s, err := New(Options{
		Log:   zap.New(zapcore.NewCore(encoder, zapcore.AddSync(io.Discard), zap.InfoLevel)),
		Clock: clockwork.NewRealClock(),
		Sessions: oneSession{access.Caller{
			Kind: access.Admin, AccountID: "0197f3a0-0000-7000-8000-000000000001",
			Username: "anna", Permissions: access.Set{"*"},
		}},
		License:     entitlement.Fixed{State: entitlement.Active, Reason: "ok"},
		Permissions: []access.Permission{{Key: "rows.view"}}, Streams: NewStreams(),
	}, Routes{Get("/api/v1/rows", "List", access.Needs("rows.view"), func(context.Context, *struct{}) (*rowsOutput,
		error,
	) {
		return out, nil
	})})
	require.NoError(t, err)
	c := &fasthttp.RequestCtx{}
	c.Request.Header.SetMethod(fasthttp.MethodGet)
	c.Request.SetRequestURI("/api/v1/rows")
	c.Request.Header.Set("Authorization", "Bearer ps_0123456789012345678901234567890123456789012")
	return s.App().Handler(), c
}

func BenchmarkGated(b *testing.B) {
	handle, c := gated(b)
	b.ReportAllocs()
	for b.Loop() {
		c.Response.Reset()
		handle(c)
	}
	require.Equal(b, fasthttp.StatusOK, c.Response.StatusCode())
}

// Every request pays for what it allocates twice: when it is made and when it is collected. The libraries' own are
// counted too: 14 in all; the race detector, under which this usually runs, makes pools forget and so 20 of them.
func TestAGatedReadAllocatesLittle(t *testing.T) {
	handle, c := gated(t)
	handle(c)
	got := testing.AllocsPerRun(1000, func() {
		c.Response.Reset()
		handle(c)
	})
	require.Equal(t, fasthttp.StatusOK, c.Response.StatusCode())
	require.LessOrEqual(t, got, 21.0)
}

// What the request id promises: a UUID of version 7 that sorts by time and never repeats.
func TestRequestIDsAreUUIDsThatSortByTime(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	before := ""
	for i := range 1000 {
		raw := requestID(time.UnixMilli(1_800_000_000_000 + int64(i)))
		id := string(raw[:])
		parsed, err := uuid.Parse(id)
		require.NoError(t, err)
		require.Equal(t, uuid.Version(7), parsed.Version())
		require.Equal(t, uuid.RFC4122, parsed.Variant())
		require.Less(t, before, id)
		require.False(t, seen[id])
		seen[id], before = true, id
	}
}

// stormed is a server behind a proxy whose one throttled route has already let in all that it lets in.
func stormed(t testing.TB) (fasthttp.RequestHandler, *fasthttp.RequestCtx) {
	t.Helper()
	s, err := New(Options{
		Clock: clockwork.NewFakeClock(), License: entitlement.Fixed{State: entitlement.Active}, Streams: NewStreams(),
		// a request without a network comes from 0.0.0.0
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("0.0.0.0/8")},
	},
		Routes{Get("/open", "x", access.Throttled(access.PublicLimit), func(context.Context, *struct{}) (*struct{},
			error,
		) {
			return &struct{}{}, nil
		})})
	require.NoError(t, err)
	c := &fasthttp.RequestCtx{}
	c.Request.SetRequestURI("/open")
	c.Request.Header.Set("X-Forwarded-For", "198.51.100.7")
	s.App().Handler() // builds the tree of routes
	handle := s.App().Server().Handler
	for range access.PublicLimit.Burst + 2 {
		c.Response.Reset()
		handle(c)
	}
	return handle, c
}

func BenchmarkRefused(b *testing.B) {
	handle, c := stormed(b)
	b.ReportAllocs()
	for b.Loop() {
		c.Response.Reset()
		handle(c)
	}
	require.Equal(b, fasthttp.StatusTooManyRequests, c.Response.StatusCode())
}

// Refusing must cost less than answering: it is what a flood pays with. The time to wait and the client's address are
// texts of their own.
func TestARefusalAllocatesLittle(t *testing.T) {
	handle, c := stormed(t)
	got := testing.AllocsPerRun(1000, func() {
		c.Response.Reset()
		handle(c)
	})
	require.Equal(t, fasthttp.StatusTooManyRequests, c.Response.StatusCode())
	require.LessOrEqual(t, got, 3.0)
}

// An answer that never changes is made once; every caller still has to prove who he is.
func TestAnUnchangingAnswerIsMadeOnce(t *testing.T) {
	t.Parallel()
	made := 0
	answers := func(context.Context, *struct{}) (*rowsOutput, error) {
		made++
		out := &rowsOutput{}
		out.Body.Items = []row{{"noun.view", "noun.*", "See <what> belongs to it"}}
		return out, nil
	}
	sessions := &oneSession{access.Caller{Kind: access.Admin, Permissions: access.Set{"*"}}}
	s, err := New(Options{
		Clock: clockwork.NewRealClock(), Sessions: sessions, License: entitlement.Fixed{State: entitlement.Active},
		Denials: noDenials{}, Permissions: []access.Permission{{Key: "rows.view"}}, Streams: NewStreams(),
	}, Routes{Get("/rows", "List", access.Needs("rows.view"), answers, Unchanging())})
	require.NoError(t, err)
	ask := func() (status int, kind, body string) {
		c := &fasthttp.RequestCtx{}
		c.Request.SetRequestURI("/rows")
		c.Request.Header.Set("Authorization", "Bearer ps_x")
		s.App().Handler()(c)
		return c.Response.StatusCode(), string(c.Response.Header.ContentType()), string(c.Response.Body())
	}
	status, kind, body := ask()
	require.Equal(t, fasthttp.StatusOK, status)
	require.Contains(t, body, "noun.view")
	for range 3 {
		again, ofKind, same := ask()
		require.Equal(t, fasthttp.StatusOK, again)
		require.Equal(t, kind, ofKind)
		require.Equal(t, body, same)
	}
	require.Equal(t, 1, made)
	sessions.caller.Permissions = nil
	status, _, _ = ask()
	require.Equal(t, fasthttp.StatusForbidden, status)
}

type noDenials struct{}

func (noDenials) Denied(context.Context, Operation, string) {}

func TestOnlyWhatTakesNothingFromItsRequestIsUnchanging(t *testing.T) {
	t.Parallel()
	type asked struct {
		ID string `path:"id"`
	}
	of := func(context.Context, *asked) (*rowsOutput, error) { return &rowsOutput{}, nil }
	write := func(context.Context, *struct{}) (*rowsOutput, error) { return &rowsOutput{}, nil }
	for _, op := range []Operation{
		Get("/rows/{id}", "x", access.Public(), of, Unchanging()),
		Post("/rows", "x", access.Public(), write, Unchanging(), BodyLimit(1)),
	} {
		_, err := New(Options{Clock: clockwork.NewRealClock(), Streams: NewStreams()}, Routes{op})
		require.ErrorContains(t, err, "unchanging")
	}
}

// A document that is written by hand is the same text as one that is encoded.
func TestAShortProblemIsTheSameText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		type plain Problem
		p := &Problem{
			Type: "about:blank", Title: rapid.String().Draw(t, "title"), Status: rapid.IntRange(0, 999).
				Draw(t, "status"),
			Detail: rapid.String().Draw(t, "detail"), Code: rapid.String().Draw(t, "code"), RequestID: rapid.String().
				Draw(t, "id"),
		}
		encoded, err := fast.Append(nil, (*plain)(p), fast.SortMapKeys)
		require.NoError(t, err)
		written, err := p.appended(nil)
		require.NoError(t, err)
		require.Equal(t, string(encoded), string(written))
	})
}
