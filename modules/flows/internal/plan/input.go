package plan

import (
	"cmp"
	"net"
	"net/netip"
	"slices"
	"strconv"

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
)

// Input is everything that a compilation may depend on.
type Input struct {
	FlowID      string
	Revision    int
	Graph       graph.Graph
	Root        []byte            // the flow's root secret, 32 bytes
	Keys        map[string]string // secrets of listeners that people brought, by what drawings call them
	Clients     []Client
	Nodes       map[string]Node                // only the nodes that the draft or the installed revision touches
	Installed   map[string]Fragment            // what of this flow is installed, by node
	Hashes      map[string]string              // the same, by their hashes
	Pools       map[string]flowsapi.Pool       // those of the draft, and those that they fall back on
	Relays      map[string]Relay               // flows that are members of these pools, by their ids
	Feeders     []Feeder                       // pools that this flow is a member of, by their ids
	Plans       map[string]flowsapi.CustomPlan // versions of custom plans that the draft names, by their ids
	GeoVersions []flowsapi.GeoFile             // that nodes of the drawing hold, for people
	Catalogue   int                            // version that the sets in the drawing come from; 0 without any
	Circles     []graph.Problem                // pools of the draft that lead back into the flow, or through too many
	Panels      Panels                         // nodes of the proxy panels that the draft names
	Domains     map[string]Domain              // the bindings of the flow's owner that the draft names, by id
	Unresolved  []graph.Problem                // names of the drawing that stand for nothing
	Hosts       []Host                         // what the installed links name; nothing when that is not known
	Reflector   Endpoint                       // where a probe through the flow must arrive; zero leaves probing out

	HasClients bool // says that there are clients where Clients need not be known
}

// WantsClients says whether an entry is on a node that has its clients in its configuration, so that they decide about
// the outcome.
func (in Input) WantsClients() bool {
	return slices.ContainsFunc(in.Graph.Nodes, func(b graph.Node) bool {
		return b.Kind == graph.Entry && !b.Served() && !holdsList(in.Nodes[b.NodeID])
	})
}

// Fingerprint names everything that decides about the outcome, but who holds ports: of the same input the same comes
// out. Secrets, installed fragments and versions of custom plans never change without an id or a hash that does.
func (in Input) Fingerprint() string {
	type node struct {
		ID, Name, Address, Core string
		Own, GeoFiles, Can      []string
		GeoLacks                []string `json:",omitempty"`
	}
	nodes := map[string]node{}
	for id, n := range in.Nodes {
		nodes[id] = node{n.ID, n.Name, n.Address, n.Core, n.Own, n.GeoFiles, n.Can, n.GeoLacks}
	}
	clients := []string{}
	if in.WantsClients() {
		clients = make([]string, 0, len(in.Clients))
		for _, c := range sortedClients(in.Clients) {
			clients = append(clients, c.ref())
		}
	}
	return hashOf(encode([]any{
		CompilerVersion, in.FlowID, in.Graph, in.Pools, clients, nodes, in.Hashes, in.Domains, in.Hosts, in.Reflector,
		in.Relays, in.Feeders, in.Circles, in.Panels.withoutPorts(),
	}))
}

// Taken reports whether somebody else holds a port that the fragments want.
func Taken(in Input, fragments map[string]Fragment) bool {
	c := &compiler{in: in}
	for id, f := range fragments {
		for _, want := range f.Listens {
			if kind, _, _ := c.holder(id, want); kind != "" {
				return true
			}
		}
	}
	return false
}

// Client is one end user's access with its opened secret.
type Client struct {
	ID    string `json:"id"`
	Ref   string `json:"ref,omitempty"` // names it with this secret, where its id alone does not
	Label string `json:"label"`
	UUID  string `json:"uuid"`
	Key   []byte `json:"key"` // 32 bytes

	Number int64 `json:"number,omitempty"` // gives it an address where a protocol knows clients by theirs

	Password string `json:"password,omitempty"` // that the client came with, instead of one of the key
}

func (c Client) ref() string { return cmp.Or(c.Ref, c.ID) }

// Domain is a host name that is bound to a node.
type Domain struct {
	NodeID   string
	Hostname string
}

// Host is what clients of an entry dial: the host name of its binding, else the node's address.
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

// String is the endpoint as host:port.
func (e Endpoint) String() string { return net.JoinHostPort(e.Host, strconv.Itoa(e.Port)) }

// Node is a node as the compiler sees it.
type Node struct {
	ID       string
	Name     string
	Address  string
	Own      []string // addresses of its interfaces
	Core     string   // version of its core, empty when the agent never told
	GeoFiles []string // base names of the geo files on the node
	GeoLacks []string // categories of the drawing that they have not
	Can      []string // capabilities that its agent has named
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

// Listen is a set of ports of one node that a flow holds.
type Listen struct {
	FlowID string `json:"flow_id"`
	Name   string `json:"name"`
	Block  string `json:"block"`
	L4     string `json:"l4"` // tcp or udp
	IP     string `json:"ip"`
	From   int    `json:"from"`
	To     int    `json:"to"`

	Host string `json:"host,omitempty"` // the name that clients of a listener with TLS ask for
	Path string `json:"path,omitempty"` // the path that tells it apart there; empty: it takes the name as a whole
	H2   bool   `json:"h2,omitempty"`   // it speaks HTTP/2, where nobody sees the path before it answers

	Alone bool `json:"alone,omitempty"` // it can hand on nothing that is not its own

	Panel bool `json:"panel,omitempty"` // the node of a proxy panel listens there, and no core of ours
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
