package app

import (
	"context"
	"fmt"
	"sync"

	"panel/platform/entitlement"
	"panel/platform/metrics"
	"panel/platform/version"
)

// keepers counts the loops of each owner: how many run and how often one failed.
type keepers struct {
	mu      sync.Mutex
	running map[string]float64
	failed  map[string]float64
}

func (k *keepers) began(owner string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.running == nil {
		k.running, k.failed = map[string]float64{}, map[string]float64{}
	}
	k.running[owner]++
	k.failed[owner] += 0
}

func (k *keepers) ended(owner string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.running[owner]--
}

func (k *keepers) broke(owner string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.failed[owner]++
}

func (k *keepers) copyOf(counts *map[string]float64) func() map[string]float64 {
	return func() map[string]float64 {
		k.mu.Lock()
		defer k.mu.Unlock()
		out := make(map[string]float64, len(*counts))
		for owner, n := range *counts {
			out[owner] = n
		}
		return out
	}
}

// counted makes the registry of a panel: the platform's own metrics and those of the modules.
func (a *App) counted(license entitlement.Source) (*metrics.Registry, error) {
	r := metrics.New(version.Version)
	own := append(a.pool(),
		metrics.Gauges("panel_loops_running", "Loops that run, by the module that owns them.", "module",
			a.keepers.copyOf(&a.keepers.running)),
		metrics.Counters("panel_loop_failures_total",
			"Loops that ended with an error and were started again, by module.", "module",
			a.keepers.copyOf(&a.keepers.failed)),
		metrics.Gauge("panel_live_viewers", "Open live streams of browsers.",
			func() float64 { return float64(a.bus.Followers()) }),
		metrics.Gauges("panel_license_state", "1 for the state that the license is in, 0 for the others.", "state",
			func() map[string]float64 { return licenseState(license) }),
	)
	if err := r.Add(append(own, a.worker.Metrics()...)...); err != nil {
		return nil, fmt.Errorf("name the platform's metrics: %w", err)
	}
	for _, o := range a.parts {
		if err := r.Add(o.parts.Metrics...); err != nil {
			return nil, fmt.Errorf("module %s: name its metrics: %w", o.owner, err)
		}
	}
	return r, nil
}

func licenseState(source entitlement.Source) map[string]float64 {
	states := map[string]float64{entitlement.Active: 0, entitlement.Grace: 0, entitlement.Degraded: 0}
	states[source.Current().State] = 1
	return states
}

// pool shows the connections to the database.
func (a *App) pool() []metrics.Collector {
	stat := a.opts.DB.Pool.Stat
	return []metrics.Collector{
		metrics.Gauges("panel_database_connections", "Connections to the database by what they do.", "state",
			func() map[string]float64 {
				now := stat()
				return map[string]float64{
					"busy": float64(now.AcquiredConns()), "idle": float64(now.IdleConns()),
					"opening": float64(now.ConstructingConns()),
				}
			}),
		metrics.Gauge("panel_database_connections_max", "The most connections that the panel opens.",
			func() float64 { return float64(stat().MaxConns()) }),
		metrics.Counter("panel_database_acquires_total", "Connections taken from the pool.",
			func() float64 { return float64(stat().AcquireCount()) }),
		metrics.Counter("panel_database_waits_total", "Takings that had to wait because no connection was idle.",
			func() float64 { return float64(stat().EmptyAcquireCount()) }),
		metrics.Counter("panel_database_wait_seconds_total", "Time spent waiting for a connection.",
			func() float64 { return stat().EmptyAcquireWaitTime().Seconds() }),
	}
}

// Metrics is what a scrape shows, for tests.
func (a *App) Metrics() *metrics.Registry { return a.metrics }

// showMetrics serves scrapes while the panel runs.
func (a *App) showMetrics(ctx context.Context) error {
	return a.metrics.Serve(ctx, a.opts.MetricsAddr, a.opts.Clock, a.opts.Log.Named("metrics"))
}
