// Package masking takes out of a text what must not be kept in a history and what must not leave the panel.
package masking

import (
	"net/netip"
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// Stars stand where a secret stood.
const Stars = "•••"

// prefixed are secrets that are known by how they begin; the others are long and without meaning.
var prefixed = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(\d{5,12}:[\w-]{20,}|(ps|pt|pa|pe|sk|ghp|xox[a-z]|glpat|PNL)[-_][\w-]{8,}` +
		`|(vless|vmess|trojan|ss|hysteria2|hy2|wireguard)://\S+|age-secret-key-\S+)`)
})

var long = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[\w+/=-]{24,}`) })

// Secrets replaces what looks like a token, a key or a link with a key in it.
func Secrets(text string) string {
	text = prefixed().ReplaceAllString(text, Stars)
	return long().ReplaceAllStringFunc(text, func(word string) string {
		if meaningless(word) {
			return Stars
		}
		return word
	})
}

// meaningless says whether a long word mixes digits and letters as keys do. Identifiers of the panel stay.
func meaningless(word string) bool {
	if isID().MatchString(word) {
		return false
	}
	return strings.ContainsFunc(word, unicode.IsDigit) && strings.ContainsFunc(word, unicode.IsLetter) && !isPath(word)
}

// isPath tells a path from a key in base64, which may hold slashes as well: a path is not filled up at its end, and
// does not mix capitals with small letters unless it has dashes.
func isPath(word string) bool {
	mixed := strings.ContainsFunc(word, unicode.IsUpper) && strings.ContainsFunc(word, unicode.IsLower)
	return strings.Contains(word, "/") && !strings.HasSuffix(word, "=") && (!mixed || strings.ContainsAny(word, "-_"))
}

var isID = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
})

var (
	colons = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`[0-9A-Fa-f]{0,4}(:[0-9A-Fa-f]{0,4}){2,7}[0-9.]*`)
	})
	dots = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b\d{1,3}(\.\d{1,3}){3}\b`) })
)

// Addresses replaces IP addresses. Those of four numbers come last, as they may stand in what only looks like one of
// the other family.
func Addresses(text string) string {
	text = colons().ReplaceAllStringFunc(text, hidden)
	return dots().ReplaceAllStringFunc(text, hidden)
}

func hidden(word string) string {
	for _, address := range []string{strings.Trim(word, ":"), word} {
		if _, err := netip.ParseAddr(address); err == nil {
			return Stars
		}
	}
	return word
}
