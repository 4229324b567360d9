package message_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"panel/modules/notifications/internal/message"
)

func hostile() message.Message {
	long := strings.Repeat("<a & \u202e😀\x00\n", 3000)
	m := message.Message{
		Kind: "node.offline", Severity: "critical", Title: long, Name: long, Effect: long, Words: message.Russian,
		At: time.Unix(0, 0), Last: time.Unix(0, 0), Count: 3, Link: "https://panel.example/?a=\"b",
	}
	for range 9 {
		m.Details = append(m.Details, message.Detail{Label: "Reason", Text: long})
	}
	return m
}

// Rule: whatever names say, a message fits into the 4096 characters that messengers take, and its marks are its own.
func TestAHostileMessageFits(t *testing.T) {
	t.Parallel()
	text := hostile().HTML()
	visible := strings.NewReplacer("&lt;", "<", "&amp;", "&").Replace(text)
	require.Less(t, len(utf16.Encode([]rune(visible))), 4096)
	require.Equal(t, 1, strings.Count(text, "<b>"))
	require.Equal(t, 1, strings.Count(text, "<a "))
	require.NotContains(t, text, "\u202e")
	require.NotContains(t, hostile().Subject(), "\n")
	require.NotContains(t, hostile().Plain(), "\x00")
}

func TestTextOfOthersBecomesOneLine(t *testing.T) {
	t.Parallel()
	require.Equal(t, "a b c", message.Clean(" a\r\n b\t\u2028c\xff\u200f ", 9))
	require.Equal(t, "abc…", message.Clean("abcdef", 4))
}

// Rule: of an event's data people see what is named, and nothing else.
func TestOnlyNamedFactsAreShown(t *testing.T) {
	t.Parallel()
	facts := message.Read([]byte(`{"name":"n","token":"hidden","days_left":3,"failed":["a","b"],"reason":"r","revision":0}`))
	require.Equal(t, "n", facts.Name)
	require.Equal(t, []message.Detail{
		{Label: "Reason", Text: "r"}, {Label: "Failed", Text: "a, b"}, {Label: "Days left", Text: "3"},
	}, facts.Details(message.English))
	require.Empty(t, message.Read([]byte("null")).Details(message.English))
}
