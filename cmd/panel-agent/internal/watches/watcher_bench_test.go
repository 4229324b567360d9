package watches

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/platform/agentapi"
	"panel/platform/probing"
)

// BenchmarkWatches is the processor time of a second of looking at 200 handshakes every 30 seconds, the server's part
// of them included, in nanoseconds.
func BenchmarkWatches(b *testing.B) {
	const window = 30 * time.Second
	for _, count := range []int{200} {
		b.Run(strconv.Itoa(count), func(b *testing.B) {
			server := httptest.NewTLSServer(http.NotFoundHandler())
			b.Cleanup(server.Close)
			watches := make([]agentapi.Watch, count)
			for i := range watches {
				watches[i] = agentapi.Watch{
					ID: fmt.Sprint("watch-", i), Type: agentapi.WatchTLS, Address: server.Listener.Addr().String(),
					ServerName: "example.com", IntervalSeconds: 30, TimeoutSeconds: 5, RecheckCount: 3, RecheckSeconds: 5,
				}
			}
			told := 0
			prober := &probing.Prober{Dial: new(net.Dialer).DialContext, Now: time.Now}
			w := newWatcher(prober.Look, func(items ...any) error { told += len(items); return nil },
				func() time.Duration { return 0 }, clockwork.NewRealClock(), zap.NewNop())
			w.set(watches)
			ctx, cancel := context.WithCancel(b.Context())
			done := make(chan struct{})
			go func() { defer close(done); w.run(ctx) }()
			b.ResetTimer()
			var spent time.Duration
			for range b.N {
				before := ownTime(b)
				<-time.After(window)
				spent += ownTime(b) - before
			}
			cancel()
			<-done
			require.GreaterOrEqual(b, told, count*9/10*b.N, "the looks of each interval")
			b.ReportMetric(float64(spent)/float64(b.N)/window.Seconds(), "ns/op")
		})
	}
}

// ownTime is the processor time of this process.
func ownTime(tb testing.TB) time.Duration {
	tb.Helper()
	var used syscall.Rusage
	require.NoError(tb, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
