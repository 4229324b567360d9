// Package dat reads geoip and geosite files: lists of categories of names or of networks, in the protobuf form of the
// v2fly project (app/router/config.proto: GeoIPList and GeoSiteList).
//
// A file is read as a stream with one item in memory, so that its size costs no memory, and nothing that its bytes
// announce is believed before it is there. What the core could not find later is refused here: it compares the code of
// a category, which must be its first field, byte for byte with capital letters.
package dat

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/netip"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// Kind is what the categories of a file hold.
type Kind string

// Kinds of files.
const (
	Site Kind = "site" // names
	Net  Kind = "net"  // networks
)

// Bounds of a file. The largest known items are patterns of some hundred bytes.
const (
	MaxSize       = 64 << 20
	MaxCategories = 20000
	maxItem       = 16 << 10
	maxCode       = 64
	maxAttributes = 16
	bufferSize    = 64 << 10
)

// ItemKind is how an item of a category compares.
type ItemKind string

// Kinds of items.
const (
	Keyword ItemKind = "keyword" // the name contains it
	Regex   ItemKind = "regex"   // the name matches it
	Domain  ItemKind = "domain"  // it is the name or a parent of it
	Full    ItemKind = "full"    // it is the name
	Network ItemKind = "network" // it contains the address
)

// Item is one name or network of a category.
type Item struct {
	Kind       ItemKind
	Value      string       // of a name
	Prefix     netip.Prefix // of a network
	Attributes []string

	at int64 // where its length stands in the file
}

// Text is the item as people write it.
func (i *Item) Text() string {
	if i.Kind == Network {
		return i.Prefix.String()
	}
	return i.Value
}

// Category is one list of a file. Its name is in small letters, as flows write it.
type Category struct {
	Name    string `json:"n"`
	Entries int    `json:"e"`
	Digest  uint64 `json:"d,string"` // of its items, whatever their sequence
	Offset  int64  `json:"o"`        // where the items begin
	Length  int64  `json:"l"`        // of the items, in bytes
}

// File is what a file holds.
type File struct {
	Kind       Kind
	Categories []Category // in the sequence of the file
	Entries    int
}

// Read reads a whole file of that size. Visit, which may be nil, gets each item, with the index of its category; the
// item is valid until the next one. Errors: *Refusal, or that of the source.
func Read(source io.Reader, size int64, visit func(category int, item *Item) error) (File, error) {
	switch {
	case size == 0:
		return File{}, refuse(Empty, "the file has no bytes")
	case size > MaxSize:
		return File{}, refuse(TooLarge, "the file has %d bytes, more than %d", size, MaxSize)
	}
	r := &reader{in: bufio.NewReaderSize(source, bufferSize), size: size, visit: visit, names: map[string]bool{}}
	if err := r.file(); err != nil {
		return File{}, err
	}
	if r.out.Entries == 0 {
		return File{}, refuse(Empty, "none of its categories holds anything")
	}
	return r.out, nil
}

type reader struct {
	in    *bufio.Reader
	pos   int64
	size  int64
	item  [maxItem]byte
	names map[string]bool
	visit func(int, *Item) error
	out   File
}

func (r *reader) file() error {
	if err := r.prose(); err != nil {
		return err
	}
	for r.pos < r.size {
		tag, err := r.varint(r.size)
		if err != nil {
			return err
		}
		if tag != lengthTag(1) {
			return refuse(NotGeoData, "at byte %d stands something else than a category", r.pos)
		}
		end, err := r.span(r.size)
		if err == nil {
			err = r.category(end)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// prose tells texts from data: a page that says why there is no file is the usual answer of a source that has moved.
func (r *reader) prose() error {
	const looked = 512
	head, err := r.in.Peek(int(min(looked, r.size)))
	if err != nil {
		return r.short(err)
	}
	text := bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))
	// A list of 60 bytes begins with a line feed and '<', too, but a line feed follows.
	if len(text) > 1 && text[0] == '<' && text[1] != '\n' {
		return refuse(HTML, "it begins with %.40q", text)
	}
	return nil
}

// category reads the body of one, up to its end.
func (r *reader) category(end int64) error {
	name, err := r.code(end)
	if err != nil {
		return err
	}
	at := len(r.out.Categories)
	c := Category{Name: name, Offset: r.pos, Length: end - r.pos}
	again := r.names[name] // the core takes the first one of a name
	for r.pos < end {
		tag, err := r.varint(end)
		if err != nil {
			return err
		}
		if tag == lengthTag(1) {
			return refuse(NotGeoData, "at byte %d a category has another code", r.pos)
		}
		if tag != lengthTag(2) {
			if err := r.skip(tag, end); err != nil {
				return err
			}
			continue
		}
		item, err := r.entry(end)
		if err != nil {
			return err
		}
		if again {
			continue
		}
		c.Entries++
		c.Digest += item.hash()
		if r.visit != nil {
			if err := r.visit(at, item); err != nil {
				return err
			}
		}
	}
	if again {
		return nil
	}
	if at >= MaxCategories {
		return refuse(TooLarge, "it has more than %d categories", MaxCategories)
	}
	r.names[name] = true
	r.out.Categories = append(r.out.Categories, c)
	r.out.Entries += c.Entries
	return nil
}

// code reads the first field of a category, which the core looks for there.
func (r *reader) code(end int64) (string, error) {
	tag, err := r.varint(end)
	if err != nil {
		return "", err
	}
	if tag != lengthTag(1) {
		return "", refuse(NotGeoData, "a category at byte %d does not begin with its code", r.pos)
	}
	upTo, err := r.span(end)
	if err != nil {
		return "", err
	}
	if length := upTo - r.pos; length == 0 || length > maxCode {
		return "", refuse(NotGeoData, "the code of a category has %d bytes", length)
	}
	raw, err := r.bytes(upTo)
	if err != nil {
		return "", err
	}
	code := string(raw)
	for _, c := range raw {
		if c <= ' ' || c > '~' || c == ':' || c == '@' {
			return "", refuse(NotGeoData, "the code of a category has the character %q", c)
		}
	}
	if code != strings.ToUpper(code) {
		return "", refuse(NotGeoData, "the core does not find the category %q: its code is not in capital letters", code)
	}
	return strings.ToLower(code), nil
}

// entry reads one item. All items of a file are of one kind.
func (r *reader) entry(end int64) (*Item, error) {
	at := r.pos
	upTo, err := r.span(end)
	if err != nil {
		return nil, err
	}
	if upTo-r.pos > maxItem {
		return nil, refuse(NotGeoData, "an entry at byte %d has %d bytes", at, upTo-r.pos)
	}
	raw, err := r.bytes(upTo)
	if err != nil {
		return nil, err
	}
	item, kind, err := parse(raw)
	if err != nil {
		return nil, refuse(NotGeoData, "the entry at byte %d: %v", at, err)
	}
	if r.out.Kind == "" {
		r.out.Kind = kind
	}
	if kind != r.out.Kind {
		return nil, refuse(NotGeoData, "at byte %d names and networks stand in one file", at)
	}
	item.at = at
	return &item, nil
}

// span reads a length and gives where its bytes end, which must be before the end.
func (r *reader) span(end int64) (int64, error) {
	at := r.pos
	length, err := r.varint(end)
	switch {
	case err != nil:
		return 0, err
	case length > uint64(end-r.pos) && end == r.size:
		return 0, refuse(Truncated, "at byte %d it announces %d bytes and has %d", at, length, end-r.pos)
	case length > uint64(end-r.pos):
		return 0, refuse(NotGeoData, "at byte %d a part is longer than what contains it", at)
	}
	return r.pos + int64(length), nil
}

// bytes reads up to there, at most as much as an item may have.
func (r *reader) bytes(upTo int64) ([]byte, error) {
	raw := r.item[:upTo-r.pos]
	if _, err := io.ReadFull(r.in, raw); err != nil {
		return nil, r.short(err)
	}
	r.pos = upTo
	return raw, nil
}

func (r *reader) varint(end int64) (value uint64, err error) {
	const longest = 10
	for shift := range longest {
		if r.pos >= end {
			if end == r.size {
				return 0, refuse(Truncated, "it ends at byte %d in the middle of a number", r.pos)
			}
			return 0, refuse(NotGeoData, "at byte %d a part ends in the middle of a number", r.pos)
		}
		b, err := r.in.ReadByte()
		if err != nil {
			return 0, r.short(err)
		}
		r.pos++
		value |= uint64(b&0x7f) << (7 * shift)
		if b < 0x80 && (shift < longest-1 || b <= 1) { // the tenth byte has room for one bit
			return value, nil
		}
	}
	return 0, refuse(NotGeoData, "at byte %d stands a number that is too large", r.pos)
}

// skip passes over a field that this reader does not know.
func (r *reader) skip(tag uint64, end int64) error {
	const wireVarint, wire64, wireBytes, wire32 = 0, 1, 2, 5
	if field := tag >> 3; field == 0 || field > uint64(protowire.MaxValidNumber) {
		return refuse(NotGeoData, "at byte %d stands a field of an impossible number", r.pos)
	}
	upTo := r.pos
	switch tag & 7 {
	case wireVarint:
		_, err := r.varint(end)
		return err
	case wire64:
		upTo += 8
	case wire32:
		upTo += 4
	case wireBytes:
		var err error
		if upTo, err = r.span(end); err != nil {
			return err
		}
	default:
		return refuse(NotGeoData, "at byte %d stands a field of no known form", r.pos)
	}
	if upTo > end {
		return refuse(NotGeoData, "at byte %d a field is longer than what contains it", r.pos)
	}
	if _, err := r.in.Discard(int(upTo - r.pos)); err != nil {
		return r.short(err)
	}
	r.pos = upTo
	return nil
}

// short is the source that ends before its size.
func (r *reader) short(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return refuse(Truncated, "it ends before its %d bytes", r.size)
	}
	return err
}

func lengthTag(field uint64) uint64 { return field<<3 | 2 }
