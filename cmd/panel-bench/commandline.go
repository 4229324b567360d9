package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"panel/cmd/panel-bench/internal/measure"
	"panel/e2e/rig"
)

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
		}{{[]string{smallest}, &base, 0}, {[]string{panelctl, "version"}, &version, 0}, {[]string{panelctl, "status"}, &status, request}} {
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
