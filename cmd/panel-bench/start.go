package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

const hello = "package main\n\nfunc main() { println(\"hello\") }\n"

// commandLine (P19) starts panelctl and the smallest program of the same kind by turns.
func commandLine(ctx context.Context, b *bench) ([]measure.Result, error) {
	panelctl, err := rig.Executable(ctx, rig.PanelProgram)
	if err != nil {
		return nil, err
	}
	smallest, err := b.static(ctx)
	if err != nil {
		return nil, err
	}
	const request = 20 * time.Millisecond // the panel's own time, which is not the command line's
	panel := httptest.NewServer(answerLate(request))
	defer panel.Close()
	env := append(rig.Environment(), "PANEL_API_URL="+panel.URL, "PANEL_API_TOKEN=t")
	var base, version, status measure.Series
	for range 5 * b.settings.pairs {
		for _, run := range []struct {
			line  []string
			into  *measure.Series
			apart time.Duration
		}{{[]string{smallest}, &base, 0}, {[]string{panelctl, "version"}, &version, 0}, {
			[]string{panelctl, "status"},
			&status, request,
		}} {
			took, err := ran(ctx, env, run.line)
			if err != nil {
				return nil, err
			}
			*run.into = append(*run.into, milliseconds(took-run.apart))
		}
	}
	return []measure.Result{
		measure.AtMost("P19", "panelctl version against a static hello", "ms", base, version, 5),
		measure.Below("P19", "panelctl version", "ms", version, 30),
		measure.Below("P19", "panelctl status over the request", "ms", status, 60),
	}, nil
}

func answerLate(by time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/health" {
			time.Sleep(by)
		}
		_, _ = w.Write(
			[]byte(
				`{"status":"running","timestamp":"2026-11-20T11:02:11Z","version":"1.4.2","database":"connected","setup_done":true,"uptime":"1m","uptime_seconds":60}`,
			),
		)
	}
}

func (b *bench) static(ctx context.Context) (string, error) {
	source, program := filepath.Join(b.folder, "hello.go"), filepath.Join(b.folder, "hello")
	if err := os.WriteFile(source, []byte(hello), 0o600); err != nil {
		return "", fmt.Errorf("write the smallest program: %w", err)
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", program, source)
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GO111MODULE=off")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the smallest program: %w: %s", err, out)
	}
	return program, nil
}

func ran(ctx context.Context, env, line []string) (time.Duration, error) {
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Env = env
	began := time.Now()
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("run %s: %w", filepath.Base(line[0]), err)
	}
	return time.Since(began), nil
}

var (
	scripts = regexp.MustCompile(`(?:src|href)="/?(assets/[^"]+\.js)"`)
	styles  = regexp.MustCompile(`href="/?(assets/[^"]+\.css)"`)
)

// interfaceSize (P20) adds up what the first page of the built interface asks for, compressed as a browser gets it.
func interfaceSize(_ context.Context, _ *bench) ([]measure.Result, error) {
	root, err := rig.Root()
	if err != nil {
		return nil, err
	}
	dist := filepath.Join(root, "ui", "dist")
	page, err := os.ReadFile(filepath.Join(dist, "index.html"))
	if err != nil {
		return nil, fmt.Errorf("measure the interface: %w; build it with scripts/ui.sh", err)
	}
	script, err := compressed(dist, scripts.FindAllSubmatch(page, -1))
	if err != nil {
		return nil, err
	}
	style, err := compressed(dist, styles.FindAllSubmatch(page, -1))
	if err != nil {
		return nil, err
	}
	if script == 0 {
		return nil, fmt.Errorf(
			"measure the interface: the page in %s names no script; build it with scripts/ui.sh",
			dist,
		)
	}
	return []measure.Result{
		measure.Below("P20", "script of the first route, gzip", "kB", measure.Series{script}, 300),
		measure.Below("P20", "style of the first route, gzip", "kB", measure.Series{style}, 45),
	}, nil
}

func compressed(dist string, found [][][]byte) (float64, error) {
	total := 0
	seen := map[string]bool{}
	for _, match := range found {
		name := string(match[1])
		if seen[name] {
			continue
		}
		seen[name] = true
		content, err := os.ReadFile(filepath.Join(dist, name))
		if err != nil {
			return 0, fmt.Errorf("measure the interface: %w", err)
		}
		var small bytes.Buffer
		writer := gzip.NewWriter(&small)
		if _, err := writer.Write(content); err != nil {
			return 0, fmt.Errorf("compress %s: %w", name, err)
		}
		if err := writer.Close(); err != nil {
			return 0, fmt.Errorf("compress %s: %w", name, err)
		}
		total += small.Len()
	}
	return float64(total) / 1000, nil
}
