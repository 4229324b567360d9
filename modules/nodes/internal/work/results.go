package work

import (
	"context"
	"fmt"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/jobs"
)

// Results gives those that have ended; one whose deadline passed has ended with the code expired, and so has one that
// is gone, with its node or after a week.
func (c *Commands) Results(ctx context.Context, ids ...string) (map[string]nodesapi.Result, error) {
	var rows []CommandRow
	err := c.db.In(ctx).NewSelect().Model(&rows).ExcludeColumn("sealed").Where("id = any(?::uuid[])", pgdialect.Array(ids)).
		Scan(ctx)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("reading results: %w", err), nil)
	}
	now, found := c.clock.Now(), make(map[string]nodesapi.Result, len(ids))
	for _, id := range ids {
		found[id] = nodesapi.Result{
			ID: id, Code: string(agentapi.CodeExpired), Error: "the order is gone, most likely with its node",
			FinishedAt: now.UTC(),
		}
	}
	for i := range rows {
		if rows[i].EndedAt != nil || !rows[i].Deadline.After(now) {
			found[rows[i].ID] = rows[i].Result()
		} else {
			delete(found, rows[i].ID)
		}
	}
	return found, nil
}

// Result is how the command ended, or that its deadline passed.
func (row *CommandRow) Result() nodesapi.Result {
	result := nodesapi.Result{
		ID: row.ID, NodeID: row.NodeID, Kind: row.Kind, OK: row.OK, Code: row.Code, Error: row.Error, Stage: row.Stage,
		StderrTail: row.StderrTail, Data: row.Data,
	}
	if row.EndedAt == nil {
		result.Code, result.Error = string(agentapi.CodeExpired),
			"the agent did not answer in time; is its node online?"
		result.FinishedAt = row.Deadline.UTC()
		return result
	}
	result.FinishedAt = row.EndedAt.UTC()
	return result
}

// Command reads one command of a node, without its arguments. Fault: not_found (404).
func (c *Commands) Command(ctx context.Context, nodeID, id string) (*CommandRow, error) {
	row := new(CommandRow)
	err := c.db.NewSelect().Model(row).ExcludeColumn("sealed").Where("id = ? and node_id = ?", id, nodeID).Scan(ctx)
	return row, database.Fault(err, nil)
}

// Tidy lets results go that nobody asks for any more, and with them what nobody answered.
func Tidy() []jobs.Tidy {
	return []jobs.Tidy{
		{Table: "node_commands", Column: "ended_at", Age: resultRetention},
		{Table: "node_commands", Column: "deadline", Age: resultRetention, Unless: "ended_at is not null"},
	}
}
