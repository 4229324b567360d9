package texts

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// A text is cut at its beginning, never inside a character, and what the database does not take is gone.
func TestATextIsCutToItsEnd(t *testing.T) {
	t.Parallel()
	require.Equal(t, "abc", Clip("abc", 3))
	require.Equal(t, "bc", Clip("abc", 2))
	require.Equal(t, "яя", Clip("яяя", 5), "half a character is none")
	require.Equal(t, "ab", Clip("a\x00b", 9))
	require.Empty(t, Clip("", 0))
	for most := range 12 {
		cut := Clip("a\xffбв\x00😀", most)
		require.LessOrEqual(t, len(cut), max(most, 0))
		require.True(t, utf8.ValidString(cut))
		require.NotContains(t, cut, "\x00")
	}
}
