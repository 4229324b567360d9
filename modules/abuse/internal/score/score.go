package score

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Sentence is something that people read: Code and Args let it be said in their language, Text is English.
type Sentence struct {
	Code string         `json:"code"`
	Args map[string]any `json:"args"`
	Text string         `json:"text"`
}

func say(code, text string, args map[string]any) Sentence {
	said := text
	for name, value := range args {
		said = strings.ReplaceAll(said, "{"+name+"}", fmt.Sprint(value))
	}
	if args == nil {
		args = map[string]any{}
	}
	return Sentence{code, args, said}
}

// Names of the parts of a score.
const (
	Temporal = "temporal"
	Geo      = "geo"
	ASN      = "asn"
	Profile  = "profile"
	Device   = "device"
	HWID     = "hwid"
	Conduct  = "signals"
)

// Part is what one side of a user's conduct gives, and why.
type Part struct {
	Part   string `json:"part" enum:"temporal,geo,asn,profile,device,hwid,signals"`
	Points int    `json:"points"`
	Most   int    `json:"most"`
	Known  bool   `json:"known" doc:"false: nothing is known of it, which is not the same as nothing"`
	Sentence
}

// Finding is one piece of evidence.
type Finding struct {
	At time.Time `json:"at"`
	Sentence
	NodeID string `json:"node_id" doc:"Whose agent saw it; empty: several"`
}

// Result is the score of a user.
type Result struct {
	Score       int
	Most        int     // that is possible
	Confidence  float64 // 0 to 1
	Parts       []Part
	Recommended Step
	Findings    []Finding // the newest first
	Signals     map[string]int64
	EvidenceAt  time.Time // of the newest finding; zero: there is none
}

const hundred = 100

// judged is a part before its points are of the score.
type judged struct {
	raw      int     // 0 to 100
	sure     float64 // 0 to 1
	unknown  bool
	why      Sentence
	findings []Finding
}

// Of scores what is remembered of a user.
func Of(s *State, v Values, t Thresholds) Result {
	parts := []struct {
		name string
		most int
		judged
	}{
		{Temporal, v.Most.Temporal, s.temporal(&v)},
		{Geo, v.Most.Geo, s.geo(&v)},
		{ASN, v.Most.ASN, s.networks(&v)},
		{Profile, v.Most.Profile, s.profile(&v)},
		{Device, v.Most.Device, s.devices(&v)},
		{HWID, v.Most.HWID, judged{
			unknown: true, why: say("hwid_unknown", "no hardware ids are known of this user", nil),
		}},
		{Conduct, v.Most.Signals, s.conduct(&v)},
	}
	out := Result{Parts: []Part{}, Findings: []Finding{}, Signals: s.counts()}
	sure := 0.0
	for _, p := range parts {
		points := (min(p.raw, hundred)*p.most + hundred/2) / hundred
		out.Score, out.Most, sure = out.Score+points, out.Most+p.most, sure+float64(points)*p.sure
		out.Parts = append(out.Parts, Part{p.name, points, p.most, !p.unknown, p.why})
		out.Findings = append(out.Findings, p.findings...)
	}
	if out.Score > 0 {
		out.Confidence = math.Round(sure/float64(out.Score)*hundred) / hundred
	}
	out.Recommended = t.recommend(out.Score)
	if s.most() >= v.HardAtOnce || len(s.Sources) >= v.HardSources {
		out.Recommended = HardBlock
	}
	slices.SortStableFunc(out.Findings, func(a, b Finding) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Text, b.Text))
	})
	out.Findings = out.Findings[:min(len(out.Findings), mostFindings)]
	if len(out.Findings) > 0 {
		out.EvidenceAt = out.Findings[0].At
	}
	return out
}

const mostFindings = 50

// most is how many sources were connected at once.
func (s *State) most() (n int) {
	for _, h := range s.Hours {
		n = max(n, h.AtOnce)
	}
	return n
}

// sure is how much the networks of sources are known: what carriers are behind addresses that nobody knows is open.
func (s *State) sure() float64 {
	const known, unknown = 0.9, 0.6
	if slices.ContainsFunc(s.Hours, func(h Hour) bool { return h.Blind }) {
		return unknown
	}
	return known
}

func moment(seconds int64) time.Time { return time.Unix(seconds, 0).UTC() }

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

// networks judges how many networks were in use within a short time. All carriers with NAT count as one.
func (s *State) networks(v *Values) judged {
	if len(s.Visits) == 0 {
		return judged{unknown: true, why: say("networks_unknown", "no network of this user is known", nil)}
	}
	out := judged{sure: s.sure()}
	most, nat, at := 0, false, int64(0)
	for i := range s.Visits {
		until := s.Visits[i].To
		in, carriers := map[int64]bool{}, false
		for j := range s.Visits {
			o := &s.Visits[j]
			if o.From > until || o.To < until-int64(together.Seconds()) {
				continue
			}
			if o.NAT {
				carriers = true
				continue
			}
			in[o.ASN] = true
		}
		n := len(in)
		if carriers {
			n++
		}
		if n > most || n == most && until > at {
			most, nat, at = n, carriers, until
		}
	}
	hosts := s.hosting()
	args := map[string]any{"networks": most, "hosting": len(hosts)}
	if nat {
		out.why = say("networks_nat", "{networks} networks in 10 minutes; carrier NAT counted once", args)
	} else {
		out.why = say("networks", "{networks} networks in 10 minutes", args)
	}
	if most > v.Networks {
		out.raw = (most - v.Networks) * v.PerNetwork
		out.findings = append(out.findings, Finding{At: moment(at), Sentence: out.why})
	}
	out.raw += len(hosts) * v.PerHosting
	out.findings = append(out.findings, hosts...)
	return out
}

// hosting are the networks of hosting and VPN, each once.
func (s *State) hosting() (out []Finding) {
	told := map[int64]bool{}
	for i := len(s.Visits) - 1; i >= 0; i-- {
		o := &s.Visits[i]
		if o.Kind != "hosting" && o.Kind != "vpn" || told[o.ASN] {
			continue
		}
		told[o.ASN] = true
		out = append(out, Finding{At: moment(o.To), Sentence: say("hosting", "a network of hosting or VPN: {name}",
			map[string]any{"name": cmp.Or(o.Name, fmt.Sprintf("AS%d", o.ASN)), "asn": o.ASN, "kind": o.Kind})})
	}
	return out
}

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
