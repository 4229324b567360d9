package agentapi

import "errors"

// Shares is the content of DocumentShares: how much of the quotas of clients this node may let them use. A client that
// is not among them keeps the share that it had, so the document holds what has changed.
type Shares struct {
	Clients []Share `json:"clients"`
}

// Share is what a node may let one client carry, as a limit of the node's own count of that client: the agent counts
// from the first share that it gets, over all flows and cores, and says the count in its samples (TrafficShare).
type Share struct {
	ClientID string `json:"id"`
	Counted  int64  `json:"counted"` // what the panel knows of the count; an agent that has lost its own goes on from it
	Limit    int64  `json:"limit"`   // the client is put out when the count reaches it
	NoQuota  bool   `json:"no_quota,omitempty"`
}

// Check refuses shares that could not be told apart.
func (s Shares) Check() error {
	known := make(map[string]bool, len(s.Clients))
	for _, share := range s.Clients {
		if share.ClientID == "" || known[share.ClientID] || share.Counted < 0 || share.Limit < 0 {
			return errors.New("check the shares: a client has no id, stands there twice, or has a negative share")
		}
		known[share.ClientID] = true
	}
	return nil
}
