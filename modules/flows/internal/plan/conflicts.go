package plan

import (
	"slices"

	"panel/modules/flows/internal/graph"
)

// toldApartBy is the path by which a listener with TLS is told apart from others at its host name. It is empty for one
// that takes the name as a whole.
func toldApartBy(l graph.Listener) string {
	switch l.Transport {
	case "ws", "httpupgrade", "xhttp":
		return l.Path
	case "grpc":
		return "/" + l.ServiceName
	}
	return ""
}

// longestSharedPath bounds the path of an upgrade whose host name others share: the core looks no further into the
// first packet.
const longestSharedPath = 50

// Clash tells in which way two sets cannot be held at once; it is empty where they can. Listeners with TLS share one
// socket: by the name that clients ask for, and at one name by the path. One of them at a name may take whatever is not
// HTTP, and one may speak HTTP/2.
func (l Listen) Clash(o Listen) string {
	switch {
	case !l.Overlaps(o):
		return ""
	case !l.shares(o):
		return ConflictPort
	case l.Host != o.Host:
		return ""
	case l.Path == o.Path && l.Path != "":
		return ConflictPath
	case l.Path == o.Path, l.H2 && o.H2, l.unread(), o.unread(), l.Alone, o.Alone:
		return ConflictDomain
	}
	return ""
}

// shares tells whether both are listeners with TLS at one socket.
func (l Listen) shares(o Listen) bool {
	return l.Host != "" && o.Host != "" && l.IP == o.IP && l.From == l.To && o.From == o.To
}

// unread tells that the core does not see enough of the path.
func (l Listen) unread() bool { return !l.H2 && len(l.Path) > longestSharedPath }

// ports finds who else holds what the drawing wants to listen on.
func (c *compiler) ports() {
	seen := map[string][]Listen{} // by node
	for _, key := range c.order {
		node := c.blocks[key].NodeID
		for _, want := range c.wanted(key) {
			for _, other := range seen[node] {
				c.twice(key, want.Clash(other))
			}
			seen[node] = append(seen[node], want)
			c.conflict(key, node, want)
			c.shares(key, node, want)
		}
	}
}

// twice refuses two blocks of the drawing that want the same.
func (c *compiler) twice(key, kind string) {
	switch kind {
	case ConflictPort:
		c.fail("port_duplicate", c.portPath(key), "two blocks of this flow want this port on one node")
	case ConflictPath:
		c.fail(ConflictPath, c.conflictPath(key, kind),
			"two blocks of this flow answer to this path at one host name; give one of them another path")
	case ConflictDomain:
		c.fail(ConflictDomain, c.conflictPath(key, kind),
			"two blocks of this flow take this host name as a whole; give one of them another domain")
	}
}

func (c *compiler) portPath(key string) string {
	field, l := c.listenerOf(key)
	if l != nil && l.PortRange != "" {
		return c.path(key, field+".port_range")
	}
	return c.path(key, field+".port")
}

// conflictPath is the field that has to change so that a conflict ends.
func (c *compiler) conflictPath(key, kind string) string {
	switch kind {
	case ConflictDomain:
		return c.path(key, ".node_domain_id")
	case ConflictPath:
		field, l := c.listenerOf(key)
		if l != nil && l.Transport == "grpc" {
			return c.path(key, field+".service_name")
		}
		return c.path(key, field+".path")
	}
	return c.portPath(key)
}

func (c *compiler) conflict(key, node string, want Listen) {
	kind, with, port := c.holder(node, want)
	if kind == "" {
		return
	}
	found := Conflict{
		Kind: kind, NodeID: node, L4: want.L4, Port: port, Path: c.conflictPath(key, kind), With: with,
	}
	if kind != ConflictPort {
		found.Host = want.Host
	}
	c.plan.Conflicts = append(c.plan.Conflicts, found)
}

// holder finds another flow or a foreign process that holds what is wanted, and tells in which way the two meet and at
// which port: the first one of a range that is not free.
func (c *compiler) holder(nodeID string, want Listen) (kind string, with ConflictWith, port int) {
	n := c.in.Nodes[nodeID]
	for _, other := range n.Others {
		for _, l := range other.Listens {
			if kind := l.Clash(want); kind != "" {
				return kind, ConflictWith{FlowID: l.FlowID, Listener: l.Name}, max(l.From, want.From)
			}
		}
	}
	for _, l := range n.Reserved {
		if kind := l.Clash(want); l.FlowID != c.in.FlowID && kind != "" {
			return kind, ConflictWith{FlowID: l.FlowID, Listener: l.Name}, max(l.From, want.From)
		}
	}
	if with, port := c.panelHolds(nodeID, want); port > 0 {
		return ConflictPort, with, port
	}
	for _, s := range n.Sockets {
		if want.Panel && slices.Contains(panelCores, s.Process) {
			continue
		}
		seen := Listen{L4: s.L4, IP: s.IP, From: s.Port, To: s.Port}
		if !s.Core && seen.Overlaps(want) {
			return ConflictPort, ConflictWith{Process: s.Process}, s.Port
		}
	}
	return "", ConflictWith{}, 0
}

// shares notes whose listeners have the same port, each once: what is installed is among the reserved as well.
func (c *compiler) shares(key, node string, want Listen) {
	n := c.in.Nodes[node]
	all := slices.Clone(n.Reserved)
	for _, other := range n.Others {
		all = append(all, other.Listens...)
	}
	for _, l := range all {
		if l.FlowID == c.in.FlowID || !l.shares(want) || !l.Overlaps(want) || l.Clash(want) != "" {
			continue
		}
		found := Share{
			Block: key, NodeID: node, Port: want.From, By: ByHost, Host: l.Host,
			With: ConflictWith{FlowID: l.FlowID, Listener: l.Name},
		}
		if l.Host == want.Host {
			found.By = ByPath
		}
		if !slices.Contains(c.plan.Sharing, found) {
			c.plan.Sharing = append(c.plan.Sharing, found)
		}
	}
}

// Findings tells conflicts about host names as problems of the drawing: a draft that has them does not compile. A port
// may be free by the time of the apply, so a plan tells of it and is made.
func Findings(conflicts []Conflict) []graph.Problem {
	var out []graph.Problem
	for _, c := range conflicts {
		switch c.Kind {
		case ConflictPath:
			out = append(out, graph.Problem{Code: c.Kind, Path: c.Path, Message: "another flow answers to this path at " +
				c.Host + " on this node; choose another path"})
		case ConflictDomain:
			out = append(out, graph.Problem{Code: c.Kind, Path: c.Path, Message: "another flow takes " + c.Host +
				" as a whole on this node and port; choose another domain or another port"})
		}
	}
	return out
}
