package notifications

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/events"
	"panel/platform/module"
	"panel/platform/paneltest"
)

const (
	stormKinds  = 8
	stormMemory = 64 << 20 // of the whole process, beside what it had before
)

// stormEvents is how many events there are in a run; PANEL_TEST_EVENTS asks for more.
func stormEvents(t *testing.T) int {
	t.Helper()
	given := os.Getenv("PANEL_TEST_EVENTS")
	if given == "" {
		return 2_000
	}
	number, err := strconv.Atoi(given)
	require.NoError(t, err, "PANEL_TEST_EVENTS")
	return number
}

// storm is a module to which much happens at once.
func storm() module.Module {
	kinds := make([]events.Kind, stormKinds)
	for i := range kinds {
		kinds[i] = events.Kind{
			Name: stormKind(i), Summary: fmt.Sprint("Storm ", i), Severity: events.Warning, Notify: true,
			Data: probeNews{},
		}
	}
	return module.Module{Name: "storm", Summary: "Much happens", Events: kinds}
}

func stormKind(i int) string { return "storm.kind_" + string(rune('a'+i%stormKinds)) }

// Rule: thousands of events at once become few messages, whose counts are the events; fewer than 20 messages a second
// leave two panels and three channels together; memory stays. It looks at the heap of the process, so it runs alone.
func TestThousandsOfEventsAtOnce(t *testing.T) { //nolint:paralleltest // looks at the heap of the process
	b := newBench(t, paneltest.Modules(storm()))
	_ = newBenchOn(b, storm())
	b.configure()
	one, two := newReceiver(t), newReceiver(t)
	b.addWebhook("one", one.server.URL)
	b.addWebhook("two", two.server.URL)
	b.widenRule()
	heap := watchHeap(t)
	number, began := stormEvents(t), time.Now()
	b.storms(number)
	emitted := time.Since(began)
	require.Eventually(t, func() bool { return b.counted() == 3*number }, 4*time.Minute, every)
	taken := time.Since(began)
	b.sendNow()
	sent := b.counts("state = 'sent'")
	at := append(one.times(), two.times()...)
	for _, message := range b.api.messages() {
		at = append(at, message.At)
	}
	t.Logf("%d events emitted in %s, taken in %s; %d messages, most in a second %d; heap at most %d MB more", number,
		emitted, taken, sent, most(at, time.Second), heap()>>20)
	require.Zero(t, b.counts("state in ('failed', 'cancelled')"))
	minutes := int(time.Since(began)/time.Minute) + 2
	require.LessOrEqual(t, sent, 3*stormKinds*(burst+1)*minutes, "a minute has a burst and what gathers after it")
	require.GreaterOrEqual(t, sent, 3*stormKinds, "each kind is told on each channel")
	const window, late = 5, 2 // seconds; messages that arrive late on a busy machine come close together
	require.LessOrEqual(t, most(at, window*time.Second), 20*(window+late), "pace")
	require.Less(t, heap(), uint64(stormMemory), "memory")
}

// storms lets everything happen in transactions of a hundred events.
func (b *bench) storms(number int) {
	b.t.Helper()
	for first := 0; first < number; first += 100 {
		require.NoError(b.t, b.DB.InTx(b.t.Context(), func(ctx context.Context) error {
			for i := first; i < first+100; i++ {
				err := b.Bus().Emit(ctx, events.Event{
					Kind: stormKind(i), SubjectID: fmt.Sprint("subject ", i), At: b.Clock.Now(),
					Data: probeNews{Name: "one of many", Reason: "it storms"},
				})
				if err != nil {
					return err
				}
			}
			return nil
		}))
	}
}

func (b *bench) counts(where string) (count int) {
	b.t.Helper()
	require.NoError(b.t, b.DB.NewRaw("select count(*) from notifications_deliveries where "+where).
		Scan(b.t.Context(), &count))
	return count
}

// counted is for how many events messages stand, of all channels.
func (b *bench) counted() (count int) {
	b.t.Helper()
	require.NoError(b.t, b.DB.NewRaw("select coalesce(sum(count), 0) from notifications_deliveries where state <> 'folded'").
		Scan(b.t.Context(), &count))
	return count
}

// sendNow ends the minutes in which messages gather, and waits until everything is sent.
func (b *bench) sendNow() {
	b.t.Helper()
	_, err := b.DB.ExecContext(b.t.Context(), "update notifications_deliveries set not_before = now() where state = 'queued'")
	require.NoError(b.t, err)
	b.runNow(kindMessenger)
	b.runNow(kindWebhook)
	require.Eventually(b.t, func() bool { return b.counts("state in ('queued', 'sending')") == 0 }, time.Minute, every)
}

// most is how many moments lie within one window at the most.
func most(moments []time.Time, window time.Duration) (highest int) {
	for _, from := range moments {
		count := 0
		for _, at := range moments {
			if !at.Before(from) && at.Before(from.Add(window)) {
				count++
			}
		}
		highest = max(highest, count)
	}
	return highest
}

// watchHeap gives how much more than now the heap has held at most. What the collector has found to be in use counts;
// garbage between two collections depends on the size of the heap before, not on what is measured.
func watchHeap(t *testing.T) func() uint64 {
	t.Helper()
	runtime.GC()
	before, highest := liveHeap(), new(atomic.Uint64)
	done := make(chan struct{})
	t.Cleanup(func() { close(done) })
	go func() {
		ticker := time.NewTicker(20 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				highest.Store(max(highest.Load(), liveHeap()))
			}
		}
	}()
	return func() uint64 { return max(highest.Load(), before) - before }
}

// liveHeap is how many bytes the last collection has found in use.
func liveHeap() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
