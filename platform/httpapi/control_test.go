package httpapi

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/fault"
)

// Control characters are refused in whatever way JSON writes them; ends of lines and tabs, and what only looks like
// one, are not.
func TestControlCharactersAreFoundInEveryForm(t *testing.T) {
	t.Parallel()
	for _, refused := range []string{
		`{"a":"\u0000"}`, `{"a":"\u001F"}`, `{"a":"\u007f"}`, `{"a":"\b"}`, `{"a":"\f"}`, `["x",{"y":["\u0007"]}]`,
		`{"\u0001":1}`,
		`{"a":"\\\u0000"}`, `{"a":"\n\u0002"}`, "{\"a\":\"\x7f\"}",
	} {
		require.True(t, json.Valid([]byte(refused)), refused)
		require.Equal(t, fault.KindInvalid, fault.KindOf(storable([]byte(refused))), refused)
	}
	for _, taken := range []string{
		`{}`, `{"a":"\n\r\t"}`, `{"a":"\u000a\u000D\u0009"}`, `{"a":"\\u0000"}`, `{"a":"\\b\\f"}`, `{"a":"\"\/"}`,
		`{"a":"я 😀"}`,
		`{"a":"\\\\"}`, `{"a":"\u0020\u0080"}`, `"\\"`,
	} {
		require.True(t, json.Valid([]byte(taken)), taken)
		require.NoError(t, storable([]byte(taken)), taken)
	}
	require.Equal(t, fault.KindMalformed, fault.KindOf(storable([]byte("{\"a\":\"\xff\"}"))))
}

// FuzzControlCharacters: JSON that passes holds no control character in any of its texts.
func FuzzControlCharacters(f *testing.F) {
	for _, seed := range []string{`{"a":"\u0000"}`, `["\\","\b"]`, `"\\\\\u001f"`, `{"\u007f":"x"}`, `"\ud83d\ude00"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var value any
		if json.Unmarshal([]byte(text), &value) != nil || storable([]byte(text)) != nil {
			return
		}
		require.False(t, holdsControl(value), text)
	})
}

func holdsControl(value any) bool {
	switch v := value.(type) {
	case string:
		return strings.ContainsFunc(v, func(r rune) bool {
			return r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == 0x7f
		})
	case []any:
		for _, one := range v {
			if holdsControl(one) {
				return true
			}
		}
	case map[string]any:
		for name, one := range v {
			if holdsControl(name) || holdsControl(one) {
				return true
			}
		}
	}
	return false
}

// storable judges a document that may hold anything.
func storable(text []byte) error { return judged(nil, text, free) }
