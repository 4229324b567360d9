package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"panel/cmd/panel-bench/internal/measure"
	"panel/e2e/rig"
)

// startTime (P18) starts `panelctl serve` again and again on a migrated database that is up.
func startTime(ctx context.Context, b *bench) ([]measure.Result, error) {
	s, err := b.install(ctx, "start", nil)
	if err != nil {
		return nil, err
	}
	var starts, stops, idle measure.Series
	for range b.settings.pairs {
		took, err := stopped(s.Panel)
		if err != nil {
			return nil, err
		}
		stops = append(stops, took)
		if took, err = started(ctx, s.Panel); err != nil {
			return nil, err
		}
		starts = append(starts, took)
		memory, err := resident(s.Panel.PID())
		if err != nil {
			return nil, err
		}
		idle = append(idle, memory)
	}
	first := measure.Below("P18", "start to first 200 of /health, database up", "ms", starts, 500)
	return []measure.Result{
		first.Note("orderly stop: median %.0f ms", stops.Median()),
		measure.Below("P18", "memory of the idle panel (VmRSS)", "MB", idle, 64),
	}, nil
}

func stopped(panel *rig.Panel) (float64, error) {
	began := time.Now()
	err := panel.Stop()
	return milliseconds(time.Since(began)), err
}

func started(ctx context.Context, panel *rig.Panel) (float64, error) {
	client := &http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	began := time.Now()
	if err := panel.Launch(); err != nil {
		return 0, err
	}
	for time.Since(began) < time.Minute && ctx.Err() == nil {
		answer, err := client.Get(panel.URL + "/health")
		if err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return milliseconds(time.Since(began)), nil
			}
		}
		time.Sleep(500 * time.Microsecond)
	}
	return 0, fmt.Errorf("start the panel: no answer within a minute: %s", panel.LastWords())
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// resident is the memory of a process in MB.
func resident(pid int) (float64, error) {
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0, fmt.Errorf("read the memory of a process: %w", err)
	}
	for _, line := range strings.Split(string(status), "\n") {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "VmRSS:" {
			kilobytes, err := strconv.ParseFloat(fields[1], 64)
			return kilobytes / 1024, err
		}
	}
	return 0, fmt.Errorf("read the memory of process %d: its status has no VmRSS", pid)
}
