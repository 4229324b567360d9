package audit

import (
	"strings"

	"panel/platform/pattern"
)

const (
	longestValue = 2000
	changed      = "set"
	emptied      = "unset"
)

var secretName = pattern.Of(`(?i)(passw|secret|token|private|credential|api_?key|seed|recovery|totp)`)

// masked is the second line of defence: callers already pass "set" and "unset", but a
// field whose name speaks of a secret never gets its value into the journal.
func masked(changes map[string]Change) map[string]Change {
	safe := make(map[string]Change, len(changes))
	for field, change := range changes {
		if secretName().MatchString(field) {
			change = Change{From: hide(change.From), To: hide(change.To)}
		}
		safe[field] = Change{From: short(change.From), To: short(change.To)}
	}
	return safe
}

func hide(value any) any {
	switch v := value.(type) {
	case nil, bool, int:
		return v
	case string:
		if v == "" || v == emptied {
			return emptied
		}
	}
	return changed
}

func short(value any) any {
	if text, ok := value.(string); ok && len(text) > longestValue {
		return strings.ToValidUTF8(text[:longestValue], "") + "…"
	}
	return value
}

// plain makes any text storable: PostgreSQL takes neither NUL nor broken UTF-8.
func plain(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}
