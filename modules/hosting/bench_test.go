package hosting

import (
	"net/http"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/hosting/hostingtest"
	"panel/platform/paneltest"
)

// used is the processor time of this process: of the panel, and of the stand-in for the provider beside it.
func used(b *testing.B) time.Duration {
	b.Helper()
	var now syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &now))
	return time.Duration(now.Utime.Nano() + now.Stime.Nano())
}

// BenchmarkSync reads the machines of an account, at the pace that the provider asks for. Its time is that of a
// processor in each second that the reading lasts.
func BenchmarkSync(b *testing.B) {
	for _, n := range []int{500, 1000, 2000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			cloud := hostingtest.New(b, "hetzner")
			for id := range n {
				cloud.Put(machine(id+1, "192.0.2."+strconv.Itoa(id%250+1)))
			}
			panel := paneltest.Start(b, panelOf()...)
			admin := panel.Admin()
			account := admin.Post(accountsPath, fields{
				"kind": "hetzner", "label": "main", "base_url": cloud.URL, "credentials": fields{"api_token": cloud.Token},
			}).Is(http.StatusCreated).Text("id")
			for b.Loop() {
				before, began := used(b), time.Now()
				operation := admin.Post(accountsPath+"/"+account+"/sync", nil).Is(http.StatusAccepted).Text("operation_id")
				require.Eventually(b, func() bool {
					return admin.Get("/api/v1/operations/"+operation).Is(http.StatusOK).Text("state") == "succeeded"
				}, within, 200*time.Millisecond)
				share := float64(used(b)-before) / float64(time.Since(began))
				b.ReportMetric(share*1e9, "ns/op")
			}
			var known int
			require.NoError(b, panel.DB.NewRaw("select count(*) from hosting_servers where gone_at is null").
				Scan(b.Context(), &known))
			require.Equal(b, n, known)
		})
	}
}
