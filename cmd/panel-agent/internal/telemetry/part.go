package telemetry

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/batches"
	"panel/cmd/panel-agent/internal/buffer"
	"panel/cmd/panel-agent/internal/core"
	"panel/cmd/panel-agent/internal/part"
	"panel/platform/agentapi"
)

const defaultSampling = 15 * time.Second

// Part samples the host and the traffic of the cores. Samples have a form and a route of their own, older than batches.
var Part = part.Part{Name: "telemetry", Capabilities: []agentapi.Capability{agentapi.CanMeasure}, Open: open}

func open(env *part.Env) (*part.Live, error) {
	send := func(ctx context.Context, b buffer.Batch) (int64, error) {
		batch, err := metricsOf(b)
		if err != nil {
			return 0, err
		}
		reply, err := env.Panel.Metrics(ctx, batch)
		return reply.AckedSeq, err
	}
	stream, err := env.Stream(filepath.Join(env.DataDir, "telemetry"), send)
	if err != nil {
		return nil, err
	}
	s := &sampler{
		host: NewHost(env.Clock, env.DataDir), core: env.Core, stream: stream, pace: env.Sampling,
		clock: env.Clock, log: env.Log,
	}
	if s.pace <= 0 {
		s.pace = defaultSampling
	}
	env.Core.OnShares(s.sample)
	return &part.Live{
		Loops: []func(context.Context){s.run},
		// with what the cores carried to their end
		Close: func(ctx context.Context, _ bool) error { _ = s.sample(ctx); return nil }, // it has said why
	}, nil
}

func metricsOf(b buffer.Batch) (agentapi.MetricsBatch, error) {
	batch := agentapi.MetricsBatch{
		StreamID: b.StreamID, Seq: b.Seq, Dropped: b.Dropped,
		Samples: make([]agentapi.Sample, len(b.Items)),
	}
	for i, item := range b.Items {
		if err := json.Unmarshal(item, &batch.Samples[i]); err != nil {
			return batch, fmt.Errorf("read a stored sample: %w", err)
		}
	}
	return batch, nil
}

// sampler reads the host and the counters of the cores at a steady pace.
type sampler struct {
	host   *Host
	core   *core.Supervisor
	stream *batches.Stream
	pace   time.Duration
	clock  clockwork.Clock
	log    *zap.Logger

	one     sync.Mutex
	counted time.Time // when the last sample was written down; zero: by an earlier agent
}

// run samples until the context ends; what one reading costs does not shift the next.
func (s *sampler) run(ctx context.Context) {
	tick := s.clock.NewTicker(s.pace)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.Chan():
			_ = s.sample(ctx) // it has said why
		}
	}
}

// sample writes a reading down and has the cores keep to what it leaves of the shares of quotas.
func (s *sampler) sample(ctx context.Context) error {
	s.one.Lock()
	defer s.one.Unlock()
	before, err := ParseBases(s.stream.Bases())
	if err != nil {
		s.log.Warn("traffic is counted anew", zap.Error(err))
		before = Bases{}
	}
	counts, now := s.core.Counters(ctx), s.clock.Now()
	reading := s.host.Sample()
	traffic, after, done := Difference(before, counts)
	shares, untold := s.core.Limited()
	used := usedOf(before, shares, traffic)
	after.keep(used)
	reading.Traffic = append(traffic, told(traffic, used, untold)...)
	if measure(&reading, counts) && !s.counted.IsZero() {
		reading.IntervalSeconds = now.Sub(s.counted).Seconds()
	}
	bases, err := after.Encode()
	if err == nil {
		err = s.stream.AddAt(bases, reading)
	}
	if err != nil {
		s.log.Error("a sample could not be written down", zap.Error(err))
		return err
	}
	s.counted = now
	s.core.Told(untold)
	if err := s.core.Allow(ctx, left(shares, used), counts); err != nil {
		s.log.Warn("a core could not be told what clients may carry", zap.Error(err))
	}
	s.core.Forget(done)
	return nil
}

// measure counts the sessions of the cores. False when one of them was started by an older agent, and tells less.
func measure(into *agentapi.Sample, counts map[string]core.Count) bool {
	var doors []core.Door
	for _, count := range counts {
		if count.Older {
			return false
		}
		doors = append(doors, count.Doors...)
	}
	into.Listeners = []agentapi.Sessions{}
	var total int64
	for tag, open := range core.Sessions(distinct(doors)) {
		if strings.HasPrefix(tag, agentapi.SharedTag) { // those behind it count the same sessions
			continue
		}
		into.Listeners = append(into.Listeners, agentapi.Sessions{Name: tag, Open: open})
		total += open
	}
	slices.SortFunc(into.Listeners, func(a, b agentapi.Sessions) int { return strings.Compare(a.Name, b.Name) })
	if len(into.Listeners) > 0 || len(doors) == 0 {
		into.Sessions = &total
	}
	return true
}

// distinct leaves out what a core and the one that replaces it both listen on.
func distinct(doors []core.Door) []core.Door {
	seen := map[core.Door]bool{}
	return slices.DeleteFunc(doors, func(d core.Door) bool {
		known := seen[d]
		seen[d] = true
		return known
	})
}
