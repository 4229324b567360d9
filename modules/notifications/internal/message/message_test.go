package message_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"panel/modules/notifications/internal/message"
	"panel/platform/outbound"
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

// Rule: every reason has its words in both languages, with the same places; an unknown one is what the receiver said.
func TestReasonsHaveWordsInBothLanguages(t *testing.T) {
	t.Parallel()
	for code, english := range message.English.Reasons {
		russian := message.Russian.Reasons[code]
		require.Regexp(t, "[а-я]", russian, code)
		require.Equal(t, strings.Count(english, "{"), strings.Count(russian, "{"), code)
	}
	require.Len(t, message.Russian.Reasons, len(message.English.Reasons))
	for _, err := range []error{
		outbound.ErrForbidden, outbound.ErrTooLarge, context.DeadlineExceeded, syscall.ECONNREFUSED, io.EOF,
		&net.DNSError{IsNotFound: true}, errors.New("tls: bad"), errors.New("else"),
	} {
		require.Contains(t, message.English.Reasons, outbound.CauseOf(err).Code)
	}
	unknown := message.Because("of another version", "as\x00 it was\nsaid")
	require.Equal(t, "as it was said", message.Russian.Reason(unknown))
}

// Rule: of an event's data people see what is named, and nothing else.
func TestOnlyNamedFactsAreShown(t *testing.T) {
	t.Parallel()
	facts := message.Read([]byte(`{"name":"n","token":"hidden","days_left":3,"failed":["a","b"],"reason":"r","revision":0}`))
	require.Equal(t, "n", facts.Name)
	require.Equal(t, []message.Detail{
		{Label: "Reason", Text: "r"}, {Label: "Failed", Text: "a, b"}, {Label: "Days left", Text: "3"},
	}, facts.Details(message.English, asItIs))
	require.Empty(t, message.Read([]byte("null")).Details(message.English, asItIs))
}

func asItIs(text string) string { return text }

// What the panel says in a sentence of its own reaches people in their language; what others said stays as it is.
func TestSentencesOfThePanelAreTranslated(t *testing.T) {
	t.Parallel()
	facts := message.Read([]byte(`{"name":"n","action_title":"Restart core","cause":"the core","error":"the core"}`))
	russian := map[string]string{"Restart core": "Перезапуск ядра", "the core": "ядро"}
	require.Equal(t, []message.Detail{
		{Label: "Действие", Text: "Перезапуск ядра"},
		{Label: "Вероятная причина", Text: "ядро"},
		{Label: "Ошибка", Text: "the core"},
	}, facts.Details(message.Russian, func(text string) string { return russian[text] }))
}
