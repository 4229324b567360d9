package beside

import (
	"context"
	"time"

	"panel/cmd/panel-bench/internal/measure"
)

const (
	shownComponents = 500
	snapshotCeiling = 50 // ms
	askedNodes      = 5000
	answerCeiling   = 150                       // ms, 95 of 100
	perMillisecond  = float64(time.Millisecond) // of nanoseconds
)

// StatusPage takes the time of a whole snapshot of a page, its queries with its files.
func StatusPage(ctx context.Context, pairs int) ([]measure.Result, error) {
	took, err := milliseconds(ctx, pairs, "./modules/statuspage", "Snapshot", shownComponents)
	if err != nil {
		return nil, err
	}
	return []measure.Result{
		measure.Below("status", "snapshot of a status page with 500 components", "ms", took, snapshotCeiling),
	}, nil
}

// Answers takes the time of built-in answers of the assistant in a fleet.
func Answers(ctx context.Context, pairs int) ([]measure.Result, error) {
	took, err := milliseconds(ctx, pairs, "./e2e/assistant", "Answers", askedNodes)
	if err != nil {
		return nil, err
	}
	return []measure.Result{
		measure.Below("answers", "p95 of a built-in answer at 5,000 nodes", "ms", took, answerCeiling),
	}, nil
}

// milliseconds runs one benchmark again and again, each time in a process of its own.
func milliseconds(ctx context.Context, pairs int, pkg, name string, size float64) (took measure.Series, err error) {
	for range (pairs + 1) / 2 {
		times, err := Benchmarks(ctx, pkg, "^Benchmark"+name+"$", 1)
		if err != nil {
			return nil, err
		}
		took = append(took, times[name][size]/perMillisecond)
	}
	return took, nil
}
