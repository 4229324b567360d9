// Package geofiles makes geoip and geosite files for tests, in the protobuf form of the v2fly project.
package geofiles

import (
	"fmt"
	"net/netip"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// Kinds of names by their numbers in the format.
const (
	Keyword = iota
	Regex
	Domain
	Full
)

// Name is one entry of a geosite file.
type Name struct {
	Kind       int
	Value      string
	Attributes []string
}

// Site is a category of a geosite file with domains.
func Site(code string, domains ...string) []byte {
	names := make([]Name, len(domains))
	for i, d := range domains {
		names[i] = Name{Kind: Domain, Value: d}
	}
	return Names(code, names...)
}

// Names is a category of a geosite file.
func Names(code string, names ...Name) []byte {
	body := field(nil, 1, []byte(strings.ToUpper(code)))
	for _, n := range names {
		var item []byte
		if n.Kind != 0 {
			item = protowire.AppendVarint(protowire.AppendTag(item, 1, protowire.VarintType), uint64(n.Kind))
		}
		item = field(item, 2, []byte(n.Value))
		for _, key := range n.Attributes {
			attribute := field(nil, 1, []byte(key))
			attribute = protowire.AppendVarint(protowire.AppendTag(attribute, 2, protowire.VarintType), 1)
			item = field(item, 3, attribute)
		}
		body = field(body, 2, item)
	}
	return field(nil, 1, body)
}

// Net is a category of a geoip file.
func Net(code string, networks ...string) []byte {
	prefixes := make([]netip.Prefix, len(networks))
	for i, n := range networks {
		prefixes[i] = netip.MustParsePrefix(n)
	}
	return Nets(code, prefixes...)
}

// Nets is a category of a geoip file.
func Nets(code string, networks ...netip.Prefix) []byte {
	body := field(nil, 1, []byte(strings.ToUpper(code)))
	for _, n := range networks {
		item := field(nil, 1, n.Addr().AsSlice())
		if n.Bits() > 0 {
			item = protowire.AppendVarint(protowire.AppendTag(item, 2, protowire.VarintType), uint64(n.Bits()))
		}
		body = field(body, 2, item)
	}
	return field(nil, 1, body)
}

func field(to []byte, number protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(to, number, protowire.BytesType), value)
}

// File puts categories together.
func File(categories ...[]byte) (raw []byte) {
	for _, c := range categories {
		raw = append(raw, c...)
	}
	return raw
}

// ManySites is a geosite file of that many domains in categories of a hundred names, "cat-0" the first, and in a large
// one, "large", that holds half of them.
func ManySites(domains int) []byte {
	var raw []byte
	large := make([]string, 0, domains/2)
	for i := range domains / 2 {
		large = append(large, fmt.Sprintf("site-%d.large-list.example", i))
	}
	raw = append(raw, Site("large", large...)...)
	const each = 100
	for c := 0; c*each < domains-domains/2; c++ {
		some := make([]string, 0, each)
		for i := range each {
			some = append(some, fmt.Sprintf("name-%d.of-%d.example", i, c))
		}
		raw = append(raw, Site(fmt.Sprintf("cat-%d", c), some...)...)
	}
	return raw
}

// ManyNets is a geoip file of that many networks in categories of two letters.
func ManyNets(networks int) []byte {
	const each = 5000
	var raw []byte
	for c := 0; c*each < networks; c++ {
		some := make([]netip.Prefix, 0, each)
		for i := range min(each, networks-c*each) {
			at := uint32(1<<24 + (c*each+i)<<8)
			address := netip.AddrFrom4([4]byte{byte(at >> 24), byte(at >> 16), byte(at >> 8), 0})
			some = append(some, netip.PrefixFrom(address, 24))
		}
		raw = append(raw, Nets(string([]byte{byte('a' + c/26%26), byte('a' + c%26)}), some...)...)
	}
	return raw
}
