package main

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"panel/cmd/panel-bench/internal/beside"
	"panel/cmd/panel-bench/internal/measure"
	"panel/cmd/panel-bench/internal/seed"
	"panel/platform/agentapi"
)

// compileSlope (P6, P7) runs the benchmark that lies beside the pure compiler and fits log time against log size. A
// change of one node is compared with all flows of the fleet.
func compileSlope(ctx context.Context, b *bench) ([]measure.Result, error) {
	var fleet, one, pools, thousand, changed measure.Series
	for range (b.settings.pairs + 1) / 2 {
		times, err := beside.Benchmarks(ctx, "./modules/flows/internal/plan", "^BenchmarkCompile(Fleet|Flow|Pools|Change)$", 14)
		if err != nil {
			return nil, err
		}
		fleet, one = append(fleet, beside.Slope(times["CompileFleet"])), append(one, beside.Slope(times["CompileFlow"]))
		pools = append(pools, beside.Slope(times["CompilePools"]))
		thousand = append(thousand, times["CompileFleet"][1000]/1e6)
		changed = append(changed, 100*times["CompileChange"][4000]/times["CompileFleet"][4000])
	}
	return []measure.Result{
		measure.Below("P6", "slope of compiling the fleet, 500 to 4,000 nodes", "", fleet, 1.15),
		measure.Below("P6", "compile of 1,000 nodes", "ms", thousand, 150),
		measure.Below("P6+", "slope of one flow, 25 to 200 servers", "", one, 1.15),
		measure.Below("P6", "slope of one flow with pools of 500 to 4,000 members", "", pools, 1.15),
		measure.Below("P7", "compile after a change of one node of 4,000, of that of the fleet", "%", changed, 3),
	}, nil
}

// poolProbes measures the core of a node that forwards to a pool of 200 members and probes all of them as often as
// pools do by themselves, and how long a member that is dead gets connections.
func poolProbes(ctx context.Context, b *bench) ([]measure.Result, error) {
	var shares, ended, silent measure.Series
	for range (b.settings.pairs + 3) / 4 {
		times, err := beside.Benchmarks(ctx, "./cmd/panel-agent/internal/core", "^Benchmark(PoolProbes|MemberThat.*)$", 3)
		if err != nil {
			return nil, err
		}
		const percent = 1e7 // nanoseconds of each second
		shares = append(shares, times["PoolProbes"][200]/percent)
		ended = append(ended, times["MemberThatEnds"][3]/1e9)
		silent = append(silent, times["MemberThatIsSilent"][3]/1e9)
	}
	const leftWithin = agentapi.PoolFailureThreshold*agentapi.PoolInterval + agentapi.PoolTimeout + 1
	return []measure.Result{
		measure.Below("pools", "processor for probing a pool of 200 members, of one core", "%", shares, 2),
		measure.Below("pools", "last connection to a member after its core was killed", "s", ended, leftWithin),
		measure.Below("pools", "last connection to a member after it has become silent", "s", silent, leftWithin),
	}, nil
}

const (
	savers       = 60
	savesCeiling = 1.00
)

// savesAtOnce (P15) lets 60 people save a draft each in the same moment. Whoever waits for a lock or a connection that
// another saver holds shows here: together they may take as long as one after the other, and no longer.
func savesAtOnce(ctx context.Context, b *bench) ([]measure.Result, error) {
	s, err := b.installBare(ctx, "saves", func(ctx context.Context, dsn string) error {
		_, err := seed.Fleet(ctx, dsn, fewNodes)
		return err
	})
	if err != nil {
		return nil, err
	}
	drafts, err := s.drafts(ctx)
	if err != nil {
		return nil, err
	}
	limit := func() (float64, error) { return s.saveAll(ctx, drafts, 1) }
	product := func() (float64, error) { return s.saveAll(ctx, drafts, savers) }
	if _, err := limit(); err != nil {
		return nil, err
	}
	one, all, err := b.pairs(limit, product)
	return []measure.Result{
		measure.AtMost("P15", "60 saves at once against one after the other", "ms", one, all, savesCeiling),
	}, err
}

// draft is a flow as its saver knows it.
type draft struct {
	id, entry, exit string
	port            int
	Revision        int `json:"revision"`
}

// drafts draws a flow for every saver.
func (s *stand) drafts(ctx context.Context) ([]*draft, error) {
	var fleet struct {
		Items []struct{ ID string }
	}
	if err := s.API.Get(ctx, "/api/v1/nodes?limit=2", &fleet); err != nil {
		return nil, err
	}
	drafts := make([]*draft, savers)
	for i := range drafts {
		d := &draft{entry: fleet.Items[0].ID, exit: fleet.Items[1].ID, port: 20_000 + i}
		flow, err := s.API.Draw(ctx, fmt.Sprintf("flow %02d", i), twoHops(d.entry, d.exit, d.port))
		if err != nil {
			return nil, err
		}
		d.id = flow.ID
		if err := s.API.Get(ctx, d.path(), d); err != nil {
			return nil, err
		}
		drafts[i] = d
	}
	return drafts, nil
}

func (d *draft) path() string { return "/api/v1/connection-units/" + d.id + "/draft" }

// saveAll saves every draft once, so many at a time, and gives the milliseconds until the last save was answered.
func (s *stand) saveAll(ctx context.Context, drafts []*draft, atOnce int) (float64, error) {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	began := time.Now()
	for _, d := range drafts {
		group.Go(func() error {
			d.port += savers // a save that changes nothing could be answered without a write
			body := object{"revision": d.Revision, "graph": twoHops(d.entry, d.exit, d.port)}
			return s.API.Put(ctx, d.path(), body, d)
		})
	}
	err := group.Wait()
	return milliseconds(time.Since(began)), err
}

// geoFiles measures how lists of names and networks are read, served and rolled out.
func geoFiles(ctx context.Context, b *bench) ([]measure.Result, error) {
	return beside.GeoFiles(ctx, b.settings.pairs)
}

// statusPage measures a minute's work at a status page.
func statusPage(ctx context.Context, b *bench) ([]measure.Result, error) {
	return beside.StatusPage(ctx, b.settings.pairs)
}

// builtInAnswers measures how long the assistant takes to answer by itself.
func builtInAnswers(ctx context.Context, b *bench) ([]measure.Result, error) {
	return beside.Answers(ctx, b.settings.pairs)
}
