package verdict

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"panel/platform/agentapi"
)

// faults take something from a good site, each in its own way: any of them may come together.
var faults = map[string]func(*agentapi.TargetFinding){
	"older TLS":          func(f *agentapi.TargetFinding) { f.TLSVersion = "1.2" },
	"no HTTP/2":          func(f *agentapi.TargetFinding) { f.ALPN = "" },
	"another group":      func(f *agentapi.TargetFinding) { f.Group = "CurveP384" },
	"another name":       func(f *agentapi.TargetFinding) { f.Certificate.NameValid = false },
	"no authority":       func(f *agentapi.TargetFinding) { f.Certificate.ChainValid = false },
	"an end before":      func(f *agentapi.TargetFinding) { f.Certificate.NotAfter = now.Add(-time.Second) },
	"a redirect":         func(f *agentapi.TargetFinding) { f.RedirectsTo = "elsewhere.example" },
	"a redirect inside":  func(f *agentapi.TargetFinding) { f.LeadsInside = true },
	"a CDN":              func(f *agentapi.TargetFinding) { f.CDN = "Cloudflare" },
	"an address of none": func(f *agentapi.TargetFinding) { f.NameMatches = false },
	"a long way":         func(f *agentapi.TargetFinding) { f.LatencyMillis = 900 },
	"no proof":           func(f *agentapi.TargetFinding) { f.OCSP = false },
	"no HTTP/3":          func(f *agentapi.TargetFinding) { f.HTTP3 = false },
}

// better orders suitabilities, the best one first.
var better = []string{Suitable, Acceptable, Unsuitable, Unknown}

func named(t *rapid.T) (list []string) {
	all := make([]string, 0, len(faults))
	for name := range faults {
		all = append(all, name)
	}
	slices.Sort(all)
	return rapid.SliceOfNDistinct(rapid.SampledFrom(all), 0, len(all), rapid.ID[string]).Draw(t, "faults")
}

func with(names []string) agentapi.TargetFinding {
	f := site()
	for _, name := range names {
		faults[name](&f)
	}
	return f
}

// Rule: one fault more never makes a target better, neither its suitability nor, of the same suitability, its score.
func TestAFaultMoreMakesNoTargetBetter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		some := named(t)
		if len(some) == 0 {
			return
		}
		whole, less := Of(with(some), now), Of(with(some[:len(some)-1]), now)
		was, is := slices.Index(better, less.Suitability), slices.Index(better, whole.Suitability)
		if is < was {
			t.Fatalf("%v: %s became %s", some, less.Suitability, whole.Suitability)
		}
		if is == was && whole.Score > less.Score {
			t.Fatalf("%v: %d became %d", some, less.Score, whole.Score)
		}
	})
}

// Rule: the score, the suitability and the reasons say the same, whatever an agent has found.
func TestScoresFollowFromReasons(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		some := named(t)
		v := Of(with(some), now)
		worst, points, seen := Good, 0, map[string]bool{}
		for _, r := range v.Reasons {
			if seen[r.Code] || r.Text == "" || reasons[r.Code].Text != r.Text {
				t.Fatalf("%v: the reason %q is said twice, or is none", some, r.Code)
			}
			seen[r.Code], points = true, points+r.Points
			if severity[r.Effect] > severity[worst] {
				worst = r.Effect
			}
		}
		want := map[string]string{Good: Suitable, Warning: Acceptable, Bad: Unsuitable, Nothing: Unknown}[worst]
		most := map[string]int{Suitable: 100, Acceptable: mostAcceptable, Unsuitable: mostUnsuitable}[want]
		if v.Suitability != want || v.Score != max(0, min(points, most)) {
			t.Fatalf("%v: %+v", some, v)
		}
	})
}

// Reasons come in the order in which they are found out: the handshake, the certificate, the page, the place.
func TestReasonsHaveAnOrder(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{
		"tls13", "h2", "post_quantum", "ocsp", "name_valid", "chain_valid", "direct", "h3", "dns_matches", "near",
	}, codes(Of(site(), now)))
	require.Equal(t, []string{
		"no_tls13", "no_h2", "x25519", "name_invalid", "self_signed", "redirects", "cdn", "dns_elsewhere", "far",
	}, codes(Of(site(func(f *agentapi.TargetFinding) {
		f.TLSVersion, f.ALPN, f.Group, f.OCSP = "1.2", "http/1.1", "X25519", false
		f.Certificate.NameValid, f.Certificate.ChainValid = false, false
		f.Certificate.Issuer = f.Certificate.Subject
		f.RedirectsTo, f.HTTP3, f.CDN, f.NameMatches, f.LatencyMillis = "other.example", false, "Akamai", false, 400
	}), now)))
}

// The limits of distances and of a certificate's end belong to the better side.
func TestLimitsBelongToTheBetterSide(t *testing.T) {
	t.Parallel()
	for millis, code := range map[float64]string{
		0: "near", 50: "near", 50.1: "middling", 150: "middling", 150.1: "", 300: "", 300.1: "far", 60_000: "far",
	} {
		found := codes(Of(site(func(f *agentapi.TargetFinding) { f.LatencyMillis = millis }), now))
		for _, one := range []string{"near", "middling", "far"} {
			require.Equal(t, one == code, slices.Contains(found, one), "%s at %v ms", one, millis)
		}
	}
	for left, want := range map[time.Duration][]string{
		-time.Second: {"expired"}, 0: {"expired"}, time.Second: {"chain_valid", "expires_soon"},
		expiresSoon - time.Second: {"chain_valid", "expires_soon"}, expiresSoon: {"chain_valid"},
	} {
		found := codes(Of(site(func(f *agentapi.TargetFinding) { f.Certificate.NotAfter = now.Add(left) }), now))
		for _, one := range []string{"expired", "chain_valid", "expires_soon"} {
			require.Equal(t, slices.Contains(want, one), slices.Contains(found, one), "%s, %s before the end", one, left)
		}
	}
}

// A redirect within the same site is none that matters: www or not, in any case of letters.
func TestASiteIsTheSameWithAndWithoutWWW(t *testing.T) {
	t.Parallel()
	for pair, same := range map[[2]string]bool{
		{"www.example.org", "example.org"}: true, {"example.org", "www.example.org"}: true,
		{"WWW.Example.ORG", "example.org"}: true, {"example.org", "example.org"}: true,
		{"m.example.org", "example.org"}: false, {"example.org.evil.example", "example.org"}: false,
		{"wwwexample.org", "example.org"}: false, {"www.www.example.org", "example.org"}: false,
	} {
		v := Of(site(func(f *agentapi.TargetFinding) { f.RedirectsTo, f.ServerName = pair[0], pair[1] }), now)
		require.Equal(t, same, slices.Contains(codes(v), "redirects_own"), "%v", pair)
		require.Equal(t, !same, slices.Contains(codes(v), "redirects"), "%v", pair)
	}
}

// What failed says one thing alone: why. No fact of a half-done look is told beside it, and it scores nothing.
func TestAFailureSaysWhyAndNothingElse(t *testing.T) {
	t.Parallel()
	for failure, want := range map[agentapi.TargetFailure]string{
		agentapi.TargetInside: Unsuitable, agentapi.TargetNoAddress: Unknown, agentapi.TargetNoAnswer: Unknown,
		agentapi.TargetNoTLS: Unknown, "something of a later agent": Unknown,
	} {
		v := Of(site(func(f *agentapi.TargetFinding) { f.Failure = failure }), now)
		require.Equal(t, want, v.Suitability, failure)
		require.Zero(t, v.Score, failure)
		require.Len(t, v.Reasons, 1, failure)
	}
}

// Every reason is reached by some finding: none is told of in the screens that nobody ever sees.
func TestEveryReasonIsSaidOfSomeTarget(t *testing.T) {
	t.Parallel()
	said := map[string]bool{}
	add := func(f agentapi.TargetFinding) {
		for _, code := range codes(Of(f, now)) {
			said[code] = true
		}
	}
	add(site())
	for name := range faults {
		add(with([]string{name}))
	}
	for _, failure := range []agentapi.TargetFailure{
		agentapi.TargetInside, agentapi.TargetNoAddress, agentapi.TargetNoAnswer, agentapi.TargetNoTLS,
	} {
		add(site(func(f *agentapi.TargetFinding) { f.Failure = failure }))
	}
	add(site(func(f *agentapi.TargetFinding) { f.Certificate = nil }))
	add(site(func(f *agentapi.TargetFinding) { f.Group = "X25519" }))
	add(site(func(f *agentapi.TargetFinding) { f.Answered = false }))
	add(site(func(f *agentapi.TargetFinding) { f.Certificate.NotAfter = now.Add(time.Hour) }))
	add(site(func(f *agentapi.TargetFinding) { f.RedirectsTo = "example.org" }))
	add(site(func(f *agentapi.TargetFinding) { f.LatencyMillis = 100 }))
	add(site(func(f *agentapi.TargetFinding) {
		f.Certificate.ChainValid, f.Certificate.Issuer = false, f.Certificate.Subject
	}))
	var never []string
	for code, text := range Codes() {
		if !said[code] {
			never = append(never, fmt.Sprint(code, ": ", text))
		}
		require.False(t, strings.HasSuffix(text, "."), "sentences are joined, and the screen ends them")
	}
	require.Empty(t, never)
}
