package system_test

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/platform/core/accounts"
	"panel/platform/core/system"
	"panel/platform/events"
	"panel/platform/paneltest"
)

// Specification, Health document: public, three fields.
// Specification, Versioning: the "version string is returned" by /health, status and panelctl version.
func TestHealthHasExactlyTheFieldsOfTheSpecification(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	var document map[string]any
	p.Anonymous().Get("/health").Is(http.StatusOK).JSON(&document)
	require.Len(t, document, 3)
	require.Equal(t, "ok", document["status"])
	at, err := time.Parse(time.RFC3339Nano, document["timestamp"].(string))
	require.NoError(t, err)
	require.Equal(t, time.UTC, at.Location())
	require.NotEmpty(t, document["version"])
}

// Specification, Panel status: running when normal, connected, setup-done flag, uptime text.
func TestStatusOfARunningPanel(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	status := p.As().Get("/api/v1/system/status").Is(http.StatusOK)
	require.Equal(t, "running", status.Text("status"))
	require.Equal(t, "connected", status.Text("database"))
	require.Equal(t, false, status.Value("setup_done"))
	require.Regexp(t, `^([0-9]+[dhms])+$`, status.Text("uptime"))
}

// The stream shows a caller only what his permissions open, and ends when his session does.
func TestStreamFollowsPermissionsAndEndsWithTheSession(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	viewer := p.As("settings.manage")
	lines := follow(t, p, viewer.Token)
	require.Eventually(t, func() bool {
		require.NoError(t, p.Bus().Emit(t.Context(),
			events.Event{Kind: "account.created", Data: accounts.Changed{}},
			events.Event{Kind: "system.started", Data: system.Change{}}))
		select {
		case line := <-lines:
			require.NotContains(t, line, "account.created")
			return strings.Contains(line, "system.started")
		default:
			return false
		}
	}, 30*time.Second, 20*time.Millisecond)
	viewer.Post("/api/v1/auth/logout", nil).Is(http.StatusNoContent)
	require.Eventually(t, func() bool {
		select {
		case _, open := <-lines:
			return !open
		default:
			return false
		}
	}, 30*time.Second, 20*time.Millisecond)
}

func TestTheStreamFollowsTheTopicsItIsAskedForAndKnowsNoOthers(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	caller := p.As()
	caller.Get("/api/v1/stream?topics=operation,nodule").Refused(http.StatusBadRequest, "bad_parameter")
	caller.Get("/api/v1/stream?topic=operation").Refused(http.StatusBadRequest, "bad_parameter")
	lines := followAs(t, p, "Bearer "+caller.Token, "?topics=operation:2")
	require.Eventually(t, func() bool {
		require.NoError(t, p.Bus().Emit(t.Context(), events.Event{Kind: "operation.changed", SubjectID: "1"},
			events.Event{Kind: "operation.changed", SubjectID: "2"}))
		select {
		case line := <-lines:
			require.NotContains(t, line, `"subject_id":"1"`)
			return strings.Contains(line, `"subject_id":"2"`)
		default:
			return false
		}
	}, 30*time.Second, 20*time.Millisecond)
}

// Windows that are closed make room for others at once: the bound on the streams of one account is for those that are
// open.
func TestAWindowThatIsClosedMakesRoomAtOnce(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t)
	token := p.As().Token
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	for openStream(ctx, t, p, token) == http.StatusOK {
	}
	require.Equal(t, http.StatusTooManyRequests, openStream(ctx, t, p, token))
	leave()
	require.Eventually(t, func() bool { return openStream(t.Context(), t, p, token) == http.StatusOK },
		12*time.Second, 100*time.Millisecond, "sooner than the next sign of life")
}

// openStream gives the status of the answer, whose body stays unread until the context ends.
func openStream(ctx context.Context, t *testing.T, p *paneltest.Panel, token string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL+"/api/v1/stream", nil)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	answer, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(request)
	require.NoError(t, err)
	context.AfterFunc(ctx, func() { _ = answer.Body.Close() })
	return answer.StatusCode
}

// follow gives the event lines of a stream; the channel closes when the stream ends.
func follow(t *testing.T, p *paneltest.Panel, token string) <-chan string {
	t.Helper()
	return followAs(t, p, "Bearer "+token, "")
}

func followAs(t *testing.T, p *paneltest.Panel, authorization, query string) <-chan string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL+"/api/v1/stream"+query, nil)
	require.NoError(t, err)
	request.Header.Set("Authorization", authorization)
	response, err := http.DefaultTransport.RoundTrip(request)
	require.NoError(t, err)
	require.Equal(t, "text/event-stream", response.Header.Get("Content-Type"))
	lines := make(chan string, 1000)
	go func() {
		defer close(lines)
		defer func() { _ = response.Body.Close() }()
		scanner := bufio.NewScanner(response.Body)
		for scanner.Scan() {
			if text := scanner.Text(); strings.HasPrefix(text, "event:") || strings.HasPrefix(text, "data:") {
				lines <- scanner.Text()
			}
		}
	}()
	return lines
}

// Domain decision 5: a stream that merely stays open is no use of the session, so that a tab nobody looks at idles out.
// Specification, Authentication 2: the word before the token is read like everywhere else, whatever its capitals.
func TestAnOpenStreamDoesNotKeepASessionAlive(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClockAt(time.Now())
	p := paneltest.Start(t, paneltest.Clock(clock))
	viewer := p.As("settings.manage")
	lines := followAs(t, p, "bearer "+viewer.Token, "")
	for range 11 {
		clock.Advance(time.Hour)
		require.Eventually(t, func() bool {
			clock.Advance(time.Second)
			require.NoError(t, p.Bus().Emit(t.Context(), events.Event{Kind: "system.started", Data: system.Change{}}))
			return alive(lines)
		}, 30*time.Second, 10*time.Millisecond)
	}
	clock.Advance(time.Hour)
	require.Eventually(t, func() bool {
		clock.Advance(time.Second)
		select {
		case _, open := <-lines:
			return !open
		default:
			return false
		}
	}, 30*time.Second, 10*time.Millisecond)
	viewer.Get("/api/v1/system/status").Refused(http.StatusUnauthorized, "session_expired")
}

func alive(lines <-chan string) bool {
	select {
	case _, open := <-lines:
		return open
	case <-time.After(100 * time.Millisecond):
		return false
	}
}
