package score

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
)

// Rule: the recommended step follows the thresholds: warn from 40, limit from 70, block from 110; what is below is
// watched, and nothing is recommended about nothing.
func TestStepsFollowTheThresholds(t *testing.T) {
	t.Parallel()
	for points, step := range map[int]Step{
		0: None, 1: Monitor, 39: Monitor, 40: Warn, 69: Warn, 70: SoftBlock, 109: SoftBlock, 110: TempBlock,
		255: TempBlock,
	} {
		require.Equal(t, step, UsualThresholds.recommend(points), points)
	}
	strict := Thresholds{Warn: 1, Limit: 1, Block: 1}
	require.Equal(t, TempBlock, strict.recommend(1), "where all begin at once, the hardest holds")
}

// Rule: the fastest that anybody travels is 50 km/h up to 100 km, 200 up to 500, and 800 beyond.
func TestTheFastestTravelDependsOnTheDistance(t *testing.T) {
	t.Parallel()
	v := Usual
	for km, fastest := range map[float64]float64{0: 50, 100: 50, 100.1: 200, 500: 200, 500.1: 800, 20_000: 800} {
		require.InDelta(t, fastest, v.fastest(km), 0, km)
	}
}

// Distances are those on a globe: the same from either side, at most half of it, and unknown without two places.
func TestDistancesAreThoseOnAGlobe(t *testing.T) {
	t.Parallel()
	moscow, berlin := Visit{Lat: 55.75, Lon: 37.62}, Visit{Lat: 52.52, Lon: 13.40}
	require.InDelta(t, 1610, moscow.apart(&berlin), 15)
	require.InDelta(t, moscow.apart(&berlin), berlin.apart(&moscow), 1e-6)
	require.InDelta(t, 0, moscow.apart(&moscow), 1e-6)
	require.InDelta(t, 20015, (&Visit{Lat: 90, Lon: 1}).apart(&Visit{Lat: -90, Lon: 1}), 5)
	require.InDelta(t, 2*111, (&Visit{Lat: 0.5, Lon: 179}).apart(&Visit{Lat: 0.5, Lon: -179}), 2, "over the date line")
	require.Zero(t, moscow.apart(&Visit{Country: "DE"}), "a place that nobody knows is nowhere")
}

// Rule: each network of hosting or VPN gives its points once, however often the user came from it, and is named.
func TestNetworksOfHostingCountOnceEach(t *testing.T) {
	t.Parallel()
	hosted := func(n *agentapi.UserNetwork) { n.Kind, n.Name = agentapi.NetworkHosting, "Rent a Box" }
	vpn := func(n *agentapi.UserNetwork) { n.Kind = agentapi.NetworkVPN }
	one := part(of(taken(at(10, in(64500, "DE", "Berlin", 0, 10, hosted)))), ASN)
	again := part(of(taken(at(10, in(64500, "DE", "Berlin", 0, 10, hosted)),
		at(90, in(64500, "DE", "Berlin", 80, 10, hosted)))), ASN)
	require.Equal(t, 5, one.Points, "20 of 100, of 25")
	require.Equal(t, one.Points, again.Points)
	two := of(taken(at(10, in(64500, "DE", "Berlin", 0, 10, hosted)), at(90, in(64501, "DE", "Berlin", 80, 10, vpn))))
	require.Equal(t, 10, part(two, ASN).Points)
	said := []string{}
	for _, f := range two.Findings {
		if f.Code == "hosting" {
			said = append(said, f.Text)
		}
	}
	require.ElementsMatch(t, []string{
		"a network of hosting or VPN: Rent a Box", "a network of hosting or VPN: AS64501",
	}, said)
}

// Rule: how often a signal came counts by its magnitude: half for one, all from a hundred on.
func TestHowOftenASignalCameCounts(t *testing.T) {
	t.Parallel()
	for count, share := range map[int64]float64{-5: 0.5, 0: 0.5, 1: 0.5, 10: 0.75, 100: 1, 1_000_000: 1} {
		require.InDelta(t, share, volume(count), 0.001, count)
	}
}

// Every sentence has its words filled in, so that nobody reads the name of a blank.
func TestSentencesHaveNoBlanks(t *testing.T) {
	t.Parallel()
	now := noon.Add(3 * time.Hour)
	s := taken(at(10, in(1, "DE", "Berlin", 0, 10), in(2, "RU", "Moscow", 0, 10), in(3, "FI", "", 0, 10)))
	for i, kind := range agentapi.AbuseKinds {
		s.Hear(Signal{NodeID: "n", Kind: string(kind), Count: int64(i + 1), Confidence: 1, LastAt: now}, now)
	}
	result := of(s)
	sentences := []Sentence{}
	for _, p := range result.Parts {
		sentences = append(sentences, p.Sentence)
	}
	for _, f := range result.Findings {
		sentences = append(sentences, f.Sentence)
	}
	require.Greater(t, len(sentences), 12)
	for _, one := range sentences {
		require.NotEmpty(t, one.Code)
		require.NotContains(t, one.Text, "{", fmt.Sprint(one))
		require.NotNil(t, one.Args, "screens fill their own words with them: %s", one.Code)
	}
}
