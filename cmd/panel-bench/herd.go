package main

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"panel/cmd/panel-bench/internal/measure"
)

const (
	herdEvery  = 250 * time.Millisecond
	herdWithin = 3 * time.Minute

	// spreadSeconds is the time over which agents that lost their streams are meant to come back.
	spreadSeconds = 10
)

// restartHerd (P9) kills a panel with 5,000 agents, starts it again and waits until all of them have reported.
func restartHerd(ctx context.Context, b *bench) ([]measure.Result, error) {
	f, err := b.fleetAt(ctx, "herd", manyAgents, 25*time.Second)
	if err != nil {
		return nil, err
	}
	f.Panel.Kill()
	began := time.Now()
	if err := f.Panel.Up(ctx); err != nil {
		return nil, err
	}
	var beside measure.Series
	var failure error
	var all sync.WaitGroup
	watched, enough := context.WithCancel(ctx)
	defer enough()
	all.Go(func() { beside, failure = f.pollUntil(ctx, watched.Done()) })
	var peak float64
	all.Go(func() { peak = f.busiestSecond(watched) })
	back, err := f.allBack(ctx, began)
	enough()
	all.Wait()
	if err == nil {
		err = failure
	}
	return []measure.Result{
		measure.Below("P9", "all of 5,000 agents are back after a kill", "s", measure.Series{back.Seconds()}, 60),
		measure.Below("P9", "most agents that connect in one second", "1/s", measure.Series{peak},
			3*manyAgents/spreadSeconds),
		measure.Below("P9", "p99 of another GET until then", "ms", measure.Series{beside.Quantile(0.99)}, 500),
	}, err
}

// allBack waits until every agent reported since the start.
func (f *fleet) allBack(ctx context.Context, since time.Time) (took time.Duration, err error) {
	query := fmt.Sprintf(
		"select count(*) from node_reports where seen_at > timestamptz '%s'",
		since.UTC().Format(time.RFC3339Nano),
	)
	came := int64(0)
	for time.Since(since) < herdWithin {
		if err := pause(ctx, herdEvery); err != nil {
			return 0, err
		}
		if came, err = f.number(ctx, query); err != nil {
			return 0, err
		}
		if came >= int64(len(f.members)) {
			return time.Since(since), nil
		}
	}
	return 0, fmt.Errorf("%d agents of %d came back within %s", came, len(f.members), herdWithin)
}

// busiestSecond is by how much the panel's connections grew in the second in which most came, until the context ends.
// What agents say is of no use for it, because the panel writes that down in batches.
func (f *fleet) busiestSecond(ctx context.Context) (most float64) {
	files := fmt.Sprintf("/proc/%d/fd", f.Panel.PID())
	var seen []float64
	const perSecond = int(time.Second / herdEvery)
	for pause(ctx, herdEvery) == nil {
		open, err := os.ReadDir(files)
		if err != nil {
			continue // the panel is about to start or to end
		}
		seen = append(seen, float64(len(open)))
		if before := len(seen) - 1 - perSecond; before >= 0 {
			most = max(most, seen[len(seen)-1]-seen[before])
		}
	}
	return most
}

// pollUntil asks at fixed moments until it is enough and gives how long each answer took, those under way included.
func (s *stand) pollUntil(ctx context.Context, enough <-chan struct{}) (took measure.Series, failure error) {
	var mu sync.Mutex
	var all sync.WaitGroup
	ticker := time.NewTicker(othersEvery)
	defer ticker.Stop()
	for {
		select {
		case <-enough:
			all.Wait()
			return took, failure
		case at := <-ticker.C:
			all.Go(func() {
				err := s.API.Get(ctx, gatedPath, nil)
				mu.Lock()
				defer mu.Unlock()
				if took = append(took, milliseconds(time.Since(at))); err != nil {
					failure = err
				}
			})
		}
	}
}
