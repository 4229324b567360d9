package dat

import (
	"errors"
	"fmt"
	"net/netip"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

var (
	errForm  = errors.New("it has no known form")
	errValue = errors.New("its text is empty or no text")
	errNet   = errors.New("it is no network")
)

// kinds of names by their numbers in the format.
var kinds = []ItemKind{Keyword, Regex, Domain, Full}

// parse reads an item: a name has a number in field 1 and a text in field 2, a network has an address in field 1 and a
// number in field 2. Numbers that are 0 are left out.
func parse(raw []byte) (item Item, kind Kind, err error) {
	var number, bits uint64
	var text, address []byte
	var isName, isNet bool
	for len(raw) > 0 {
		field, wire, n := protowire.ConsumeTag(raw)
		if n < 0 || !field.IsValid() {
			return item, "", errForm
		}
		raw = raw[n:]
		switch {
		case field == 1 && wire == protowire.VarintType:
			number, n = protowire.ConsumeVarint(raw)
			isName = true
		case field == 1 && wire == protowire.BytesType:
			address, n = protowire.ConsumeBytes(raw)
			isNet = true
		case field == 2 && wire == protowire.BytesType:
			text, n = protowire.ConsumeBytes(raw)
			isName = true
		case field == 2 && wire == protowire.VarintType:
			bits, n = protowire.ConsumeVarint(raw)
			isNet = true
		case field == 3 && wire == protowire.BytesType:
			var attribute []byte
			if attribute, n = protowire.ConsumeBytes(raw); n >= 0 {
				err = item.attribute(attribute)
			}
		default:
			n = protowire.ConsumeFieldValue(field, wire, raw)
		}
		if n < 0 || err != nil {
			return item, "", errForm
		}
		raw = raw[n:]
	}
	switch {
	case isName == isNet:
		return item, "", errForm
	case isNet:
		return item, Net, item.network(address, bits)
	}
	return item, Site, item.name(number, text)
}

func (i *Item) name(number uint64, text []byte) error {
	if number >= uint64(len(kinds)) {
		return fmt.Errorf("there is no kind %d of names", number)
	}
	if len(text) == 0 || !utf8.Valid(text) {
		return errValue
	}
	i.Kind, i.Value = kinds[number], string(text)
	return nil
}

func (i *Item) network(address []byte, bits uint64) error {
	addr, ok := netip.AddrFromSlice(address)
	if !ok || bits > uint64(addr.BitLen()) {
		return errNet
	}
	i.Kind, i.Prefix = Network, netip.PrefixFrom(addr, int(bits)).Masked()
	return nil
}

// attribute reads the key of one; its value says nothing that is used. The core takes no file with a key that is no
// text.
func (i *Item) attribute(raw []byte) error {
	for len(raw) > 0 {
		field, wire, n := protowire.ConsumeTag(raw)
		if n < 0 || !field.IsValid() {
			return errForm
		}
		raw = raw[n:]
		if field == 1 && wire == protowire.BytesType {
			var key []byte
			if key, n = protowire.ConsumeBytes(raw); !utf8.Valid(key) {
				return errForm
			}
			if n >= 0 && len(i.Attributes) < maxAttributes {
				i.Attributes = append(i.Attributes, string(key))
			}
		} else {
			n = protowire.ConsumeFieldValue(field, wire, raw)
		}
		if n < 0 {
			return errForm
		}
		raw = raw[n:]
	}
	return nil
}

// hash tells items apart, with their attributes.
func (i *Item) hash() uint64 {
	var h hasher
	if i.Kind == Network {
		h = networkKey(i.Prefix)
	} else {
		h = nameKey(i.Kind, i.Value)
	}
	for _, attribute := range i.Attributes {
		h = h.add("@").add(attribute)
	}
	return h.sum()
}

// hasher is FNV-1a with a last step that spreads the bits, so that sums of many do not collide by structure.
type hasher uint64

const (
	fnvOffset hasher = 14695981039346656037
	fnvPrime  hasher = 1099511628211
)

func (h hasher) add(text string) hasher {
	for i := range len(text) {
		h = (h ^ hasher(text[i])) * fnvPrime
	}
	return h
}

func (h hasher) bytes(raw []byte) hasher {
	for _, b := range raw {
		h = (h ^ hasher(b)) * fnvPrime
	}
	return h
}

func (h hasher) sum() uint64 {
	x := uint64(h)
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

func nameKey(kind ItemKind, value string) hasher {
	return fnvOffset.add(string(kind)).add("\x00").add(value)
}

func networkKey(p netip.Prefix) hasher {
	raw := p.Addr().As16()
	bits := p.Bits()
	if p.Addr().Is4() {
		bits += 1000 // an address of IPv4 is not the one of IPv6 that contains it
	}
	return fnvOffset.bytes(raw[:]).bytes([]byte{byte(bits), byte(bits >> 8)})
}
