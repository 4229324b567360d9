package score

import (
	"cmp"
	"math"
	"slices"
)

// temporal judges what was connected at the same time: sources, and countries.
func (s *State) temporal(v *Values) judged {
	if len(s.Hours) == 0 {
		return judged{unknown: true, why: say("sessions_unknown", "no sessions of this user were seen", nil)}
	}
	most, out := Hour{}, judged{sure: s.sure()}
	for _, h := range s.Hours {
		if h.AtOnce > most.AtOnce {
			most = h
		}
	}
	out.why = say("at_once_usual", "at most {sources} sources at the same time", map[string]any{"sources": most.AtOnce})
	if above := most.AtOnce - v.Buffer; above > 0 {
		out.raw = above * v.PerSource
		out.why = say("at_once_many", "{sources} sources at the same time; {buffer} are nobody's fault",
			map[string]any{"sources": most.AtOnce, "buffer": v.Buffer})
		out.findings = []Finding{{At: moment(most.Last), Sentence: out.why, NodeID: most.Node}}
	}
	if met := s.meetings(); len(met) > 0 {
		out.raw += v.AtOnce
		out.findings = append(out.findings, met...)
		out.why = say("countries_at_once", "different countries at the same time, {times} times",
			map[string]any{"times": len(met), "sources": most.AtOnce})
	}
	return out
}

// overlap is for how many seconds two stays must be at the same time, so that a change of networks is none.
const overlap = 60

// meetings are the stays in different countries at the same time, the newest of each two places.
func (s *State) meetings() (out []Finding) {
	type pair struct{ a, b string }
	at := map[pair]int{}
	for i := range s.Visits {
		for j := range s.Visits[:i] {
			a, b := &s.Visits[j], &s.Visits[i]
			both := min(a.To, b.To) - max(a.From, b.From)
			if a.Country == "" || b.Country == "" || a.Country == b.Country || both < overlap {
				continue
			}
			if b.place() < a.place() {
				a, b = b, a
			}
			found := Finding{At: moment(min(a.To, b.To)), Sentence: say("at_once",
				"{from} and {to} at the same time", map[string]any{
					"from": a.place(), "to": b.place(), "seconds": both, "km": int(a.apart(b)),
				})}
			key := pair{a.place(), b.place()}
			if n, known := at[key]; known {
				if out[n].At.Before(found.At) {
					out[n] = found
				}
				continue
			}
			at[key] = len(out)
			out = append(out, found)
		}
	}
	return out
}

func (v *Visit) place() string {
	if v.City == "" {
		return v.Country
	}
	return v.City + ", " + v.Country
}

// apart is the distance of two stays in kilometres, 0 where it is unknown.
func (v *Visit) apart(o *Visit) float64 {
	if v.Lat == 0 && v.Lon == 0 || o.Lat == 0 && o.Lon == 0 {
		return 0
	}
	const radius, degree = 6371, math.Pi / 180
	lat, lon := (o.Lat-v.Lat)*degree/2, (o.Lon-v.Lon)*degree/2
	h := math.Pow(math.Sin(lat), 2) + math.Cos(v.Lat*degree)*math.Cos(o.Lat*degree)*math.Pow(math.Sin(lon), 2)
	return 2 * radius * math.Asin(math.Min(1, math.Sqrt(h)))
}

// fastest is how many kilometres an hour anybody travels over a distance.
func (v *Values) fastest(km float64) float64 {
	const city, country = 100, 500
	switch {
	case km <= city:
		return float64(v.CityKmh)
	case km <= country:
		return float64(v.CountryKmh)
	}
	return float64(v.WorldKmh)
}

// geo judges the moves from one place to the next.
func (s *State) geo(v *Values) judged {
	out, known := judged{sure: s.sure()}, false
	order := slices.Clone(s.Visits)
	slices.SortStableFunc(order, func(a, b Visit) int { return cmp.Compare(a.From, b.From) })
	moves := map[string]bool{}
	var before *Visit
	for i := range order {
		at := &order[i]
		if at.Country == "" {
			continue
		}
		known = true
		if before != nil && at.place() != before.place() {
			s.move(&out, v, before, at, moves)
		}
		before = at
	}
	switch {
	case !known:
		return judged{unknown: true, why: say("places_unknown", "no place of this user is known", nil)}
	case len(moves) == 0:
		out.why = say("one_place", "one place", nil)
	case len(out.findings) > 0:
		out.why = out.findings[0].Sentence
	default:
		out.why = say("moves", "{moves} moves that can be", map[string]any{"moves": len(moves)})
	}
	return out
}

// move judges one move, each way once.
func (s *State) move(out *judged, v *Values, from, to *Visit, moves map[string]bool) {
	key := from.place() + "\n" + to.place()
	if moves[key] {
		return
	}
	moves[key] = true
	km, took := from.apart(to), to.From-from.To
	if hours := math.Max(float64(took), 1) / float64(hour); took > -overlap && km/hours > v.fastest(km) && km > 50 {
		out.raw += v.TooFast
		out.findings = append(out.findings, Finding{At: moment(to.From), Sentence: say("too_fast",
			"{from} and {to} within {minutes} minutes, {km} km apart", map[string]any{
				"from": from.place(), "to": to.place(), "minutes": max(took, 0) / 60, "km": int(km),
			})})
		return
	}
	if from.Country != to.Country {
		out.raw += v.OtherCountry
		return
	}
	out.raw += v.OtherCity
}
