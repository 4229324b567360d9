package flows_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/flows"
	"panel/modules/flows/internal/plan"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
)

// documents are what the agents of a fleet hold: at once, unless the test makes them wait.
type documents struct {
	mu     sync.Mutex
	states map[string]nodesapi.DocumentState
	lists  map[string]agentapi.Clients
	slow   bool
}

// Set takes lists of clients.
func (d *documents) Set(_ context.Context, wanted ...nodesapi.Document) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, one := range wanted {
		if d.states == nil {
			d.states, d.lists = map[string]nodesapi.DocumentState{}, map[string]agentapi.Clients{}
		}
		state := d.states[one.NodeID]
		state.NodeID, state.Wanted, state.State = one.NodeID, state.Wanted+1, nodesapi.DocumentPending
		if !d.slow {
			state.Applied, state.State = state.Wanted, nodesapi.DocumentApplied
		}
		d.states[one.NodeID] = state
		d.lists[one.NodeID], _ = one.Content.(agentapi.Clients)
	}
	return nil
}

// States gives what the agents have taken.
func (d *documents) States(_ context.Context, _ string, ids ...string) (map[string]nodesapi.DocumentState, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	found := map[string]nodesapi.DocumentState{}
	for _, id := range ids {
		if state, there := d.states[id]; there {
			found[id] = state
		}
	}
	return found, nil
}

// wait makes agents take documents later, or all that they were given now.
func (d *documents) wait(slow bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.slow = slow
	for id, state := range d.states {
		if !slow {
			state.Applied, state.State = state.Wanted, nodesapi.DocumentApplied
		}
		d.states[id] = state
	}
}

// on gives the ids of the clients that a node lets in to a flow, and whether it was told of the flow.
func (d *documents) on(node, flow string) (ids []string, told bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	ids = []string{}
	for _, one := range d.lists[node].Flows {
		if one.FlowID == flow {
			told = true
			for _, client := range one.Clients {
				ids = append(ids, client.ID)
			}
		}
	}
	return ids, told
}

// listing is a stage whose entry holds clients as a document of its own.
func listing(t *testing.T) *stage {
	t.Helper()
	s := setup(t)
	s.fleet.set("fra-01", func(n *nodesapi.Node) {
		n.Capabilities = append(n.Capabilities, string(agentapi.DocumentClients.Capability()))
	})
	return s
}

func (s *stage) entry() string { return s.fleet.id("fra-01") }

// client is one of the flow by its label.
func (s *stage) client(label string) flows.Client {
	s.t.Helper()
	for _, c := range s.get().Clients {
		if c.Label == label {
			return c
		}
	}
	require.Fail(s.t, "there is no such client", label)
	return flows.Client{}
}

func (s *stage) addClient(label string) string {
	s.t.Helper()
	return s.admin.Post(s.path("/clients"), map[string]any{"label": label}).Is(201).Text("id")
}

// installs waits until the list with a client is installed, or is without it.
func (s *stage) installs(label string, want bool) {
	s.t.Helper()
	require.Eventually(s.t, func() bool { return s.client(label).Installed == want }, time.Minute, 20*time.Millisecond)
}

// Clients are no part of plan, version or configuration where the agent of the entry holds them as a document of its
// own: one that comes later outdates no plan, makes no drift, and is let in without an apply.
func TestAClientThatComesLaterOutdatesNoPlan(t *testing.T) {
	t.Parallel()
	s := listing(t)
	p := s.ready()
	require.Empty(t, p.Diff.Clients)
	early := s.addClient("Anna")
	require.Equal(t, "applied", s.apply(p).State)
	require.NotContains(t, string(s.fleet.serving("fra-01")), early)
	s.installs("Anna", true)
	revision := *s.get().InstalledRevision

	late := s.addClient("Boris")
	s.installs("Boris", true)
	require.NotContains(t, string(s.fleet.serving("fra-01")), late)
	f := s.get()
	require.Equal(t, "in_sync", f.Drift.State)
	require.Equal(t, revision, *f.InstalledRevision)
	require.True(t, s.compile().IsNoop)
	held, _ := s.fleet.held.on(s.entry(), s.flow)
	require.Contains(t, held, late)
	require.Contains(t, s.admin.Post(s.path("/connection-link"), map[string]any{"client_id": late}).Is(200).Text("uri"),
		"vless://")

	s.admin.Delete(s.path("/clients/" + early)).Is(204)
	require.Eventually(t, func() bool {
		held, _ := s.fleet.held.on(s.entry(), s.flow)
		return len(held) == 2
	}, time.Minute, 20*time.Millisecond)
	require.True(t, s.compile().IsNoop)
}

// A link is given when the agent of an entry has said that it lets the client in, not before.
func TestALinkWaitsForTheAgentOfTheEntry(t *testing.T) {
	t.Parallel()
	s := listing(t)
	s.install()
	s.fleet.held.wait(true)
	id := s.addClient("Anna")
	ask := map[string]any{"client_id": id}
	require.Eventually(t, func() bool {
		held, _ := s.fleet.held.on(s.entry(), s.flow)
		return len(held) == 2
	}, time.Minute, 20*time.Millisecond)
	require.False(t, s.client("Anna").Installed)
	s.admin.Post(s.path("/connection-link"), ask).Refused(422, "invalid_value")
	require.NotEmpty(t, s.link(), "of one who was there before")
	s.fleet.held.wait(false)
	s.installs("Anna", true)
	s.admin.Post(s.path("/connection-link"), ask).Is(200)
}

// Nothing switches before the agent of the entry holds the clients, so that none of them is refused by what begins to
// serve. An agent that never does makes the apply fail, and is told to drop what it was given.
func TestAnApplyWaitsForTheClients(t *testing.T) {
	t.Parallel()
	s := listing(t)
	p := s.ready()
	s.fleet.held.wait(true)
	id := s.admin.Post(s.path("/apply")+"?wait=0", order(p, false)).Is(200).Text("apply_id")
	require.Eventually(t, func() bool {
		var a flows.Apply
		s.admin.Get(s.path("/applies/" + id)).Is(200).JSON(&a)
		return a.Text.Code == "waiting_clients"
	}, time.Minute, 20*time.Millisecond)
	require.NotContains(t, s.fleet.phases("fra-01"), "switch")
	s.fleet.held.wait(false)
	require.Equal(t, "applied", s.ended(id).State)
	require.True(t, s.client("Default").Installed)
}

// An apply that fails leaves the agents without the clients of what was not installed; one that takes the flow away
// takes its clients away, too.
func TestAgentsKeepNoClientsOfWhatTheyDoNotServe(t *testing.T) {
	t.Parallel()
	s := listing(t)
	forgotten := func() bool { _, told := s.fleet.held.on(s.entry(), s.flow); return !told }
	s.fleet.scripted(func(o nodesapi.Order) (*nodesapi.Result, bool) {
		args, is := o.Args.(agentapi.ApplyConfigArgs)
		if !is || args.Phase != agentapi.PhaseSwitch || o.NodeID != s.entry() {
			return nil, false
		}
		return &nodesapi.Result{Code: string(agentapi.CodeStartFailed), Error: "no"}, true
	})
	require.Equal(t, "apply_failed", s.apply(s.ready()).State)
	require.Eventually(t, forgotten, time.Minute, 20*time.Millisecond)
	s.fleet.scripted(nil)
	s.install()
	require.False(t, forgotten())
	s.ended(s.admin.Post(s.path("/disable"), nil).Is(202).Text("apply_id"))
	require.Eventually(t, forgotten, time.Minute, 20*time.Millisecond)
	require.False(t, s.client("Default").Installed)
	s.ended(s.admin.Post(s.path("/enable"), nil).Is(202).Text("apply_id"))
	s.installs("Default", true)
}

// An agent that knows no lists keeps the clients in its configuration. When it has learnt to, the next apply moves
// them over, without a word about clients who come or go.
func TestClientsMoveOutOfAConfigurationWithTheNextApply(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.install()
	id := s.client("Default").ID
	require.Contains(t, string(s.fleet.serving("fra-01")), id)
	s.fleet.set("fra-01", func(n *nodesapi.Node) {
		n.Capabilities = append(n.Capabilities, string(agentapi.DocumentClients.Capability()))
	})
	require.True(t, s.client("Default").Installed)
	p := s.ready()
	require.Len(t, p.Steps, 1)
	require.Equal(t, plan.NoDiff().Clients, p.Diff.Clients)
	require.Equal(t, "applied", s.apply(p).State)
	require.NotContains(t, string(s.fleet.serving("fra-01")), id)
	held, _ := s.fleet.held.on(s.entry(), s.flow)
	require.Equal(t, []string{id}, held)
	require.True(t, s.client("Default").Installed)
}
