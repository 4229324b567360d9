package dat

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/runtime/protoimpl"

	"panel/platform/testneed/geofiles"
)

// small is a file with all that a list of names may hold.
func small() []byte {
	return geofiles.File(
		geofiles.Names("one", geofiles.Name{Kind: geofiles.Domain, Value: "a.example", Attributes: []string{"ads", "cn"}},
			geofiles.Name{Kind: geofiles.Keyword, Value: "b"}),
		geofiles.Names("two", geofiles.Name{Kind: geofiles.Regex, Value: "^c$"}, geofiles.Name{Kind: geofiles.Full, Value: "d.example"}))
}

// A file that broke off is truncated wherever that was, unless it ends between two categories: then it is a whole one.
func TestAFileThatBrokeOffAnywhereIsTruncated(t *testing.T) {
	t.Parallel()
	for name, raw := range map[string][]byte{
		"names":    small(),
		"networks": geofiles.File(geofiles.Net("a", "192.0.2.0/24", "2001:db8::/32"), geofiles.Net("b", "10.0.0.0/8")),
	} {
		file, err := read(raw)
		require.NoError(t, err, name)
		between := int(file.Categories[0].Offset + file.Categories[0].Length)
		for end := 1; end < len(raw); end++ {
			part, err := read(raw[:end])
			if end == between {
				require.NoError(t, err, name)
				require.Len(t, part.Categories, 1, name)
				continue
			}
			require.Equal(t, Truncated, reason(err), "%s: %d of %d bytes", name, end, len(raw))
			_, err = Read(bytes.NewReader(raw[:end]), int64(len(raw)), nil)
			require.Equal(t, Truncated, reason(err), "%s: %d bytes where %d were announced", name, end, len(raw))
		}
	}
}

// What is read as a list can be read by the core, whose library knows the form by itself: whatever byte of a file is
// another one, the file is refused, or the library reads just as many entries.
func TestWhatIsTakenCanBeReadByTheCore(t *testing.T) {
	t.Parallel()
	good := small()
	taken := 0
	for at := range good {
		for b := range 256 {
			raw := bytes.Clone(good)
			raw[at] = byte(b)
			sameAsTheLibrary(t, raw, fmt.Sprintf("byte %d is %#x", at, b), &taken)
		}
		sameAsTheLibrary(t, append(bytes.Clone(good[:at]), good[at+1:]...), fmt.Sprintf("without byte %d", at), &taken)
	}
	require.Greater(t, taken, len(good), "nothing was taken at all")
}

func sameAsTheLibrary(t *testing.T, raw []byte, what string, taken *int) {
	t.Helper()
	file, err := read(raw)
	if err != nil {
		require.NotNil(t, AsRefusal(err), "%s: an error without a reason: %v", what, err)
		return
	}
	*taken++
	var list siteList
	require.NoError(t, proto.Unmarshal(raw, protoimpl.X.ProtoMessageV2Of(&list)), what)
	entries := 0
	for i, one := range list.Entry {
		require.Equal(t, strings.ToUpper(file.Categories[i].Name), one.Code, what)
		entries += len(one.Domain)
	}
	require.Equal(t, entries, file.Entries, what)
}

// category is one whose body is written by hand, behind its code.
func category(body ...byte) []byte {
	return protowire.AppendBytes([]byte{0x0a}, append([]byte{0x0a, 1, 'A'}, body...))
}

// Fields of no known form, and numbers and lengths that cannot be, are refused however deep they stand.
func TestFieldsThatCannotBeAreRefused(t *testing.T) {
	t.Parallel()
	item := []byte{0x12, 3, 0x12, 1, 'x'}
	with := func(before ...byte) []byte { return category(append(before, item...)...) }
	eleven := bytes.Repeat([]byte{0x80}, 10)
	for name, raw := range map[string][]byte{
		"a field without a number":       with(0x00, 0x01),
		"a field of a group":             with(0x1b, 0x1c),
		"an end of a group":              with(0x1c),
		"a form that there is not":       with(0x1e, 0x00),
		"a number of a field too large":  with(0x80, 0x80, 0x80, 0x80, 0x10, 0x00),
		"a number of more than 64 bits":  with(0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02),
		"a number of eleven bytes":       with(append(append([]byte{0x18}, eleven...), 0x00)...),
		"a length of more than 64 bits":  append([]byte{0x0a}, append(bytes.Repeat([]byte{0xff}, 9), 0x7f)...),
		"an item longer than its list":   category(0x12, 9, 0x12, 1, 'x'),
		"32 bits of which two are there": category(0x1d, 1, 2),
		"64 bits of which two are there": category(0x19, 1, 2),
		"bytes that are longer":          category(0x1a, 5, 1),
		"a key that is no text":          category(0x12, 8, 0x12, 1, 'x', 0x1a, 3, 0x0a, 1, 0xff),
		"a key longer than its place":    category(0x12, 8, 0x12, 1, 'x', 0x1a, 3, 0x0a, 9, 'a'),
		"an item of an impossible field": category(0x12, 5, 0x12, 1, 'x', 0x00, 0x01),
		"a code that comes again":        with(0x0a, 1, 0xff),
		"a tag of a list of its own":     append(with(), 0x12, 0x00),
		"a number instead of a list":     {0x08, 0x01},
	} {
		_, err := read(raw)
		require.NotNil(t, AsRefusal(err), "%s: %v", name, err)
		require.Contains(t, []string{NotGeoData, Truncated}, reason(err), name)
	}
	_, err := read(with(0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01))
	require.NoError(t, err, "the largest number of 64 bits is one")
	_, err = read(with(0xf8, 0xff, 0xff, 0xff, 0x0f, 0x00))
	require.NoError(t, err, "the largest number of a field is one")
}

// endless gives zeros and counts them.
type endless struct{ given int }

func (e *endless) Read(into []byte) (int, error) {
	clear(into)
	e.given += len(into)
	return len(into), nil
}

// An entry that announces megabytes is refused before they are read, although they would come.
func TestAnAnnouncedLengthIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	announced := append(protowire.AppendVarint([]byte{0x0a}, MaxSize-8), 0x0a, 1, 'A', 0x12)
	announced = protowire.AppendVarint(announced, MaxSize-32)
	rest := &endless{}
	_, err := Read(io.MultiReader(bytes.NewReader(announced), rest), MaxSize, nil)
	require.Equal(t, NotGeoData, reason(err))
	require.LessOrEqual(t, rest.given, 2*bufferSize)
	_, err = read(protowire.AppendVarint([]byte{0x0a}, 1<<40))
	require.Equal(t, Truncated, reason(err))
}

// The first category may have any length, also one that as a letter begins a page.
func TestACategoryOfAnyLengthIsNoPage(t *testing.T) {
	t.Parallel()
	for length := 1; length < 200; length++ {
		raw := geofiles.Site("a", strings.Repeat("x", length))
		_, err := read(raw)
		require.NoError(t, err, "a list of %d bytes", len(raw))
	}
	for _, page := range []string{"<html>", "<!doctype html>", "<?xml version='1.0'?>", " \n\t<HTML>", "\xef\xbb\xbf</p>"} {
		_, err := read([]byte(page))
		require.Equal(t, HTML, reason(err), page)
	}
}

// Of categories there may be so many, and of attributes of one entry; codes have a largest length.
func TestCountsHaveTheirLimits(t *testing.T) {
	t.Parallel()
	many := make([][]byte, MaxCategories)
	for i := range many {
		many[i] = geofiles.Site(fmt.Sprintf("c%d", i), "a.example")
	}
	file, err := read(geofiles.File(many...))
	require.NoError(t, err)
	require.Len(t, file.Categories, MaxCategories)
	_, err = read(geofiles.File(append(many, many[0])...))
	require.NoError(t, err, "one that comes again is none more")
	_, err = read(geofiles.File(append(many, geofiles.Site("one-more", "a.example"))...))
	require.Equal(t, TooLarge, reason(err))

	long := string(bytes.Repeat([]byte("a"), maxCode))
	file, err = read(geofiles.Site(long, "a.example"))
	require.NoError(t, err)
	require.Equal(t, long, file.Categories[0].Name)
	_, err = read(geofiles.Site(long+"a", "a.example"))
	require.Equal(t, NotGeoData, reason(err))

	keys := make([]string, maxAttributes+3)
	for i := range keys {
		keys[i] = fmt.Sprint("key", i)
	}
	raw := geofiles.Names("a", geofiles.Name{Value: "x", Attributes: keys})
	_, err = Read(bytes.NewReader(raw), int64(len(raw)), func(_ int, i *Item) error {
		require.Equal(t, keys[:maxAttributes], i.Attributes)
		return nil
	})
	require.NoError(t, err)
	_, err = read(geofiles.Site("a", string(bytes.Repeat([]byte("a"), maxItem-8))))
	require.NoError(t, err)
}

// A code is what flows can write: no space, no sign that parts a category from its file or its attribute.
func TestACodeIsWhatFlowsCanWrite(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"A", "GEOLOCATION-!CN", "CATEGORY_ADS", "1", "A.B+C", "~"} {
		_, err := read(coded(code))
		require.NoError(t, err, code)
	}
	for _, code := range []string{"A B", "A:B", "A@B", "A\x00", "A\n", "Ä", "\x7f", "a", "Ab", " "} {
		_, err := read(coded(code))
		require.Equal(t, NotGeoData, reason(err), "%q", code)
	}
}

// coded is a category of one name with a code as it is.
func coded(code string) []byte {
	body := protowire.AppendBytes([]byte{0x0a}, []byte(code))
	return protowire.AppendBytes([]byte{0x0a}, append(body, 0x12, 3, 0x12, 1, 'x'))
}

// However a source hands its bytes over, the same is read; what goes wrong there or at the visitor is told as it is.
func TestTheWayOfTheBytesIsNoDifference(t *testing.T) {
	t.Parallel()
	raw := small()
	want, err := read(raw)
	require.NoError(t, err)
	for name, source := range map[string]io.Reader{
		"byte by byte": iotest.OneByteReader(bytes.NewReader(raw)), "in halves": iotest.HalfReader(bytes.NewReader(raw)),
		"with its end": iotest.DataErrReader(bytes.NewReader(raw)), "and more": io.MultiReader(bytes.NewReader(raw), bytes.NewReader(raw)),
	} {
		got, err := Read(source, int64(len(raw)), nil)
		require.NoError(t, err, name)
		require.Equal(t, want, got, name)
	}
	enough := errors.New("enough")
	visits := 0
	_, err = Read(bytes.NewReader(raw), int64(len(raw)), func(int, *Item) error {
		visits++
		return enough
	})
	require.ErrorIs(t, err, enough)
	require.Nil(t, AsRefusal(err))
	require.Equal(t, 1, visits)
	require.EqualError(t, refuse(Empty, "no %s", "bytes"), "empty: no bytes")
	require.Nil(t, AsRefusal(nil))
	require.NotNil(t, AsRefusal(fmt.Errorf("look: %w", refuse(Empty, "x"))))
}

// A file that has changed under its index is an error, and no other entry.
func TestAFileThatChangesUnderItsIndexIsAnError(t *testing.T) {
	t.Parallel()
	raw := geofiles.File(geofiles.Site("a", "a.example", "b.example", strings.Repeat("x", 200)))
	there := &changing{raw}
	x, err := NewIndex(there, int64(len(raw)))
	require.NoError(t, err)
	found, err := x.Name("a.example")
	require.Len(t, matches(t, found, err), 1)
	there.raw = bytes.Repeat([]byte{0xff}, len(raw))
	_, err = x.Name("a.example")
	require.ErrorIs(t, err, errForm)
	require.ErrorContains(t, err, "it has changed")
	there.raw = raw[:8]
	_, err = x.Name("b.example")
	require.Error(t, err)
}

type changing struct{ raw []byte }

func (c *changing) ReadAt(into []byte, at int64) (int, error) {
	return bytes.NewReader(c.raw).ReadAt(into, at)
}
