package dat

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
)

// Index finds the categories that hold a name or an address. It keeps a number of 64 bits and a place for each entry,
// and reads from the file what may match: 130,000 names take two megabytes, 650,000 networks ten.
type Index struct {
	File

	source io.ReaderAt
	keys   []key
	lens   map[int]bool // lengths of the prefixes of networks; those of IPv4 plus 1000
	search []loose
	ends   []int64 // of the categories, for finding one by a place
	once   sync.Once
}

type key struct {
	hash uint64
	at   uint32
}

// loose is an item that is compared with every name that is asked for.
type loose struct {
	Item
	category int
	pattern  *regexp.Regexp
}

// Match is an entry that holds what was asked for.
type Match struct {
	Category string
	Item     Item
}

// NewIndex reads a whole file. The source must stay readable as long as the index is used. Errors: those of Read.
func NewIndex(source io.ReaderAt, size int64) (*Index, error) {
	x := &Index{source: source, lens: map[int]bool{}}
	file, err := Read(io.NewSectionReader(source, 0, size), size, func(category int, item *Item) error {
		switch item.Kind {
		case Keyword, Regex:
			x.search = append(x.search, loose{Item: *item, category: category})
			return nil
		case Network:
			x.lens[lengthOf(item.Prefix)] = true
			x.keys = append(x.keys, key{networkKey(item.Prefix).sum(), uint32(item.at)})
		case Domain, Full:
			x.keys = append(x.keys, key{nameKey(item.Kind, strings.ToLower(item.Value)).sum(), uint32(item.at)})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	x.File = file
	slices.SortFunc(x.keys, func(a, b key) int {
		switch {
		case a.hash < b.hash:
			return -1
		case a.hash > b.hash:
			return 1
		}
		return int(a.at) - int(b.at)
	})
	for _, c := range file.Categories {
		x.ends = append(x.ends, c.Offset+c.Length)
	}
	return x, nil
}

func lengthOf(p netip.Prefix) int {
	if p.Addr().Is4() {
		return p.Bits() + 1000
	}
	return p.Bits()
}

// Name gives the entries that hold a name, in the sequence of the file. The name is in small letters without a dot at
// its end.
func (x *Index) Name(name string) ([]Match, error) {
	found, err := x.at(nameKey(Full, name), func(i *Item) bool {
		return i.Kind == Full && strings.EqualFold(i.Value, name)
	})
	if err != nil {
		return nil, err
	}
	for rest := name; ; {
		some, err := x.at(nameKey(Domain, rest), func(i *Item) bool {
			return i.Kind == Domain && strings.EqualFold(i.Value, rest)
		})
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
		_, parent, more := strings.Cut(rest, ".")
		if !more {
			break
		}
		rest = parent
	}
	return x.sorted(append(found, x.searched(name)...)), nil
}

// searched compares a name with keywords and patterns; a pattern that cannot be read matches nothing.
func (x *Index) searched(name string) (found []Match) {
	x.once.Do(func() {
		for i := range x.search {
			if x.search[i].Kind == Regex {
				x.search[i].pattern, _ = regexp.Compile(x.search[i].Value)
			}
		}
	})
	for i := range x.search {
		one := &x.search[i]
		if one.Kind == Keyword && strings.Contains(name, strings.ToLower(one.Value)) ||
			one.pattern != nil && one.pattern.MatchString(name) {
			found = append(found, Match{x.Categories[one.category].Name, one.Item})
		}
	}
	return found
}

// Address gives the entries that hold an address, in the sequence of the file.
func (x *Index) Address(addr netip.Addr) (found []Match, err error) {
	addr = addr.Unmap()
	for length := range x.lens {
		bits := length
		if addr.Is4() {
			bits -= 1000
		}
		if bits < 0 || bits > addr.BitLen() || addr.Is4() != (length >= 1000) {
			continue
		}
		prefix := netip.PrefixFrom(addr, bits).Masked()
		some, err := x.at(networkKey(prefix), func(i *Item) bool { return i.Kind == Network && i.Prefix == prefix })
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
	}
	return x.sorted(found), nil
}

// at reads the entries with a key, of which same says whether it is really what was asked for.
func (x *Index) at(of hasher, same func(*Item) bool) (found []Match, err error) {
	hash := of.sum()
	first, _ := slices.BinarySearchFunc(x.keys, hash, func(k key, wanted uint64) int {
		if k.hash < wanted {
			return -1
		}
		return 1
	})
	for _, k := range x.keys[first:] {
		if k.hash != hash {
			break
		}
		item, err := x.item(int64(k.at))
		if err != nil {
			return nil, err
		}
		if same(&item) {
			found = append(found, Match{x.category(item.at), item})
		}
	}
	return found, nil
}

// item reads an entry whose length stands at a place.
func (x *Index) item(at int64) (Item, error) {
	const longestLength, usual = 5, 128
	buffer := make([]byte, usual)
	n, err := x.source.ReadAt(buffer, at)
	length, size := protowire.ConsumeVarint(buffer[:n])
	if size < 0 || size > longestLength || length > maxItem {
		return Item{}, fmt.Errorf("read an entry of a geo file at byte %d: it has changed: %w", at, cmp.Or(err, errForm))
	}
	raw := buffer[size:n]
	if uint64(len(raw)) < length {
		raw = make([]byte, length)
		if _, err := x.source.ReadAt(raw, at+int64(size)); err != nil {
			return Item{}, fmt.Errorf("read an entry of a geo file at byte %d: %w", at, err)
		}
	}
	item, _, err := parse(raw[:length])
	item.at = at
	return item, err
}

func (x *Index) category(at int64) string {
	i, _ := slices.BinarySearch(x.ends, at+1)
	if i >= len(x.Categories) {
		return ""
	}
	return x.Categories[i].Name
}

// sorted puts matches into the sequence of the file; one category may hold a name by several entries.
func (x *Index) sorted(found []Match) []Match {
	slices.SortFunc(found, func(a, b Match) int { return int(a.Item.at - b.Item.at) })
	return found
}

// Items reads the entries of a category from a place in it, 0 for the beginning; visit gets each with the place that
// follows it, and ends the reading with false.
func (c *Category) Items(source io.ReaderAt, from int64, visit func(item *Item, next int64) bool) error {
	if from < 0 || from > c.Length {
		return fmt.Errorf("read the category %s: it has no byte %d", c.Name, from)
	}
	begin := c.Offset + from
	r := &reader{
		in:  bufio.NewReaderSize(io.NewSectionReader(source, begin, c.Length-from), bufferSize),
		pos: begin, size: c.Offset + c.Length,
	}
	for r.pos < r.size {
		tag, err := r.varint(r.size)
		if err != nil {
			return err
		}
		if tag != lengthTag(2) {
			if err := r.skip(tag, r.size); err != nil {
				return err
			}
			continue
		}
		item, err := r.entry(r.size)
		if err != nil {
			return err
		}
		if !visit(item, r.pos-c.Offset) {
			return nil
		}
	}
	return nil
}

// Items reads a category of the file from its beginning.
func (x *Index) Items(c *Category, visit func(item *Item, next int64) bool) error {
	return c.Items(x.source, 0, visit)
}
