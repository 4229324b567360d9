package refusals

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every code that stands among the texts has its status, its meaning and what to do in both languages.
func TestEveryCodeIsExplained(t *testing.T) {
	t.Parallel()
	require.Greater(t, len(Codes()), 150)
	russian := regexp.MustCompile(`[А-Яа-яё]`)
	for _, code := range Codes() {
		text, known := Of(code)
		require.True(t, known)
		require.GreaterOrEqual(t, text.Status, 400, code)
		require.NotEmpty(t, text.Meaning, code)
		require.NotEmpty(t, text.Advice["en"], code)
		require.Regexp(t, russian, text.Advice["ru"], code)
	}
	_, known := Of("no_such_code")
	require.False(t, known)
}
