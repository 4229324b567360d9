package drain

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
	"panel/platform/agentapi"
)

// visits of one run; PANEL_TEST_KILLS asks for a long one.
func visits() int {
	if os.Getenv("PANEL_TEST_KILLS") != "" {
		return 10_000
	}
	return 240
}

// most is what may stay of all visits together, in goroutines and in descriptors: the pool of the database has some
// connections more or fewer, while a leak would stay of each visit.
const most = 8

// Rule R11: viewers of the live stream and agents on the long-poll that come and go leave nothing behind: neither a
// goroutine nor a descriptor, and the memory stays what it was.
func TestWhoeverLeavesTakesNothingAlong(t *testing.T) {
	t.Parallel()
	stand := rigtest.Install(t, rig.PanelSettings{})
	sessions := accounts(t, stand, 4)
	agent, _ := rigtest.Enrolled(t, stand.API, "polling")
	visit := func(count int) {
		var all sync.WaitGroup
		slots := make(chan struct{}, 16)
		for i := range count {
			slots <- struct{}{}
			all.Go(func() {
				defer func() { <-slots }()
				if i%2 == 0 {
					watchAndLeave(t, sessions[i/2%len(sessions)])
				} else {
					pollAndLeave(t, agent)
				}
			})
		}
		all.Wait()
	}
	visit(240) // what is made once is made now
	before := settled(t, stand)
	grown := 0
	for memory := before.memory; grown < 3; grown++ {
		visit(visits())
		after := settled(t, stand)
		t.Logf("%d visits: %s before, %s after", visits(), before, after)
		require.LessOrEqual(t, after.goroutines, before.goroutines+most)
		require.LessOrEqual(t, after.descriptors, before.descriptors+most)
		if after.memory < 1.25*memory {
			return
		}
		memory = after.memory
	}
	t.Errorf("the memory of the process grew by a quarter in each of %d rounds of visits", grown)
}

// watchAndLeave opens the live stream and closes the connection. The panel notices within a second or two, so that
// those who left still count for a while, and an account with too many streams waits.
func watchAndLeave(t *testing.T, api *rig.API) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := rig.Eventually(ctx, 2*time.Minute, func(ctx context.Context) error {
		stream, err := open(ctx, api)
		if err != nil {
			return err
		}
		return stream.Body.Close()
	})
	if err != nil {
		t.Error(err)
	}
}

// pollAndLeave asks for commands, of which there are none, and does not wait for the answer.
func pollAndLeave(t *testing.T, agent *rig.API) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	err := agent.Get(ctx, agentapi.PathCommands+"?wait=1", nil)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// kept is what the process holds.
type kept struct{ goroutines, descriptors, memory float64 }

func (k kept) String() string {
	return fmt.Sprintf("%.0f goroutines, %.0f descriptors, %.0f MB", k.goroutines, k.descriptors, k.memory/1e6)
}

// calm is longer than the server keeps its idle workers.
const calm = 22 * time.Second

// settled waits until the panel has noticed that all have left, and then until nothing has grown less for a while.
func settled(t *testing.T, stand *rig.Stand) (least kept) {
	t.Helper()
	require.NoError(t, rig.Eventually(t.Context(), 2*time.Minute, func(ctx context.Context) error {
		return errors.Join(idle(ctx, stand, "panel_live_viewers"), idle(ctx, stand, "panel_http_requests_in_flight"))
	}))
	pause := time.NewTicker(500 * time.Millisecond)
	defer pause.Stop()
	for since := time.Now(); time.Since(since) < calm; <-pause.C {
		now, err := look(t.Context(), stand)
		require.NoError(t, err)
		if least == (kept{}) || now.goroutines < least.goroutines || now.descriptors < least.descriptors {
			least, since = now, time.Now()
		}
	}
	return least
}

func idle(ctx context.Context, stand *rig.Stand, name string) error {
	busy, err := metric(ctx, stand, name)
	if err == nil && busy > 0 {
		err = fmt.Errorf("%s is %.0f", name, busy)
	}
	return err
}

func look(ctx context.Context, stand *rig.Stand) (k kept, err error) {
	for name, value := range map[string]*float64{
		"go_goroutines": &k.goroutines, "process_open_fds": &k.descriptors, "process_resident_memory_bytes": &k.memory,
	} {
		if *value, err = metric(ctx, stand, name); err != nil {
			return k, err
		}
	}
	return k, nil
}

// metric reads one number of the panel's metrics.
func metric(ctx context.Context, stand *rig.Stand, name string) (float64, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, stand.Panel.Metrics, nil)
	if err != nil {
		return 0, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, fmt.Errorf("read the metrics: %w", err)
	}
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() {
		if value, found := strings.CutPrefix(lines.Text(), name+" "); found {
			return strconv.ParseFloat(value, 64)
		}
	}
	return 0, errors.Join(fmt.Errorf("the metrics hold no %s", name), lines.Err())
}
