package webhooks

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/proxypanel/internal/remnawave"
)

// Of a body only the id of what it is about is read, and only in the one form that such an id has.
func TestOnlyAnIdIsReadOfABody(t *testing.T) {
	t.Parallel()
	const id = "0199a0de-0000-7000-8000-00000000000a"
	for _, one := range []struct{ scope, data, want string }{
		{"user", `{"id":7}`, "user 7"},
		{"user", `{"id":9223372036854775807}`, "user 9223372036854775807"},
		{"user", `{"id":7,"uuid":"` + id + `","user":{"id":8}}`, "user 7"},
		{"user_hwid_devices", `{"id":7,"user":{"id":8}}`, "user 8"},
		{"torrent_blocker", `{"user":{"id":9}}`, "user 9"},
		{"node", `{"uuid":"` + id + `","id":7}`, "node " + id},
		{"node", `{"uuid":"` + strings.ToUpper(id) + `"}`, "node " + id},
		{"user", `{"id":"7"}`, " "},
		{"user", `{"id":0}`, " "},
		{"user", `{"id":-7}`, " "},
		{"user", `{"id":7.0}`, " "},
		{"user", `{"id":7e1}`, " "},
		{"user", `{"id":9223372036854775808}`, " "},
		{"user", `{"id":[7]}`, " "},
		{"user", `{"user":{"id":8}}`, " "},
		{"user_hwid_devices", `{"id":7}`, " "},
		{"node", `{"id":7}`, " "},
		{"node", `{"uuid":"{` + id + `}"}`, " "},
		{"node", `{"uuid":"urn:uuid:` + id + `"}`, " "},
		{"node", `{"uuid":"` + strings.ReplaceAll(id, "-", "") + `"}`, " "},
		{"node", `{"uuid":"` + id + `/actions/disable"}`, " "},
		{"node", `{"uuid":7}`, " "},
		{"service", `{"id":7,"uuid":"` + id + `"}`, " "},
		{"User", `{"id":7}`, " "},
		{"", `{"id":7}`, " "},
	} {
		said := message{Scope: one.scope}
		require.NoError(t, json.Unmarshal([]byte(one.data), &said.Data), one)
		kind, subject := said.subject()
		require.Equal(t, one.want, kind+" "+subject, one)
	}
}

// Secrets are those that a Remnawave takes itself.
func TestASecretIsOneThatARemnawaveTakes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		strings.Repeat("a", 32): true, strings.Repeat("Z9", 64): true, strings.Repeat("a", 31): false,
		strings.Repeat("a", 129): false, strings.Repeat("a", 40) + "\n": false, strings.Repeat("a-", 20): false,
		" " + strings.Repeat("a", 40): false, strings.Repeat("é", 40): false,
	} {
		require.Equal(t, want, secret().MatchString(text), "%.8q", text)
	}
}

// The other panel has no such object where it says so itself; a page of whoever stands before it says nothing of that.
func TestGoneIsWhatThePanelItselfSays(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		err  error
		want bool
	}{
		"its own answer":     {&remnawave.Problem{Status: http.StatusNotFound, Code: "A063"}, true},
		"wrapped":            {fmt.Errorf("read: %w", &remnawave.Problem{Status: http.StatusNotFound, Code: "A063"}), true},
		"a page":             {&remnawave.Problem{Status: http.StatusNotFound, Cause: remnawave.GatePage}, false},
		"another status":     {&remnawave.Problem{Status: http.StatusInternalServerError, Code: "A063"}, false},
		"no answer":          {errors.New("x"), false},
		"nothing went wrong": {nil, false},
	} {
		require.Equal(t, one.want, gone(one.err), name)
	}
	require.NoError(t, later(t.Context(), &remnawave.Problem{Cause: remnawave.PanelFailed}), "hints wait for the schedule")
	other := errors.New("the database is away")
	require.ErrorIs(t, later(t.Context(), other), other)
	one, another := New(Tools{}), New(Tools{})
	require.NotEqual(t, one.nobody, another.nobody, "nobody's secret is nobody's")
}
