package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"time"

	"panel/cmd/panel-bench/internal/measure"
)

const (
	fewAgents, manyAgents = 500, 5000
	quietFor              = 20 * time.Second

	// interval is that of heartbeats: in each every agent speaks as often, whatever moments they keep.
	interval = 15 * time.Second
)

// quietFew gives the transactions per second of a small fleet, and ends it.
func (b *bench) quietFew(ctx context.Context) (float64, error) {
	f, err := b.fleetAt(ctx, "few", fewAgents, 10*time.Second)
	if err != nil {
		return 0, err
	}
	perSecond, err := f.transactions(ctx)
	f.agents.Kill()
	return perSecond, errors.Join(err, f.Panel.Stop())
}

// transactions gives how many a second the database commits while nobody does anything. The panel writes in batches by
// the clock, so that a larger fleet makes larger ones.
func (f *fleet) transactions(ctx context.Context) (float64, error) {
	const committed = "select xact_commit from pg_stat_database where datname = current_database()"
	before, err := f.number(ctx, committed)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	select {
	case <-time.After(quietFor):
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	after, err := f.number(ctx, committed)
	return float64(after-before) / time.Since(began).Seconds(), err
}

// connectedAgents (P10) keeps 5,000 agents at the panel for a few heartbeats and looks at its memory and processor
// time.
func connectedAgents(ctx context.Context, b *bench) ([]measure.Result, error) {
	few, err := b.quietFew(ctx)
	if err != nil {
		return nil, err
	}
	f, err := b.fleetAt(ctx, "many", manyAgents, 25*time.Second)
	if err != nil {
		return nil, err
	}
	var memory, processor measure.Series
	if err := pause(ctx, interval); err != nil { // what the arrival of so many set off is over by then
		return nil, err
	}
	for range 3 {
		before, err := processorSeconds(f.Panel.PID())
		if err != nil {
			return nil, err
		}
		if err := pause(ctx, interval); err != nil {
			return nil, err
		}
		after, err := processorSeconds(f.Panel.PID())
		if err != nil {
			return nil, err
		}
		used, err := resident(f.Panel.PID())
		if err != nil {
			return nil, err
		}
		memory, processor = append(memory, used), append(processor, 100*(after-before)/interval.Seconds())
	}
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", f.Panel.PID()))
	if err != nil {
		return nil, fmt.Errorf("count the open connections: %w", err)
	}
	some := f.members[rand.IntN(len(f.members))] //nolint:gosec // any one of them
	var node struct {
		State string `json:"state"`
	}
	if err := f.API.Get(ctx, "/api/v1/nodes/"+some.NodeID, &node); err != nil {
		return nil, err
	}
	many, err := f.transactions(ctx)
	if err != nil {
		return nil, err
	}
	result := measure.Below(
		"P10",
		"memory with 5,000 agents (VmRSS), at its highest",
		"MB",
		measure.Series{memory.Quantile(1)},
		256,
	)
	result = result.Note("%d open files; a node at random is %s", len(open), node.State)
	return []measure.Result{
		result,
		measure.Below("P10+", "processor with 5,000 agents at 15 s", "% of a core", processor, 15),
		measure.AtMost("P10+", "transactions of a quiet fleet, 5,000 agents against 500", "1/s",
			measure.Series{few}, measure.Series{many}, 1.25),
	}, nil
}

// openSockets counts the connections of a process, but for those with the database, which are local ones.
func openSockets(pid int) (count int, err error) {
	folder := fmt.Sprintf("/proc/%d/", pid)
	open, err := os.ReadDir(folder + "fd")
	if err != nil {
		return 0, fmt.Errorf("count the connections of a process: %w", err)
	}
	local, err := os.ReadFile(folder + "net/unix")
	if err != nil {
		return 0, fmt.Errorf("count the connections of a process: %w", err)
	}
	for _, file := range open {
		what, err := os.Readlink(folder + "fd/" + file.Name())
		number, isSocket := strings.CutPrefix(what, "socket:[")
		if err == nil && isSocket && !bytes.Contains(local, []byte(" "+strings.TrimSuffix(number, "]"))) {
			count++
		}
	}
	return count, nil
}

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
