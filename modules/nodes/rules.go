package nodes

import (
	"net/netip"
	"strconv"
	"unicode/utf8"

	"panel/platform/fault"
	"panel/platform/hostname"
)

const (
	mostTags       = 20
	usualNotifyPct = 80
)

// check holds the rules that go beyond lengths and forms. Fault: invalid_value (422).
func (row *nodeRow) check() error {
	if n := utf8.RuneCountInString(row.Name); n < 3 || n > 64 {
		return fault.InvalidValue("name", "must have 3 to 64 characters")
	}
	if row.Address != "" && !hostname.Is(row.Address) {
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
