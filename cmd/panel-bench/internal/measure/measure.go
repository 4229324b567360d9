// Package measure compares the product with the physical limit in one run: both alternately, gate on the median ratio.
package measure

import (
	"fmt"
	"math"
	"slices"
)

// Noisy is the spread of the limit (MAD over median) above which a run proves nothing.
const Noisy = 0.25

// Series are readings of one thing.
type Series []float64

// Median of the readings; 0 without any.
func (s Series) Median() float64 {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// MAD is the median distance from the median.
func (s Series) MAD() float64 {
	median := s.Median()
	distances := make(Series, len(s))
	for i, value := range s {
		distances[i] = max(value-median, median-value)
	}
	return distances.Median()
}

// MedianError is the standard error of the median, of readings that are spread about it as by chance; infinite without
// any.
func (s Series) MedianError() float64 {
	if len(s) == 0 {
		return math.Inf(1)
	}
	const deviation, median = 1.4826, 1.2533 // normal: deviation over MAD, error of the median over that of the mean
	return median * deviation * s.MAD() / math.Sqrt(float64(len(s)))
}

// Quantile gives the smallest reading that at least the share q of all do not exceed.
func (s Series) Quantile(q float64) float64 {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

// Spread is MAD over median.
func (s Series) Spread() float64 {
	if median := s.Median(); median != 0 {
		return s.MAD() / median
	}
	return 0
}

// Verdict of one goal.
type Verdict string

// Verdicts.
const (
	Met         Verdict = "met"
	Missed      Verdict = "missed"
	Noise       Verdict = "noise" // the machine was too busy to tell
	NotMeasured Verdict = "not measured"
)

// Result is what one goal measured.
type Result struct {
	Goal    string   `json:"goal"`
	What    string   `json:"what"`
	Unit    string   `json:"unit"`
	Limit   Series   `json:"limit,omitempty"`
	Product Series   `json:"product,omitempty"`
	Value   float64  `json:"value"` // what the gate looks at: a median ratio, or an absolute figure
	Min     float64  `json:"min"`
	Max     float64  `json:"max"`
	MAD     float64  `json:"mad"`
	Gate    string   `json:"gate"`
	Verdict Verdict  `json:"verdict"`
	Notes   []string `json:"notes,omitempty"`
}

// Note adds a sentence for the reader.
func (r Result) Note(format string, args ...any) Result {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
	return r
}

// AtLeast gates the median of product/limit from below.
func AtLeast(goal, what, unit string, limit, product Series, floor float64) Result {
	r := ratio(goal, what, unit, limit, product)
	r.Gate = fmt.Sprintf(">= %.2f", floor)
	return r.judge(r.Value >= floor)
}

// AtMost gates the median of product/limit from above.
func AtMost(goal, what, unit string, limit, product Series, ceiling float64) Result {
	r := ratio(goal, what, unit, limit, product)
	r.Gate = fmt.Sprintf("<= %.2f", ceiling)
	return r.judge(r.Value <= ceiling)
}

// Ratios of the product to the limit, pair by pair.
func Ratios(limit, product Series) Series {
	ratios := make(Series, min(len(limit), len(product)))
	for i := range ratios {
		if limit[i] > 0 {
			ratios[i] = product[i] / limit[i]
		}
	}
	return ratios
}

func ratio(goal, what, unit string, limit, product Series) Result {
	ratios := Ratios(limit, product)
	r := Result{
		Goal:    goal,
		What:    what,
		Unit:    unit,
		Limit:   limit,
		Product: product,
		Value:   ratios.Median(),
		MAD:     ratios.MAD(),
	}
	if len(ratios) > 0 {
		r.Min, r.Max = slices.Min(ratios), slices.Max(ratios)
	}
	return r
}

func (r Result) judge(met bool) Result {
	switch {
	case r.Limit.Spread() > Noisy:
		r.Verdict = Noise
		return r.Note("the limit itself moved by %.0f %% (MAD/median)", 100*r.Limit.Spread())
	case met && len(r.Product) > 0:
		r.Verdict = Met
	default:
		r.Verdict = Missed
	}
	return r
}

// Below gates an absolute figure, the median of the readings, from above.
func Below(goal, what, unit string, readings Series, ceiling float64) Result {
	r := Result{
		Goal:    goal,
		What:    what,
		Unit:    unit,
		Product: readings,
		Value:   readings.Median(),
		MAD:     readings.MAD(),
		Gate:    fmt.Sprintf("<= %g %s", ceiling, unit),
	}
	if len(readings) > 0 {
		r.Min, r.Max = slices.Min(readings), slices.Max(readings)
	}
	return r.judge(r.Value <= ceiling)
}

// Within gates an absolute time from above; as with Above, a miss proves nothing where the limit itself needs longer
// than was usual where the goal was set.
func Within(goal, what, unit string, limit, product Series, ceiling, usual float64) Result {
	r := Below(goal, what, unit, product, ceiling)
	r.Limit = limit
	if r.Verdict == Missed && len(limit) > 0 && limit.Median() > usual {
		r.Verdict = Noise
		return r.Note(
			"without the product it is %.3g %s here, and under %.3g where the goal was set",
			limit.Median(),
			unit,
			usual,
		)
	}
	return r
}

// Above gates an absolute figure from below. Such a figure means something only on a machine like the one it was set
// on: where the limit stays under what was usual there, a miss proves nothing.
func Above(goal, what, unit string, limit, product Series, floor, usual float64) Result {
	r := Result{
		Goal:    goal,
		What:    what,
		Unit:    unit,
		Limit:   limit,
		Product: product,
		Value:   product.Median(),
		MAD:     product.MAD(),
		Gate:    fmt.Sprintf(">= %g %s", floor, unit),
	}
	if len(product) > 0 {
		r.Min, r.Max = slices.Min(product), slices.Max(product)
	}
	met := r.Value >= floor
	if !met && len(limit) > 0 && limit.Median() < usual {
		r.Verdict = Noise
		return r.Note(
			"the limit reaches only %.0f %s here, and %.0f where the goal was set",
			limit.Median(),
			unit,
			usual,
		)
	}
	return r.judge(met)
}

// NotDone says that a goal, or a part of it, has no figure, which is not met either.
func NotDone(goal, what string, err error) Result {
	return Result{Goal: goal, What: what, Verdict: NotMeasured, Gate: "measured", Notes: []string{err.Error()}}
}

// Worst is the verdict of a goal with several results; without any, nothing was measured.
func Worst(results []Result) Verdict {
	for _, verdict := range []Verdict{NotMeasured, Missed, Noise, Met} {
		if slices.ContainsFunc(results, func(r Result) bool { return r.Verdict == verdict }) {
			return verdict
		}
	}
	return NotMeasured
}
