package support

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A log of the largest size is masked in seconds, so that a bundle stays something that people wait for.
func TestMaskingALargeLog(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	for n := 0; log.Len() < logLimit; n++ {
		fmt.Fprintf(&log, `{"level":"info","time":"2026-11-20T14:02:03Z","component":"http","msg":"request","request_id":"01930b5e-8f00-7abc-8def-%012d","path":"/api/v1/nodes","status":200,"ms":%d,"from":"203.0.113.%d"}`+"\n", n, n%90, n%200)
	}
	began := time.Now()
	m, counts := newMasker(true), map[string]int{}
	m.known.add("some-secret-value-1", kindToken)
	m.learn(log.String())
	masked := m.mask(log.String(), counts)
	took := time.Since(began)
	t.Logf("%d MB in %v", log.Len()>>20, took)
	require.Contains(t, masked, "01930b5e-8f00-7abc-8def-000000000001")
	require.Less(t, took, 60*time.Second)
}
