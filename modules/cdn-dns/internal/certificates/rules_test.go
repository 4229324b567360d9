package certificates

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/mholt/acmez/v3/acme"
	"github.com/stretchr/testify/require"

	"panel/platform/fault"
)

func TestRegisteredDomains(t *testing.T) {
	t.Parallel()
	for want, names := range map[string][]string{
		"[example.com]":               {"*.a.example.com", "example.com"},
		"[example.co.uk example.com]": {"b.example.com", "*.example.co.uk"},
		"[xn--e1afmkfd.xn--p1ai]":     {"a.xn--e1afmkfd.xn--p1ai"},
		"[com]":                       {"com"},
	} {
		require.Equal(t, want, fmt.Sprint(registered(names)))
	}
}

// One wildcard per zone; what a wildcard does not reach has a certificate of its own.
func TestNamesOfACertificate(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"*.example.com", "example.com"}, NamesFor("a.example.com", "example.com"))
	require.Equal(t, []string{"*.example.com", "example.com"}, NamesFor("example.com", "example.com"))
	require.Equal(t, []string{"a.b.example.com"}, NamesFor("a.b.example.com", "example.com"))
}

// Renew when a third of the lifetime is left (30 of 90 days), warn at 14 days or a sixth.
func TestMomentsOfALifetime(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for days, want := range map[int][2]time.Duration{
		90: {30 * day, 14 * day}, 6: {2 * day, day}, 365: {2920 * time.Hour, 14 * day},
	} {
		until := from.Add(time.Duration(days) * day)
		require.Equal(t, want[0], until.Sub(thirdLeft(from, until)), days)
		require.Equal(t, want[1], until.Sub(warnFrom(from, until)), days)
	}
}

func TestStatesOfACertificate(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	until := from.Add(90 * 24 * time.Hour)
	held := func(change func(*row)) *row {
		r := &row{NotBefore: &from, NotAfter: &until}
		change(r)
		return r
	}
	none := func(*row) {}
	for _, one := range []struct {
		r    *row
		days int
		want string
	}{
		{&row{}, 0, StateNone},
		{&row{Ordered: true}, 0, StateIssuing},
		{&row{Ordered: true, LastError: "x"}, 0, StateIssuing},
		{&row{LastError: "x"}, 0, StateFailed},
		{held(none), 1, StateValid},
		{held(func(r *row) { r.Ordered = true }), 1, StateValid},
		{held(none), 60, StateExpiring},
		{held(func(r *row) { r.LastError = "x" }), 60, StateFailed},
		{held(func(r *row) { r.LastError = "x" }), 90, StateExpired},
	} {
		require.Equal(t, one.want, one.r.state(from.Add(time.Duration(one.days)*24*time.Hour)), one)
	}
}

func TestPausesGrowUpToADay(t *testing.T) {
	t.Parallel()
	require.Equal(t, 15*time.Minute, pauseAfter(0))
	require.Equal(t, 15*time.Minute, pauseAfter(1))
	require.Equal(t, time.Hour, pauseAfter(3))
	require.Equal(t, 24*time.Hour, pauseAfter(8))
	require.Equal(t, 24*time.Hour, pauseAfter(1000))
}

func TestBothFormsOfRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"120": 2 * time.Minute, "Thu, 01 Jan 2026 01:00:00 GMT": time.Hour, "": 0, "-5": 0, "0": 0, "soon": 0,
		"Thu, 01 Jan 2015 01:00:00 GMT": 0,
	} {
		at := retryAfter(http.Header{"Retry-After": {text}}, now)
		if want == 0 {
			require.Zero(t, at, text)
			continue
		}
		require.Equal(t, now.Add(want), at, text)
	}
}

func TestErrorsAreSaidInTheWordsOfTheAuthority(t *testing.T) {
	t.Parallel()
	problem := acme.Problem{
		Type: "urn:ietf:params:acme:error:caa", Status: 403, Detail: "CAA forbids it",
		Subproblems: []acme.Subproblem{{
			Problem: acme.Problem{Detail: "really"}, Identifier: acme.Identifier{Value: "a.test"},
		}},
	}
	wrapped := fmt.Errorf("hand in an order: https://secret.example/path: %w", problem)
	require.Equal(t, "caa: CAA forbids it; a.test: really", describe(wrapped))
	require.True(t, refused(wrapped))
	problem.Status = 503
	require.False(t, refused(problem), "it may answer otherwise in a moment")
	require.False(t, refused(errors.New("x")))
	require.Equal(t, "in short", describe(fault.Upstream("x_error", "in short").Wrap(errors.New("at length"))))
	require.Len(t, []rune(describe(errors.New(string(make([]rune, 5000))))), longestError)
}
