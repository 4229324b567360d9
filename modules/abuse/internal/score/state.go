package score

import (
	"cmp"
	"math"
	"slices"
	"time"

	"panel/platform/agentapi"
)

// Bounds of what is remembered of a user.
const (
	Span         = 24 * time.Hour // what is older does not count
	mostVisits   = 64
	mostSources  = 64
	mostPlaces   = 16 // nodes and flows
	mostHomes    = 32 // countries
	together     = 10 * time.Minute
	forgetHome   = 90 // days
	daysLearnt   = 3  // before which nothing is called usual
	learning     = 7  // days over which the usual is a mean
	hashRead     = 16 // characters of the hash of a prefix
	secondsOfDay = 24 * 60 * 60
)

// State is what is remembered of one user.
type State struct {
	Visits  []Visit         `json:"v,omitempty"` // the one that ended last is last
	Hours   []Hour          `json:"h,omitempty"` // the newest last
	Sources []Seen          `json:"s,omitempty"` // different ones, carriers with NAT once
	Tallies []Tally         `json:"t,omitempty"` // signals
	Nodes   []Seen          `json:"n,omitempty"`
	Flows   []Seen          `json:"f,omitempty"`
	Homes   map[string]Home `json:"c,omitempty"` // countries, by their code

	Usual float64 `json:"u,omitempty"` // sources of a day
	Days  int     `json:"d,omitempty"` // that the usual was learnt from
	Day   int64   `json:"y,omitempty"` // that is counted now, in days since 1970
	Today int     `json:"x,omitempty"` // sources of it
}

// Visit is a stay in one network.
type Visit struct {
	ASN     int64   `json:"a,omitempty"`
	Name    string  `json:"m,omitempty"`
	Kind    string  `json:"k,omitempty"`
	NAT     bool    `json:"o,omitempty"`
	Country string  `json:"c,omitempty"`
	City    string  `json:"t,omitempty"`
	Lat     float64 `json:"la,omitempty"`
	Lon     float64 `json:"lo,omitempty"`
	From    int64   `json:"f"` // seconds
	To      int64   `json:"e"`
}

// Hour is what was the most within an hour.
type Hour struct {
	At      int64  `json:"a"` // hours since 1970
	AtOnce  int    `json:"o,omitempty"`
	Sources int    `json:"s,omitempty"`
	Devices *int   `json:"d,omitempty"`
	Blind   bool   `json:"b,omitempty"` // sources were seen whose networks are unknown
	Node    string `json:"n,omitempty"` // who saw most at once
	Last    int64  `json:"e"`           // when something was seen last, in seconds
}

// Seen is something and when it was there last, in hours since 1970.
type Seen struct {
	What string `json:"w"`
	At   int64  `json:"a"`
}

// Home is when a user was in a country, in days since 1970.
type Home struct {
	First int64 `json:"f"`
	Last  int64 `json:"l"`
}

// Tally is how often a kind of signal came within an hour.
type Tally struct {
	Kind       string  `json:"k"`
	At         int64   `json:"a"` // hours since 1970
	Count      int64   `json:"c"`
	Confidence float64 `json:"p"` // the highest
	Node       string  `json:"n,omitempty"`
	Last       int64   `json:"e"` // in seconds
}

// Line is what one agent said of a user in one window.
type Line struct {
	NodeID        string
	To            time.Time
	Sources       int64
	MaxConcurrent int64
	Devices       *int64
	Countries     []string
	Networks      []agentapi.UserNetwork
}

// Signal is one that an agent told.
type Signal struct {
	NodeID     string
	FlowID     string
	Kind       string
	Count      int64
	Confidence float64
	LastAt     time.Time
}

const hour = int64(time.Hour / time.Second)

func hourOf(at time.Time) int64 { return at.Unix() / hour }

// carrier tells whether many customers share the addresses of a network, and one customer moves among them.
func carrier(n *agentapi.UserNetwork) bool { return n.NAT || n.Kind == agentapi.NetworkMobile }

// counted are the sources of a line with each carrier counted once.
func (l *Line) counted() int {
	saved := int64(0)
	for i := range l.Networks {
		if n := &l.Networks[i]; carrier(n) && len(n.Prefixes) > 1 {
			saved += int64(len(n.Prefixes)) - 1
		}
	}
	return int(max(min(l.Sources, 1), l.Sources-saved))
}

// Take adds what an agent said. What is from later than now is taken for now, and what is too old counts no more.
func (s *State) Take(l Line, now time.Time) {
	if l.To.After(now) {
		l.To = now
	}
	if now.Sub(l.To) > Span {
		return
	}
	sources := l.counted()
	s.hour(l, sources)
	s.day(l.To, sources)
	s.Nodes = seen(s.Nodes, l.NodeID, hourOf(l.To), mostPlaces)
	for _, code := range l.Countries {
		s.home(code, l.To)
	}
	for i := range l.Networks {
		s.visit(&l.Networks[i], now)
	}
}

func (s *State) hour(l Line, sources int) {
	at, placed := hourOf(l.To), 0
	for placed < len(s.Hours) && s.Hours[placed].At < at {
		placed++
	}
	if placed == len(s.Hours) || s.Hours[placed].At != at {
		s.Hours = slices.Insert(s.Hours, placed, Hour{At: at})
	}
	h := &s.Hours[placed]
	if once := min(int(l.MaxConcurrent), sources); once > h.AtOnce || once == h.AtOnce && l.NodeID < h.Node {
		h.AtOnce, h.Node = once, l.NodeID
	}
	h.Sources, h.Last = max(h.Sources, sources), max(h.Last, l.To.Unix())
	if l.Devices != nil && (h.Devices == nil || int64(*h.Devices) < *l.Devices) {
		devices := int(*l.Devices)
		h.Devices = &devices
	}
	h.Blind = h.Blind || blind(&l)
}

// blind tells whether sources were seen of which no network is known.
func blind(l *Line) bool {
	if l.Sources > 0 && len(l.Networks) == 0 {
		return true
	}
	return slices.ContainsFunc(l.Networks, func(n agentapi.UserNetwork) bool { return n.ASN == 0 && n.Country == "" })
}

// day counts the sources of a day; when it is over they become part of what is usual.
func (s *State) day(at time.Time, sources int) {
	day := at.Unix() / secondsOfDay
	switch {
	case day < s.Day:
		return // it is learnt already
	case day > s.Day && s.Day > 0:
		s.Days++
		s.Usual += (float64(s.Today) - s.Usual) / float64(min(s.Days, learning))
		s.Today = 0
	}
	s.Day, s.Today = day, max(s.Today, sources)
}

func (s *State) home(code string, at time.Time) {
	if code == "" {
		return
	}
	day := at.Unix() / secondsOfDay
	if s.Homes == nil {
		s.Homes = map[string]Home{}
	}
	h, known := s.Homes[code]
	if !known {
		if len(s.Homes) >= mostHomes {
			return
		}
		h = Home{First: day, Last: day}
	}
	s.Homes[code] = Home{First: min(h.First, day), Last: max(h.Last, day)}
}

// seen notes that something was there; what was there longest ago gives way.
func seen(all []Seen, what string, at int64, most int) []Seen {
	if what == "" {
		return all
	}
	if i := slices.IndexFunc(all, func(one Seen) bool { return one.What == what }); i >= 0 {
		all[i].At = max(all[i].At, at)
		return all
	}
	all = append(all, Seen{what, at})
	if len(all) > most {
		oldest := 0
		for i := range all {
			if all[i].At < all[oldest].At {
				oldest = i
			}
		}
		all = slices.Delete(all, oldest, oldest+1)
	}
	return all
}

func (s *State) visit(n *agentapi.UserNetwork, now time.Time) {
	from, to := n.FirstAt, n.LastAt
	if to.After(now) {
		to = now
	}
	if from.After(to) {
		from = to
	}
	s.home(n.Country, to)
	s.source(n, hourOf(to))
	if n.ASN == 0 && n.Country == "" || now.Sub(to) > Span {
		return
	}
	v := Visit{
		ASN: n.ASN, Name: n.Name, Kind: string(n.Kind), NAT: carrier(n), Country: n.Country, City: n.City, Lat: n.Lat,
		Lon: n.Lon, From: from.Unix(), To: to.Unix(),
	}
	kept := s.Visits[:0:0]
	for _, o := range s.Visits {
		if o.same(&v) && o.From <= v.To+int64(together.Seconds()) && v.From <= o.To+int64(together.Seconds()) {
			v.From, v.To, v.NAT = min(v.From, o.From), max(v.To, o.To), v.NAT || o.NAT
			continue
		}
		kept = append(kept, o)
	}
	s.Visits = append(kept, v)
	slices.SortFunc(s.Visits, func(a, b Visit) int {
		return cmp.Or(cmp.Compare(a.To, b.To), cmp.Compare(a.From, b.From), cmp.Compare(a.ASN, b.ASN),
			cmp.Compare(a.Country+a.City, b.Country+b.City))
	})
	s.Visits = s.Visits[max(0, len(s.Visits)-mostVisits):]
}

func (v *Visit) same(o *Visit) bool {
	return v.ASN == o.ASN && v.Country == o.Country && v.City == o.City
}

// source counts the prefixes of a network, and those of a carrier once.
func (s *State) source(n *agentapi.UserNetwork, at int64) {
	if carrier(n) {
		s.Sources = seen(s.Sources, "carrier", at, mostSources)
		return
	}
	for _, prefix := range n.Prefixes {
		s.Sources = seen(s.Sources, prefix[:min(len(prefix), hashRead)], at, mostSources)
	}
}

// mostCount bounds what is added up.
const mostCount = math.MaxInt32

// Hear adds a signal.
func (s *State) Hear(one Signal, now time.Time) {
	if one.LastAt.After(now) {
		one.LastAt = now
	}
	if now.Sub(one.LastAt) > Span {
		return
	}
	at := hourOf(one.LastAt)
	s.Nodes, s.Flows = seen(s.Nodes, one.NodeID, at, mostPlaces), seen(s.Flows, one.FlowID, at, mostPlaces)
	for i := range s.Tallies {
		if t := &s.Tallies[i]; t.Kind == one.Kind && t.At == at {
			t.Count, t.Confidence = min(t.Count+one.Count, mostCount), max(t.Confidence, one.Confidence)
			t.Last = max(t.Last, one.LastAt.Unix())
			return
		}
	}
	s.Tallies = append(s.Tallies, Tally{
		Kind: one.Kind, At: at, Count: min(one.Count, mostCount), Confidence: one.Confidence, Node: one.NodeID,
		Last: one.LastAt.Unix(),
	})
	slices.SortFunc(s.Tallies, func(a, b Tally) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Kind, b.Kind))
	})
}

// Forget lets go what does not count any more.
func (s *State) Forget(now time.Time) {
	before := now.Add(-Span)
	at, day := hourOf(before), now.Unix()/secondsOfDay
	s.Visits = slices.DeleteFunc(s.Visits, func(v Visit) bool { return v.To < before.Unix() })
	s.Hours = slices.DeleteFunc(s.Hours, func(h Hour) bool { return h.At < at })
	s.Tallies = slices.DeleteFunc(s.Tallies, func(t Tally) bool { return t.At < at })
	old := func(one Seen) bool { return one.At < at }
	s.Sources = slices.DeleteFunc(s.Sources, old)
	s.Nodes, s.Flows = slices.DeleteFunc(s.Nodes, old), slices.DeleteFunc(s.Flows, old)
	for code, home := range s.Homes {
		if day-home.Last > forgetHome {
			delete(s.Homes, code)
		}
	}
}
