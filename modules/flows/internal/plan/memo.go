package plan

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Memo keeps the last results of compilations under the keys of their inputs, so that of a fleet only the flows are
// compiled that a change touches. What is in it decides about time alone: an input that differs in anything has another
// key, results are handed out as copies, and one that was dropped is made again. It is for all goroutines.
type Memo struct {
	mutex   sync.Mutex
	results *simplelru.LRU[Key, Result]
	nodes   int // of all results
	most    int
}

// NewMemo makes a memo of results with so many nodes in all.
func NewMemo(most int) *Memo {
	m := &Memo{most: most}
	drop := func(_ Key, r Result) { m.nodes -= r.size() }
	results, err := simplelru.NewLRU(most+1, drop)
	if err != nil {
		//nolint:forbidigo // it refuses a size below one alone
		panic("a memo keeps at least nothing: " + err.Error())
	}
	m.results = results
	return m
}

// size is how much a result counts.
func (r Result) size() int { return max(1, len(r.Fragments)) }

// Compile is the function Compile.
func (m *Memo) Compile(in Input) Result {
	key := in.Key()
	if r, known := m.get(key); known {
		r.Plan.Revision = in.Revision
		return r
	}
	r := Compile(in)
	m.put(key, r.copied())
	return r
}

func (m *Memo) get(key Key) (Result, bool) {
	m.mutex.Lock()
	r, known := m.results.Get(key)
	m.mutex.Unlock()
	if !known {
		return Result{}, false
	}
	return r.copied(), true
}

func (m *Memo) put(key Key, r Result) {
	if r.size() > m.most {
		return
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.results.Contains(key) {
		return
	}
	m.results.Add(key, r)
	for m.nodes += r.size(); m.nodes > m.most; {
		m.results.RemoveOldest()
	}
}

// copied shares nothing that a caller changes or appends to.
func (r Result) copied() Result {
	p, d := &r.Plan, &r.Plan.Diff
	p.Errors, p.Warnings = slices.Clone(p.Errors), slices.Clone(p.Warnings)
	p.Conflicts, p.Sharing, p.Obstacles = slices.Clone(p.Conflicts), slices.Clone(p.Sharing), slices.Clone(p.Obstacles)
	p.Geo = slices.Clone(p.Geo)
	p.Readiness, p.Steps = slices.Clone(p.Readiness), slices.Clone(p.Steps)
	for _, list := range []*[]Change{
		&d.Listeners, &d.Routes, &d.Clients, &d.Firewall, &d.DNS, &d.CDN, &d.ProxyPanel, &d.Other,
	} {
		*list = slices.Clone(*list)
	}
	p.Rendered, r.Fragments, r.Hosts = maps.Clone(p.Rendered), maps.Clone(r.Fragments), slices.Clone(r.Hosts)
	return r
}

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
	c.value(in.GeoVersions)
	c.value(in.Unresolved)
	c.value(in.Domains)
	c.value(in.Hosts)
	c.value(in.Panels)
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
	c.list(n.GeoLacks)
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
	c.flag(l.Panel)
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
