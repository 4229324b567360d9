package app_test

import (
	"net/http"
	"reflect"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is compressed is what people read with a session: nothing that changes something, nothing for agents and
// strangers.
func TestOnlyWhatASessionReadsIsCompressed(t *testing.T) {
	t.Parallel()
	wanted, compressed := policies(t), 0
	for _, op := range everything(t).App.Server().Routes() {
		if !op.Compressed() {
			continue
		}
		compressed++
		name := op.Method + " " + op.Path
		require.Equal(t, http.MethodGet, op.Method, name)
		require.Equal(t, "session", wanted[name].access, name)
	}
	require.Greater(t, compressed, 20)
}

var secretMember = regexp.MustCompile(`^url$|(^|_)(token|secret|password|passphrase|private_key|license_key|recovery_codes|uri|otp)$`)

// An answer that shows something secret is never compressed: neither one that says so nor one whose member has the name
// of a secret.
func TestNoAnswerThatCarriesASecretIsCompressed(t *testing.T) {
	t.Parallel()
	secrets := 0
	for _, op := range everything(t).App.Server().Routes() {
		if op.Answer() == nil {
			continue
		}
		member := secretIn(op.Answer(), map[reflect.Type]bool{})
		if member == "" {
			continue
		}
		secrets++
		require.False(t, op.Compressed(), "%s %s answers with %s: declare it with httpapi.Reveals", op.Method, op.Path,
			member)
	}
	require.Greater(t, secrets, 5, "sign-in, tokens, links and codes are found")
}

// secretIn names the first member of an answer that holds a secret. One that is only ever sent to the panel is in no
// answer, and one that says that it is public has the name of a secret and is none: a token of a geo file.
func secretIn(answer reflect.Type, seen map[reflect.Type]bool) string {
	switch answer.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Array:
		return secretIn(answer.Elem(), seen)
	case reflect.Struct:
	default:
		return ""
	}
	if seen[answer] {
		return ""
	}
	seen[answer] = true
	for i := range answer.NumField() {
		field := answer.Field(i)
		if field.Tag.Get("writeOnly") == "true" || field.Tag.Get("public") == "true" {
			continue
		}
		name := regexp.MustCompile(`^[^,]*`).FindString(field.Tag.Get("json"))
		if field.Tag.Get("doc") == "Shown this once" || isText(field.Type) && secretMember.MatchString(name) {
			return name
		}
		if inner := secretIn(field.Type, seen); inner != "" {
			return inner
		}
	}
	return ""
}

// isText says whether a value of the type can be a secret itself: a text, or several.
func isText(kind reflect.Type) bool {
	for kind.Kind() == reflect.Pointer || kind.Kind() == reflect.Slice {
		kind = kind.Elem()
	}
	return kind.Kind() == reflect.String
}
