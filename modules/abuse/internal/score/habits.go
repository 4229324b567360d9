package score

import (
	"slices"
)

// profile judges what is not as usual for the user.
func (s *State) profile(v *Values) judged {
	if s.Days < daysLearnt {
		return judged{unknown: true, why: say("profile_unknown", "too few days are known to say what is usual", nil)}
	}
	out, times := judged{sure: s.sure()}, 0
	if s.Usual > 0 {
		times = int(float64(s.Today) / s.Usual)
	}
	out.why = say("as_usual", "as usual", nil)
	if times >= v.UsualTimes {
		out.raw = (times - 1) * v.PerTime
		out.why = say("times_usual", "{times} times the usual sources of a day", map[string]any{"times": times})
	}
	for _, code := range s.strange() {
		out.raw += v.NewCountry
		found := Finding{
			At:       moment(s.Homes[code].First * secondsOfDay),
			Sentence: say("new_country", "a country where the user was never seen: {country}", map[string]any{"country": code}),
		}
		if times < v.UsualTimes {
			out.why = found.Sentence
		}
		out.findings = append(out.findings, found)
	}
	return out
}

// strange are the countries in which the user was for the first time on the day that is counted now.
func (s *State) strange() (codes []string) {
	for code, home := range s.Homes {
		if home.First == s.Day {
			codes = append(codes, code)
		}
	}
	slices.Sort(codes)
	return codes
}

func (s *State) devices(v *Values) judged {
	most := -1
	var at Hour
	for _, h := range s.Hours {
		if h.Devices != nil && *h.Devices > most {
			most, at = *h.Devices, h
		}
	}
	if most < 0 {
		return judged{unknown: true, why: say("devices_unknown", "no devices are known of this user", nil)}
	}
	out := judged{sure: s.sure(), why: say("devices", "{devices} devices", map[string]any{"devices": most})}
	if above := most - v.Devices; above > 0 {
		out.raw = above * v.PerDevice
		out.why = say("devices_above", "{devices} devices, {above} more than usual",
			map[string]any{"devices": most, "above": above})
		out.findings = []Finding{{At: moment(at.Last), Sentence: out.why, NodeID: at.Node}}
	}
	return out
}
