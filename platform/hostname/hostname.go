// Package hostname knows which texts can be the address of a host.
package hostname

import (
	"net/netip"
	"strconv"
	"strings"

	"panel/platform/pattern"
)

var hostPattern = pattern.Of(`^([a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\.)*[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\.?$`)

// Is reports whether the text is an IP address or a host name.
func Is(text string) bool {
	if _, err := netip.ParseAddr(text); err == nil {
		return true
	}
	return len(text) <= 253 && hostPattern().MatchString(text) && !looksNumeric(text)
}

// looksNumeric refuses decimal and dotted numbers that are not addresses but that resolvers may take for one.
func looksNumeric(text string) bool {
	last := text[strings.LastIndexByte(strings.TrimSuffix(text, "."), '.')+1:]
	_, err := strconv.ParseUint(strings.TrimPrefix(strings.ToLower(strings.TrimSuffix(last, ".")), "0x"), 16, 64)
	return err == nil && strings.ContainsAny(last[:1], "0123456789")
}
