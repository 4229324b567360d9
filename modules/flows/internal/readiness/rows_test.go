package readiness

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/modules/nodes/nodesapi"
)

func row(key, status string) Row { return Row{Key: key, Status: status, NodeID: "waw"} }

// Each port is asked about once, by its two checks together, and only while one of them is not confirmed.
func TestPortsAreAskedAboutByTheirTwoChecks(t *testing.T) {
	t.Parallel()
	const open, sure = plan.Unconfirmed, plan.Confirmed
	for name, c := range map[string]struct {
		checks []Row
		want   []string
	}{
		"both open": {
			[]Row{row("listener:waw:tcp:443", open), row("firewall:waw:tcp:443", open)},
			[]string{"listener:waw:tcp:443"},
		},
		"one open": {
			[]Row{row("firewall:waw:tcp:443", plan.Failed), row("listener:waw:tcp:443", sure)},
			[]string{"listener:waw:tcp:443"},
		},
		"none open": {[]Row{row("listener:waw:tcp:443", sure), row("firewall:waw:tcp:443", sure)}, nil},
		"no pair":   {[]Row{row("listener:waw:tcp:443", open), row("firewall:ams:tcp:443", open)}, nil},
		"two ports": {[]Row{
			row("listener:b", open), row("firewall:a", open), row("listener:a", open),
			row("firewall:b", open),
		}, []string{"listener:b", "listener:a"}},
		"checks of other kinds": {[]Row{row("target:in", open), row("stage:cdn.provision:account", open)}, nil},
		"nothing":               {nil, nil},
	} {
		var asked []string
		for _, p := range ports(c.checks) {
			require.Equal(t, "firewall:"+p.listener.Key[len("listener:"):], p.firewall.Key)
			asked = append(asked, p.listener.Key)
		}
		require.Equal(t, c.want, asked, name)
	}
}

// The dialling of a plan is spread over the peers, and no node is asked to dial itself.
func TestPeersTakeTurns(t *testing.T) {
	t.Parallel()
	peers := []nodesapi.Node{{ID: "a"}, {ID: "b"}, {ID: "c"}}
	var asked []string
	for turn := range 6 {
		asked = append(asked, peerOf(peers, turn, "b").ID)
	}
	require.Equal(t, []string{"a", "c", "c", "a", "c", "c"}, asked)
	require.Nil(t, peerOf(peers[:1], 0, "a"), "the panel dials itself")
	require.Nil(t, peerOf(nil, 3, "a"))
	require.Equal(t, "a", peerOf(peers[:1], 7, "b").ID)
}

// A plan never changes; what was found is joined to its checks when it is read.
func TestEvidenceIsJoinedToTheChecksOfThePlan(t *testing.T) {
	t.Parallel()
	seen := time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)
	said := plan.Say("port_bound", "the agent bound the port")
	asked := []plan.Check{
		{Key: "listener:a", Group: plan.GroupListeners, Summary: "the port is free", Status: plan.Unconfirmed},
		{Key: "target:a", Group: plan.GroupTarget, Status: plan.Unconfirmed},
		{Key: "stage:cdn.provision:account", Group: plan.GroupStages, Status: plan.Failed, Blocks: true},
		{Key: "stage:cdn.provision:quota", Group: plan.GroupStages, Status: plan.Failed, Blocks: true},
	}
	found := []Row{
		{
			Key:        "listener:a",
			Status:     plan.Confirmed,
			Evidence:   said.Text,
			Finding:    said,
			ObservedAt: &seen,
			Probe:      plan.Probe{Port: 443},
		},
		{Key: "target:a", Status: plan.Failed, Blocker: BlockedTarget},
		{Key: "stage:cdn.provision:account", Status: plan.Failed},
		{Key: "stage:cdn.provision:quota", Status: plan.Confirmed},
		{Key: "of another plan", Status: plan.Failed, Blocker: BlockedPort},
	}
	joined := Joined(asked, found)
	require.Len(t, joined, len(asked))
	require.Equal(t, plan.Check{
		Key:        "listener:a",
		Group:      plan.GroupListeners,
		Summary:    "the port is free",
		Status:     plan.Confirmed,
		Evidence:   said.Text,
		Finding:    said,
		ObservedAt: &seen,
		Probe:      plan.Probe{Port: 443},
	}, joined[0])
	for i, blocks := range []bool{false, true, true, false} {
		require.Equal(t, blocks, joined[i].Blocks, joined[i].Key)
	}
	require.Equal(t, plan.Unconfirmed, asked[0].Status, "the plan stays as it is")
	require.Equal(t, asked, Joined(asked, nil))
}

// What probes found and no force passes is told in the form in which the compiler tells its own.
func TestBlockersAreToldAsTheCompilerTellsThem(t *testing.T) {
	t.Parallel()
	found := []Row{
		{
			Key: "listener:a", NodeID: "waw", Status: plan.Failed, Blocker: BlockedPort, Holder: "nginx",
			Probe: plan.Probe{L4: "tcp", Port: 443, Path: "nodes[0].params.listener.port"},
		},
		{Key: "listener:b", NodeID: "ams", Status: plan.Failed, Blocker: BlockedPort, Probe: plan.Probe{
			L4:   "udp",
			Port: 53,
		}},
		{
			Key:     "target:a",
			Status:  plan.Failed,
			Blocker: BlockedTarget,
			Probe:   plan.Probe{Path: "nodes[0].params.listener.reality.target"},
		},
		{Key: "firewall:a", Status: plan.Failed},
		{Key: "listener:c", Status: plan.Confirmed},
	}
	require.Equal(t, []plan.Conflict{
		{
			Kind:   "port",
			NodeID: "waw",
			L4:     "tcp",
			Port:   443,
			Path:   "nodes[0].params.listener.port",
			With:   plan.ConflictWith{Process: "nginx"},
		},
		{Kind: "port", NodeID: "ams", L4: "udp", Port: 53},
	}, HeldPorts(found))
	require.Equal(t, []graph.Problem{
		{Code: "target_private", Path: "nodes[0].params.listener.reality.target", Message: InsideTarget},
	}, InsideTargets(found))
	require.Empty(t, HeldPorts(found[3:]))
	require.Empty(t, InsideTargets(found[3:]))
}
