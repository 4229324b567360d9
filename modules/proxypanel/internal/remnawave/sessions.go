package remnawave

import (
	"context"
	"net/http"
)

// codeNoNode names two errors; with 404 it says that no node is connected.
const codeNoNode = "A219"

// Drop has the connections of users ended on all nodes. dropped is false where no node is connected. Error: *Problem.
func (c *Client) Drop(ctx context.Context, ids ...int64) (dropped bool, err error) {
	_, err = c.call(ctx, http.MethodPost, "/connections/drop", map[string]any{
		"dropBy": map[string]any{"by": "userIds", "userIds": ids}, "targetNodes": map[string]any{"target": "allNodes"},
	}, nil)
	if Is(err, http.StatusNotFound, codeNoNode) {
		return false, nil
	}
	return err == nil, err
}
