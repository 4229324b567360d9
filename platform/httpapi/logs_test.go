package httpapi

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"panel/platform/access"
	"panel/platform/entitlement"
)

// Whatever a request logs, on its good and on its bad days, carries the id that its answer carries.
func TestEveryLogLineOfARequestCarriesItsID(t *testing.T) {
	t.Parallel()
	core, logs := observer.New(zap.DebugLevel)
	log := zap.New(core)
	answer := func(reason error) Handler[empty, empty] {
		return func(ctx context.Context, _ *empty) (*empty, error) {
			log.Warn("from inside", access.Logged(ctx))
			return &empty{}, reason
		}
	}
	s, err := New(Options{
		Log: log, Clock: clockwork.NewRealClock(),
		License: entitlement.Fixed{State: entitlement.Active}, Streams: NewStreams(),
	}, Routes{
		Get("/fine", "x", access.Public(), answer(nil)),
		Get("/broken", "x", access.Public(), answer(errors.New("secret cause"))),
		Get("/panics", "x", access.Public(), func(context.Context, *empty) (*empty, error) { panic("on purpose") }), //nolint:forbidigo // what is tested
	})
	require.NoError(t, err)
	for path, lines := range map[string]int{"/fine": 2, "/broken": 3, "/panics": 2, "/nothing": 1} {
		response, err := s.App().Test(httptest.NewRequest(http.MethodGet, path, nil))
		require.NoError(t, err)
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.NotContains(t, string(body), "secret cause")
		id := response.Header.Get("X-Request-Id")
		require.NotEmpty(t, id)
		entries := logs.TakeAll()
		require.Len(t, entries, lines, path)
		for _, entry := range entries {
			require.Equal(t, id, entry.ContextMap()["request_id"], "%s: %s", path, entry.Message)
		}
	}
}

// Work of the panel itself belongs to no request and says so by saying nothing.
func TestLinesOutsideARequestHaveNoID(t *testing.T) {
	t.Parallel()
	require.Equal(t, zapcore.SkipType, access.Logged(t.Context()).Type)
}
