package cdndns

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/cdn-dns/cdndnsapi"
	"panel/modules/cdn-dns/dnstest"
	"panel/modules/cdn-dns/internal/records"
	"panel/modules/flows/flowsapi"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/paneltest"
)

// installed are the flows of a test, by node. It is flowsapi.Flows.
type installed struct {
	flowsapi.Flows
	on map[string][]flowsapi.Flow
}

func (i installed) OnNode(_ context.Context, nodeID string) ([]flowsapi.Flow, error) {
	return i.on[nodeID], nil
}

// several is a node with a name for clients and an address of IPv6 and four of IPv4: one that the name leads to, two
// that it could lead to, and one that nobody outside reaches.
type several struct {
	*fronting
	names   *names
	agent   *paneltest.Agent
	binding string
	flow    string
}

func newSeveral(t *testing.T, more fields) *several {
	t.Helper()
	s := &several{fronting: newFronting(t, "example.com"), flow: database.NewID()}
	s.add("main")
	s.agent = s.Enroll("fra-01")
	s.has("203.0.113.9/24", "203.0.113.7/24", "10.0.0.7/8", "203.0.113.8/24", "2001:db8::8/64")
	s.Admin().Patch("/api/v1/nodes/"+s.agent.NodeID, fields{
		"address": "203.0.113.7", "revision": s.agent.Node().Value("revision"),
	}).Is(http.StatusOK)
	body := fields{"node_id": s.agent.NodeID, "zone": "example.com", "label": "n1", "ttl": 60}
	for name, value := range more {
		body[name] = value
	}
	s.binding = s.Admin().Post(bindingsRoute, body).Is(http.StatusCreated).Text("id")
	s.names = &names{s.watch, installed{on: map[string][]flowsapi.Flow{s.agent.NodeID: {{
		ID: s.flow, Entries: []flowsapi.Entry{
			{Block: "in", NodeID: s.agent.NodeID, DomainID: s.binding}, {Block: "ip", NodeID: s.agent.NodeID},
		},
	}}}}}
	return s
}

// has lets the agent say which addresses its host has.
func (s *several) has(addresses ...string) {
	s.t.Helper()
	s.agent.Beat(func(beat *agentapi.Heartbeat) { beat.Addresses = addresses })
	require.Eventually(s.t, func() bool {
		known, _ := s.agent.Node().Value("addresses").([]any)
		return len(known) == len(addresses)
	}, soon, 50*time.Millisecond)
}

// leads waits until records stand at the name, and name servers answer them.
func (s *several) leads(found ...string) {
	s.t.Helper()
	want := append([]string{}, found...)
	require.Eventually(s.t, func() bool {
		d := s.look(s.binding)
		stand := s.stand("n1.example.com")
		return d.State == records.OK && len(stand) == len(want) && (len(want) == 0 || stand[0] == want[0])
	}, soon, 50*time.Millisecond, "%v", want)
	require.Equal(s.t, want, s.stand("n1.example.com"))
}

func (s *several) elsewhere() []cdndnsapi.Name {
	s.t.Helper()
	found, err := s.names.Elsewhere(s.t.Context(), s.agent.NodeID, database.NewID())
	require.NoError(s.t, err)
	return found[s.agent.NodeID]
}

func (s *several) leading(why string) cdndnsapi.Leading {
	s.t.Helper()
	far, err := s.names.Leading(s.t.Context(), why)
	require.NoError(s.t, err)
	return far
}

const (
	usual  = "A 203.0.113.7"
	detour = "A 203.0.113.8"
	second = "AAAA 2001:db8::8"
)

// A name leads to the next public address of its node while there is a reason, and back; the record of the other family
// stays, and nobody asks for anything else.
func TestANameLeadsToAnotherAddressOfItsNode(t *testing.T) {
	t.Parallel()
	s := newSeveral(t, nil)
	s.leads(usual, second)
	name := cdndnsapi.Name{
		DomainID: s.binding, Hostname: "n1.example.com", FlowIDs: []string{s.flow}, From: "203.0.113.7",
		To: "203.0.113.8", TTL: time.Minute,
	}
	could := name
	could.Others = []string{"203.0.113.9"}
	require.Equal(t, []cdndnsapi.Name{could}, s.elsewhere())

	require.NoError(t, s.names.Lead(t.Context(), "a reason", name))
	require.NoError(t, s.names.Lead(t.Context(), "a reason", name), "again it changes nothing")
	require.Empty(t, s.elsewhere(), "it leads elsewhere")
	s.leads(detour, second)
	require.Equal(t, cdndnsapi.Leading{Names: []cdndnsapi.Name{name}}, s.leading("a reason"))
	require.Equal(t, "203.0.113.8", s.dns(s.binding).Wanted[0].Value)
	require.Zero(t, s.leading("another reason"))

	require.NoError(t, s.names.LeadBack(t.Context(), "another reason"))
	s.leads(detour, second)
	require.NoError(t, s.names.LeadBack(t.Context(), "a reason"))
	require.NoError(t, s.names.LeadBack(t.Context(), "a reason"), "again it changes nothing")
	s.leads(usual, second)
	require.Len(t, s.elsewhere(), 1)
}

// Names that nobody uses, that a network carries, whose record is a person's, or whose node has no other public address
// lead nowhere else.
func TestNamesThatCanLeadNowhereElse(t *testing.T) {
	t.Parallel()
	for what, one := range map[string]struct {
		more   fields
		change func(*several)
	}{
		"no flow":             {nil, func(s *several) { s.names.flows = installed{} }},
		"a network":           {fields{"mode": "cdn"}, func(*several) {}},
		"another's host name": {fields{"mode": "reality_sni", "zone": "example.net"}, func(*several) {}},
		"no integration":      {fields{"zone": "example.net"}, func(*several) {}},
		"one address": {nil, func(s *several) {
			s.leads(usual, second)
			s.has("203.0.113.7/24", "10.0.0.7/8", "2001:db8::8/64")
		}},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			s := newSeveral(t, one.more)
			s.look(s.binding)
			one.change(s)
			require.Empty(t, s.elsewhere())
		})
	}
}

// A detour to an address that the node has lost counts for nothing, and one of a binding that is gone goes with it.
func TestADetourEndsWithItsAddressAndItsBinding(t *testing.T) {
	t.Parallel()
	s := newSeveral(t, nil)
	s.leads(usual, second)
	require.NoError(t, s.names.Lead(t.Context(), "a reason", s.elsewhere()...))
	s.leads(detour, second)
	s.has("203.0.113.7/24", "203.0.113.9/24", "2001:db8::8/64")
	s.leads(usual, second)
	require.Equal(t, 1, s.leading("a reason").Waits, "the reason is there, and what it asked for is not")

	s.Admin().Delete(bindingsRoute + "/" + s.binding).Is(http.StatusNoContent)
	require.Eventually(t, func() bool { return s.count("select count(*) from domain_detours") == 0 }, soon,
		50*time.Millisecond)
	require.Zero(t, s.leading("a reason"))
	require.NoError(t, s.names.Lead(t.Context(), "late", cdndnsapi.Name{DomainID: s.binding, From: "203.0.113.7", To: "203.0.113.9"}))
	require.Zero(t, s.leading("late"), "a name that is gone is left out")
}

// A token that lost the right to write leaves the old record, says so, and the new one is written when it has it again;
// the old one is not taken away before that.
func TestADetourThatCannotBeWrittenYet(t *testing.T) {
	t.Parallel()
	s := newSeveral(t, nil)
	s.leads(usual, second)
	s.cloud.Allow(token, &dnstest.CloudflareToken{ZoneRead: true, DNSRead: true})
	require.NoError(t, s.names.Lead(t.Context(), "a reason", s.elsewhere()...))
	require.Eventually(t, func() bool {
		s.look(s.binding)
		far := s.leading("a reason")
		return far.Waits == 1 && far.Problem != ""
	}, soon, 50*time.Millisecond)
	require.Equal(t, []string{usual, second}, s.stand("n1.example.com"))
	s.cloud.Allow(token, dnstest.Full())
	s.leads(detour, second)
	require.Zero(t, s.leading("a reason").Waits)
}
