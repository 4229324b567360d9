package flows

import (
	"context"
	"encoding/json"
	"net/netip"

	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
)

// probeOrder is a real client with credentials of its own that goes through the entry and may reach the reflector only.
func (r *runner) probeOrder(ctx context.Context, row *applyRow) (orderOf, error) {
	f := new(flowRow)
	if err := r.db.NewSelect().Model(f).Where("id = ?", row.FlowID).Scan(ctx); err != nil {
		return nil, database.Fault(err, nil)
	}
	root, err := r.store.root(f)
	if err != nil {
		return nil, err
	}
	return func(s stepRow) nodesapi.Order {
		return nodesapi.Order{
			NodeID: s.NodeID, Kind: string(agentapi.Probe), Deadline: r.now().Add(probeEnd), By: row.StartedBy,
			Args: agentapi.ProbeArgs{Through: &agentapi.ThroughProbe{Core: probeCore(row, root, s)}},
		}
	}, nil
}

func probeCore(row *applyRow, root []byte, s stepRow) json.RawMessage {
	entry := entriesOn(row, s.NodeID)[s.Probed]
	outbound := plan.ProbeClient(row.FlowID, root, entry.Key, *entry.Params.Listener, dialable(*entry.Params.Listener))
	return json.RawMessage(`{"log":{"access":"none","loglevel":"warning"},"outbounds":[` + string(outbound) + `]}`)
}

// entriesOn lists the entries that a client can go through on one server; an entry that only blocks leads nowhere.
func entriesOn(row *applyRow, nodeID string) []graph.Node {
	var out []graph.Node
	for _, entry := range plan.Entries(drawnOr(row.Graph)) {
		if entry.NodeID == nodeID && plan.LeadsOut(drawnOr(row.Graph), entry.Key) {
			out = append(out, entry)
		}
	}
	return out
}

// unprobed chooses servers with an entry that no client has gone through yet.
func unprobed(row *applyRow) func(stepRow) bool {
	return func(s stepRow) bool {
		return configures(s) && s.Role == "entry" && s.Probed < len(entriesOn(row, s.NodeID))
	}
}

// dialable is where the server itself reaches its listener.
func dialable(l graph.Listener) string {
	ip, err := netip.ParseAddr(l.ListenIP)
	if err != nil || ip.IsUnspecified() {
		return "127.0.0.1"
	}
	return l.ListenIP
}
