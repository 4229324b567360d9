package throttle

import (
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/platform/fault"
)

// A sign-in that is turned away because all cores hash is no guess: under a flood it must not delay who knows the
// password.
func TestAnAttemptThatWasNotExaminedIsForgotten(t *testing.T) {
	t.Parallel()
	held, err := New(clockwork.NewFakeClock())
	require.NoError(t, err)
	for range 10 * FreeAddressFailures {
		require.NoError(t, held.Enter("anna", "192.0.2.1"))
		held.Forget("anna", "192.0.2.1")
	}
	for range FreeFailures {
		require.NoError(t, held.Enter("anna", "192.0.2.1"))
	}
	require.Equal(t, fault.KindThrottled, fault.KindOf(held.Enter("anna", "192.0.2.1")),
		"examined attempts still count")
}

// Whatever length of name is tried, the throttle keeps the same few bytes of it.
//
//nolint:paralleltest // it measures the memory of the process
func TestNamesOfAnyLengthTakeTheSameMemory(t *testing.T) {
	held, err := New(clockwork.NewFakeClock())
	require.NoError(t, err)
	before := heapInUse()
	const tries, length = 40, 1 << 20
	for i := range tries {
		_ = held.Enter(strconv.Itoa(i)+strings.Repeat("x", length), "192.0.2."+strconv.Itoa(i))
	}
	require.Less(t, heapInUse(), before+tries*length/4)
	runtime.KeepAlive(held)
}

func heapInUse() uint64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// A flood of other names from other addresses fills the memory of the throttle and ends nobody's delay.
func TestAFloodOfNamesDoesNotEndADelay(t *testing.T) {
	t.Parallel()
	const most = 100
	clock := clockwork.NewFakeClock()
	held, err := bounded(clock, most)
	require.NoError(t, err)
	for range FreeFailures {
		require.NoError(t, held.Enter("Anna", "192.0.2.1"))
	}
	for i := range 10 * most {
		ip := "2001:db8:0:" + strconv.FormatInt(int64(i), 16) + "::1"
		require.NoError(t, held.Enter("somebody", ip))
		require.NoError(t, held.Enter("nobody "+strconv.Itoa(i), ip))
		held.Forget("nobody "+strconv.Itoa(i), ip)
	}
	require.Equal(t, fault.KindThrottled, fault.KindOf(held.Enter("ANNA", "192.0.2.1")))
	require.LessOrEqual(t, held.pairs.fresh.Len()+held.hosts.fresh.Len(), 2*most)
	clock.Advance(LongestDelay + time.Second)
	require.NoError(t, held.Enter("anna", "192.0.2.1"))
}
