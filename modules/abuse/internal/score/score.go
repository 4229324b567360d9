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
