package plan

import (
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
	p.Readiness, p.Steps = slices.Clone(p.Readiness), slices.Clone(p.Steps)
	for _, list := range []*[]Change{
		&d.Listeners, &d.Routes, &d.Clients, &d.Firewall, &d.DNS, &d.CDN, &d.ProxyPanel, &d.Other,
	} {
		*list = slices.Clone(*list)
	}
	p.Rendered, r.Fragments, r.Hosts = maps.Clone(p.Rendered), maps.Clone(r.Fragments), slices.Clone(r.Hosts)
	return r
}
