package dat

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"panel/platform/testneed/geofiles"
)

func read(raw []byte) (File, error) { return Read(bytes.NewReader(raw), int64(len(raw)), nil) }

func reason(err error) string {
	if r := AsRefusal(err); r != nil {
		return r.Reason
	}
	return fmt.Sprint(err)
}

func TestAFileIsReadWithItsCategoriesAndItems(t *testing.T) {
	t.Parallel()
	raw := geofiles.File(
		geofiles.Names("google", geofiles.Name{Kind: geofiles.Domain, Value: "google.com", Attributes: []string{"ads"}},
			geofiles.Name{Kind: geofiles.Full, Value: "www.google.de"}, geofiles.Name{Kind: geofiles.Keyword, Value: "goog"},
			geofiles.Name{Kind: geofiles.Regex, Value: `^g\d+\.example$`}),
		geofiles.Site("ru-blocked", "blocked.example"))
	var seen []string
	file, err := Read(bytes.NewReader(raw), int64(len(raw)), func(category int, item *Item) error {
		seen = append(seen, fmt.Sprint(category, " ", item.Kind, " ", item.Text(), " ", item.Attributes))
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, Site, file.Kind)
	require.Equal(t, 5, file.Entries)
	require.Equal(t, []string{
		"0 domain google.com [ads]", "0 full www.google.de []", "0 keyword goog []", `0 regex ^g\d+\.example$ []`,
		"1 domain blocked.example []",
	}, seen)
	require.Equal(t, "ru-blocked", file.Categories[1].Name)
	require.Equal(t, 4, file.Categories[0].Entries)

	nets, err := read(geofiles.File(geofiles.Net("ru", "192.0.2.0/24", "2001:db8::/32", "0.0.0.0/0")))
	require.NoError(t, err)
	require.Equal(t, Net, nets.Kind)
	require.Equal(t, 3, nets.Entries)
}

// Trap 8 of the design: what is corrupt or truncated is refused, with a reason that says what it is.
func TestWhatIsNoWholeGeoFileIsRefused(t *testing.T) {
	t.Parallel()
	good := geofiles.File(geofiles.Site("a", "a.example", "b.example"), geofiles.Site("b", "c.example"))
	length := func(n uint64) []byte { return protowire.AppendVarint([]byte{0x0a}, n) }
	mixed := geofiles.File(geofiles.Site("a", "a.example"), geofiles.Net("b", "192.0.2.0/24"))
	small := bytes.Replace(geofiles.Site("abc", "a.example"), []byte("ABC"), []byte("abc"), 1)
	late := protowire.AppendBytes([]byte{0x0a}, append([]byte{0x12, 2, 0x12, 0}, 0x0a, 1, 'A'))
	for name, one := range map[string]struct {
		raw    []byte
		reason string
	}{
		"nothing":                  {nil, Empty},
		"a page":                   {[]byte("\n<!DOCTYPE html><html>404</html>"), HTML},
		"a page behind a mark":     {[]byte("\xef\xbb\xbf<html>"), HTML},
		"JSON":                     {[]byte(`{"message":"Not Found"}`), NotGeoData},
		"text":                     {[]byte("Not Found"), NotGeoData},
		"half of it":               {good[:len(good)/2], Truncated},
		"without the last byte":    {good[:len(good)-1], Truncated},
		"an absurd length":         {length(1 << 62), Truncated},
		"a length without an end":  {append([]byte{0x0a}, bytes.Repeat([]byte{0xff}, 11)...), NotGeoData},
		"a category of nothing":    {geofiles.Site("a"), Empty},
		"names and networks":       {mixed, NotGeoData},
		"a code in small letters":  {small, NotGeoData},
		"a code that comes late":   {late, NotGeoData},
		"an empty name":            {geofiles.Site("a", ""), NotGeoData},
		"a name that is no text":   {geofiles.Site("a", "\xff\xfe"), NotGeoData},
		"a code with a colon":      {geofiles.Site("a:b", "a.example"), NotGeoData},
		"a code of nothing":        {geofiles.Site("", "a.example"), NotGeoData},
		"a huge entry":             {geofiles.Site("a", strings.Repeat("a", maxItem+1)), NotGeoData},
		"a kind that is not known": {geofiles.Names("a", geofiles.Name{Kind: 9, Value: "a"}), NotGeoData},
		"a network of nothing": {
			protowire.AppendBytes([]byte{0x0a}, []byte{0x0a, 1, 'A', 0x12, 5, 0x0a, 3, 1, 2, 3}), NotGeoData,
		},
	} {
		_, err := read(one.raw)
		require.Equal(t, one.reason, reason(err), name)
	}
	_, err := Read(bytes.NewReader(good), MaxSize+1, nil)
	require.Equal(t, TooLarge, reason(err))
	_, err = Read(bytes.NewReader(good), int64(len(good))+5, nil)
	require.Equal(t, Truncated, reason(err), "the source has less than it said")
	gone := errors.New("the disk is gone")
	_, err = Read(io.MultiReader(bytes.NewReader(good[:10]), failing{gone}), int64(len(good)), nil)
	require.ErrorIs(t, err, gone)
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestFieldsThatAreNotKnownArePassedOver(t *testing.T) {
	t.Parallel()
	body := protowire.AppendBytes([]byte{0x0a}, []byte("A"))
	body = protowire.AppendVarint(append(body, 0x18), 7)                            // field 3, a number
	body = append(body, 0x25, 1, 2, 3, 4)                                           // field 4, 32 bits
	body = append(body, 0x29, 1, 2, 3, 4, 5, 6, 7, 8)                               // field 5, 64 bits
	body = protowire.AppendBytes(append(body, 0x32), []byte("anything"))            // field 6, bytes
	body = protowire.AppendBytes(append(body, 0x12), []byte{0x12, 1, 'x', 0x20, 1}) // an item with field 4
	file, err := read(protowire.AppendBytes([]byte{0x0a}, body))
	require.NoError(t, err)
	require.Equal(t, 1, file.Entries)
}

// The core takes the first category of a name, and so do we.
func TestACategoryThatComesAgainIsNotRead(t *testing.T) {
	t.Parallel()
	raw := geofiles.File(geofiles.Site("a", "first.example"), geofiles.Site("a", "second.example", "third.example"))
	file, err := read(raw)
	require.NoError(t, err)
	require.Len(t, file.Categories, 1)
	require.Equal(t, 1, file.Entries)
	x, err := NewIndex(bytes.NewReader(raw), int64(len(raw)))
	require.NoError(t, err)
	found, err := x.Name("second.example")
	require.NoError(t, err)
	require.Empty(t, found)
}

func matches(t *testing.T, found []Match, err error) (texts []string) {
	t.Helper()
	require.NoError(t, err)
	texts = []string{}
	for _, m := range found {
		texts = append(texts, m.Category+" "+string(m.Item.Kind)+" "+m.Item.Text())
	}
	return texts
}

func TestNamesAreFoundAsTheCoreWouldMatchThem(t *testing.T) {
	t.Parallel()
	raw := geofiles.File(
		geofiles.Names("mixed", geofiles.Name{Kind: geofiles.Domain, Value: "example.com"},
			geofiles.Name{Kind: geofiles.Full, Value: "only.example.org"}, geofiles.Name{Kind: geofiles.Keyword, Value: "track"},
			geofiles.Name{Kind: geofiles.Regex, Value: `^ad\d+\.`}, geofiles.Name{Kind: geofiles.Regex, Value: `(`}),
		geofiles.Site("com", "com"), geofiles.Names("upper", geofiles.Name{Kind: geofiles.Domain, Value: "Example.COM"}))
	x, err := NewIndex(bytes.NewReader(raw), int64(len(raw)))
	require.NoError(t, err)
	for name, wanted := range map[string][]string{
		"www.example.com":      {"mixed domain example.com", "com domain com", "upper domain Example.COM"},
		"example.com":          {"mixed domain example.com", "com domain com", "upper domain Example.COM"},
		"notexample.com":       {"com domain com"},
		"only.example.org":     {"mixed full only.example.org"},
		"www.only.example.org": {},
		"tracker.example.org":  {"mixed keyword track"},
		"ad12.example.org":     {`mixed regex ^ad\d+\.`},
		"example.net":          {},
	} {
		found, err := x.Name(name)
		require.Equal(t, wanted, matches(t, found, err), name)
	}
}

func TestAddressesAreFoundInAllNetworksThatContainThem(t *testing.T) {
	t.Parallel()
	raw := geofiles.File(geofiles.Net("wide", "10.0.0.0/8", "2001:db8::/32", "0.0.0.0/0"),
		geofiles.Net("small", "10.1.2.0/24", "10.1.2.3/32", "2001:db8::1/128", "::ffff:0:0/96"))
	x, err := NewIndex(bytes.NewReader(raw), int64(len(raw)))
	require.NoError(t, err)
	for address, wanted := range map[string][]string{
		"10.1.2.3":       {"wide network 10.0.0.0/8", "wide network 0.0.0.0/0", "small network 10.1.2.0/24", "small network 10.1.2.3/32"},
		"10.1.2.4":       {"wide network 10.0.0.0/8", "wide network 0.0.0.0/0", "small network 10.1.2.0/24"},
		"192.0.2.1":      {"wide network 0.0.0.0/0"},
		"2001:db8::1":    {"wide network 2001:db8::/32", "small network 2001:db8::1/128"},
		"2001:db9::1":    {},
		"::ffff:1.2.3.4": {"wide network 0.0.0.0/0"},
	} {
		found, err := x.Address(netip.MustParseAddr(address))
		require.Equal(t, wanted, matches(t, found, err), address)
	}
}

func TestACategoryIsReadFromAnyPlaceInIt(t *testing.T) {
	t.Parallel()
	raw := geofiles.File(geofiles.Site("x", "other.example"), geofiles.Site("a", "a.example", "b.example", "c.example"))
	file, err := read(raw)
	require.NoError(t, err)
	c := &file.Categories[1]
	var names []string
	var second int64
	require.NoError(t, c.Items(bytes.NewReader(raw), 0, func(i *Item, next int64) bool {
		if names = append(names, i.Value); len(names) == 1 {
			second = next
		}
		return true
	}))
	require.Equal(t, []string{"a.example", "b.example", "c.example"}, names)
	names = nil
	require.NoError(t, c.Items(bytes.NewReader(raw), second, func(i *Item, _ int64) bool {
		names = append(names, i.Value)
		return len(names) < 1
	}))
	require.Equal(t, []string{"b.example"}, names)
	require.Error(t, c.Items(bytes.NewReader(raw), c.Length+1, func(*Item, int64) bool { return true }))
}

func TestTheDifferenceOfTwoFilesIsByCategoryAndEntry(t *testing.T) {
	t.Parallel()
	before := geofiles.File(geofiles.Site("gone", "g.example"), geofiles.Site("same", "a.example", "b.example"),
		geofiles.Site("moved", "keep.example", "old.example", "older.example"))
	after := geofiles.File(geofiles.Site("new", "n.example"), geofiles.Site("same", "b.example", "a.example"),
		geofiles.Site("moved", "keep.example", "new.example"))
	side := func(raw []byte) Compared {
		file, err := read(raw)
		require.NoError(t, err)
		return Compared{Categories: file.Categories, Source: bytes.NewReader(raw)}
	}
	added, removed, changed, cut, err := Difference(side(before), side(after), 10, 1)
	require.NoError(t, err)
	require.Equal(t, []string{"new"}, added)
	require.Equal(t, []string{"gone"}, removed)
	require.False(t, cut)
	require.Equal(t, []Change{{
		Category: "moved", AddedCount: 1, RemovedCount: 2, Added: []string{"new.example"}, Removed: []string{"old.example"},
	}}, changed)
	_, _, changed, cut, err = Difference(side(before), side(after), 0, 1)
	require.NoError(t, err)
	require.True(t, cut)
	require.Empty(t, changed)
}

// Goal: a lookup over lists of real size, 130,000 names and 650,000 networks, within 20 ms at the 95th percentile.
func TestLookupsInListsOfRealSizeAreFast(t *testing.T) {
	sites, nets := geofiles.ManySites(130_000), geofiles.ManyNets(650_000)
	began := time.Now()
	names, err := NewIndex(bytes.NewReader(sites), int64(len(sites)))
	require.NoError(t, err)
	networks, err := NewIndex(bytes.NewReader(nets), int64(len(nets)))
	require.NoError(t, err)
	require.Equal(t, 130_000, names.Entries)
	require.Equal(t, 650_000, networks.Entries)
	t.Logf("indexes of %d and %d bytes in %s", len(sites), len(nets), time.Since(began))
	const rounds = 400
	slow := 0
	for i := range rounds {
		began := time.Now()
		found, err := names.Name(fmt.Sprintf("www.site-%d.large-list.example", i*100))
		require.Equal(t, []string{fmt.Sprintf("large domain site-%d.large-list.example", i*100)}, matches(t, found, err))
		_, err = networks.Address(netip.AddrFrom4([4]byte{1, 2, byte(i), 3}))
		require.NoError(t, err)
		if time.Since(began) > 20*time.Millisecond {
			slow++
		}
	}
	require.Less(t, slow, rounds/20)
}

// Goal: reading costs no memory that grows with the file, whatever its bytes announce.
func TestReadingCostsNoMemoryThatGrowsWithTheFile(t *testing.T) {
	raw := geofiles.ManyNets(650_000)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	_, err := read(raw)
	require.NoError(t, err)
	runtime.ReadMemStats(&after)
	require.Less(t, after.HeapAlloc, before.HeapAlloc+32<<20)
}

func FuzzRead(f *testing.F) {
	f.Add(geofiles.File(geofiles.Site("a", "a.example"), geofiles.Names("b", geofiles.Name{Kind: 1, Value: "("})))
	f.Add(geofiles.File(geofiles.Net("ru", "192.0.2.0/24", "2001:db8::/32")))
	f.Add([]byte{0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Add([]byte("<html>"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		x, err := NewIndex(bytes.NewReader(raw), int64(len(raw)))
		if err != nil {
			if AsRefusal(err) == nil {
				t.Fatalf("an error without a reason: %v", err)
			}
			return
		}
		read := 0
		for i := range x.Categories {
			if err := x.Items(&x.Categories[i], func(*Item, int64) bool { read++; return true }); err != nil {
				t.Fatal(err)
			}
		}
		if read != x.Entries || x.Entries == 0 {
			t.Fatalf("%d of %d entries are read again", read, x.Entries)
		}
		if _, err := x.Name("www.example.com"); err != nil {
			t.Fatal(err)
		}
	})
}
