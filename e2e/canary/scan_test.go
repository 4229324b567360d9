package canary

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// secret is one planted value.
type secret struct{ name, value string }

// forms are the spellings under which a value may hide: as it is, in JSON, in an address, in hex, in base64 at each of
// its three alignments.
func forms(value string) []string {
	quoted, _ := json.Marshal(value)
	all := []string{
		value, strings.Trim(string(quoted), `"`), url.QueryEscape(value), url.PathEscape(value),
		hex.EncodeToString([]byte(value)),
		strings.ToUpper(hex.EncodeToString([]byte(value))),
	}
	for shift := range 3 {
		for _, coding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			padded := append(make([]byte, shift), value...)
			text := coding.EncodeToString(padded[:len(padded)-len(padded)%3])
			all = append(all, text[min(len(text), (shift*8+5)/6):])
		}
	}
	if bare := strings.ReplaceAll(value, "-", ""); len(bare) >= shortest {
		all = append(all, bare) // an identifier without dashes, as a database keeps its bytes in hex
	}
	return all
}

const shortest = 12

// book holds what was planted and finds it again.
type book struct {
	secrets []secret
	forms   map[string][][]byte
}

func (b *book) plant(t *testing.T, name, value string) string {
	t.Helper()
	require.GreaterOrEqual(t, len(value), 8, "%s is too short to be found for certain", name)
	if b.forms == nil {
		b.forms = map[string][][]byte{}
	}
	b.secrets = append(b.secrets, secret{name, value})
	for _, form := range forms(value) {
		b.forms[name] = append(b.forms[name], []byte(form))
	}
	return value
}

// found names the secrets in the content, however it is packed.
func (b *book) found(content []byte) map[string]bool {
	names := map[string]bool{}
	for _, layer := range layers(content, 0) {
		for name, spellings := range b.forms {
			for _, spelling := range spellings {
				if bytes.Contains(layer, spelling) {
					names[name] = true
				}
			}
		}
	}
	return names
}

const deepest = 4

// layers are the content itself and whatever can be unpacked from it.
func layers(content []byte, depth int) [][]byte {
	all := [][]byte{content}
	if depth == deepest {
		return all
	}
	for _, inner := range unpacked(content) {
		all = append(all, layers(inner, depth+1)...)
	}
	return all
}

func unpacked(content []byte) (inner [][]byte) {
	for at, rest := 0, content; ; {
		i := bytes.Index(rest, []byte{0x1f, 0x8b, 0x08})
		if i < 0 {
			break
		}
		at += i
		if reader, err := gzip.NewReader(bytes.NewReader(content[at:])); err == nil {
			reader.Multistream(false)
			plain, _ := io.ReadAll(io.LimitReader(reader, 64<<20)) // what could be read is looked at
			inner = append(inner, plain)
		}
		at, rest = at+1, content[at+1:]
	}
	if packed, err := zip.NewReader(bytes.NewReader(content), int64(len(content))); err == nil {
		for _, file := range packed.File {
			if opened, err := file.Open(); err == nil {
				plain, _ := io.ReadAll(io.LimitReader(opened, 64<<20))
				inner = append(inner, plain, []byte(file.Name))
			}
		}
	}
	return append(inner, tarred(content)...)
}

func tarred(content []byte) (inner [][]byte) {
	for reader := tar.NewReader(bytes.NewReader(content)); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) || err != nil {
			return inner
		}
		plain, _ := io.ReadAll(io.LimitReader(reader, 64<<20))
		inner = append(inner, plain, []byte(header.Name))
	}
}

// The scan can fail: it finds a planted value in every spelling and packing that it claims to know.
func TestTheScanFindsACanaryHoweverItIsPacked(t *testing.T) {
	t.Parallel()
	b := &book{}
	value := b.plant(t, "canary", `c4n4ry "of/the+test"?`)
	var zipped bytes.Buffer
	packer := gzip.NewWriter(&zipped)
	_, _ = packer.Write([]byte("before " + value + " after"))
	require.NoError(t, packer.Close())
	for name, content := range map[string]string{
		"plain": value, "JSON": `{"x":"c4n4ry \"of/the+test\"?"}`, "query": "?x=" + url.QueryEscape(value),
		"hex":           hex.EncodeToString([]byte("x" + value)),
		"base64":        base64.StdEncoding.EncodeToString([]byte(value)),
		"shifted":       base64.StdEncoding.EncodeToString([]byte("a" + value + "tail")),
		"shifted twice": base64.URLEncoding.EncodeToString([]byte("ab" + value + "tail")), "gzip": zipped.String(),
		"behind": "noise" + zipped.String(),
	} {
		require.True(t, b.found([]byte("..." + content + "..."))["canary"], name)
	}
	require.Empty(t, b.found([]byte("c4n4ry of the test")))
}
