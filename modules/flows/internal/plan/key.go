package plan

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"
)

// Key names the content of an input.
type Key [sha256.Size]byte

// Key names all that decides about the outcome, who holds ports included; the revision is only told again.
func (in Input) Key() Key {
	c := content{buf: make([]byte, 0, contentSize)}
	c.text(CompilerVersion, in.FlowID, string(in.Root), in.Reflector.Host)
	c.number(in.Reflector.Port)
	c.flag(in.HasClients)
	c.value(in.Graph)
	c.value(in.Clients)
	c.table(in.Keys)
	c.table(in.Hashes)
	c.value(in.Pools)
	c.value(in.Relays)
	c.value(in.Feeders)
	c.value(in.Circles)
	c.value(in.Plans)
	c.number(in.Catalogue)
	c.value(in.Unresolved)
	c.value(in.Domains)
	c.value(in.Hosts)
	c.number(len(in.Nodes))
	for _, id := range slices.Sorted(maps.Keys(in.Nodes)) {
		c.text(id)
		c.node(in.Nodes[id])
	}
	c.number(len(in.Installed))
	for _, id := range slices.Sorted(maps.Keys(in.Installed)) {
		c.text(id)
		c.fragments(in.Installed[id])
	}
	return sha256.Sum256(c.buf)
}

// contentSize is that of a flow of ten nodes.
const contentSize = 8 << 10

// content writes values one after the other, each with its length, so that no two sequences are the same.
type content struct{ buf []byte }

func (c *content) number(n int) { c.buf = binary.AppendVarint(c.buf, int64(n)) }

func (c *content) flag(is bool) {
	if is {
		c.number(1)
		return
	}
	c.number(0)
}

func (c *content) text(all ...string) {
	for _, s := range all {
		c.number(len(s))
		c.buf = append(c.buf, s...)
	}
}

func (c *content) list(all []string) {
	c.number(len(all))
	c.text(all...)
}

func (c *content) table(all map[string]string) {
	c.number(len(all))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		c.text(name, all[name])
	}
}

func (c *content) value(v any) { c.text(string(encode(v))) }

func (c *content) node(n Node) {
	c.text(n.ID, n.Name, n.Address, n.Core)
	c.list(n.Own)
	c.list(n.GeoFiles)
	c.list(n.Can)
	c.number(len(n.Sockets))
	for _, s := range n.Sockets {
		c.text(s.L4, s.IP, s.Process)
		c.number(s.Port)
		c.flag(s.Core)
	}
	c.number(len(n.Reserved))
	for _, l := range n.Reserved {
		c.listen(l)
	}
	c.number(len(n.Others))
	c.fragments(n.Others...)
}

func (c *content) listen(l Listen) {
	c.text(l.FlowID, l.Name, l.Block, l.L4, l.IP, l.Host, l.Path)
	c.number(l.From)
	c.number(l.To)
	c.flag(l.H2)
	c.flag(l.Alone)
}

// fragments take the digest that they were read with; those that were not read are encoded.
func (c *content) fragments(all ...Fragment) {
	for _, f := range all {
		digest := f.digest
		if digest == nil {
			sum := sha256.Sum256(f.Bytes())
			digest = sum[:]
		}
		c.buf = append(c.buf, digest...)
	}
}
