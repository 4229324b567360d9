package geo

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/modules/geo/internal/dat"
	"panel/platform/testneed/geofiles"
)

// What is read of a token is what is written of it, whatever stands in it.
func TestATokenIsWrittenAsItWasRead(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"geosite:google", "geosite:google@ads", "geosite:geolocation-!cn", "geoip:ru", "geoip:!ru", "own.dat:a", "own.dat:!a@b",
	} {
		read, ok := parseToken(text)
		require.True(t, ok, text)
		require.Equal(t, text, read.text())
	}
}

// The distance of two words is that of Levenshtein: none of a word to itself, the same both ways, and never longer than
// by way of a third.
func TestTheDistanceOfWordsIsOne(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(18, 4)) //nolint:gosec // the same words in every run
	word := func() string {
		letters := make([]byte, random.IntN(8))
		for i := range letters {
			letters[i] = "abc"[random.IntN(3)]
		}
		return string(letters)
	}
	for range 2000 {
		a, b, c := word(), word(), word()
		require.Equal(t, a == b, distance(a, b) == 0, "%s %s", a, b)
		require.Equal(t, distance(a, b), distance(b, a), "%s %s", a, b)
		require.LessOrEqual(t, distance(a, c), distance(a, b)+distance(b, c), "%s %s %s", a, b, c)
		require.LessOrEqual(t, distance(a, b), max(len(a), len(b)))
	}
}

// What is most like a category that is not there comes first, at most five of it, and nothing that is far away.
func TestTheNearestCategoriesAreSuggestedFirst(t *testing.T) {
	t.Parallel()
	file := contents{Entries: map[string]int{
		"google": 1, "google-ads": 1, "googles": 1, "category-gogle": 1, "goggle": 1, "gogole": 1, "gogl": 1, "unrelated": 1,
	}}
	got := suggestions(token{File: nameGeosite, Category: "gogle"}, file)
	require.Equal(t, []string{
		"geosite:goggle", "geosite:gogl", "geosite:gogole", "geosite:google", "geosite:googles",
	}, got)
	require.Empty(t, suggestions(token{File: nameGeosite, Category: "zzzzzzzz"}, file))
	require.Equal(t, []string{"geoip:!ru"}, suggestions(token{File: nameGeoIP, Category: "rus", Not: true}, contents{
		Entries: map[string]int{"ru": 1},
	}))
}

// Completions begin with those that begin with the text; of networks a "!" stays, of names there is none.
func TestCompletionsBeginWithWhatBeginsLikeTheText(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.origin.publish("geosite.dat", sites("ads", "ads-all", "category-ads", "other"))
	s.origin.publish("geoip.dat", geofiles.ManyNets(1000))
	site := s.geosite()
	net := s.admin.Post(assetsPath, fields{
		"file": "geoip", "preset": "custom", "source_url": s.origin.URL + "/geoip.dat",
	}).Is(http.StatusCreated).Text("id")
	for _, id := range []string{site, net} {
		s.update(id, true)
		s.until(id, inState(stateCurrent))
	}
	tokens := func(query string) (list []string) {
		var found Completions
		s.admin.Get(assetsPath + "/complete?" + query).Is(http.StatusOK).JSON(&found)
		for _, one := range found.Items {
			list = append(list, one.Token)
		}
		return list
	}
	require.Equal(t, []string{"geosite:ads", "geosite:ads-all", "geosite:category-ads"}, tokens("q=ADS"))
	require.Equal(t, []string{"geosite:ads"}, tokens("q=ads&limit=1"))
	require.Equal(t, []string{"geosite:ads"}, tokens("q=!ads&limit=1"))
	require.Len(t, tokens("file=geosite"), 4)
	require.Empty(t, tokens("file=nothing.dat&q=a"))
	all := tokens("file=geoip&limit=100")
	require.NotEmpty(t, all)
	require.Equal(t, "geoip:!"+all[0][len("geoip:"):], tokens("file=geoip&limit=1&q=!")[0])
}

// What is looked up has many spellings, of which each finds the same, and what is neither a name nor an address is told
// so.
func TestNamesAndAddressesAreFoundInAllSpellings(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.origin.publish("geosite.dat", geofiles.File(geofiles.Site("a", "xn--e1afmkfd.example", "plain.example")))
	id := s.geosite()
	s.update(id, true)
	s.until(id, inState(stateCurrent))
	found := func(query string) Found {
		t.Helper()
		var f Found
		s.admin.Get(assetsPath + "/lookup?q=" + query).Is(http.StatusOK).JSON(&f)
		return f
	}
	for _, query := range []string{
		"plain.example", "PLAIN.Example.", "www.plain.example", "%D0%BF%D1%80%D0%B8%D0%BC%D0%B5%D1%80.example",
		"xn--e1afmkfd.example", "%20plain.example%20",
	} {
		require.Len(t, found(query).Matches, 1, query)
		require.Equal(t, "domain", found(query).Kind, query)
	}
	for _, query := range []string{"notplain.example", "example", "plain.example.com"} {
		require.Empty(t, found(query).Matches, query)
	}
	for _, query := range []string{"192.0.2.1", "::1", "%5B2001:db8::1%5D", "::ffff:192.0.2.1"} {
		require.Equal(t, "address", found(query).Kind, query)
	}
	for _, query := range []string{"a%20b", "-.example", "%F0%9F%92%A9%20x"} {
		s.admin.Get(assetsPath+"/lookup?q="+query).Refused(http.StatusUnprocessableEntity, "invalid_value")
	}
	s.admin.Get(assetsPath+"/lookup").Refused(http.StatusBadRequest, "bad_parameter")
}

// What nobody looks into is forgotten, and of many versions the one that was asked for longest ago.
func TestFewIndexesAreKept(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClock()
	x := newIndexes(nil, clock)
	for i := range mostIndexes {
		x.all[fmt.Sprint(i)] = &indexed{asked: clock.Now(), index: &dat.Index{}}
		clock.Advance(time.Second)
	}
	x.tidy()
	require.Len(t, x.all, mostIndexes-1)
	require.NotContains(t, x.all, "0")
	clock.Advance(indexFor - 5*time.Second)
	x.tidy()
	require.Len(t, x.all, 5, "those that were asked for within a quarter of an hour")
	clock.Advance(indexFor)
	x.tidy()
	require.Empty(t, x.all)
}
