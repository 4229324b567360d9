package beside

import (
	"context"
	"fmt"
	"time"

	"panel/cmd/panel-bench/internal/measure"
)

const (
	parseCeiling  = 1.5 // of the time that the library of protobuf takes alone
	servedFloor   = 0.5 // of the bytes of a bare file answer
	rollOutWithin = 30  // seconds, 99 of 100 agents
)

// names are the sizes of the lists that are read.
var names = []float64{150_000, 300_000, 600_000}

// GeoFiles reads lists beside the library of protobuf, serves one beside a bare file, and rolls one of 2 MB out to
// 1,000 agents. That the panel reads it from its database once is what the benchmark itself demands.
func GeoFiles(ctx context.Context, pairs int) ([]measure.Result, error) {
	alone, read := map[float64]measure.Series{}, map[float64]measure.Series{}
	var bare, served, rolled, slopes measure.Series
	for range (pairs + 1) / 2 {
		times, err := Benchmarks(ctx, "./modules/geo/internal/dat", "^Benchmark(Read|Protobuf)$", 6)
		if err != nil {
			return nil, err
		}
		for _, n := range names {
			alone[n] = append(alone[n], times["Protobuf"][n]/1e6)
			read[n] = append(read[n], times["Read"][n]/1e6)
		}
		if times, err = Benchmarks(ctx, "./modules/geo", "^Benchmark(Asset|BareFile)$", 2); err != nil {
			return nil, err
		}
		bare, served = append(bare, 1e9/times["BareFile"][2]), append(served, 1e9/times["Asset"][2])
	}
	for range (pairs + 3) / 4 {
		times, err := Benchmarks(ctx, "./modules/geo", "^BenchmarkRollOut$", 3)
		if err != nil {
			return nil, err
		}
		rolled = append(rolled, times["RollOut"][1000]/float64(time.Second))
		slopes = append(slopes, Slope(times["RollOut"]))
	}
	results := make([]measure.Result, 0, len(names))
	for _, n := range names {
		what := fmt.Sprintf("parse of %.0f names against protobuf alone", n)
		results = append(results, measure.AtMost("geo", what, "ms", alone[n], read[n], parseCeiling))
	}
	return append(results,
		measure.AtLeast("geo", "files of 2 MB served against a bare file answer", "1/s", bare, served, servedFloor),
		measure.Below("geo", "roll-out of 2 MB to 1,000 agents, 99th percentile", "s", rolled, rollOutWithin),
		measure.Below("geo", "slope of the roll-out, 250 to 1,000 agents", "", slopes, 1.3),
	), nil
}
