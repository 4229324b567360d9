package remnawave

import (
	"context"
	"net/http"
)

// NodeState is a node as it stands there.
type NodeState struct {
	ID        string `json:"uuid"`
	Name      string `json:"name"`
	Address   string `json:"address"`
	Connected bool   `json:"isConnected"`
	Disabled  bool   `json:"isDisabled"`
	Message   string `json:"lastStatusMessage"`
	Versions  struct {
		Core string `json:"xray"`
	} `json:"versions"`
	Runs struct {
		ProfileID string         `json:"activeConfigProfileUuid"`
		Inbounds  []InboundState `json:"activeInbounds"`
	} `json:"configProfile"`
}

// InboundIDs are the ids of the inbounds that the node runs.
func (n NodeState) InboundIDs() []string {
	ids := make([]string, 0, len(n.Runs.Inbounds))
	for _, one := range n.Runs.Inbounds {
		ids = append(ids, one.ID)
	}
	return ids
}

// NodeStates gives all nodes. Error: *Problem.
func (c *Client) NodeStates(ctx context.Context) (all []NodeState, err error) {
	_, err = c.call(ctx, http.MethodGet, "/nodes", nil, &all)
	if err == nil && all == nil {
		err = &Problem{Cause: AnswerUnreadable, Status: http.StatusOK}
	}
	return all, err
}

// NodeState gives one node. Error: *Problem; Gone.
func (c *Client) NodeState(ctx context.Context, id string) (node NodeState, err error) {
	_, err = c.call(ctx, http.MethodGet, "/nodes/"+id, nil, &node)
	return node, identified(err, node.ID)
}

// RunNode lets a node run some inbounds of a profile and no others. A node that is given none is disabled by the panel
// and loses its profile. Error: *Problem; Gone.
func (c *Client) RunNode(ctx context.Context, id, profileID string, inbounds []string) error {
	_, err := c.call(ctx, http.MethodPatch, "/nodes", map[string]any{
		"uuid": id, "configProfile": map[string]any{
			"activeConfigProfileUuid": profileID, "activeInbounds": append([]string{}, inbounds...),
		},
	}, nil)
	return err
}

// EnableNode enables a node. The answer to it is not the last word where the node was disabled within a second before.
// Error: *Problem; Gone.
func (c *Client) EnableNode(ctx context.Context, id string) error {
	_, err := c.call(ctx, http.MethodPost, "/nodes/"+id+"/actions/enable", nil, nil)
	return err
}
