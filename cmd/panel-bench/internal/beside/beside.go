// Package beside runs the benchmarks that lie beside what they measure, and judges those of geo-assets.
package beside

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"time"

	"panel/e2e/rig"
)

var benchLine = regexp.MustCompile(`(?m)^Benchmark(\w+)/(\d+)\S*\s+\d+\s+([0-9.]+) ns/op`)

// Benchmarks runs benchmarks that lie beside what they measure, and gives nanoseconds by their names and sizes. There
// are so many of them, each at every size counted.
func Benchmarks(ctx context.Context, pkg, pattern string, count int) (map[string]map[float64]float64, error) {
	root, err := rig.Root()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	// One processor: what the collector of garbage does on another one beside depends on what else runs there.
	cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", pattern, "-benchtime", "200ms", "-cpu", "1", pkg)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false")
	said, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("run the benchmarks of %s: %w: %s", pkg, err, said)
	}
	times, read := map[string]map[float64]float64{}, 0
	for _, match := range benchLine.FindAllStringSubmatch(string(said), -1) {
		size, errSize := strconv.ParseFloat(match[2], 64)
		took, errTook := strconv.ParseFloat(match[3], 64)
		if errSize != nil || errTook != nil {
			continue
		}
		if times[match[1]] == nil {
			times[match[1]] = map[float64]float64{}
		}
		times[match[1]][size] = took
		read++
	}
	if read < count {
		return nil, fmt.Errorf("run the benchmarks of %s: %d of %d lines are there: %s", pkg, read, count, said)
	}
	return times, nil
}

// Slope is that of the straight line through the points in logarithms: 1 means that time follows size.
func Slope(times map[float64]float64) float64 {
	var n, sx, sy, sxx, sxy float64
	for size, took := range times {
		x, y := math.Log(size), math.Log(took)
		n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}
