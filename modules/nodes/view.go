package nodes

import (
	"net/netip"
	"strconv"
	"strings"
	"time"

	"panel/modules/nodes/internal/install"
	"panel/modules/nodes/internal/traffic"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
)

// node shows a row. Now and the heartbeat decide what "lately" means.
func (s *store) node(row *viewRow, now time.Time) Node {
	agent := s.agent(row, now)
	n := Node{
		ID: row.ID, Name: row.Name, Address: row.Address, IPs: list(row.IPs), CountryCode: row.CountryCode,
		Region: row.Region, City: row.City,
		ProviderID: row.ProviderID, ProviderServerRef: row.ProviderServerRef, Roles: list(row.Roles),
		Tags: list(row.Tags), Note: row.Note,
		State: row.State, StateSince: row.StateSince.UTC(), Agent: agent, Core: row.core(agent.Link, now),
		Metrics:   sample(row.Metrics),
		CreatedAt: row.CreatedAt.UTC(), UpdatedAt: row.UpdatedAt.UTC(), Revision: row.Revision,
	}
	n.Reasons = row.reasons(&n)
	if !install.SameAddress(n.Agent.PanelURL, s.address) {
		n.Reasons = append(n.Reasons, "panel_address")
	}
	if row.inMaintenance(now) {
		n.Maintenance = &Window{Until: utc(row.MaintenanceUntil), Reason: row.MaintenanceReason}
	}
	return n
}

// numeric is an address of the node by which its place is known: the one that others dial, or where that is a host name
// the first of its own.
func (n *Node) numeric() string {
	if _, err := netip.ParseAddr(n.Address); err != nil && len(n.IPs) > 0 {
		return n.IPs[0].IP
	}
	return n.Address
}

func (row *nodeRow) inMaintenance(now time.Time) bool {
	return row.Maintenance && (row.MaintenanceUntil == nil || row.MaintenanceUntil.After(now))
}

func (s *store) agent(row *viewRow, now time.Time) AgentInfo {
	info := AgentInfo{
		Link: s.link(row.AgentAccess, row.SeenAt, now), LastSeenAt: utc(row.SeenAt), EnrolledAt: utc(row.EnrolledAt),
		TokenID:     row.TokenID,
		UpdateState: nodesapi.UpdateCurrent, Capabilities: []string{},
	}
	info.Connected = info.Link == linkConnected
	if row.PreviousValidUntil != nil && row.PreviousValidUntil.After(now) {
		info.PreviousTokenExpiry = utc(row.PreviousValidUntil)
	}
	if r := row.Report; r != nil {
		info.Version, info.Protocol, info.OS, info.Arch, info.Hostname = r.AgentVersion, r.Protocol, r.OS, r.Arch,
			r.Hostname
		info.ClockSkewMillis, info.PanelURL = r.SkewMillis, r.PanelURL
		for _, capability := range r.Capabilities {
			info.Capabilities = append(info.Capabilities, string(capability))
		}
	}
	return info
}

// link is the agent's link by the age of its last sign of life: two missed heartbeats are stale, ten are lost.
func (s *store) link(access string, seenAt *time.Time, now time.Time) string {
	switch {
	case access == accessNone || access == "":
		return "never_enrolled"
	case access == accessRevoked:
		return "revoked"
	case seenAt == nil:
		return "stale"
	case !seenAt.After(now.Add(-10 * s.heartbeat)):
		return "lost"
	case !seenAt.After(now.Add(-2 * s.heartbeat)):
		return "stale"
	}
	return linkConnected
}

const linkConnected = "connected"

func (row *viewRow) core(link string, now time.Time) CoreInfo {
	info := CoreInfo{
		State: row.CoreState, RevisionDesired: row.DesiredRevision, ConfigHash: row.ConfigHash,
		LastResult: row.ConfigResult,
	}
	if info.State == "" {
		info.State = "unknown"
	}
	if r := row.Report; r != nil {
		info.Kind, info.Version, info.Error = r.Core.Kind, r.Core.Version, r.Core.Error
		info.UptimeSeconds = row.uptime(link, now)
		info.Restarts, info.RevisionInstalled = r.Core.Restarts, r.Core.ConfigRevision
	}
	info.InSync = row.DesiredRevision == 0 || row.ConfigHash == row.DesiredHash
	return info
}

// uptime is how long the core has run: it goes on between heartbeats, and stands still once the agent is silent.
func (row *viewRow) uptime(link string, now time.Time) int64 {
	r := row.Report
	if r.CoreStart.IsZero() || row.SeenAt == nil {
		return r.Core.UptimeSeconds
	}
	if link != linkConnected {
		now = *row.SeenAt
	}
	return max(0, int64(now.Sub(r.CoreStart)/time.Second))
}

// reasons says why a node is not simply online, so that the interface need not guess.
func (row *viewRow) reasons(n *Node) []string {
	reasons := []string{}
	add := func(holds bool, word string) {
		if holds {
			reasons = append(reasons, word)
		}
	}
	link := n.Agent.Link
	add(link == "never_enrolled", "never_enrolled")
	add(link == "revoked", "agent_revoked")
	add(link == "stale", "agent_stale")
	add(link == "lost", "agent_lost")
	add(row.CoreState == string(agentapi.CoreFailed), "core_failed")
	add(row.DesiredCore && row.CoreState == string(agentapi.CoreStopped), "core_stopped")
	add(row.SeenAt != nil && !n.Core.InSync, "config_behind")
	add(row.Cloned, "cloned")
	return reasons
}

func (s *store) detail(row *viewRow, now time.Time, listeners []nodesapi.Listener) Detail {
	d := Detail{
		Node: s.node(row, now), Sockets: []Socket{}, Addresses: []string{}, Firewall: []Firewall{},
		FlowIDs: flowsOf(listeners), Listeners: carrying(listeners, row.Carried), Traffic: row.traffic(now),
	}
	if row.HostFacts == nil {
		return d
	}
	d.Addresses = list(row.HostFacts.Addresses)
	for _, socket := range row.HostFacts.Sockets {
		d.Sockets = append(d.Sockets, Socket(socket))
	}
	for _, wall := range row.HostFacts.Firewall {
		d.Firewall = append(d.Firewall, Firewall(wall))
	}
	return d
}

// traffic is what a node has carried in its month.
func (row *viewRow) traffic(now time.Time) Traffic {
	day := max(row.TrafficResetDay, 1)
	return Traffic{
		LimitBytes: row.TrafficLimit, ResetDay: day, NotifyPct: row.TrafficNotifyPct, ResetsAt: traffic.Ends(day, now),
		UsedUp: row.UsedUp, UsedDown: row.UsedDown, UsedBytes: row.UsedUp + row.UsedDown, Since: utc(row.UsedSince),
	}
}

// carrying shows each listener once, with what it carried. A listener that the reading does not name has carried
// nothing.
func carrying(sockets []nodesapi.Listener, reading *nodesapi.Reading) []Listener {
	shown := []Listener{}
	at := map[string]int{}
	for _, socket := range sockets {
		place, known := at[socket.Key]
		if !known {
			place, at[socket.Key] = len(shown), len(shown)
			shown = append(shown, Listener{Tag: socket.Key, FlowID: socket.FlowID, L4: socket.L4, IP: socket.IP})
		}
		if l := &shown[place]; l.L4 != socket.L4 {
			l.L4 = "both"
		}
		shown[place].Ports = spanned(shown[place].Ports, socket.Port)
	}
	for i := range shown {
		if l := &shown[i]; reading != nil {
			carried := reading.Listeners[l.Tag]
			l.Sessions, l.UpBps, l.DownBps = carried.Sessions, &carried.UpBps, &carried.DownBps
			l.ObservedAt = utc(&reading.ObservedAt)
		}
	}
	return shown
}

// spanned widens a range of ports by one.
func spanned(ports string, port int) string {
	first, last, _ := strings.Cut(ports, "-")
	from, err := strconv.Atoi(first)
	if err != nil {
		return strconv.Itoa(port)
	}
	to, err := strconv.Atoi(last)
	if err != nil {
		to = from
	}
	if from, to = min(from, port), max(to, port); from == to {
		return strconv.Itoa(from)
	}
	return strconv.Itoa(from) + "-" + strconv.Itoa(to)
}

func sample(s *agentapi.Sample) *Metrics {
	if s == nil {
		return nil
	}
	return &Metrics{
		CPUPercent: s.CPUPercent, Load1: s.Load1, MemUsed: s.MemUsed, MemTotal: s.MemTotal, DiskUsed: s.DiskUsed,
		DiskTotal: s.DiskTotal,
		NetRxBps:  s.NetRxBps, NetTxBps: s.NetTxBps, RxPps: s.RxPps, Sessions: s.Sessions,
		TCPEstablished: s.TCPEstablished, ConntrackCount: s.ConntrackCount,
		ConntrackMax: s.ConntrackMax, SyncookiesPs: s.SyncookiesPs, ListenDropsPs: s.ListenDropsPs,
		UptimeSeconds: s.UptimeSeconds,
		ObservedAt:    s.ObservedAt.UTC(),
	}
}

// list makes an empty list of none, because the interface never shows null for a list.
func list[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}

func utc(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	moved := at.UTC()
	return &moved
}
