package remnawave

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/platform/fault"
	"panel/platform/outbound"
)

// A number of the other panel is a count, whatever it is written as; what is none is 0 and loses nothing beside it.
func TestCountsAreReadInAllForms(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		`7`: 7, `"7"`: 7, `7.9`: 7, `1e3`: 1000, `"1e3"`: 1000, `0`: 0, `-7`: 0, `null`: 0, `""`: 0, `"seven"`: 0, `true`: 0,
		`[7]`: 0, `{"a":7}`: 0, `1e300`: math.MaxInt64, `"NaN"`: 0, `"Inf"`: math.MaxInt64, `9223372036854775807`: math.MaxInt64,
	} {
		var all []number
		require.NoError(t, json.Unmarshal([]byte("["+text+",5]"), &all), text)
		require.Equal(t, []number{number(want), 5}, all, text)
	}
	for n, want := range map[number]int{0: 0, 1: 1, 65535: 65535, 65536: 0, math.MaxInt64: 0} {
		require.Equal(t, want, n.port())
	}
}

// A text of the other panel is one line, cut, and nothing where it is something else.
func TestTextsAreOneLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`"a\r\nb\tc\u0000\u007f"`: "a  b c  ", `7`: "", `null`: "", `{}`: "", `["a"]`: "", `""`: "",
		`"` + strings.Repeat("я", 301) + `"`: strings.Repeat("я", 300),
	} {
		var got line
		require.NoError(t, json.Unmarshal([]byte(text), &got), text)
		require.Equal(t, want, string(got), text)
	}
	at := time.Date(2026, 11, 27, 12, 0, 0, 123_000_000, time.UTC)
	for text, want := range map[string]*time.Time{
		`"2026-11-27T12:00:00.123456Z"`: &at, `"2026-11-27T15:00:00.123+03:00"`: &at, `"soon"`: nil, `7`: nil, `null`: nil,
		`"0001-01-01T00:00:00Z"`: nil, `""`: nil, `"2026-11-27"`: nil,
	} {
		var got moment
		require.NoError(t, json.Unmarshal([]byte(text), &got), text)
		require.Equal(t, want, got.at, text)
	}
}

// Ids are in small letters, sorted and each once: neither order nor spelling is a change.
func TestIdsHaveOneForm(t *testing.T) {
	t.Parallel()
	const one, two = "0199a0de-0000-7000-8000-00000000000a", "0199a0de-0000-7000-8000-00000000000b"
	require.Equal(t, []string{one, two}, sortedIDs([]line{two, line(strings.ToUpper(one)), one, "7", ""}))
	require.Equal(t, []string{}, sortedIDs(nil))
	require.Equal(t, []string{"a", "b"}, linesOf([]line{"b", "a", "b"}))
	require.Equal(t, one, idOf(line(strings.ToUpper(one))))
	require.Empty(t, idOf("../users"))
}

// What became of a call is told by its problem: whether the other panel itself has answered, whether the call may have
// been done, and whether the next time may be better.
func TestAProblemSaysWhatBecameOfACall(t *testing.T) {
	t.Parallel()
	const within = 10 * time.Second
	for name, one := range map[string]struct {
		problem                         Problem
		reached, unclear, gone, passing bool
	}{
		"no answer in time":       {Problem{Cause: "timeout"}, false, true, false, true},
		"refused at the door":     {Problem{Cause: "connection_refused"}, false, true, false, false},
		"broken off":              {Problem{Cause: "connection_broken"}, false, true, false, true},
		"without a reverse proxy": {Problem{Cause: NoReverseProxy}, false, true, false, true},
		"no turn yet":             {Problem{Cause: SlowDown, Wait: within}, false, false, false, false},
		"a turn soon":             {Problem{Cause: SlowDown, Wait: within - 1}, false, false, false, true},
		"slow down":               {Problem{Cause: SlowDown, Status: 429, Wait: 1}, false, false, false, true},
		"its gate has lost it":    {Problem{Cause: PanelFailed, Status: 502}, false, true, false, true},
		"its gate waits for it":   {Problem{Cause: PanelFailed, Status: 504}, false, true, false, true},
		"it failed":               {Problem{Cause: PanelFailed, Status: 500, Code: "A1"}, true, true, false, false},
		"it has no such thing":    {Problem{Cause: PanelFailed, Status: 404, Code: "A063"}, true, false, true, false},
		"it has no such path":     {Problem{Cause: PanelFailed, Status: 404}, true, false, false, false},
		"it refused":              {Problem{Cause: PanelFailed, Status: 400, Code: "A1"}, true, false, false, false},
		"a page":                  {Problem{Cause: GatePage, Status: 404}, false, false, false, false},
		"it knows no such token":  {Problem{Cause: TokenRefused, Status: 401}, false, false, false, false},
	} {
		problem := one.problem
		wrapped := fmt.Errorf("write: %w", &problem)
		got := []bool{problem.reached(), Unclear(wrapped), Gone(wrapped), problem.Passing(within)}
		require.Equal(t, []bool{one.reached, one.unclear, one.gone, one.passing}, got, name)
		require.Equal(t, problem.Cause, CauseOf(wrapped))
		known, is := fault.As(problem.Fault())
		require.True(t, is)
		require.Equal(t, "proxypanel_error", known.Code, name)
		require.Equal(t, problem.Wait, known.RetryAfter, name)
	}
	require.Equal(t, "proxypanel_timeout", fault.Code((&Problem{Cause: "timeout", late: true}).Fault()))
	require.Equal(t, PanelFailed, CauseOf(errors.New("x")))
	require.False(t, Unclear(errors.New("x")))
	require.False(t, Is(errors.New("x"), 0, ""))
	taken := &Problem{Status: http.StatusConflict, Code: codeProfileName}
	require.True(t, NameTaken(taken))
	require.False(t, TagTaken(taken))
	require.False(t, NameTaken(&Problem{Status: http.StatusBadRequest, Code: codeProfileName}), "codes are not unique")
}

// However long a panel wants to be left alone, it is an hour at most, and never less than nothing.
func TestAWaitNeverRunsOver(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	for _, text := range []string{"3601", "10000000000", "9223372036854775807", "Fri, 27 Nov 2099 12:00:00 GMT"} {
		require.Equal(t, time.Hour, retryAfter(http.Header{"Retry-After": {text}}, now), text)
	}
	client := &Client{clock: clockwork.NewFakeClockAt(now)}
	answer := outbound.Answer{Status: http.StatusServiceUnavailable, Header: http.Header{"Retry-After": {"10000000000"}}}
	require.Equal(t, SlowDown, client.refusal(answer).Cause)
	require.Equal(t, time.Hour, client.refusal(answer).Wait)
	answer.Header = http.Header{"Date": {"Fri, 27 Nov 2026 11:00:00 GMT"}}
	require.Equal(t, PanelFailed, client.refusal(answer).Cause, "it does not say when to come again")
	require.Equal(t, now.Add(-time.Hour), client.theirs(answered{header: answer.Header}), "its clock counts for its heartbeats")
	require.Equal(t, now, client.theirs(answered{header: http.Header{"Date": {"yesterday"}}}))
}

// A success is read out of its envelope; a page is a gate's, also with a 200.
func TestASuccessIsReadOutOfItsEnvelope(t *testing.T) {
	t.Parallel()
	client := &Client{clock: clockwork.NewFakeClock()}
	for _, one := range []struct {
		body, cause string
	}{
		{`{"response":{"a":7}}`, ""},
		{`{"response":{"a":7},"more":true}`, ""},
		{`{"response":null}`, ""},
		{`{"response":{"a":"x"}}`, AnswerUnreadable},
		{`{"response":[7]}`, AnswerUnreadable},
		{`{}`, AnswerUnreadable},
		{`[1,2`, AnswerUnreadable},
		{`{"response":`, AnswerUnreadable},
		{``, GatePage},
		{"\n\t ", GatePage},
		{`<!doctype html>`, GatePage},
		{`Log in first`, GatePage},
	} {
		var out struct{ A int }
		err := client.read(outbound.Answer{Status: http.StatusOK, Body: []byte(one.body)}, &out)
		if one.cause == "" {
			require.NoError(t, err, one.body)
			continue
		}
		require.Equal(t, one.cause, CauseOf(err), one.body)
	}
	for body, cause := range map[string]string{"": "", " ": "", `{"response":{}}`: "", "<html>": GatePage, "OK": GatePage} {
		err := client.read(outbound.Answer{Status: http.StatusNoContent, Body: []byte(body)}, nil)
		if cause == "" {
			require.NoError(t, err, body)
			continue
		}
		require.Equal(t, cause, CauseOf(err), body)
	}
}

// What is less than well with a panel that answers: nodes that are down, and before them a process without a sign of
// life. A node that somebody has disabled is not down.
func TestAPanelIsJudgedByItsProcessesAndNodes(t *testing.T) {
	t.Parallel()
	alive := func(age time.Duration) beats { return beats{"api": 0, "scheduler": age, "processor": -time.Second} }
	for name, one := range map[string]struct {
		figures Figures
		alive   beats
		state   string
		cause   string
		detail  string
	}{
		"well":               {Figures{Nodes: 3, NodesOnline: 2, NodesDisabled: 1}, alive(30 * time.Second), StateOK, "", ""},
		"without nodes":      {Figures{}, alive(0), StateOK, "", ""},
		"a node is down":     {Figures{Nodes: 3, NodesOnline: 2}, alive(0), StateDegraded, NodesDown, "1 of 3 nodes are down"},
		"a process is late":  {Figures{Nodes: 1}, alive(31 * time.Second), StateDegraded, ProcessSilent, "no sign of life of its process scheduler"},
		"a process is away":  {Figures{}, beats{"api": 0, "scheduler": 0}, StateDegraded, ProcessSilent, "no sign of life of its process processor"},
		"nobody says a word": {Figures{}, nil, StateDegraded, ProcessSilent, "no sign of life of its process api"},
	} {
		seen := Seen{State: StateOK}
		seen.judge(one.figures, one.alive)
		require.Equal(t, Seen{State: one.state, Cause: one.cause, Detail: one.detail}, seen, name)
	}
}

// Each cause is a state; a look that was broken off has found nothing.
func TestACauseIsAState(t *testing.T) {
	t.Parallel()
	for cause, state := range map[string]string{
		TokenRefused: StateAuth, NoReverseProxy: StateGate, GatePage: StateGate, SlowDown: StateDegraded,
		PanelFailed: StateUnreachable, AnswerUnreadable: StateUnreachable, "timeout": StateUnreachable,
	} {
		seen, err := Seen{Version: "3.0.0"}.met(t.Context(), &Problem{Cause: cause, Status: 500, Detail: "why"})
		require.NoError(t, err)
		require.Equal(t, Seen{State: state, Cause: cause, Detail: "why", Version: "3.0.0"}, seen)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Seen{}.met(over, &Problem{Cause: "connection_broken"})
	require.ErrorIs(t, err, context.Canceled)
	_, err = Seen{}.met(over, &Problem{Cause: TokenRefused, Status: http.StatusUnauthorized})
	require.NoError(t, err, "an answer that came counts")
	away := errors.New("the database is away")
	_, err = Seen{}.met(t.Context(), away)
	require.ErrorIs(t, err, away)
}

// What an access carries is a header of its own: nothing that the client sets by itself, and nothing of two lines.
func TestWhatAnAccessMayCarry(t *testing.T) {
	t.Parallel()
	network, err := outbound.Through("")
	require.NoError(t, err)
	access := func(change func(a *Access)) error {
		a := &Access{BaseURL: "https://a.example.com", Headers: map[string]string{}}
		change(a)
		return a.Check(network)
	}
	header := func(name, value string) error {
		return access(func(a *Access) { a.Headers[name] = value })
	}
	require.NoError(t, header("X-Api-Key", "a=b; c"))
	require.NoError(t, header("CF-Access-Client-Id", strings.Repeat("x", 8<<10)))
	for name, value := range map[string]string{
		"authorization": "x", "COOKIE": "x", "host": "x", "Content-length": "1", "accept": "x", "Transfer-Encoding": "x",
		"X Y": "x", "": "x", "X:": "x", "X-A": "a\nb", "X-B": "a\x00b", "X-C": strings.Repeat("x", 8<<10+1), "X-Ä": "x",
	} {
		err := header(name, value)
		require.Equal(t, "invalid_value", fault.Code(err), name)
		require.NotContains(t, err.Error(), "a\nb")
	}
	for cookie, good := range map[string]bool{"a=b; c=d": true, "": true, "a=b\n": false, "a\x00": false, "a\x7f": false} {
		err := access(func(a *Access) { a.Cookie = cookie })
		require.Equal(t, good, err == nil, "%q", cookie)
	}
	require.Error(t, access(func(a *Access) {
		for i := range mostHeaders + 1 {
			a.Headers[fmt.Sprint("X-", i)] = "x"
		}
	}))
	require.Equal(t, "invalid_value", fault.Code(access(func(a *Access) { a.CA = "no PEM" })))
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://a.example.com", nil)
	require.NoError(t, err)
	(&Access{}).forward(request)
	require.Empty(t, request.Header, "behind a reverse proxy that is its matter")
	(&Access{Direct: true}).forward(request)
	require.Equal(t, []string{"127.0.0.1", "https"},
		[]string{request.Header.Get("X-Forwarded-For"), request.Header.Get("X-Forwarded-Proto")})
}
