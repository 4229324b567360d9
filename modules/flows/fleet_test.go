package flows_test

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"panel/modules/domains/domainsapi"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/module"
)

// fleet stands for the nodes module: nodes whose agents answer at once, unless a test scripts an answer.
type fleet struct {
	mu       sync.Mutex
	nodes    map[string]*nodesapi.Node
	configs  map[string][]nodesapi.Config
	desired  map[string]int64
	results  map[string]nodesapi.Result
	orders   []nodesapi.Order
	silent   map[string]nodesapi.Order // by id
	holds    func(ctx context.Context, nodeID string) ([]string, error)
	related  func(ctx context.Context, groups [][]string, names int) ([]nodesapi.Related, error)
	domains  map[string]domainsapi.Domain
	carried  map[string]nodesapi.Reading // by node
	sessions map[string][]nodesapi.Point
	held     documents
	// lose counts down to the call whose answer gets lost; it stays at zero once that has happened.
	lose   int
	losing bool
	// waits counts who waits for answers now, mostWaits the most there were at once.
	waits, mostWaits int
	awaits           int                          // waits there ever were
	called           int                          // candidates, wishes and orders there ever were
	broken           error                        // what candidates are refused with
	refused          func(o nodesapi.Order) error // what an order is refused with
	// script answers an order in its own way; ok false leaves it to the usual answer, a nil result to silence.
	script func(o nodesapi.Order) (r *nodesapi.Result, ok bool)
}

func newFleet(names ...string) *fleet {
	f := &fleet{
		nodes: map[string]*nodesapi.Node{}, configs: map[string][]nodesapi.Config{}, desired: map[string]int64{},
		results: map[string]nodesapi.Result{}, domains: map[string]domainsapi.Domain{},
		silent: map[string]nodesapi.Order{},
	}
	for i, name := range names {
		id := database.NewID()
		f.nodes[id] = &nodesapi.Node{
			ID:          id,
			Name:        name,
			Address:     "192.0.2." + string(rune('1'+i)),
			State:       "online",
			Online:      true,
			CoreVersion: "26.3.27",
			CoreState:   "running",
			Capabilities: []string{
				string(agentapi.CanProbe), string(agentapi.CanApply), string(agentapi.DocumentPools.Capability()),
			},
		}
	}
	return f
}

func (f *fleet) id(name string) string {
	for id, n := range f.nodes {
		if n.Name == name {
			return id
		}
	}
	return ""
}

func (f *fleet) set(name string, change func(n *nodesapi.Node)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f.nodes[f.id(name)])
}

func (f *fleet) scripted(script func(o nodesapi.Order) (*nodesapi.Result, bool)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.script = script
}

// phases lists the phases of apply_config that a node was ordered, in their order.
func (f *fleet) phases(name string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []string
	for _, o := range f.orders {
		if args, ok := o.Args.(agentapi.ApplyConfigArgs); ok && o.NodeID == f.id(name) {
			out = append(out, string(args.Phase))
		}
	}
	return out
}

func (f *fleet) contacts() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.orders) + len(f.desired)
}

// serving is the core configuration that a node is wanted to have.
func (f *fleet) serving(name string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	id := f.id(name)
	for _, c := range f.configs[id] {
		if c.Revision == f.desired[id] {
			return string(c.Core)
		}
	}
	return ""
}

// loseAnswer makes the n-th call of an apply take effect and fail.
func (f *fleet) loseAnswer(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lose, f.losing = n, true
}

func (f *fleet) wasLost() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	defer func() { f.losing = false }()
	return f.lose <= 0
}

var errLost = errors.New("the answer got lost")

// lost is asked by every call after its effect.
func (f *fleet) lost() error {
	f.called++
	if !f.losing {
		return nil
	}
	if f.lose--; f.lose == 0 {
		return errLost
	}
	return nil
}

func (f *fleet) manifest() module.Module {
	return module.Module{
		Name: "nodes", Summary: "Servers for tests",
		Exports: []any{
			func() nodesapi.Fleet { return f }, func() nodesapi.Configs { return f },
			func() nodesapi.Commands { return f }, func() nodesapi.Guards { return f },
			func() nodesapi.Relations { return f }, func() nodesapi.Readings { return f },
			func() nodesapi.Accounts { return f }, func() nodesapi.Documents { return &f.held },
		},
	}
}

// bindings is the module of domains, for tests.
func (f *fleet) bindings() module.Module {
	return module.Module{
		Name: "domains", Summary: "Domains for tests", Exports: []any{func() domainsapi.Domains { return f }},
	}
}

// Since has nothing to count: no client of these tests carries anything.
func (f *fleet) Since(_ context.Context, mark int64) (nodesapi.ClientUse, int64, error) {
	return nodesapi.ClientUse{}, mark, nil
}

func (f *fleet) Node(_ context.Context, id string) (nodesapi.Node, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n, known := f.nodes[id]; known {
		return *n, nil
	}
	return nodesapi.Node{}, nodesapi.ErrUnknown
}

func (f *fleet) Nodes(_ context.Context, ids ...string) ([]nodesapi.Node, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []nodesapi.Node
	for id, n := range f.nodes {
		if len(ids) == 0 || slices.Contains(ids, id) {
			out = append(out, *n)
		}
	}
	slices.SortFunc(out, func(a, b nodesapi.Node) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}

// Serving gives as much of the nodes as lists need.
func (f *fleet) Serving(ctx context.Context, ids ...string) ([]nodesapi.Serving, error) {
	nodes, err := f.Nodes(ctx, ids...)
	out := make([]nodesapi.Serving, len(nodes))
	for i, n := range nodes {
		out[i] = nodesapi.Serving{
			ID: n.ID, Name: n.Name, Address: n.Address, Online: n.Online, CoreState: n.CoreState,
			RevisionDesired: n.RevisionDesired, RevisionInstalled: n.RevisionInstalled,
		}
	}
	return out, err
}

func (f *fleet) Hold(_ context.Context, ids ...string) (missing []string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, id := range ids {
		if f.nodes[id] == nil {
			missing = append(missing, id)
		}
	}
	return missing, nil
}

func (f *fleet) Able(ctx context.Context, capability string, most int) ([]nodesapi.Node, error) {
	all, err := f.Nodes(ctx)
	able := slices.DeleteFunc(all, func(n nodesapi.Node) bool { return !n.Online || !n.Can(capability) })
	return able[:min(most, len(able))], err
}

func (f *fleet) PutCandidates(_ context.Context, candidates ...nodesapi.Candidate) ([]nodesapi.Config, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.broken != nil {
		return nil, f.broken
	}
	out := make([]nodesapi.Config, len(candidates))
	for i, c := range candidates {
		out[i] = f.put(c)
	}
	return out, f.lost()
}

func (f *fleet) put(candidate nodesapi.Candidate) nodesapi.Config {
	id := candidate.NodeID
	if f.nodes[id] == nil {
		return nodesapi.Config{NodeID: id}
	}
	sum := sha256.Sum256(candidate.Core)
	c := nodesapi.Config{
		NodeID:    id,
		Revision:  int64(len(f.configs[id]) + 1),
		Hash:      hex.EncodeToString(sum[:]),
		Core:      candidate.Core,
		Listeners: candidate.Listeners,
	}
	if n := len(f.configs[id]); n > 0 && f.configs[id][n-1].Hash == c.Hash {
		return f.configs[id][n-1]
	}
	f.configs[id] = append(f.configs[id], c)
	return c
}

func (f *fleet) SetDesired(_ context.Context, revisions map[string]int64) (unknown []string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for id, revision := range revisions {
		n, known := f.nodes[id]
		if !known {
			unknown = append(unknown, id)
			continue
		}
		f.desired[id], n.RevisionDesired = revision, revision
		if n.Online {
			n.RevisionInstalled = revision
		}
	}
	return unknown, f.lost()
}

func (f *fleet) Desired(context.Context, string) (nodesapi.Config, error) {
	return nodesapi.Config{}, nil
}

func (f *fleet) Stored(_ context.Context, nodeID string, revision int64) (nodesapi.Config, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.configs[nodeID] {
		if c.Revision == revision {
			return c, nil
		}
	}
	return nodesapi.Config{}, nodesapi.ErrUnknown
}

func (f *fleet) Send(_ context.Context, orders ...nodesapi.Order) ([]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var ids []string
	for _, o := range orders {
		if f.refused != nil && f.refused(o) != nil {
			return nil, f.refused(o)
		}
		id := database.NewID()
		ids, f.orders = append(ids, id), append(f.orders, o)
		f.settle(id, o)
	}
	return ids, f.lost()
}

func (f *fleet) settle(id string, o nodesapi.Order) {
	r := f.answer(o)
	if r == nil {
		f.silent[id] = o
		return
	}
	r.ID, r.NodeID, r.Kind = id, o.NodeID, o.Kind
	f.results[id] = *r
}

// catchUp answers what was left unanswered.
func (f *fleet) catchUp() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.script = nil
	for id, o := range f.silent {
		f.settle(id, o)
	}
}

func (f *fleet) answer(o nodesapi.Order) *nodesapi.Result {
	if f.script != nil {
		if r, ok := f.script(o); ok {
			return r
		}
	}
	switch args := o.Args.(type) {
	case agentapi.ApplyConfigArgs:
		return done(agentapi.ApplyConfigData{RunningRevision: args.Revision})
	case agentapi.ProbeArgs:
		return done(evidence(args))
	}
	return nil
}

func done(data any) *nodesapi.Result {
	raw, _ := json.Marshal(data)
	return &nodesapi.Result{OK: true, Code: string(agentapi.CodeDone), Data: raw}
}

func evidence(args agentapi.ProbeArgs) agentapi.ProbeData {
	switch {
	case args.Bind != nil:
		return agentapi.ProbeData{Bind: &agentapi.BindData{Bound: true}}
	case args.Dial != nil:
		return agentapi.ProbeData{Dial: &agentapi.DialData{Connected: true, NonceMatched: true}}
	case args.TLS != nil:
		return agentapi.ProbeData{TLS: &agentapi.TLSData{Version: "1.3", ALPN: "h2", NameMatches: true, Suitable: true}}
	}
	return agentapi.ProbeData{Through: &agentapi.ThroughData{Status: 200, ExitIP: "192.0.2.2"}}
}

func (f *fleet) wait(by int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waits += by
	f.awaits += max(by, 0)
	f.mostWaits = max(f.mostWaits, f.waits)
}

// mostAtOnce gives how many waited at once since it was asked before.
func (f *fleet) mostAtOnce() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	defer func() { f.mostWaits = f.waits }()
	return f.mostWaits
}

func (f *fleet) Await(ctx context.Context, ids ...string) ([]nodesapi.Result, error) {
	f.wait(1)
	defer f.wait(-1)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		found, _ := f.Results(ctx, ids...)
		if len(found) == len(ids) {
			out := make([]nodesapi.Result, len(ids))
			for i, id := range ids {
				out[i] = found[id]
			}
			return out, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-tick.C:
		}
	}
}

func (f *fleet) Results(_ context.Context, ids ...string) (map[string]nodesapi.Result, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := map[string]nodesapi.Result{}
	for _, id := range ids {
		if r, ended := f.results[id]; ended {
			out[id] = r
		}
	}
	return out, nil
}
