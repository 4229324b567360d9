package abuse

import (
	"cmp"
	"net/netip"
	"slices"

	"panel/cmd/panel-agent/internal/core"
	"panel/platform/agentapi"
)

// knowsSources says whether sessions of an inbound show where they come from. In a tunnel of WireGuard everybody has
// the address that the panel gave; behind a proxy on this machine, everybody has its address, unless it says more.
func knowsSources(e core.Entrance) bool {
	if e.Protocol == "wireguard" {
		return false
	}
	at, err := netip.ParseAddr(e.IP)
	return e.Announce || err != nil || !at.IsLoopback()
}

// coverageOf says of each inbound what is seen of it. Whole is false where some time of the window was not watched.
func coverageOf(entrances []core.Entrance, whole bool) []agentapi.Coverage {
	all := make([]agentapi.Coverage, 0, len(entrances))
	for _, e := range entrances {
		source := agentapi.CoverageStats
		if e.Announce {
			source = agentapi.CoverageProxy
		}
		all = append(all, agentapi.Coverage{InboundTag: e.Tag, Source: source, Complete: whole && knowsSources(e)})
	}
	slices.SortFunc(all, func(a, b agentapi.Coverage) int { return cmp.Compare(a.InboundTag, b.InboundTag) })
	return all
}
