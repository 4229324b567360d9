package record

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkFind asks the record of a node with 20,000 connections in a minute who reached for an address, within ten
// minutes, as complaints usually are, and within two hours.
func BenchmarkFind(b *testing.B) {
	const hours, perMinute = 2, 20_000
	r, err := Open(b.TempDir())
	require.NoError(b, err)
	b.Cleanup(func() { _ = r.Close() })
	require.NoError(b, r.Limit(Limits{Hours: 24, MB: 256}, began))
	lines := make([]Line, perMinute)
	for minute := range hours * 60 {
		for i := range lines {
			dest := fmt.Sprintf("198.51.%d.%d", i%200, (i/200+minute)%250)
			lines[i] = line(minute, fmt.Sprintf("0199a0de-0000-7000-8000-%012d", i%5000), dest, uint16(1+i%1000))
		}
		require.NoError(b, r.Add(lines, "", began.Add(time.Duration(minute)*time.Minute)))
	}
	for _, minutes := range []int{10, hours * 60} {
		b.Run(fmt.Sprint(minutes), func(b *testing.B) {
			to := began.Add(time.Duration(minutes) * time.Minute)
			for b.Loop() {
				found, _, err := r.Find(&Query{From: began, To: to, Dest: "198.51.7.9", Most: 100})
				require.NoError(b, err)
				require.NotEmpty(b, found)
			}
		})
	}
}
