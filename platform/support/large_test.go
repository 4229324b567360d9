package support

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// busyLog is a log of requests of at least so many bytes.
func busyLog(size int) string {
	var log strings.Builder
	for n := 0; log.Len() < size; n++ {
		fmt.Fprintf(
			&log, `{"level":"info","time":"2026-11-20T14:02:03Z","component":"http","msg":"request",`+
				`"request_id":"01930b5e-8f00-7abc-8def-%012d","path":"/api/v1/nodes","status":200,"ms":%d,`+
				`"from":"203.0.113.%d"}`+"\n", n, n%90, n%200,
		)
	}
	return log.String()
}

func masked(log string) string {
	m := newMasker(true)
	m.known.add("some-secret-value-1", kindToken)
	m.learn(log)
	return m.mask(log, map[string]int{})
}

// What support needs to find a request stays in a log of many lines; what must not leave the panel is nowhere in it.
func TestMaskingALogOfManyLines(t *testing.T) {
	t.Parallel()
	const size = 256 << 10
	log := busyLog(size/2) + "some-secret-value-1\n" + busyLog(size/2)
	text := masked(log)
	require.Equal(t, strings.Count(log, "\n"), strings.Count(text, "\n"))
	require.Equal(t, strings.Count(log, "request_id"), strings.Count(text, "01930b5e-8f00-7abc-8def-"))
	require.NotContains(t, text, "some-secret-value-1")
}

// BenchmarkMaskingALog shows by its MB/s at two sizes that the time grows with the log and no faster.
func BenchmarkMaskingALog(b *testing.B) {
	for _, size := range []int{logLimit / 16, logLimit} {
		b.Run(fmt.Sprint(size>>10, "kB"), func(b *testing.B) {
			log := busyLog(size)
			b.SetBytes(int64(len(log)))
			for b.Loop() {
				masked(log)
			}
		})
	}
}
