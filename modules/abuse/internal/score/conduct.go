package score

import (
	"math"
	"slices"
)

func (s *State) counts() map[string]int64 {
	out := map[string]int64{}
	for _, t := range s.Tallies {
		out[t.Kind] = min(out[t.Kind]+t.Count, mostCount)
	}
	return out
}

// conduct judges the signals. How often one came counts by its order of magnitude: a hundred times counts in full.
func (s *State) conduct(v *Values) judged {
	counts := s.counts()
	if len(counts) == 0 {
		return judged{sure: 1, why: say("no_signals", "no signals", nil)}
	}
	newest := map[string]Tally{}
	for _, t := range s.Tallies {
		last := newest[t.Kind]
		t.Confidence = max(t.Confidence, last.Confidence)
		newest[t.Kind] = t
	}
	out, points, weight, worst, told := judged{}, 0.0, 0.0, 0.0, ""
	kinds := make([]string, 0, len(counts))
	for kind := range counts {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	for _, kind := range kinds {
		t := newest[kind]
		p := float64(v.Signals.of(kind)) * t.Confidence * volume(counts[kind])
		points, weight = points+p, weight+p*t.Confidence
		if told == "" || p > worst {
			worst, told = p, kind
		}
		found := Finding{At: moment(t.Last), NodeID: t.Node, Sentence: signalled(kind, counts[kind])}
		out.findings = append(out.findings, found)
	}
	out.why = signalled(told, counts[told])
	if len(kinds) > 1 {
		out.why = say("signals_many", "{kinds} kinds of signals, most of all {kind}",
			map[string]any{"kinds": len(kinds), "kind": told})
	}
	if points > 0 {
		out.sure = weight / points
		out.raw = int(math.Round(points * hundred / math.Max(float64(v.Most.Signals), 1)))
	}
	return out
}

func signalled(kind string, count int64) Sentence {
	return say("signal", "{kind}, {count} times", map[string]any{"kind": kind, "count": count})
}

// volume is how much a count counts, 0.5 for one and 1 from a hundred on.
func volume(count int64) float64 {
	const half, magnitudes = 0.5, 4
	return math.Min(1, half+math.Log10(math.Max(float64(count), 1))/magnitudes)
}
