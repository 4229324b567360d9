package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"panel/cmd/panel-bench/internal/load"
	"panel/cmd/panel-bench/internal/measure"
	"panel/cmd/panel-bench/internal/seed"
	"panel/e2e/rig"
)

const (
	keptSamples   = 3000 // of each node
	sampledNodes  = 500
	backupPairs   = 3
	backupReaders = 8
	lookEvery     = 20 * time.Millisecond
)

// fillSamples gives every node measurements as its agent would have sent them.
var fillSamples = fmt.Sprintf(`insert into node_samples (node_id, observed_at, xact, cpu_pct, load1, mem_used, mem_total, disk_used,
		disk_total, net_rx_bps, net_tx_bps, rx_pps, tcp_established, conntrack_count, conntrack_max, syncookies_ps, listen_drops_ps, uptime_s)
	select n.id, now() - s * interval '15 s', 1, random() * 100, random(), (random() * 1e9)::bigint, 1 << 30, 1 << 29, 1 << 30,
		random() * 1e9, random() * 1e9, random() * 1e5, (random() * 1e3)::bigint, 500, 65536, 0, 0, 7200 + s
	from nodes n cross join generate_series(1, %d) s`, keptSamples)

// saved is an installed panel with much telemetry and a profile of backups in a folder.
type saved struct {
	*bench
	*stand
	profile string
	dump    string // of the database server's own program
}

// backups (P17) compares a backup, which is encrypted and proved, with pg_dump, and a restore with pg_restore; it looks
// at the panel's memory and at how long its other requests take meanwhile.
func backups(ctx context.Context, b *bench) ([]measure.Result, error) {
	s, err := newSaved(ctx, b)
	if err != nil {
		return nil, err
	}
	limits, products, err := readPairs(backupPairs,
		func() (float64, error) { return s.pgDump(ctx) }, func() (float64, error) { return s.backUp(ctx) })
	if err != nil {
		return nil, err
	}
	results := []measure.Result{
		measure.AtMost("P17", "backup, encrypted and proved, against pg_dump -Fc", "s", limits, products, 1.5),
	}
	meanwhile, err := s.meanwhile(ctx, products.Median())
	if err != nil {
		return results, err
	}
	results = append(results, meanwhile...)
	limits, products, err = s.restores(ctx)
	return append(results,
		measure.AtMost("P17", "restore, proved, against pg_restore", "s", limits, products, 1.5)), err
}

func newSaved(ctx context.Context, b *bench) (*saved, error) {
	installed, err := b.installBareWith(ctx, "backup", rig.PanelSettings{}, func(ctx context.Context, dsn string) error {
		if _, err := seed.Fleet(ctx, dsn, sampledNodes); err != nil {
			return err
		}
		return execute(ctx, dsn, fillSamples)
	})
	if err != nil {
		return nil, err
	}
	s := &saved{bench: b, stand: installed, dump: filepath.Join(b.folder, "limit.dump")}
	var profile struct {
		ID string `json:"id"`
	}
	err = s.API.Post(ctx, "/api/v1/backups/profiles", map[string]any{
		"name": "measured", "enabled": false, "destinations": []map[string]any{{"kind": "local"}},
		"encryption": map[string]any{"mode": "passphrase", "passphrase": backupPassphrase},
		"retention":  map[string]any{"keep_last": 1},
	}, &profile)
	s.profile = profile.ID
	return s, err
}

const backupPassphrase = "words that only this run knows"

// seconds is how long something took.
func seconds(do func() error) (float64, error) {
	began := time.Now()
	err := do()
	return time.Since(began).Seconds(), err
}

// pgDump is the limit: the server's own program with its own compression, without encryption.
func (s *saved) pgDump(ctx context.Context) (float64, error) {
	return seconds(func() error {
		return s.program(ctx, "pg_dump", "--format=custom", "--file="+s.dump, "--dbname="+s.dsn)
	})
}

// program runs one of the database server's.
func (s *saved) program(ctx context.Context, name string, args ...string) error {
	if folder := os.Getenv("PANEL_PG_BIN"); folder != "" {
		name = filepath.Join(folder, name)
	}
	said, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("run %s: %w: %s", filepath.Base(name), err, said)
	}
	return nil
}

// backUp makes one backup and waits for its end.
func (s *saved) backUp(ctx context.Context) (float64, error) {
	return seconds(func() error {
		var run struct {
			ID    string `json:"id"`
			State string `json:"state"`
			Error string `json:"error"`
		}
		if err := s.API.Post(ctx, "/api/v1/backups/runs", map[string]any{"profile_id": s.profile}, &run); err != nil {
			return err
		}
		for run.State == "queued" || run.State == "running" || run.State == "uploading" {
			if err := errors.Join(pause(ctx, lookEvery), s.API.Get(ctx, "/api/v1/backups/runs/"+run.ID, &run)); err != nil {
				return err
			}
		}
		if run.State != "succeeded" {
			return fmt.Errorf("the backup is %s: %s", run.State, run.Error)
		}
		return nil
	})
}

// meanwhile reads a list at rest and during backups, and the panel's memory.
func (s *saved) meanwhile(ctx context.Context, usual float64) ([]measure.Result, error) {
	var rest, busy, grown measure.Series
	for range backupPairs {
		quiet, err := s.slowest(ctx, usual)
		if err != nil {
			return nil, err
		}
		before, err := resident(s.Panel.PID())
		if err != nil {
			return nil, err
		}
		var during, peak float64
		var failures [2]error
		var all sync.WaitGroup
		ended := make(chan struct{})
		all.Go(func() { peak, failures[0] = s.peak(ended) })
		all.Go(func() { during, failures[1] = s.slowest(ctx, usual) })
		_, err = s.backUp(ctx)
		close(ended)
		all.Wait()
		if err := errors.Join(err, failures[0], failures[1]); err != nil {
			return nil, err
		}
		rest, busy, grown = append(rest, quiet), append(busy, during), append(grown, peak-before)
	}
	return []measure.Result{
		measure.AtMost("P17", "p99 of a page of nodes during a backup against rest", "ms", rest, busy, 2),
		measure.Below("P17", "memory that a backup adds to the panel", "MB", grown, 64),
	}, nil
}

// slowest is the p99 of reading a page of nodes.
func (s *saved) slowest(ctx context.Context, usual float64) (float64, error) {
	outcome, err := load.Run(ctx, load.Plan{
		Address: s.address(), Connections: backupReaders, Request: s.get("/api/v1/nodes?limit=50"),
		For: time.Duration(usual * float64(time.Second) * 0.8),
	})
	return measure.Series(outcome.Latencies).Quantile(0.99), err
}

func (s *saved) peak(ended <-chan struct{}) (highest float64, err error) {
	for {
		now, err := resident(s.Panel.PID())
		if err != nil {
			return highest, err
		}
		highest = max(highest, now)
		select {
		case <-ended:
			return highest, nil
		case <-time.After(lookEvery):
		}
	}
}

// restores compares the command, which proves every part before it changes anything, with pg_restore into an empty
// database.
func (s *saved) restores(ctx context.Context) (limits, products measure.Series, err error) {
	if err := s.Panel.Stop(); err != nil {
		return nil, nil, err
	}
	number := 0
	limits, products, err = readPairs(backupPairs,
		func() (float64, error) {
			number++
			dsn, err := s.database(ctx, fmt.Sprintf("restored%d", number))
			if err != nil {
				return 0, err
			}
			return seconds(func() error { return s.program(ctx, "pg_restore", "--dbname="+dsn, s.dump) })
		},
		func() (float64, error) {
			return seconds(func() error {
				said, err := s.Panel.With("PANEL_BACKUP_PASSPHRASE="+backupPassphrase).Command(ctx, "",
					"backup", "restore", "--yes", "--no-copy")
				if err == nil && said.Exit != 0 {
					err = fmt.Errorf("restore the backup: %s", said.Err)
				}
				return err
			})
		})
	return limits, products, errors.Join(err, s.Panel.Up(ctx))
}
