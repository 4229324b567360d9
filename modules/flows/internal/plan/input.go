package plan

import (
	"net/netip"

	"panel/modules/flows/internal/graph"
)

// Input is everything that a compilation may depend on.
type Input struct {
	FlowID    string
	Revision  int
	Graph     graph.Graph
	Root      []byte // the flow's root secret, 32 bytes
	Clients   []Client
	Nodes     map[string]Node     // only the servers that the draft or the installed revision touches
	Installed map[string]Fragment // what of this flow is installed, by server
	Domains   map[string]Domain   // the bindings of the flow's owner that the draft names, by id
	Hosts     []Host              // what the installed links name; nothing when that is not known
	Reflector Endpoint            // where a probe through the flow must arrive; zero leaves probing out
}

// Client is one end user's access with its opened secret.
type Client struct {
	ID    string `json:"id"`
	Label string `json:"label"`
	UUID  string `json:"uuid"`
	Key   []byte `json:"key"` // 32 bytes
}

// Domain is a host name that is bound to a server.
type Domain struct {
	NodeID   string
	Hostname string
}

// Host is what clients of an entry dial: the host name of its binding, else the server's address.
type Host struct {
	Block    string `json:"block"`
	NodeID   string `json:"node_id"`
	DomainID string `json:"node_domain_id,omitempty"`
	Host     string `json:"host"`
}

// Endpoint is a host, name or address, with a port.
type Endpoint struct {
	Host string
	Port int
}

// Node is a server as the compiler sees it.
type Node struct {
	ID       string
	Name     string
	Address  string
	Own      []string // addresses of its interfaces
	Core     string   // version of its core, empty when the agent never told
	GeoFiles []string // base names of the geo files on the server
	Sockets  []Socket // listening sockets that the agent saw
	Others   []Fragment
	Reserved []Listen // of other flows that are being applied right now
}

// Socket is a listening socket of any process. Core marks those of our own core, which reservations already tell of.
type Socket struct {
	L4      string
	IP      string
	Port    int
	Process string
	Core    bool
}

// Listen is a set of ports of one server that a flow holds.
type Listen struct {
	FlowID string `json:"flow_id"`
	Name   string `json:"name"`
	Block  string `json:"block"`
	L4     string `json:"l4"` // tcp or udp
	IP     string `json:"ip"`
	From   int    `json:"from"`
	To     int    `json:"to"`
}

// Overlaps reports whether two sets can not be held at once: same layer 4, a common port, and addresses that meet.
// The address of all interfaces meets every address of its family; :: meets IPv4 as well, because it is dual-stack.
func (l Listen) Overlaps(o Listen) bool {
	return l.L4 == o.L4 && l.From <= o.To && o.From <= l.To && addressesMeet(l.IP, o.IP)
}

func addressesMeet(a, b string) bool {
	x, errX := netip.ParseAddr(a)
	y, errY := netip.ParseAddr(b)
	if errX != nil || errY != nil {
		return true // an unreadable address is taken for the widest one
	}
	x, y = x.Unmap(), y.Unmap()
	return x == y || covers(x, y) || covers(y, x)
}

func covers(wide, other netip.Addr) bool {
	return wide.IsUnspecified() && (wide.Is6() || other.Is4())
}
