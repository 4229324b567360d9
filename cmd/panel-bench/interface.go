package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"panel/cmd/panel-bench/internal/measure"
	"panel/e2e/rig"
)

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
