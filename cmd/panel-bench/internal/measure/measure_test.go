package measure_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/cmd/panel-bench/internal/measure"
)

func TestGateLooksAtTheMedianOfTheRatios(t *testing.T) {
	t.Parallel()
	limit, product := measure.Series{100, 110, 90}, measure.Series{70, 55, 63}
	result := measure.AtLeast("P", "x", "1/s", limit, product, 0.7)
	require.Equal(t, measure.Met, result.Verdict)
	require.InDelta(t, 0.7, result.Value, 1e-9)
	require.InDelta(t, 0.5, result.Min, 1e-9)
	require.Equal(t, measure.Missed, measure.AtLeast("P", "x", "1/s", limit, product, 0.71).Verdict)
	require.Equal(t, measure.Met, measure.AtMost("P", "x", "1/s", limit, product, 0.7).Verdict)
}

// Rule of the benchmark design: on a machine too noisy a run neither passes nor fails.
func TestANoisyLimitProvesNothing(t *testing.T) {
	t.Parallel()
	limit, product := measure.Series{10, 100, 60, 20}, measure.Series{10, 100, 60, 20}
	require.Equal(t, measure.Noise, measure.AtLeast("P", "x", "1/s", limit, product, 0.5).Verdict)
	require.Equal(t, measure.Noise, measure.AtLeast("P", "x", "1/s", limit, product, 5).Verdict)
}

// A gate of a few hundredths means something only where the median is known better than that.
func TestTheMedianIsKnownBetterWithMoreReadings(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	medians := func(readings int) (spread float64, errors measure.Series) {
		var all measure.Series
		for range 400 {
			var s measure.Series
			for range readings {
				s = append(s, 1+0.1*random.NormFloat64())
			}
			all, errors = append(all, s.Median()), append(errors, s.MedianError())
		}
		return 1.4826 * all.MAD(), errors
	}
	for _, readings := range []int{24, 96} {
		spread, told := medians(readings)
		require.InEpsilon(t, spread, told.Median(), 0.2, "with %d readings", readings)
	}
	require.True(t, math.IsInf(measure.Series{}.MedianError(), 1))
	require.Zero(t, measure.Series{1, 1, 1}.MedianError())
}

func TestWithoutReadingsNothingIsMet(t *testing.T) {
	t.Parallel()
	require.Equal(t, measure.Missed, measure.AtLeast("P", "x", "1/s", nil, nil, 0.5).Verdict)
	require.Equal(t, measure.Missed, measure.Below("P", "x", "ms", nil, 5).Verdict)
	require.Equal(t, measure.Met, measure.Below("P", "x", "ms", measure.Series{4, 4, 9}, 5).Verdict)
	require.Equal(t, measure.Missed, measure.Above("P", "x", "1/s", nil, nil, 5, 10).Verdict)
}

// An absolute figure is asked only of a machine that is as fast as the one it was set on.
func TestAbsoluteFiguresNeedAMachineThatCouldReachThem(t *testing.T) {
	t.Parallel()
	fast, slow := measure.Series{10, 10, 10}, measure.Series{4, 4, 4}
	require.Equal(t, measure.Met, measure.Above("P", "x", "1/s", fast, measure.Series{6, 6, 1}, 5, 10).Verdict)
	require.Equal(t, measure.Missed, measure.Above("P", "x", "1/s", fast, measure.Series{3}, 5, 10).Verdict)
	require.Equal(t, measure.Noise, measure.Above("P", "x", "1/s", slow, measure.Series{3}, 5, 10).Verdict)
	require.Equal(t, measure.Met, measure.Above("P", "x", "1/s", slow, measure.Series{6}, 5, 10).Verdict)
	require.Equal(t, measure.Met, measure.Within("P", "x", "ms", fast, measure.Series{5}, 5, 4).Verdict)
	require.Equal(t, measure.Noise, measure.Within("P", "x", "ms", fast, measure.Series{6}, 5, 4).Verdict)
	require.Equal(t, measure.Missed, measure.Within("P", "x", "ms", slow, measure.Series{6}, 5, 4).Verdict)
}

func TestQuantile(t *testing.T) {
	t.Parallel()
	var readings measure.Series
	for i := range 100 {
		readings = append(readings, float64(i+1))
	}
	require.InDelta(t, 100, readings.Quantile(0.99), 1e-9)
	require.InDelta(t, 51, readings.Quantile(0.5), 1e-9)
	require.Zero(t, measure.Series{}.Quantile(0.99))
}

func TestAGoalIsAsGoodAsItsWorstResult(t *testing.T) {
	t.Parallel()
	met, missed := measure.Below("P", "x", "ms", measure.Series{4}, 5), measure.Below("P", "x", "ms",
		measure.Series{6}, 5)
	noise := measure.AtLeast("P", "x", "1/s", measure.Series{10, 100, 60, 20}, measure.Series{1}, 5)
	missing := measure.NotDone("P", "x", errors.New("why"))
	require.Equal(t, measure.Met, measure.Worst([]measure.Result{met, met}))
	require.Equal(t, measure.Noise, measure.Worst([]measure.Result{noise, met}))
	require.Equal(t, measure.Missed, measure.Worst([]measure.Result{noise, missed, met}))
	require.Equal(t, measure.NotMeasured, measure.Worst([]measure.Result{missed, missing, met}))
	require.Equal(t, measure.NotMeasured, measure.Worst(nil))
}
