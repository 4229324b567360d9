// Package detect says which clients seem to do harm: it knows the streams that each begins, and judges what many of
// them have in common.
package detect

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"

	"panel/platform/agentapi"
)

// Spans over which limits count.
const (
	span      = time.Minute
	burst     = 10 * time.Second
	repeated  = time.Minute // a signal that goes on is told again after this
	mostPairs = 20_000      // different addresses and ports of one client that are told apart in a span
)

// Sign is what the beginning of a stream shows of itself.
type Sign int

// Signs; the zero one shows nothing.
const (
	Nothing Sign = iota
	BitTorrent
	HTTPTracker
	UDPTracker
	DHT
)

// Stream is what a client begins or shows.
type Stream struct {
	At     time.Time
	Client string // id
	Flow   string
	Tag    string // of the inbound
	Source netip.Addr
	UDP    bool
	Host   string // empty: only the address is known
	IP     netip.Addr
	Port   uint16
	Sign   Sign
	Again  bool // the stream was counted before: only what it shows is new
}

// Limits says what is looked for.
type Limits struct {
	agentapi.AbuseLimits

	Kinds []agentapi.AbuseKind // empty: all
	Hosts map[string]bool      // that nobody is to reach, with everything below them
}

// LimitsOf reads what the panel wants; a zero stands for the default.
func LimitsOf(watch *agentapi.AbuseWatch) Limits {
	l := Limits{AbuseLimits: watch.Limits, Kinds: watch.Kinds, Hosts: map[string]bool{}}
	usual := agentapi.UsualAbuseLimits
	for _, one := range []struct {
		of    *int
		usual int
	}{
		{&l.ScanHosts, usual.ScanHosts},
		{&l.ScanPorts, usual.ScanPorts},
		{&l.Mails, usual.Mails},
		{&l.Logins, usual.Logins},
		{&l.FloodRate, usual.FloodRate},
		{&l.HighRate, usual.HighRate},
		{&l.HighSource, usual.HighSource},
	} {
		if *one.of <= 0 {
			*one.of = one.usual
		}
	}
	for _, host := range watch.Hosts {
		l.Hosts[strings.ToLower(strings.TrimSuffix(host, "."))] = true
	}
	return l
}

// Found is a signal that is not told yet.
type Found struct {
	agentapi.AbuseSignal

	Source netip.Addr `json:"source_address,omitzero"`
	Due    time.Time  `json:"due"`
}

// kept is by what signals are counted together.
type kept struct {
	kind         agentapi.AbuseKind
	client, flow string
	by           agentapi.Detector
}

// Detector knows what the clients of a node do at this moment. It is not safe for concurrent use.
type Detector struct {
	limits  Limits
	clients map[string]*client
	waiting map[kept]*Found
	told    map[kept]time.Time
	began   time.Time // of the span
	bursts  time.Time // of the burst
}

// New is a detector.
func New(limits Limits) *Detector {
	return &Detector{
		limits: limits, clients: map[string]*client{}, waiting: map[kept]*Found{}, told: map[kept]time.Time{},
	}
}

// Limit takes other limits.
func (d *Detector) Limit(limits Limits) { d.limits = limits }

// Restore takes signals that an earlier agent had not told.
func (d *Detector) Restore(waiting []Found) {
	for i := range waiting {
		f := waiting[i]
		d.waiting[kept{f.Kind, f.UserRef, f.FlowID, f.DetectedBy}] = &f
	}
}

// See takes a stream. Streams come in the sequence of their times, or nearly so.
func (d *Detector) See(s *Stream) {
	d.turn(s.At)
	d.judgeSign(s)
	d.judgeHost(s)
	if s.Again {
		return
	}
	c := d.clients[s.Client]
	if c == nil {
		c = newClient()
		d.clients[s.Client] = c
	}
	c.count(s)
	d.judge(c, s)
}

// turn begins another span when one is over. A clock that was set begins one, too.
func (d *Detector) turn(at time.Time) {
	if age := at.Sub(d.began); age >= span || age < -span {
		d.began = at
		clear(d.clients)
	}
	if age := at.Sub(d.bursts); age >= burst || age < -burst {
		d.bursts = at
		for _, c := range d.clients {
			clear(c.burst)
			delete(c.told, agentapi.AbuseFlood)
		}
	}
}

func (d *Detector) wants(kind agentapi.AbuseKind) bool {
	return len(d.limits.Kinds) == 0 || slices.Contains(d.limits.Kinds, kind)
}

// verdict is what was found of a stream.
type verdict struct {
	kind       agentapi.AbuseKind
	by         agentapi.Detector
	confidence float64
	count      int
	evidence   string
	noDest     bool // it is about many
}

// find notes a signal, or counts it to one that waits.
func (d *Detector) find(s *Stream, v verdict) {
	if !d.wants(v.kind) {
		return
	}
	ref := agentapi.RefOfClient(s.Client)
	key := kept{v.kind, ref, s.Flow, v.by}
	f := d.waiting[key]
	if f == nil {
		f = &Found{AbuseSignal: agentapi.AbuseSignal{
			Kind: v.kind, UserRef: ref, FlowID: s.Flow, DetectedBy: v.by, FirstAt: s.At,
		}, Due: later(s.At, d.told[key].Add(repeated))}
		d.waiting[key] = f
	}
	f.Count += int64(v.count)
	f.LastAt, f.InboundTag, f.Source = later(s.At, f.LastAt), s.Tag, s.Source
	if v.confidence >= f.Confidence {
		f.Confidence, f.Evidence, f.Dest = v.confidence, v.evidence, destOf(s, v.noDest)
	}
}

func destOf(s *Stream, none bool) *agentapi.AbuseDest {
	if none {
		return &agentapi.AbuseDest{Port: int(s.Port)}
	}
	dest := &agentapi.AbuseDest{Host: s.Host, Port: int(s.Port)}
	if s.IP.IsValid() {
		dest.IP = s.IP.String()
	}
	return dest
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Due takes out the signals that are to be told now. With all, those that wait for their turn as well.
func (d *Detector) Due(now time.Time, all bool) []Found {
	var due []Found
	for key, f := range d.waiting {
		if ahead := f.Due.Sub(now); all || ahead <= 0 || ahead > 2*repeated { // further ahead: a clock was set back
			due = append(due, *f)
			d.told[key] = now
			delete(d.waiting, key)
		}
	}
	maps.DeleteFunc(d.told, func(_ kept, at time.Time) bool { return now.Sub(at).Abs() > 2*repeated })
	slices.SortFunc(due, func(a, b Found) int {
		return cmp.Or(a.FirstAt.Compare(b.FirstAt), cmp.Compare(a.UserRef, b.UserRef), cmp.Compare(a.Kind, b.Kind))
	})
	return due
}

// Waiting are the signals whose turn has not come.
func (d *Detector) Waiting() []Found {
	all := make([]Found, 0, len(d.waiting))
	for _, f := range d.waiting {
		all = append(all, *f)
	}
	return all
}

// Sources says from how many sources a client comes at once.
func (d *Detector) Sources(s *Stream, sources int) {
	most := d.limits.HighSource
	if sources < most {
		return
	}
	d.find(s, verdict{
		agentapi.AbuseTooMany, agentapi.DetectedByFlows, grown(sources, most, 0.6, 0.9), 1,
		fmt.Sprintf("%d sources at once; a /24 or a /64 counts once", sources), true,
	})
}

// grown is a confidence that rises from its least at the limit to its most at four times as much.
func grown(count, limit int, least, most float64) float64 {
	const far = 3
	over := (float64(count)/float64(limit) - 1) / far
	return least + (most-least)*max(0, min(1, over))
}
