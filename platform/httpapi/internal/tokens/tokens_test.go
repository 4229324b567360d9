package tokens

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Whatever is valid is taken apart into the same tokens as by the library, and More says the same before each.
func same(t require.TestingT, text []byte) {
	library, ours := json.NewDecoder(bytes.NewReader(text)), Of(text)
	library.UseNumber()
	for depth := 0; ; {
		if depth > 0 {
			require.Equal(t, library.More(), ours.More())
		}
		beside := ours
		plain, isPlain := beside.Plain()
		wanted, err := library.Token()
		if errors.Is(err, io.EOF) {
			require.False(t, isPlain)
			require.Nil(t, ours.Next())
			require.False(t, ours.More())
			return
		}
		require.NoError(t, err)
		if isPlain {
			samePlain(t, wanted, plain)
			require.Equal(t, beside.More(), func() bool { after := ours; after.Next(); return after.More() }())
		}
		require.Equal(t, wanted, ours.Next())
		switch wanted {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
}

// A plain token means what the library says.
func samePlain(t require.TestingT, wanted json.Token, plain []byte) {
	switch wanted := wanted.(type) {
	case string:
		require.Equal(t, wanted, string(plain[1:len(plain)-1]))
	case json.Number:
		require.Equal(t, wanted.String(), string(plain))
	case bool:
		require.Equal(t, wanted, string(plain) == "true")
	default:
		require.Fail(t, "a token that is not plain", "%v as %q", wanted, plain)
	}
}

func TestPlainTokensAreTextsWithoutEscapesNumbersAndTruths(t *testing.T) {
	t.Parallel()
	for text, plain := range map[string]bool{
		`"a"`: true, `""`: true, `"é"`: true, `12`: true, `-1.5e3`: true, ` true`: true, `false`: true,
		`"a\n"`: false, `"\""`: false, `null`: false, `{}`: false, `[`: false, ``: false, `"`: false, `?`: false,
	} {
		r := Of([]byte(text))
		token, ok := r.Plain()
		require.Equal(t, plain, ok, text)
		if ok {
			require.Equal(t, strings.TrimSpace(text), string(token))
		} else {
			require.Zero(t, r.at, text)
		}
	}
}

var samples = []string{
	`null`, `true`, `false`, `0`, `-1.5E+10`, `1e-7`, `""`, `"plain"`, `"\"\\\/\b\f\n\r\t"`, `"\u00e9\ud83d\ude00"`,
	`"\ud83d"`, `"\ude00\ud83dx"`, `"\\"`, `"a\\\""`, `{}`, `[]`, "{\"a\" :\t[1 ,{} , \"}\",\r\n null] , \"b,:\": {\"\\u0061\":true}}",
	"\"\u2028é😀\x7f\"",
}

func TestTokensAreThoseOfTheLibrary(t *testing.T) {
	t.Parallel()
	for _, text := range samples {
		same(t, []byte(text))
		same(t, []byte(" "+text+"\n"))
	}
	rapid.Check(t, func(t *rapid.T) {
		text, err := json.Marshal(value(4).Draw(t, "value"))
		require.NoError(t, err)
		same(t, text)
		var wide bytes.Buffer
		require.NoError(t, json.Indent(&wide, text, " ", "\t"))
		same(t, wide.Bytes())
	})
}

func value(depth int) *rapid.Generator[any] {
	leaves := []*rapid.Generator[any]{
		rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.Float64().AsAny(), rapid.Int64().AsAny(),
		rapid.String().AsAny(),
	}
	if depth == 0 {
		return rapid.OneOf(leaves...)
	}
	inner := rapid.Deferred(func() *rapid.Generator[any] { return value(depth - 1) })
	return rapid.OneOf(append(leaves,
		rapid.SliceOfN(inner, 0, 4).AsAny(), rapid.MapOfN(rapid.String(), inner, 0, 4).AsAny())...)
}

func FuzzTokens(f *testing.F) {
	for _, text := range samples {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if json.Valid(text) {
			same(t, text)
		}
	})
}

// A text that is not valid, which nobody may give, ends all the same.
func TestABrokenTextEnds(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`"`, `"\`, `"a\"`, `{"a`, `[1,`, `tru`} {
		r := Of([]byte(text))
		for range len(text) + 1 {
			r.Next()
		}
		require.False(t, r.More())
	}
}

var text = []byte(`{"type":"result","call":7,"result":{"id":"` + strings.Repeat("0197", 9) +
	`","ok":true,"code":"ok","data":{"running_revision":12,"switch_ms":3.5},"started_at":"2026-11-23T07:00:00Z"}}`)

func BenchmarkTokens(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		for r := Of(text); r.at < len(r.text); {
			r.Next()
		}
	}
}

func BenchmarkTokensOfTheLibrary(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		library := json.NewDecoder(bytes.NewReader(text))
		library.UseNumber()
		for {
			if _, err := library.Token(); err != nil {
				break
			}
		}
	}
}
