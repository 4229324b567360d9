package dat

import (
	"bytes"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"panel/platform/testneed/geofiles"
)

// drawnNames are entries of few letters, so that many of them match.
func drawnNames(t *rapid.T) []geofiles.Name {
	label := rapid.StringMatching(`[ab]{1,2}(\.[ab]{1,2}){0,2}`)
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) geofiles.Name {
		return geofiles.Name{
			Kind: rapid.IntRange(geofiles.Keyword, geofiles.Full).Draw(t, "kind"), Value: label.Draw(t, "value"),
			Attributes: rapid.SliceOfN(rapid.SampledFrom([]string{"ads", "cn", "!cn"}), 0, 2).Draw(t, "attributes"),
		}
	}), 0, 6).Draw(t, "names")
}

// holds says by the words of the format whether an entry holds a name.
func holds(entry geofiles.Name, name string) bool {
	switch entry.Kind {
	case geofiles.Keyword:
		return strings.Contains(name, entry.Value)
	case geofiles.Regex:
		return regexp.MustCompile(entry.Value).MatchString(name)
	case geofiles.Domain:
		return name == entry.Value || strings.HasSuffix(name, "."+entry.Value)
	}
	return name == entry.Value
}

// What is written is read: each entry once, in its category, with its attributes; and a name is found in just those
// entries that hold it, in the sequence of the file.
func TestNamesAreReadAndFoundAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	kinds := map[int]ItemKind{
		geofiles.Keyword: Keyword, geofiles.Regex: Regex, geofiles.Domain: Domain, geofiles.Full: Full,
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[ab]{1,2}(\.[ab]{1,2}){0,3}`).Draw(t, "name")
		var raw []byte
		want, held := []string{}, []string{}
		for c := range rapid.IntRange(1, 4).Draw(t, "categories") {
			code := fmt.Sprint("list-", c)
			names := drawnNames(t)
			raw = append(raw, geofiles.Names(code, names...)...)
			for _, one := range names {
				want = append(want, fmt.Sprint(code, " ", kinds[one.Kind], " ", one.Value, " ", one.Attributes))
				if holds(one, name) {
					held = append(held, fmt.Sprint(code, " ", kinds[one.Kind], " ", one.Value))
				}
			}
		}
		x, err := NewIndex(bytes.NewReader(raw), int64(len(raw)))
		if len(want) == 0 {
			require.Equal(t, Empty, reason(err))
			return
		}
		require.NoError(t, err)
		read := []string{}
		for i := range x.Categories {
			c := &x.Categories[i]
			entries := 0
			require.NoError(t, x.Items(c, func(item *Item, _ int64) bool {
				read = append(read, fmt.Sprint(c.Name, " ", item.Kind, " ", item.Text(), " ", item.Attributes))
				entries++
				return true
			}))
			require.Equal(t, c.Entries, entries)
		}
		require.Equal(t, want, read)
		require.Equal(t, len(want), x.Entries)
		found, err := x.Name(name)
		require.NoError(t, err)
		got := []string{}
		for _, m := range found {
			got = append(got, m.Category+" "+string(m.Item.Kind)+" "+m.Item.Text())
		}
		require.Equal(t, held, got, name)
	})
}

// An address is found in just those networks that contain it, those of IPv4 and of IPv6 apart.
func TestAddressesAreFoundInTheNetworksThatContainThem(t *testing.T) {
	t.Parallel()
	address := func(t *rapid.T, name string) netip.Addr {
		few := rapid.SampledFrom([]byte{0, 1, 127, 128, 255})
		raw := rapid.SliceOfN(few, 4, 4).Draw(t, name)
		if rapid.Bool().Draw(t, name+" of IPv6") {
			raw = append(raw, make([]byte, 12)...)
			raw[15] = few.Draw(t, name+" end")
		}
		addr, _ := netip.AddrFromSlice(raw)
		return addr
	}
	rapid.Check(t, func(t *rapid.T) {
		asked := address(t, "asked")
		var networks []netip.Prefix
		want := []string{}
		for range rapid.IntRange(1, 12).Draw(t, "networks") {
			addr := address(t, "network")
			prefix := netip.PrefixFrom(addr, rapid.IntRange(0, addr.BitLen()).Draw(t, "bits"))
			networks = append(networks, prefix)
			if prefix.Contains(asked) {
				want = append(want, prefix.Masked().String())
			}
		}
		raw := geofiles.Nets("a", networks...)
		x, err := NewIndex(bytes.NewReader(raw), int64(len(raw)))
		require.NoError(t, err)
		found, err := x.Address(asked)
		require.NoError(t, err)
		got := []string{}
		for _, m := range found {
			got = append(got, m.Item.Text())
		}
		require.Equal(t, want, got, asked)
		require.Equal(t, len(networks), x.Entries)
	})
}

// The first and the last address of a network are in it, their neighbours are not.
func TestANetworkEndsWhereItEnds(t *testing.T) {
	t.Parallel()
	raw := geofiles.Net("a", "192.0.2.128/25", "198.51.100.7/32", "2001:db8:8000::/33")
	x, err := NewIndex(bytes.NewReader(raw), int64(len(raw)))
	require.NoError(t, err)
	for address, in := range map[string]bool{
		"192.0.2.127": false, "192.0.2.128": true, "192.0.2.255": true, "192.0.3.0": false, "198.51.100.6": false,
		"198.51.100.7": true, "198.51.100.8": false, "2001:db8:7fff:ffff:ffff:ffff:ffff:ffff": false, "2001:db8:8000::": true,
		"2001:db8:ffff:ffff:ffff:ffff:ffff:ffff": true, "2001:db9::": false, "::192.0.2.128": false,
		"::ffff:192.0.2.128": true, "0.0.0.0": false, "255.255.255.255": false, "::": false,
	} {
		found, err := x.Address(netip.MustParseAddr(address))
		require.NoError(t, err)
		require.Equal(t, in, len(found) == 1, address)
	}
	found, err := x.Name("192.0.2.128")
	require.NoError(t, err)
	require.Empty(t, found, "a list of networks holds no names")
}

// The digest of a category follows its entries and not their sequence: two lists of the same entries are one version.
func TestADigestFollowsTheEntries(t *testing.T) {
	t.Parallel()
	digest := func(names ...geofiles.Name) uint64 {
		file, err := read(geofiles.Names("a", names...))
		require.NoError(t, err)
		return file.Categories[0].Digest
	}
	name := func(kind int, value string, attributes ...string) geofiles.Name {
		return geofiles.Name{Kind: kind, Value: value, Attributes: attributes}
	}
	a, b := name(geofiles.Domain, "a.example"), name(geofiles.Domain, "b.example", "ads")
	whole := digest(a, b)
	require.Equal(t, whole, digest(b, a))
	for what, names := range map[string][]geofiles.Name{
		"one is missing":      {a},
		"one is there twice":  {a, b, b},
		"another kind":        {a, name(geofiles.Full, "b.example", "ads")},
		"another attribute":   {a, name(geofiles.Domain, "b.example", "cn")},
		"no attribute":        {a, name(geofiles.Domain, "b.example")},
		"an attribute more":   {a, name(geofiles.Domain, "b.example", "ads", "ads")},
		"the other attribute": {name(geofiles.Domain, "a.example", "ads"), name(geofiles.Domain, "b.example")},
		"another spelling":    {name(geofiles.Domain, "A.example"), b},
	} {
		require.NotEqual(t, whole, digest(names...), what)
	}
	nets := func(list ...string) uint64 {
		file, err := read(geofiles.Net("a", list...))
		require.NoError(t, err)
		return file.Categories[0].Digest
	}
	require.Equal(t, nets("192.0.2.0/24"), nets("192.0.2.77/24"), "a network is the same whatever address names it")
	require.NotEqual(t, nets("0.0.0.0/0"), nets("::/0"))
	require.NotEqual(t, nets("192.0.2.0/24"), nets("192.0.2.0/25"))
}

// What differs between two versions is what is only in one of them, entry by entry, whatever the sequence.
func TestTheDifferenceIsWhatOnlyOneHas(t *testing.T) {
	t.Parallel()
	values := rapid.SliceOfNDistinct(rapid.IntRange(0, 12), 1, 8, rapid.ID[int])
	rapid.Check(t, func(t *rapid.T) {
		side := func(name string) (Compared, []string) {
			list := []string{}
			for _, n := range values.Draw(t, name) {
				list = append(list, fmt.Sprint(n, ".example"))
			}
			raw := geofiles.Site("list", list...)
			file, err := read(raw)
			require.NoError(t, err)
			return Compared{Categories: file.Categories, Source: bytes.NewReader(raw)}, list
		}
		from, before := side("before")
		to, after := side("after")
		only := func(list, other []string) []string {
			return slices.DeleteFunc(slices.Clone(list), func(one string) bool { return slices.Contains(other, one) })
		}
		gone, come := only(before, after), only(after, before)
		added, removed, changed, cut, err := Difference(from, to, 10, 3)
		require.NoError(t, err)
		require.Empty(t, append(added, removed...))
		require.False(t, cut)
		if len(gone)+len(come) == 0 {
			require.Empty(t, changed)
			return
		}
		require.Equal(t, []Change{{
			Category: "list", AddedCount: len(come), RemovedCount: len(gone), Added: come[:min(3, len(come))],
			Removed: gone[:min(3, len(gone))],
		}}, changed)
	})
}

// Those with most changes come first; of more than are asked for it is told that some are left out.
func TestTheMostChangedCategoryComesFirst(t *testing.T) {
	t.Parallel()
	side := func(categories ...[]byte) Compared {
		raw := geofiles.File(categories...)
		file, err := read(raw)
		require.NoError(t, err)
		return Compared{Categories: file.Categories, Source: bytes.NewReader(raw)}
	}
	before := side(geofiles.Site("a", "1"), geofiles.Site("b", "1", "2", "3"), geofiles.Site("c", "1"), geofiles.Site("z", "1"))
	after := side(geofiles.Site("c", "1", "2"), geofiles.Site("b", "4"), geofiles.Site("a", "2"), geofiles.Site("d", "1"),
		geofiles.Site("b2", "1"))
	added, removed, changed, cut, err := Difference(before, after, 3, 0)
	require.NoError(t, err)
	require.Equal(t, []string{"b2", "d"}, added)
	require.Equal(t, []string{"z"}, removed)
	require.False(t, cut)
	require.Equal(t, []Change{
		{Category: "b", AddedCount: 1, RemovedCount: 3, Added: []string{}, Removed: []string{}},
		{Category: "a", AddedCount: 1, RemovedCount: 1, Added: []string{}, Removed: []string{}},
		{Category: "c", AddedCount: 1, Added: []string{}, Removed: []string{}},
	}, changed)
	_, _, changed, cut, err = Difference(before, after, 2, 0)
	require.NoError(t, err)
	require.Len(t, changed, 2)
	require.True(t, cut)
	added, removed, changed, cut, err = Difference(Compared{}, after, 0, 0)
	require.NoError(t, err)
	require.Len(t, added, 5)
	require.Empty(t, removed)
	require.Empty(t, changed)
	require.False(t, cut)
}
