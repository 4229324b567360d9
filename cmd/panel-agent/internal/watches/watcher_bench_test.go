package watches

import (
	"context"
	"crypto/tls"
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

	"panel/cmd/panel-agent/internal/agenttest"
	"panel/platform/agentapi"
	"panel/platform/probing"
)

// BenchmarkWatches is the processor time of a second of looking at 200 handshakes every 30 seconds, in nanoseconds. The
// server's part of them is included, with a key as most servers have: an RSA key would cost it more than the look.
func BenchmarkWatches(b *testing.B) {
	const window = 30 * time.Second
	for _, count := range []int{200} {
		b.Run(strconv.Itoa(count), func(b *testing.B) {
			server := serving(b, "example.com")
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

// serving answers handshakes for a host.
func serving(b *testing.B, host string) *httptest.Server {
	b.Helper()
	issued := agenttest.NewAuthority(b).Issue(b, host, 1, time.Now().Add(-time.Hour))
	pair, err := tls.X509KeyPair([]byte(issued.Chain), []byte(issued.Key))
	require.NoError(b, err)
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS13}
	server.StartTLS()
	b.Cleanup(server.Close)
	return server
}

// ownTime is the processor time of this process.
func ownTime(tb testing.TB) time.Duration {
	tb.Helper()
	var used syscall.Rusage
	require.NoError(tb, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
