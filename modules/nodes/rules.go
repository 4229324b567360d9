package nodes

import (
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"

	"panel/platform/fault"
	"panel/platform/pattern"
)

var hostPattern = pattern.Of(`^([a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\.)*[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\.?$`)

// isHost reports whether the text is an IP address or a host name.
func isHost(text string) bool {
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

const mostTags = 20

// check holds the rules that go beyond lengths and forms. Fault: invalid_value (422).
func (row *nodeRow) check() error {
	if n := utf8.RuneCountInString(row.Name); n < 3 || n > 64 {
		return fault.InvalidValue("name", "must have 3 to 64 characters")
	}
	if row.Address != "" && !isHost(row.Address) {
		return fault.InvalidValue("address", "must be an IP address or a host name")
	}
	if len(row.Tags) > mostTags {
		return fault.InvalidValue("tags", "must have at most 20 items")
	}
	for i, ip := range row.IPs {
		addr, err := netip.ParseAddr(ip.IP)
		if err != nil || (ip.Family == 4) != addr.Unmap().Is4() {
			return fault.InvalidValue("ips."+strconv.Itoa(i)+".ip", "must be an IP address of its family")
		}
	}
	return nil
}
