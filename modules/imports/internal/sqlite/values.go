package sqlite

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"unicode/utf16"
)

// Encodings of texts; an empty database has none yet.
const (
	utf16Little = 2
	utf16Big    = 3
)

// text reads a text in the encoding of the file. What is no letter becomes a replacement character.
func (f *File) text(raw []byte) string {
	var order binary.ByteOrder = binary.BigEndian
	switch f.encoding {
	case utf16Little:
		order = binary.LittleEndian
	case utf16Big:
	default:
		return strings.ToValidUTF8(string(raw), "\uFFFD")
	}
	letters := make([]uint16, len(raw)/2)
	for i := range letters {
		letters[i] = order.Uint16(raw[2*i:])
	}
	return string(utf16.Decode(letters))
}

// decode reads one value of a row.
func (f *File) decode(kind uint64, body []byte) (value any, used int, ok bool) {
	sizes := [...]int{0, 1, 2, 3, 4, 6, 8, 8, 0, 0}
	if kind >= 12 {
		length := (kind - 12) / 2
		if length > uint64(len(body)) {
			return nil, 0, false
		}
		text := body[:length]
		if kind%2 == 1 {
			return f.text(text), len(text), true
		}
		return bytes.Clone(text), len(text), true
	}
	if kind >= uint64(len(sizes)) || sizes[kind] > len(body) {
		return nil, 0, false
	}
	switch size := sizes[kind]; kind {
	case 0:
		return nil, 0, true
	case 7:
		return math.Float64frombits(binary.BigEndian.Uint64(body)), size, true
	case 8, 9:
		return int64(kind) - 8, 0, true //nolint:gosec // 8 or 9
	default:
		number := int64(int8(body[0])) //nolint:gosec // the first byte has the sign
		for _, b := range body[1:size] {
			number = number<<8 | int64(b)
		}
		return number, size, true
	}
}

// varint reads a number of up to nine bytes; n is 0 when it does not end.
func varint(b []byte) (value uint64, n int) {
	const whole = 8
	for n < len(b) && n < whole {
		value = value<<7 | uint64(b[n]&0x7f)
		n++
		if b[n-1]&0x80 == 0 {
			return value, n
		}
	}
	if n == len(b) {
		return 0, 0
	}
	return value<<8 | uint64(b[n]), n + 1
}
