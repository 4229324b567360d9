package score

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// in is a stay of minutes in a network, beginning some minutes after noon.
func in(
	asn int64, country, city string, begins, minutes int, change ...func(*agentapi.UserNetwork),
) agentapi.UserNetwork {
	n := agentapi.UserNetwork{
		ASN: asn, Kind: agentapi.NetworkHome, Country: country, City: city, Prefixes: []string{fmt.Sprintf("%016x", asn)},
		FirstAt: noon.Add(time.Duration(begins) * time.Minute),
	}
	n.LastAt = n.FirstAt.Add(time.Duration(minutes) * time.Minute)
	switch city {
	case "Moscow":
		n.Lat, n.Lon = 55.75, 37.62
	case "Falkenstein":
		n.Lat, n.Lon = 50.48, 12.37
	case "Berlin":
		n.Lat, n.Lon = 52.52, 13.40
	}
	for _, one := range change {
		one(&n)
	}
	return n
}

func nat(n *agentapi.UserNetwork) { n.NAT, n.Kind = true, agentapi.NetworkMobile }

func at(minutes int, networks ...agentapi.UserNetwork) Line {
	return Line{
		NodeID: "n", To: noon.Add(time.Duration(minutes) * time.Minute), Sources: int64(len(networks)), MaxConcurrent: 1,
		Networks: networks,
	}
}

func taken(lines ...Line) *State {
	s, now := new(State), noon.Add(3*time.Hour)
	for _, l := range lines {
		s.Take(l, now)
	}
	s.Forget(now)
	return s
}

func of(s *State) Result { return Of(s, Usual, UsualThresholds) }

func part(r Result, name string) Part {
	for _, p := range r.Parts {
		if p.Part == name {
			return p
		}
	}
	return Part{}
}

// Rule: what one person does at home and on the way is no abuse: one network, then the phone's, in one city.
func TestOnePersonIsNotConspicuous(t *testing.T) {
	t.Parallel()
	got := of(taken(
		at(5, in(1, "RU", "Moscow", 0, 5)), at(40, in(2, "RU", "Moscow", 30, 10, nat)), at(60, in(1, "RU", "Moscow", 50, 9)),
	))
	require.Zero(t, got.Score)
	require.Equal(t, None, got.Recommended)
	require.Empty(t, got.Findings)
	require.True(t, got.EvidenceAt.IsZero())
}

// Rule: different countries at once +90 of 100, which is 36 of the 40 points of time; carrier NAT counted once.
func TestTwoCountriesAtOnceAreSaid(t *testing.T) {
	t.Parallel()
	got := of(taken(at(30, in(1, "RU", "Moscow", 0, 30), in(2, "DE", "Falkenstein", 10, 15))))
	p := part(got, Temporal)
	require.Equal(t, 36, p.Points)
	require.Equal(t, 40, p.Most)
	require.Equal(t, "countries_at_once", p.Code)
	require.Equal(t, "at_once", got.Findings[len(got.Findings)-1].Code)
	found := map[string]Finding{}
	for _, f := range got.Findings {
		found[f.Code] = f
	}
	require.Equal(t, "Falkenstein, DE and Moscow, RU at the same time", found["at_once"].Text)
	require.EqualValues(t, 900, found["at_once"].Args["seconds"])
	require.InDelta(t, 1750, found["at_once"].Args["km"], 60)
	require.InDelta(t, 0.9, got.Confidence, 0.01)
}

// A change of networks at a border is no presence at both sides.
func TestAMomentOfOverlapIsNone(t *testing.T) {
	t.Parallel()
	got := of(taken(at(30, in(1, "RU", "", 0, 20), in(2, "BY", "", 20, 10))))
	require.Zero(t, part(got, Temporal).Points)
	require.Equal(t, 5, part(got, Geo).Points, "another country that can be: 15 of 100 of 30 points")
}

// Rule: same city 0, other city +5, other country +15, faster than anybody travels +50; 50, 200 and 800 km/h.
func TestMovesAreJudgedByTheirSpeed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		begins, raw int
		city, code  string
		country     string
	}{
		"same city":      {60, 0, "Moscow", "one_place", "RU"},
		"night train":    {24 * 60, 15, "Berlin", "moves", "DE"},
		"too fast":       {40, 50, "Berlin", "too_fast", "DE"},
		"other city":     {60, 5, "Tula", "moves", "RU"},
		"no coordinates": {40, 15, "Paris", "moves", "FR"},
	} {
		s := new(State)
		now := noon.Add(30 * time.Hour)
		for _, n := range []agentapi.UserNetwork{in(1, "RU", "Moscow", 450, 10), in(2, c.country, c.city, 460+c.begins, 5)} {
			s.Take(Line{NodeID: "n", To: n.LastAt, Sources: 1, MaxConcurrent: 1, Networks: []agentapi.UserNetwork{n}}, now)
		}
		p := part(of(s), Geo)
		require.Equal(t, (c.raw*30+50)/100, p.Points, name)
		require.Equal(t, c.code, p.Code, name)
	}
}

// Rule: a user behind a carrier that changes his address all the time is no crowd, and a crowd behind one carrier
// address is one source each.
func TestCarrierNATIsCountedOnce(t *testing.T) {
	t.Parallel()
	phone := in(7, "RU", "Moscow", 0, 60, nat)
	for i := range 60 {
		phone.Prefixes = append(phone.Prefixes, fmt.Sprintf("%016x", 1000+i))
	}
	l := at(60, phone)
	l.Sources, l.MaxConcurrent = 61, 25
	got := of(taken(l))
	require.Zero(t, got.Score)
	require.Equal(t, None, got.Recommended)

	fixed := phone
	fixed.NAT, fixed.Kind = false, agentapi.NetworkHome
	l.Networks = []agentapi.UserNetwork{fixed}
	require.Equal(t, HardBlock, of(taken(l)).Recommended, "the same without NAT are 61 sources")

	var lines []Line
	for i := range 4 {
		lines = append(lines, at(10, in(int64(10+i), "RU", "Moscow", 0, 10, nat)))
	}
	lines = append(lines, at(10, in(1, "RU", "Moscow", 0, 10), in(2, "RU", "Moscow", 0, 10), in(3, "RU", "Moscow", 0, 10)))
	p := part(of(taken(lines...)), ASN)
	require.Equal(t, "4 networks in 10 minutes; carrier NAT counted once", p.Text)
	require.EqualValues(t, 4, p.Args["networks"])
}

// Rule: hard block from 50 addresses in a day or 20 at the same time on.
func TestHardBlocks(t *testing.T) {
	t.Parallel()
	l := at(5, in(1, "RU", "Moscow", 0, 5))
	l.Sources, l.MaxConcurrent = 19, 19
	require.NotEqual(t, HardBlock, of(taken(l)).Recommended)
	l.Sources, l.MaxConcurrent = 20, 20
	got := of(taken(l))
	require.Equal(t, HardBlock, got.Recommended)
	require.Equal(t, "20 sources at the same time; 3 are nobody's fault", part(got, Temporal).Text)
	s := new(State)
	for i := range 50 {
		l := at(i, in(1, "RU", "Moscow", i, 1))
		l.Networks[0].Prefixes[0] = fmt.Sprintf("%016x", i)
		s.Take(l, noon.Add(2*time.Hour))
	}
	require.Equal(t, HardBlock, of(s).Recommended)
}

// Rule: unknown is not zero. What nobody can know is said, and lowers how sure the score is.
func TestUnknownIsNotZero(t *testing.T) {
	t.Parallel()
	got := of(new(State))
	for _, p := range got.Parts {
		require.Equal(t, p.Part == Conduct, p.Known, p.Part)
	}
	require.Equal(t, None, got.Recommended)
	l := at(5)
	l.Sources, l.MaxConcurrent = 9, 9
	got = of(taken(l))
	require.False(t, part(got, ASN).Known)
	require.True(t, part(got, Temporal).Known)
	require.InDelta(t, 0.6, got.Confidence, 0.01)
	devices := int64(5)
	l.Devices = &devices
	p := part(of(taken(l)), Device)
	require.True(t, p.Known)
	require.Equal(t, "5 devices, 2 more than usual", p.Text)
	require.Equal(t, 10, p.Points)
}

// What is usual is learnt from days, and what is new stands out.
func TestWhatIsUsualIsLearnt(t *testing.T) {
	t.Parallel()
	s := new(State)
	for day := range 5 {
		now := noon.AddDate(0, 0, day)
		l := Line{NodeID: "n", To: now, Sources: 1, MaxConcurrent: 1, Countries: []string{"RU"}}
		s.Take(l, now)
		s.Forget(now)
	}
	require.Equal(t, "as_usual", part(of(s), Profile).Code)
	now := noon.AddDate(0, 0, 5)
	s.Take(Line{NodeID: "n", To: now, Sources: 4, MaxConcurrent: 1, Countries: []string{"RU", "UA"}}, now)
	got := of(s)
	p := part(got, Profile)
	require.Equal(t, "4 times the usual sources of a day", p.Text)
	require.Equal(t, 14, p.Points, "(3 times 25 and 20 for the country) of 15")
	require.Equal(t, "new_country", got.Findings[0].Code)
	s.Take(Line{NodeID: "n", To: noon, Sources: 90, Countries: []string{"CN"}}, now)
	require.InDelta(t, 1, s.Usual, 0.01, "what comes days later changes nothing")
}

// Signals count by their kind, how sure they are and how often they came.
func TestSignalsCount(t *testing.T) {
	t.Parallel()
	hear := func(kind string, count int64, sure float64) Result {
		s := new(State)
		s.Hear(Signal{NodeID: "n", Kind: kind, Count: count, Confidence: sure, LastAt: noon}, noon)
		return of(s)
	}
	require.Equal(t, 90, hear("smtp_spam", 100, 1).Score)
	require.Equal(t, SoftBlock, hear("smtp_spam", 100, 1).Recommended)
	require.Equal(t, 45, hear("smtp_spam", 1, 1).Score)
	require.Equal(t, 55, hear("ddos_out", 100, 0.5).Score)
	require.InDelta(t, 0.5, hear("ddos_out", 100, 0.5).Confidence, 0.01)
	require.Zero(t, hear("unheard_of", 100, 1).Score)
	require.Equal(t, "torrent, 7 times", hear("torrent", 7, 1).Findings[0].Text)
	require.Equal(t, TempBlock, hear("ddos_out", 1_000_000_000, 1).Recommended)
}

// Properties, over conduct made at random: a score is bounded and is the sum of its parts, more evidence never makes
// less of the signals, the sequence in which lines of one day come does not matter, what is remembered is small and
// survives being stored, and time lets it go.
func TestPropertiesOfScores(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		lines, signals := conduct(r)
		now := noon.Add(4 * time.Hour)
		s := fold(lines, signals, now)
		got := of(s)
		sum := 0
		for _, p := range got.Parts {
			require.GreaterOrEqual(t, p.Points, 0)
			require.LessOrEqual(t, p.Points, p.Most)
			require.NotEmpty(t, p.Text)
			sum += p.Points
		}
		require.Equal(t, got.Score, sum)
		require.LessOrEqual(t, got.Score, got.Most)
		require.GreaterOrEqual(t, got.Confidence, 0.0)
		require.LessOrEqual(t, got.Confidence, 1.0)
		for _, f := range got.Findings {
			require.False(t, f.At.After(now), "nothing is found in the future")
		}

		r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		r.Shuffle(len(signals), func(i, j int) { signals[i], signals[j] = signals[j], signals[i] })
		other := of(fold(lines, signals, now))
		require.Equal(t, got.Score, other.Score, "seed %d", seed)
		require.Equal(t, got.Recommended, other.Recommended)

		text, err := json.Marshal(s)
		require.NoError(t, err)
		require.Less(t, len(text), 32<<10)
		again := new(State)
		require.NoError(t, json.Unmarshal(text, again))
		require.Equal(t, got, of(again))

		s.Hear(Signal{NodeID: "n", Kind: "port_scan", Count: 5, Confidence: 0.9, LastAt: now}, now)
		require.GreaterOrEqual(t, of(s).Score, got.Score)
		s.Forget(now.Add(25 * time.Hour))
		later := of(s)
		require.Zero(t, later.Score-part(later, Profile).Points)
	}
}

func fold(lines []Line, signals []Signal, now time.Time) *State {
	s := new(State)
	for _, l := range lines {
		s.Take(l, now)
	}
	for _, one := range signals {
		s.Hear(one, now)
	}
	s.Forget(now)
	return s
}

// conduct is what some user may have done in an afternoon, with clocks that are ahead and counts beyond all measure.
func conduct(r *rand.Rand) (lines []Line, signals []Signal) {
	cities := [][2]string{{"RU", "Moscow"}, {"DE", "Berlin"}, {"DE", "Falkenstein"}, {"", ""}, {"NL", ""}}
	for range r.IntN(30) {
		l := Line{NodeID: "n", To: noon.Add(time.Duration(r.IntN(300)) * time.Minute), Sources: r.Int64N(40)}
		l.MaxConcurrent = r.Int64N(l.Sources + 1)
		for range r.IntN(4) {
			city := cities[r.IntN(len(cities))]
			n := in(r.Int64N(6), city[0], city[1], r.IntN(300), r.IntN(9))
			n.NAT = r.IntN(3) == 0
			l.Networks = append(l.Networks, n)
		}
		lines = append(lines, l)
	}
	for range r.IntN(6) {
		signals = append(signals, Signal{
			NodeID: "n", Kind: string(agentapi.AbuseKinds[r.IntN(len(agentapi.AbuseKinds))]), Count: r.Int64N(1_000_000_000),
			Confidence: r.Float64(), LastAt: noon.Add(time.Duration(r.IntN(300)) * time.Minute),
		})
	}
	return lines, signals
}
