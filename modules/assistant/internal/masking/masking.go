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
	return strings.ContainsFunc(word, unicode.IsDigit) && strings.ContainsFunc(word, unicode.IsLetter) &&
		!strings.Contains(word, "/")
}

var isID = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
})

var addresses = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b\d{1,3}(\.\d{1,3}){3}\b|[0-9A-Fa-f]{0,4}(:[0-9A-Fa-f]{0,4}){2,7}[0-9.]*`)
})

// Addresses replaces IP addresses.
func Addresses(text string) string {
	return addresses().ReplaceAllStringFunc(text, func(word string) string {
		if _, err := netip.ParseAddr(strings.Trim(word, ":")); err == nil {
			return Stars
		}
		if _, err := netip.ParseAddr(word); err == nil {
			return Stars
		}
		return word
	})
}
