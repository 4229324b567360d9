package flows

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"panel/modules/clients/clientsapi"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/modules/flows/internal/relays"
	"panel/modules/nodes/nodesapi"
	"panel/platform/database"
)

// compiledClient is a client as the compiler sees it.
func compiledClient(c clientsapi.Credentials) plan.Client {
	return plan.Client{
		ID: c.ClientID, Ref: c.Ref, Label: c.Label, UUID: c.UUID, Key: c.Key, Number: c.Number, Password: c.Password,
	}
}

// facts gathers what decides about the outcome of a compilation, as far as it can be compared without opening secrets:
// the drawing, the clients, the nodes that it touches, and who holds ports on them.
// The sets of the catalogue come from that version, or from the newest one when it is 0.
func (s *service) facts(
	ctx context.Context, f *flowRow, g graph.Graph, catalogue int,
) (plan.Input, map[string]nodesapi.Node, error) {
	in := plan.Input{
		FlowID: f.ID, Revision: f.DraftRevision, Reflector: s.nodes.reflector, Nodes: map[string]plan.Node{},
		Hosts: f.InstalledHosts,
	}
	named, err := s.hooks.policies.Resolve(ctx, g, catalogue)
	if err != nil {
		return in, nil, err
	}
	in.Graph, in.Catalogue, in.Plans, in.Unresolved = named.Graph, named.Catalogue, named.Plans, named.Problems
	if in.Pools, err = s.hooks.pools(ctx, g); err != nil {
		return in, nil, err
	}
	if err := s.related(ctx, &in); err != nil {
		return in, nil, err
	}
	if in.Panels, err = s.hooks.panels.Nodes(ctx, g); err != nil {
		return in, nil, err
	}
	if in.Domains, err = s.domains(ctx, f.OwnerID, g); err != nil {
		return in, nil, err
	}
	if in.Hashes, err = s.store.hashes(ctx, f.ID); err != nil {
		return in, nil, err
	}
	nodes, err := s.touched(ctx, &in)
	if err == nil {
		err = s.hooks.geo.Fill(ctx, &in)
	}
	if err != nil {
		return in, nil, err
	}
	return in, nodes, s.people(ctx, &in)
}

// related adds the flows that are members of the pools in the drawing, and the pools that the flow is a member of.
func (s *service) related(ctx context.Context, in *plan.Input) (err error) {
	if in.Relays, err = relays.Find(ctx, s.db, in.Pools); err != nil {
		return err
	}
	installed := func(ctx context.Context, flowIDs ...string) (map[string][]string, error) {
		return relays.PoolsOf(ctx, s.db, false, flowIDs...)
	}
	ask := relays.Ask{Pools: s.hooks.poolsBy, PoolsOf: installed}
	if in.Circles, err = relays.Circles(ctx, in.FlowID, in.Graph, in.Pools, ask); err != nil {
		return err
	}
	in.Feeders, err = s.hooks.feeders(ctx, in.FlowID)
	return err
}

// entrySecrets opens the root of another flow, and the secret of one of its listeners.
func (s *service) entrySecrets(
	ctx context.Context, flowID string, g graph.Graph, l graph.Listener,
) ([]byte, graph.Listener, error) {
	f, err := s.store.flow(ctx, flowID)
	if err != nil {
		return nil, l, err
	}
	keys, err := s.store.keys(ctx, flowID, g, nil)
	if err != nil {
		return nil, l, err
	}
	root, err := s.store.root(f)
	return root, withSecret(l, keys), err
}

// people adds the clients of the flow, without their secrets, where some configuration has them.
func (s *service) people(ctx context.Context, in *plan.Input) (err error) {
	if !in.WantsClients() {
		if in.HasClients, err = s.clients.Any(ctx, in.FlowID); err != nil {
			return fmt.Errorf("look for clients of a flow: %w", err)
		}
		return nil
	}
	clients, err := s.clients.OfFlow(ctx, in.FlowID, everyClient)
	if err != nil {
		return fmt.Errorf("read the clients of a flow: %w", err)
	}
	for _, c := range clients {
		if c.State == clientsapi.Active {
			in.Clients = append(in.Clients, plan.Client{ID: c.ClientID, Ref: c.Ref, Label: c.Label})
		}
	}
	return nil
}

// input gathers what a compilation may depend on: the facts with what is secret and what is installed.
// Private keys that came with the drawing are not stored yet.
func (s *service) input(
	ctx context.Context, f *flowRow, g graph.Graph, brought map[string]string, catalogue int,
) (plan.Input, map[string]nodesapi.Node, error) {
	in, nodes, err := s.facts(ctx, f, g, catalogue)
	if err != nil {
		return in, nil, err
	}
	if in.Root, err = s.store.root(f); err != nil {
		return in, nil, err
	}
	if in.Keys, err = s.store.keys(ctx, f.ID, g, brought); err != nil {
		return in, nil, err
	}
	if err := relays.Open(ctx, s.db, in.Relays, s.entrySecrets); err != nil {
		return in, nil, err
	}
	if in.WantsClients() {
		if in.Clients, err = s.liveClients(ctx, f.ID); err != nil {
			return in, nil, err
		}
	}
	if in.Installed, err = s.store.installed(ctx, f.ID); err != nil {
		return in, nil, err
	}
	others, err := s.store.othersOn(ctx, f.ID, slices.Collect(maps.Keys(in.Nodes)))
	for id, n := range in.Nodes {
		n.Others = others[id]
		in.Nodes[id] = n
	}
	return in, nodes, err
}

func (s *service) liveClients(ctx context.Context, flowID string) ([]plan.Client, error) {
	opened, err := s.clients.Credentials(ctx, flowID, "")
	if err != nil {
		return nil, fmt.Errorf("read the clients of a flow: %w", err)
	}
	out := make([]plan.Client, len(opened))
	for i, c := range opened {
		out[i] = compiledClient(c)
	}
	return out, nil
}

func (s *service) touched(ctx context.Context, in *plan.Input) (map[string]nodesapi.Node, error) {
	ids := in.NodeIDs()
	for id := range in.Hashes {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	nodes, err := s.nodes.byID(ctx, validIDs(ids))
	if err != nil {
		return nil, fmt.Errorf("look up the nodes of a flow: %w", err)
	}
	held, err := s.store.held(ctx, in.FlowID, ids)
	for id, n := range nodes {
		seen := compilable(n)
		seen.Reserved = held[id]
		in.Nodes[id] = seen
	}
	return nodes, err
}

// validIDs leaves out what can not be an id, so that a mistyped one is unknown and not an error of the database.
func validIDs(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !database.IsID(id) })
}
