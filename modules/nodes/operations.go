package nodes

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"panel/modules/nodes/internal/work"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/audit"
	"panel/platform/doctor"
	"panel/platform/fault"
	"panel/platform/support"
)

// orderLimit is how long an order given on a node's page waits for the agent.
const orderLimit = time.Minute

// orderActions are the commands that an administrator may give on a node's page, as actions of the journal.
var orderActions = map[agentapi.CommandKind]string{
	agentapi.RestartCore: "node.restart_core",
	agentapi.RotateToken: "node.rotate_token",
	agentapi.CollectLogs: "node.collect_logs",
}

// order sends a command that an administrator asked for. Faults: not_found (404), agent_offline (422).
func (s *service) order(ctx context.Context, nodeID string, kind agentapi.CommandKind, args any) (*Operation, error) {
	row, err := s.store.view(ctx, nodeID, s.now())
	if err != nil {
		return nil, err
	}
	if link := s.store.link(row.AgentAccess, row.SeenAt, s.now()); link != linkConnected && link != "stale" {
		return nil, fault.Invalid("agent_offline",
			"the node's agent is not connected; try again when the node is online")
	}
	given := []nodesapi.Order{{
		NodeID: row.ID, Kind: string(kind), Args: args, Deadline: s.now().Add(orderLimit),
		By: by(ctx),
	}}
	ids, err := s.commands.SendWith(ctx, given, func(ctx context.Context, tx bun.Tx) error {
		return s.journal.Record(ctx, tx, audit.Entry{Action: orderActions[kind], Object: row.object()})
	})
	if err != nil {
		return nil, err
	}
	return s.operation(ctx, row.ID, ids[0])
}

// operation shows one command of a node. Fault: not_found (404).
func (s *service) operation(ctx context.Context, nodeID, id string) (*Operation, error) {
	row, err := s.commands.Command(ctx, nodeID, id)
	if err != nil {
		return nil, err
	}
	return operationOf(row, s.now()), nil
}

func operationOf(row *work.CommandRow, now time.Time) *Operation {
	o := &Operation{
		ID: row.ID, Kind: row.Kind, NodeID: row.NodeID, State: "queued", StartedBy: row.StartedBy,
		CreatedAt: row.CreatedAt.UTC(),
		Code:      row.Code, Error: row.Error,
	}
	switch {
	case row.EndedAt != nil && row.OK:
		o.State, o.Progress, o.EndedAt = "succeeded", 100, utc(row.EndedAt)
	case row.EndedAt != nil:
		o.State, o.EndedAt = "failed", utc(row.EndedAt)
	case !row.Deadline.After(now):
		late := row.Result()
		o.State, o.Code, o.Error, o.EndedAt = "failed", late.Code, late.Error, &late.FinishedAt
	case row.AckedAt != nil:
		o.State = "running"
	}
	if row.Kind == string(agentapi.CollectLogs) && len(row.Data) > 0 {
		o.Logs = logsOf(row.Data)
	}
	return o
}

func logsOf(data json.RawMessage) *Logs {
	var lines agentapi.CollectLogsData
	if json.Unmarshal(data, &lines) != nil {
		return nil
	}
	mask := support.NewMask(doctor.Env{Getenv: func(string) string { return "" }}, slices.Concat(lines.Agent,
		lines.Core)...)
	return &Logs{Agent: masked(lines.Agent, mask), Core: masked(lines.Core, mask)}
}

// masked takes secrets out of lines that a node wrote: links of clients, tokens and keys.
func masked(lines []string, mask func(string) string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = mask(line)
	}
	return out
}
