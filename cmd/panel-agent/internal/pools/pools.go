// Package pools is the part of the agent that holds what the panel says about transit pools and tells what became of
// their members. The cores themselves probe the members and choose among them.
package pools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/disk"
	"panel/cmd/panel-agent/internal/documents"
	"panel/cmd/panel-agent/internal/part"
	"panel/platform/agentapi"
)

// Part is the manifest.
var Part = part.Part{
	Name:      "pools",
	Documents: []agentapi.DocumentName{agentapi.DocumentPools},
	Batches:   []agentapi.BatchKind{agentapi.BatchPools},
	Open: func(env *part.Env) (*part.Live, error) {
		stream, err := env.Batches(agentapi.BatchPools)
		if err != nil {
			return nil, err
		}
		r := &reporter{
			core: env.Core, stream: stream, clock: env.Clock, log: env.Log,
			path: filepath.Join(env.Folder("pools"), "told.json"),
		}
		if err := os.MkdirAll(filepath.Dir(r.path), 0o700); err != nil {
			return nil, fmt.Errorf("make the folder of the pools: %w", err)
		}
		if _, err := disk.ReadJSON(r.path, &r.told); err != nil {
			env.Log.Warn("what was told of pools cannot be read, and is told again", zap.Error(err))
		}
		return &part.Live{
			Documents: []documents.Document{{Name: agentapi.DocumentPools, Apply: apply(env.Core.Pools, env.Skew)}},
			Loops:     []func(context.Context){r.run},
		}, nil
	},
}

// apply hands pools to the cores, with the ends of overrides by the clock of this machine. Those that cannot be used
// are refused as a whole, and the ones before stay.
func apply(
	hand func(context.Context, agentapi.Pools) error, skew func() time.Duration,
) func(context.Context, json.RawMessage) error {
	return func(ctx context.Context, content json.RawMessage) error {
		var wanted agentapi.Pools
		if json.Unmarshal(content, &wanted) != nil {
			return documents.Refuse(errors.New("read the pools: they are no JSON of the expected form"))
		}
		if err := wanted.Check(); err != nil {
			return documents.Refuse(err)
		}
		for i := range wanted.Pools {
			if o := wanted.Pools[i].Override; o != nil {
				o.Until = o.Until.Add(-skew())
			}
		}
		return hand(ctx, wanted)
	}
}

// told is the last report that is in the batches.
type told struct {
	Core string `json:"core"`
	Seq  int64  `json:"seq"`
}

// reporter sends on what the serving core says about its pools.
type reporter struct {
	core interface {
		PoolReports(ctx context.Context, core string, after int64) ([]agentapi.PoolReport, error)
	}
	stream interface{ Add(items ...any) error }
	clock  clockwork.Clock
	log    *zap.Logger
	path   string
	told   told
}

const look = time.Second

func (r *reporter) run(ctx context.Context) {
	tick := r.clock.NewTicker(look)
	defer tick.Stop()
	for failed := false; ; {
		err := r.send(ctx)
		if err != nil && !failed && ctx.Err() == nil {
			r.log.Warn("the reports of pools could not be sent on", zap.Error(err))
		}
		failed = err != nil
		select {
		case <-ctx.Done():
			return
		case <-tick.Chan():
		}
	}
}

// send puts what is new into the batches before it notes that it has: a report may come twice, and is never lost.
func (r *reporter) send(ctx context.Context) error {
	reports, err := r.core.PoolReports(ctx, r.told.Core, r.told.Seq)
	if err != nil || len(reports) == 0 {
		return err
	}
	items := make([]any, len(reports))
	for i, report := range reports {
		items[i] = report
	}
	if err := r.stream.Add(items...); err != nil {
		return err
	}
	last := reports[len(reports)-1]
	r.told = told{last.Core, last.Seq}
	return disk.WriteJSON(r.path, r.told)
}
