package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"panel/platform/access"
	"panel/platform/entitlement"
	"panel/platform/fault"
)

// failingWith gives the answer of an operation that fails with the error, and what the log has of it.
func failingWith(t *testing.T, fails func() error) (*http.Response, map[string]any, *observer.ObservedLogs) {
	t.Helper()
	core, logs := observer.New(zap.InfoLevel)
	s, err := New(Options{
		Log: zap.New(core), Clock: clockwork.NewRealClock(), Streams: NewStreams(),
		License: entitlement.Fixed{State: entitlement.Active},
	}, Routes{Get("/fails", "Fail", access.Public(), func(context.Context, *struct{}) (*spoken, error) {
		return nil, fails()
	})})
	require.NoError(t, err)
	answer, err := s.App().Test(httptest.NewRequest(http.MethodGet, "/fails", nil), -1)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	var document map[string]any
	require.NoError(t, json.Unmarshal(text, &document), string(text))
	require.Equal(t, "application/problem+json", answer.Header.Get("Content-Type"))
	return answer, document, logs.FilterMessage("request failed")
}

// What is nobody's mistake but the panel's own is answered without a word of its cause, which the log has under the
// same request id. A panic is such a failure, and the panel goes on.
func TestAFailureOfThePanelStaysInItsLog(t *testing.T) {
	t.Parallel()
	for name, fails := range map[string]func() error{
		"error": func() error { return fmt.Errorf("read the file /etc/panel/secret: %w", fs.ErrPermission) },
		"panic": func() error { panic("the secret is 7") },
	} {
		answer, document, logs := failingWith(t, fails)
		require.Equal(t, http.StatusInternalServerError, answer.StatusCode, name)
		require.Equal(t, "internal", document["code"], name)
		require.NotContains(t, fmt.Sprint(document), "secret", name)
		require.Equal(t, 1, logs.Len(), name)
		line := logs.All()[0].ContextMap()
		require.Contains(t, line["error"], "secret", name)
		require.Equal(t, document["request_id"], line["request_id"], name)
		require.Equal(t, answer.Header.Get("X-Request-Id"), line["request_id"], name)
	}
}

// Running out of time is an answer of its own, which says to try again.
func TestRunningOutOfTimeIsUnavailable(t *testing.T) {
	t.Parallel()
	answer, document, _ := failingWith(t, func() error { return fmt.Errorf("ask: %w", context.DeadlineExceeded) })
	require.Equal(t, http.StatusServiceUnavailable, answer.StatusCode)
	require.Equal(t, "unavailable", document["code"])
	require.NotEmpty(t, answer.Header.Get("Retry-After"))
}

// A fault keeps its code, its fields and its own members wherever it was wrapped on the way; Retry-After is in whole
// seconds, never too early and never none.
func TestAFaultIsToldAsItWasMade(t *testing.T) {
	t.Parallel()
	made := fault.Conflict("name_taken", "this name is taken").Field("name", "name_taken", "taken").
		With("other_id", "7").After(1100 * time.Millisecond)
	answer, document, logs := failingWith(t, func() error { return fmt.Errorf("add the note: %w", made) })
	require.Equal(t, http.StatusConflict, answer.StatusCode)
	require.Equal(t, []any{"about:blank", "Conflict", 409.0, "this name is taken", "name_taken", "7"}, []any{
		document["type"], document["title"], document["status"], document["detail"], document["code"],
		document["other_id"],
	})
	require.Equal(t, []any{map[string]any{"field": "name", "code": "name_taken", "message": "taken"}},
		document["errors"])
	require.Equal(t, "2", answer.Header.Get("Retry-After"))
	require.Zero(t, logs.Len(), "a mistake of the caller is no failure of the panel")
	require.Equal(t, "1", retrySeconds(time.Millisecond))
}

// Every kind of fault has a status of its own class; none is answered as success.
func TestEveryKindOfFaultHasAStatus(t *testing.T) {
	t.Parallel()
	for kind, status := range map[fault.Kind]int{
		fault.KindMalformed: 400, fault.KindUnauthenticated: 401, fault.KindForbidden: 403, fault.KindMissing: 404,
		fault.KindMethod: 405, fault.KindSlow: 408, fault.KindConflict: 409, fault.KindTooLarge: 413,
		fault.KindInvalid: 422, fault.KindThrottled: 429, fault.KindHeadersTooLarge: 431, fault.Internal: 500,
		fault.KindUpstream: 502, fault.KindUnavailable: 503, fault.KindUpstreamTimeout: 504,
	} {
		require.Equal(t, status, StatusOf(kind), kind)
	}
	require.Len(t, statuses, 15)
}

// What a caller invents does not grow in the answer: names and messages are cut between characters, and the list ends
// where the answer has no more room.
func TestTheErrorsOfAnAnswerAreBounded(t *testing.T) {
	t.Parallel()
	many := fault.Invalid("invalid_value", "wrong")
	for range 1000 {
		many = many.Field(strings.Repeat("я", 500), "invalid_value", strings.Repeat("long ", 500))
	}
	list := listed(many.Fields)
	require.NotEmpty(t, list)
	require.LessOrEqual(t, len(list), mostListed)
	size := 0
	for _, one := range list {
		require.True(t, utf8.ValidString(one.Field))
		require.True(t, strings.HasSuffix(one.Field, "…"))
		size += len(one.Field) + len(one.Message)
	}
	require.LessOrEqual(t, size, mostListedSize)
	require.Len(t, many.Fields[0].Field, 1000, "the fault itself may be shared and stays as it is")
	require.Equal(t, "abc", shortened("abc", 3))
	require.Equal(t, "ab…", shortened("abc", 2))
	require.Equal(t, "…", shortened("яя", 1))
}

// An operation that needs longer than it may is answered in time, also when it does not listen to its context at once.
func TestAnOperationEndsWithItsDeadline(t *testing.T) {
	t.Parallel()
	waits := func(ctx context.Context, _ *struct{}) (*spoken, error) {
		<-ctx.Done()
		return nil, errors.Join(errors.New("wait for the answer"), ctx.Err())
	}
	at := served(t, Get("/waits", "Wait", access.Public(), waits, Deadline(50*time.Millisecond)))
	answer, text, err := fetched(t, at+"/waits")
	require.NoError(t, err)
	require.Equal(t, http.StatusServiceUnavailable, answer.StatusCode)
	require.Contains(t, text, `"code":"unavailable"`)
}
