package main

import (
	"context"
	"fmt"
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
	back, peak, err := f.allBack(ctx, began)
	enough()
	all.Wait()
	if err == nil {
		err = failure
	}
	return []measure.Result{
		measure.Below("P9", "all of 5,000 agents are back after a kill", "s", measure.Series{back.Seconds()}, 60),
		measure.Below("P9", "most agents back in one second", "1/s", measure.Series{peak}, 3*manyAgents/spreadSeconds),
		measure.Below("P9", "p99 of another GET until then", "ms", measure.Series{beside.Quantile(0.99)}, 500),
	}, err
}

// allBack counts the agents that reported since the start, and how many came in the second in which most did.
func (f *fleet) allBack(ctx context.Context, since time.Time) (took time.Duration, peak float64, err error) {
	query := fmt.Sprintf(
		"select count(*) from node_reports where seen_at > timestamptz '%s'",
		since.UTC().Format(time.RFC3339Nano),
	)
	before, at := int64(0), since
	for time.Since(since) < herdWithin {
		if err := pause(ctx, herdEvery); err != nil {
			return 0, 0, err
		}
		back, err := f.number(ctx, query)
		if err != nil {
			return 0, 0, err
		}
		peak = max(peak, float64(back-before)/time.Since(at).Seconds())
		before, at = back, time.Now()
		if back >= int64(len(f.members)) {
			return time.Since(since), peak, nil
		}
	}
	return 0, peak, fmt.Errorf("%d agents of %d came back within %s", before, len(f.members), herdWithin)
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
