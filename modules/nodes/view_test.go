package nodes

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/nodes/internal/evidence"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/fault"
)

// The link of an agent follows from its access and from its last sign of life: two heartbeats of silence are stale,
// ten are lost.
func TestTheLinkFollowsFromAccessAndSilence(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := &store{heartbeat: 15 * time.Second}
	ago := func(d time.Duration) *time.Time { at := now.Add(-d); return &at }
	for _, c := range []struct {
		access string
		seen   *time.Time
		link   string
	}{
		{"", ago(0), "never_enrolled"},
		{accessNone, ago(0), "never_enrolled"},
		{accessRevoked, ago(0), "revoked"},
		{accessGranted, nil, "stale"},
		{accessGranted, ago(0), "connected"},
		{
			accessGranted, ago(30*time.Second - 1),
			"connected",
		},
		{accessGranted, ago(30 * time.Second), "stale"},
		{accessGranted, ago(150*time.Second - 1), "stale"},
		{accessGranted, ago(150 * time.Second), "lost"},
	} {
		require.Equal(t, c.link, s.link(c.access, c.seen, now), "%s %v", c.access, c.seen)
	}
}

// All that keeps a node from being simply online is said, each in one word.
func TestAllReasonsAreSaid(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := &store{heartbeat: 15 * time.Second, address: "https://panel.example"}
	seen := now.Add(-time.Minute)
	row := &viewRow{
		nodeRow: nodeRow{
			AgentAccess: accessGranted, DesiredRevision: 2, DesiredHash: "wanted",
			DesiredCore: true,
		}, SeenAt: &seen,
		CoreState: "stopped", ConfigHash: "other", Cloned: true, Report: &evidence.Report{PanelURL: "https://10.0.0.1"},
	}
	shown := s.node(row, now)
	require.Equal(t, []string{"agent_stale", "core_stopped", "config_behind", "cloned", "panel_address"}, shown.Reasons)
	require.False(t, shown.Core.InSync)
	row.ConfigHash, row.CoreState, row.Cloned, row.SeenAt = "wanted", "running", false, &now
	row.Report.PanelURL = "https://panel.example:443/"
	shown = s.node(row, now)
	require.Empty(t, shown.Reasons)
	require.NotNil(t, shown.Reasons, "a list is never null")
	require.True(t, shown.Core.InSync)
	row.DesiredRevision, row.ConfigHash = 0, "whatever"
	require.Empty(t, s.node(row, now).Reasons, "a node that shall serve nothing is never behind")
	row.CoreState = "stopped"
	row.DesiredCore = false
	require.Empty(t, s.node(row, now).Reasons, "a core that shall not run may stand")
	row.CoreState = ""
	require.Equal(t, "unknown", s.node(row, now).Core.State)
}

// A listener is shown once, with all its ports and what it carries; of what a reading does not name it is known that
// it was nothing.
func TestAListenerIsShownOnce(t *testing.T) {
	t.Parallel()
	sockets := []nodesapi.Listener{
		{Key: "in", FlowID: "f", L4: "tcp", IP: "::", Port: 443},
		{Key: "quiet", FlowID: "g", L4: "tcp", IP: "::", Port: 80},
		{Key: "in", FlowID: "f", L4: "tcp", IP: "::", Port: 445},
		{Key: "in", FlowID: "f", L4: "udp", IP: "::", Port: 444},
	}
	open, at := int64(2), time.Now()
	shown := carrying(sockets, &nodesapi.Reading{
		ObservedAt: at,
		Listeners:  map[string]nodesapi.Carried{"in": {Sessions: &open, UpBps: 8}, "gone": {}},
	})
	require.Len(t, shown, 2)
	require.Equal(t, []any{"in", "both", "443-445"}, []any{shown[0].Tag, shown[0].L4, shown[0].Ports})
	require.Equal(t, []any{int64(2), int64(8), int64(0)}, []any{*shown[0].Sessions, *shown[0].UpBps, *shown[0].DownBps})
	require.Equal(t, []any{"80", int64(0)}, []any{shown[1].Ports, *shown[1].UpBps})
	require.Nil(t, shown[1].Sessions, "whose sessions nobody counts")
	for _, l := range carrying(sockets, nil) {
		require.Nil(t, l.UpBps)
		require.Nil(t, l.ObservedAt)
	}
	require.Equal(t, []Listener{}, carrying(nil, nil))
	require.Equal(t, []string{"f", "g"}, flowsOf(append(sockets, nodesapi.Listener{Key: "own"})))
}

func TestPortsAreARange(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		ports []int
		text  string
	}{{[]int{443}, "443"}, {[]int{443, 443}, "443"}, {[]int{7, 5, 6}, "5-7"}, {[]int{1, 65535}, "1-65535"}} {
		text := ""
		for _, port := range c.ports {
			text = spanned(text, port)
		}
		require.Equal(t, c.text, text)
	}
}

// What an agent saw of its host is shown on its node's own page, as lists also where it saw nothing.
func TestAPageShowsWhatTheHostHas(t *testing.T) {
	t.Parallel()
	s, row := &store{heartbeat: time.Second}, &viewRow{}
	bare := s.detail(row, time.Now(), nil)
	require.Equal(t, []any{[]Socket{}, []string{}, []Firewall{}, []string{}, []Listener{}},
		[]any{bare.Sockets, bare.Addresses, bare.Firewall, bare.FlowIDs, bare.Listeners})
	row.HostFacts = &evidence.HostFacts{
		Sockets: []agentapi.Socket{{
			L4: "tcp", IP: "::", Port: 22, Process: "sshd",
			Own: false,
		}}, Addresses: []string{"192.0.2.1"},
		Firewall: []agentapi.Firewall{{Kind: "ufw", Active: true}},
	}
	full := s.detail(row, time.Now(), nil)
	require.Equal(t, []Socket{{L4: "tcp", IP: "::", Port: 22, Process: "sshd"}}, full.Sockets)
	require.Equal(t, []string{"192.0.2.1"}, full.Addresses)
	require.Equal(t, []Firewall{{Kind: "ufw", Active: true}}, full.Firewall)
}

// A server's own name becomes a node's name of plain letters; what has none of those becomes a node all the same.
func TestAServersNameBecomesANodesName(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"web-01": "web-01", "Web 01.example": "Web-01-example", "  db  ": "node-db", "": "node", "ab": "node-ab",
		"Варшава": "node",
		"a_b_c":   "a-b-c", "--x--yz--": "x--yz", "host\x00; rm": "host---rm", "ip-10.0.0.1": "ip-10-0-0-1",
		"9": "node-9",
	} {
		name := tidyName(given)
		require.Equal(t, want, name, given)
		require.NoError(t, (&nodeRow{Name: name + "-100"}).check())
	}
	long := tidyName(long(300, "x"))
	require.Len(t, long, longestName)
}

// Tags are taken off before they are put on, each once, without space around them.
func TestTagsArePutOnAndTakenOff(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ tags, add, remove, want []string }{
		{[]string{"a", "b"}, nil, []string{"b", "c"}, []string{"a"}},
		{[]string{"a"}, []string{"b", "a", " b "}, nil, []string{"a", "b"}},
		{[]string{"a"}, []string{"a"}, []string{"a"}, []string{"a"}},
		{nil, []string{"", "  "}, []string{""}, []string{}},
		{[]string{"a"}, nil, []string{" a "}, []string{}},
	} {
		before := append([]string(nil), c.tags...)
		require.Equal(t, c.want, retagged(c.tags, c.add, c.remove))
		require.Equal(t, before, append([]string(nil), c.tags...), "the list that was given stays as it was")
	}
}

// Addresses belong to their family, names have three to 64 characters of any alphabet, and tags are at most twenty.
func TestTheRulesOfANode(t *testing.T) {
	t.Parallel()
	fine := func(change func(row *nodeRow)) error {
		row := &nodeRow{Name: "fine"}
		change(row)
		return row.check()
	}
	ip := func(address string, family int) func(row *nodeRow) {
		return func(row *nodeRow) {
			row.IPs = []NodeIP{{IP: "192.0.2.1", Family: 4}, {IP: address, Family: family}}
		}
	}
	for _, change := range []func(row *nodeRow){
		func(row *nodeRow) { row.Name = long(64, "ж") }, func(row *nodeRow) { row.Name = "жжж" },
		func(row *nodeRow) { row.Address = "2001:db8::1" }, func(row *nodeRow) { row.Address = "n1.example.org" },
		func(row *nodeRow) { row.Tags = make([]string, mostTags) }, ip("2001:db8::1", 6), ip("::ffff:192.0.2.1", 4),
	} {
		require.NoError(t, fine(change))
	}
	for what, change := range map[string]func(row *nodeRow){
		"a short name":  func(row *nodeRow) { row.Name = "жж" },
		"a long name":   func(row *nodeRow) { row.Name = long(65, "ж") },
		"no address":    func(row *nodeRow) { row.Address = "a host" },
		"too many tags": func(row *nodeRow) { row.Tags = make([]string, mostTags+1) },
		"IPv6 as IPv4":  ip("2001:db8::1", 4), "IPv4 as IPv6": ip("192.0.2.1", 6), "no IP address": ip("canary", 4),
	} {
		require.Equal(t, "invalid_value", fault.Code(fine(change)), what)
	}
}
