package metrics

import (
	"context"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

func shown(t testing.TB, r *Registry) string {
	t.Helper()
	answer := httptest.NewRecorder()
	r.Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	require.Equal(t, http.StatusOK, answer.Code)
	return answer.Body.String()
}

func TestAnswersAreCountedByRouteAndStatus(t *testing.T) {
	t.Parallel()
	r := New("1.2.3")
	answered := r.Requests.Route("GET", "/api/v1/nodes/{id}")
	require.NotContains(t, shown(t, r), "/api/v1/nodes", "a route that nobody asked for makes no series")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				r.Requests.Began()
				answered(200, time.Millisecond)
			}
		})
	}
	all.Wait()
	r.Requests.Began()
	answered(503, 2*time.Second)
	r.Requests.Began()
	r.Requests.Began()
	r.Requests.Route("GET", "/api/v1/nodes/{id}")(503, time.Minute)
	text := shown(t, r)
	for _, line := range []string{
		`panel_http_requests_total{code="200",method="GET",route="/api/v1/nodes/{id}"} 800`,
		`panel_http_requests_total{code="503",method="GET",route="/api/v1/nodes/{id}"} 2`,
		`panel_http_request_duration_seconds_bucket{method="GET",route="/api/v1/nodes/{id}",le="0.001"} 800`,
		`panel_http_request_duration_seconds_bucket{method="GET",route="/api/v1/nodes/{id}",le="1"} 800`,
		`panel_http_request_duration_seconds_bucket{method="GET",route="/api/v1/nodes/{id}",le="30"} 801`,
		`panel_http_request_duration_seconds_bucket{method="GET",route="/api/v1/nodes/{id}",le="+Inf"} 802`,
		`panel_http_request_duration_seconds_count{method="GET",route="/api/v1/nodes/{id}"} 802`,
		`panel_http_request_duration_seconds_sum{method="GET",route="/api/v1/nodes/{id}"} 62.8`,
		`panel_http_requests_in_flight 1`, `panel_build_info{version="1.2.3"} 1`, "go_goroutines ", "process_open_fds ",
	} {
		require.Contains(t, text, line)
	}
}

// A text may hold anything; the line it stands in must still be one line.
func TestTextsAreEscaped(t *testing.T) {
	t.Parallel()
	r := New("x")
	require.NoError(t, r.Add(Gauges("panel_odd", "back\\slash\nand line", "word", func() map[string]float64 {
		return map[string]float64{"a\"b\\c\nd": math.Inf(1)}
	})))
	require.Contains(t, shown(t, r),
		"# HELP panel_odd back\\\\slash\\nand line\n# TYPE panel_odd gauge\npanel_odd{word=\"a\\\"b\\\\c\\nd\"} +Inf\n")
}

// Every request pays for being counted: it must cost no memory and hardly any time.
func TestCountingARequestAllocatesNothing(t *testing.T) {
	r := New("x")
	answered := r.Requests.Route("GET", "/x")
	answered(200, time.Millisecond)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		r.Requests.Began()
		answered(200, time.Millisecond)
	}))
}

func BenchmarkCounting(b *testing.B) {
	r := New("x")
	answered := r.Requests.Route("GET", "/x")
	for b.Loop() {
		r.Requests.Began()
		answered(200, 47*time.Microsecond)
	}
}

func TestANameBelongsToOneCollector(t *testing.T) {
	t.Parallel()
	r := New("x")
	one := func() float64 { return 1 }
	require.NoError(t, r.Add(Gauge("panel_a", "a", one), Counter("panel_b_total", "b", one)))
	require.Error(t, r.Add(Gauge("panel_a", "again", one)))
	require.NoError(t, r.Add(Counters("panel_c_total", "c", "kind",
		func() map[string]float64 { return map[string]float64{"x": 1, "y": 2} })))
	require.Contains(t, shown(t, r), `panel_c_total{kind="y"} 2`)
}

// The database is asked once in a few seconds, not for every scrape; what it cannot say now is left out of the scrape.
func TestTheDatabaseIsAskedRarelyAndItsSilenceShown(t *testing.T) {
	t.Parallel()
	r := New("x")
	asked := 0
	require.NoError(t, r.Add(
		Asked("panel_things", "x", "state", func(context.Context) (map[string]float64, error) {
			asked++
			return map[string]float64{"open": 3}, nil
		}),
		AskedOne("panel_silent", "x", func(context.Context) (float64, error) { return 0, errors.New("no database") }),
		AskedOne("panel_bounded", "x", func(ctx context.Context) (float64, error) {
			_, bounded := ctx.Deadline()
			require.True(t, bounded)
			return 7, nil
		}),
	))
	for range 3 {
		text := shown(t, r)
		require.Contains(t, text, `panel_things{state="open"} 3`)
		require.Contains(t, text, "panel_bounded 7")
		require.NotContains(t, text, "panel_silent")
	}
	require.Equal(t, 1, asked)
}

// A taken address keeps no panel from its work: it is told once, and served as soon as it is free.
func TestATakenAddressIsTriedAgain(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	core, logs := observer.New(zap.InfoLevel)
	clock := clockwork.NewFakeClock()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- New("x").Serve(ctx, taken.Addr().String(), clock, zap.New(core)) }()
	for range 2 {
		require.NoError(t, clock.BlockUntilContext(ctx, 1))
		clock.Advance(tryAgain)
	}
	require.NoError(t, clock.BlockUntilContext(ctx, 1))
	require.Equal(t, 1, logs.FilterMessageSnippet("not served").Len())
	require.NoError(t, taken.Close())
	require.Eventually(t, func() bool {
		clock.Advance(tryAgain)
		return answers(ctx, taken.Addr().String())
	}, 60*time.Second, 10*time.Millisecond)
	stop()
	require.NoError(t, <-ended)
}

func answers(ctx context.Context, address string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/metrics", nil)
	if err != nil {
		return false
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return err == nil && strings.Contains(string(text), "panel_build_info")
}
