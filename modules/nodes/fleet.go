package nodes

import (
	"context"
	"slices"
	"time"

	"github.com/jonboulle/clockwork"

	"panel/modules/nodes/internal/telemetry"
	"panel/modules/nodes/nodesapi"
	"panel/platform/database"
)

// fleet shows nodes to other modules. It is nodesapi.Fleet.
type fleet struct {
	store     *store
	telemetry *telemetry.Telemetry
	clock     clockwork.Clock
}

func newFleet(s *store, t *telemetry.Telemetry, clock clockwork.Clock) *fleet {
	return &fleet{store: s, telemetry: t, clock: clock}
}

func exportFleet(f *fleet) nodesapi.Fleet { return f }

func exportReadings(f *fleet) nodesapi.Readings { return f }

func exportLoads(f *fleet) nodesapi.Loads { return f }

func exportStatuses(f *fleet) nodesapi.Statuses { return f }

func exportAddresses(f *fleet) nodesapi.Addresses { return f }

// Node gives one node.
func (f *fleet) Node(ctx context.Context, id string) (nodesapi.Node, error) {
	found, err := f.Nodes(ctx, id)
	if err != nil {
		return nodesapi.Node{}, err
	}
	if len(found) == 0 {
		return nodesapi.Node{}, nodesapi.ErrUnknown
	}
	return found[0], nil
}

// Nodes gives the nodes with these ids, or all without any.
func (f *fleet) Nodes(ctx context.Context, ids ...string) ([]nodesapi.Node, error) {
	known := database.OnlyIDs(ids)
	if len(ids) > 0 && len(known) == 0 {
		return nil, nil
	}
	now := f.clock.Now().UTC()
	rows, err := f.store.viewsOf(ctx, known, now)
	return f.all(rows, now), err
}

// Hold keeps nodes from being deleted until the context's transaction ends.
func (f *fleet) Hold(ctx context.Context, ids ...string) (missing []string, err error) {
	there, err := f.store.held(ctx, database.OnlyIDs(ids))
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if !slices.Contains(there, id) && !slices.Contains(missing, id) {
			missing = append(missing, id)
		}
	}
	slices.Sort(missing)
	return missing, nil
}

// Serving gives whether these nodes, or all without any, do what they shall.
func (f *fleet) Serving(ctx context.Context, ids ...string) ([]nodesapi.Serving, error) {
	known := database.OnlyIDs(ids)
	if len(ids) > 0 && len(known) == 0 {
		return nil, nil
	}
	now := f.clock.Now().UTC()
	rows, err := f.store.serving(ctx, known)
	out := make([]nodesapi.Serving, len(rows))
	for i := range rows {
		row := &rows[i]
		out[i] = nodesapi.Serving{
			ID: row.ID, Name: row.Name, Address: row.Address,
			Online:    f.store.link(row.AgentAccess, row.SeenAt, now) == linkConnected,
			CoreState: row.CoreState, RevisionDesired: row.DesiredRevision, RevisionInstalled: row.InstalledRevision,
		}
	}
	return out, err
}

// Statuses gives how all nodes are.
func (f *fleet) Statuses(ctx context.Context, capability string) ([]nodesapi.Status, error) {
	now := f.clock.Now().UTC()
	rows, err := f.store.statuses(ctx, capability, now)
	out := make([]nodesapi.Status, len(rows))
	for i := range rows {
		row := &rows[i]
		out[i] = nodesapi.Status{
			ID: row.ID, Name: row.Name, Address: row.Address, State: row.State, Able: row.Able,
			Online:    f.store.link(row.AgentAccess, row.SeenAt, now) == linkConnected,
			CoreState: row.CoreState, Wanted: row.Wanted, Provider: row.ProviderID, Country: row.CountryCode,
			Region: row.Region, Tags: row.Tags,
		}
		if row.SeenAt != nil {
			out[i].SeenAt = row.SeenAt.UTC()
		}
	}
	return out, err
}

// Newest gives what these nodes carried last.
func (f *fleet) Newest(ctx context.Context, ids ...string) (map[string]nodesapi.Reading, error) {
	known := database.OnlyIDs(ids)
	if len(known) == 0 {
		return map[string]nodesapi.Reading{}, nil
	}
	return f.store.readings(ctx, known)
}

// Loads gives how busy these nodes are.
func (f *fleet) Loads(ctx context.Context, ids ...string) (map[string]nodesapi.Load, error) {
	known := database.OnlyIDs(ids)
	if len(known) == 0 {
		return map[string]nodesapi.Load{}, nil
	}
	return f.store.loads(ctx, known)
}

// Sessions gives the open sessions of these nodes over a period.
func (f *fleet) Sessions(ctx context.Context, from, to time.Time, ids ...string) (nodesapi.Course, error) {
	return f.telemetry.Sessions(ctx, database.OnlyIDs(ids), from, to)
}

// HeldBy gives the nodes that have an address.
func (f *fleet) HeldBy(ctx context.Context, address string) (ids []string, err error) {
	err = f.store.db.In(ctx).NewRaw(`select n.id from nodes n left join node_reports r on r.node_id = n.id
		where lower(n.address) = ?0 or jsonb_exists(r.surroundings -> 'addresses', ?0) order by n.id`, address).
		Scan(ctx, &ids)
	return ids, database.Fault(err, nil)
}

// Able gives some nodes whose agents answer and have the capability.
func (f *fleet) Able(ctx context.Context, capability string, most int) ([]nodesapi.Node, error) {
	now := f.clock.Now().UTC()
	rows, err := f.store.able(ctx, capability, most, now)
	return f.all(rows, now), err
}

func (f *fleet) all(rows []viewRow, now time.Time) []nodesapi.Node {
	nodes := make([]nodesapi.Node, len(rows))
	for i := range rows {
		nodes[i] = f.outside(&rows[i], f.store.node(&rows[i], now))
	}
	return nodes
}

func (f *fleet) outside(row *viewRow, n Node) nodesapi.Node {
	out := nodesapi.Node{
		ID: n.ID, Name: n.Name, Address: n.Address, State: n.State, Online: n.Agent.Connected, Roles: n.Roles,
		Tags: n.Tags, Country: n.CountryCode,
		AgentVersion: n.Agent.Version, Capabilities: n.Agent.Capabilities, CoreKind: n.Core.Kind,
		CoreVersion: n.Core.Version,
		CoreState:   n.Core.State, RevisionDesired: n.Core.RevisionDesired, RevisionInstalled: n.Core.RevisionInstalled,
		HashInstalled: n.Core.ConfigHash,
	}
	if n.ProviderID != nil {
		out.Provider = *n.ProviderID
	}
	if row.SeenAt != nil {
		out.SeenAt = row.SeenAt.UTC()
	}
	if row.HostFacts == nil {
		return out
	}
	out.Addresses = row.HostFacts.Addresses
	for _, s := range row.HostFacts.Sockets {
		out.Sockets = append(out.Sockets, nodesapi.Socket(s))
	}
	for _, w := range row.HostFacts.Firewall {
		out.Firewall = append(out.Firewall, nodesapi.Firewall(w))
	}
	return out
}
