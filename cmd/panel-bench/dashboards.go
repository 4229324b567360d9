package main

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"panel/cmd/panel-bench/internal/measure"
	"panel/cmd/panel-bench/internal/screens"
	"panel/cmd/panel-bench/internal/seed"
	"panel/e2e/rig"
)

const (
	dashboards     = 10
	dashboardEvery = 5 * time.Second

	// settles is how long a panel that was started over so many nodes announces their states to everybody.
	settles = 30 * time.Second
)

// thirtyDays gives every node an hourly reading for as long as history is kept.
const thirtyDays = `insert into node_metrics_10m (node_id, at, n, cpu_pct, load1, mem_used, disk_used, net_rx_bps, net_tx_bps, rx_pps,
	tcp_established, conntrack_count, syncookies_ps, listen_drops_ps)
	select id, date_trunc('hour', now()) - make_interval(hours => h), 40, h % 100, 1, 1e9, 1e10, 1e6 * (h % 70), 1e6 * (h % 90), 9000, 1200, 3100, 0, 0
	from nodes, generate_series(1, 719) h`

// openDashboards (P5) keeps ten overviews of 5,000 nodes open, and looks at their answers and at what is left for
// others.
func openDashboards(ctx context.Context, b *bench) ([]measure.Result, error) {
	var members []seed.Member
	s, err := b.installBare(ctx, "dashboards", func(ctx context.Context, dsn string) (err error) {
		if members, err = seed.Fleet(ctx, dsn, manyNodes); err != nil {
			return err
		}
		if err := execute(ctx, dsn, thirtyDays); err != nil {
			return err
		}
		return execute(ctx, dsn, steady)
	})
	if err != nil {
		return nil, err
	}
	from := url.QueryEscape(time.Now().UTC().Add(-30*24*time.Hour + time.Hour).Format(time.RFC3339))
	page := []string{
		"/api/v1/nodes/summary", "/api/v1/nodes?limit=50&sort=-cpu_pct",
		"/api/v1/nodes/" + members[0].NodeID + "/metrics?metric=net_tx_bps&from=" + from,
	}
	if err := pause(ctx, settles); err != nil {
		return nil, err
	}
	before, err := processorSeconds(s.Panel.PID())
	if err != nil {
		return nil, err
	}
	began := time.Now()
	took, err := s.watchOverviews(ctx, page, 6*dashboardEvery)
	if err != nil {
		return nil, err
	}
	after, err := processorSeconds(s.Panel.PID())
	if err != nil {
		return nil, err
	}
	used := 100 * (after - before) / time.Since(began).Seconds()
	results := []measure.Result{
		measure.Below(
			"P5",
			"requests of ten overviews of 5,000 nodes with 30 days, p95",
			"ms",
			measure.Series{took.Quantile(0.95)},
			200,
		),
		measure.Below("P5", "processor of the panel meanwhile", "% of a core", measure.Series{used}, 10),
	}
	left, err := b.besideOverviews(ctx, s, page)
	if err != nil {
		return results, err
	}
	return append(results, left), nil
}

// watchOverviews opens all overviews at moments spread over the interval and gives how long each request took.
func (s *stand) watchOverviews(ctx context.Context, page []string, length time.Duration) (measure.Series, error) {
	var mu sync.Mutex
	var took measure.Series
	var failure error
	var all sync.WaitGroup
	began := time.Now()
	for i := range dashboards {
		all.Go(func() {
			first, end := began.Add(dashboardEvery*time.Duration(i)/dashboards), began.Add(length)
			for at := first; at.Before(end); at = at.Add(dashboardEvery) {
				if pause(ctx, time.Until(at)) != nil {
					return
				}
				for _, path := range page {
					asked := time.Now()
					err := s.API.Get(ctx, path, nil)
					mu.Lock()
					took = append(took, milliseconds(time.Since(asked)))
					if err != nil {
						failure = fmt.Errorf("open an overview: %w", err)
					}
					mu.Unlock()
				}
			}
		})
	}
	all.Wait()
	return took, failure
}

// besideOverviews compares the gated GET while the overviews are open with the same while nobody looks.
func (b *bench) besideOverviews(ctx context.Context, s *stand, page []string) (measure.Result, error) {
	rate := func() (float64, error) { return b.rate(ctx, s.address(), connections, b.each, s.get(gatedPath)) }
	if _, err := rate(); err != nil {
		return measure.Result{}, err
	}
	alone, beside, err := b.pairs(rate, func() (float64, error) {
		var all sync.WaitGroup
		var failure error
		all.Go(func() { _, failure = s.watchOverviews(ctx, page, b.each) })
		reached, err := rate()
		all.Wait()
		if err == nil {
			err = failure
		}
		return reached, err
	})
	return measure.AtLeast("P5", "gated GET while ten overviews are open", "req/s", alone, beside, 0.90), err
}

// livingScreens (P20, P21) opens the interface over 5,000 reporting agents in Chromium: what its first route asks for,
// when its pages can be used, how fast a large drawing answers, and what a page that stays open costs.
func livingScreens(ctx context.Context, b *bench) ([]measure.Result, error) {
	f, err := b.fleetAt(ctx, "screens", manyNodes, 25*time.Second)
	if err != nil {
		return nil, err
	}
	if err := execute(ctx, f.dsn, thirtyDays); err != nil {
		return nil, err
	}
	flow, err := f.API.Draw(ctx, "large", f.star(0, 0))
	if err != nil {
		return nil, err
	}
	if err := pause(ctx, settles); err != nil {
		return nil, err
	}
	root, err := rig.Root()
	if err != nil {
		return nil, err
	}
	length := b.settings.watch
	seen, err := screens.Look(ctx, filepath.Join(root, "ui"), f.Panel.URL, f.API.Token, flow.ID, length)
	if err != nil {
		return nil, err
	}
	return slices.Concat(seen.Opening(), seen.Drawn(), seen.Living(length)), nil
}
