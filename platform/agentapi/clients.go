package agentapi

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Clients is the content of DocumentClients: who may use the flows that have an entry on the node. The listeners of a
// configuration name their flow (ListOf), and the agent lets in whom the list of that flow names; so clients come and
// go without another configuration. A flow that is not among them keeps the clients that it had.
type Clients struct {
	Flows []FlowClients `json:"flows"`
}

// FlowClients is the list of one flow.
type FlowClients struct {
	FlowID   string   `json:"flow_id"`
	Revision int64    `json:"revision"` // of the list, counted by the flow
	Clients  []Client `json:"clients"`
}

// Client is who may use a flow, with the secret for it.
type Client struct {
	ID      string    `json:"id"`
	UUID    string    `json:"uuid"`
	Key     []byte    `json:"key"`                // 32 bytes
	Number  int64     `json:"number,omitempty"`   // among all accesses of clients to flows; 0: an older panel wrote it
	Own     string    `json:"password,omitempty"` // instead of one of the key
	Expires time.Time `json:"expires,omitzero"`   // from then on the agent lets it in no more

	Limits ClientLimits `json:"limits,omitzero"`
}

// ClientLimits are what a client may use of one node at once, over all its flows there. Zero is without a limit. An
// older agent keeps to none.
type ClientLimits struct {
	Mbit      int `json:"mbit,omitempty"`      // a second, in each direction
	Addresses int `json:"addresses,omitempty"` // from which it comes at once
}

// Tighter says whether these limits forbid something that others allow.
func (l ClientLimits) Tighter(than ClientLimits) bool {
	less := func(a, b int) bool { return a > 0 && (b == 0 || a < b) }
	return less(l.Mbit, than.Mbit) || less(l.Addresses, than.Addresses)
}

// ListOf is what a listener of a configuration says about its clients, as the member "clients_of" of an inbound.
type ListOf struct {
	FlowID string `json:"flow_id"`
	Flow   string `json:"flow,omitempty"` // that each client of VLESS has
}

// ClientEmail is how a core calls a client of a flow, in its counters and in rules.
func ClientEmail(flowID, clientID string) string { return "flow." + flowID + ".client." + clientID }

// ClientOfEmail reads what ClientEmail wrote; empty for every other email.
func ClientOfEmail(email string) (flowID, clientID string) {
	rest, found := strings.CutPrefix(email, "flow.")
	if !found {
		return "", ""
	}
	flowID, clientID, found = strings.Cut(rest, ".client.")
	if !found {
		return "", ""
	}
	return flowID, clientID
}

// Password is how the client shows who it is where a protocol asks for one. One that the
// panel has made up is of letters that need no escape in a link.
func (c Client) Password() string { return cmp.Or(c.Own, base64.RawURLEncoding.EncodeToString(c.Key)) }

// SharedKey is Password for the methods of Shadowsocks 2022, which ask for a key of their own length.
func (c Client) SharedKey(method string) string {
	const shorter = 16
	key := make([]byte, len(c.Key))
	copy(key, c.Key)
	if method == "2022-blake3-aes-128-gcm" {
		key = key[:min(shorter, len(key))]
	}
	return base64.StdEncoding.EncodeToString(key)
}

const keyOfClient = 32

// Check refuses a list with clients that could not be told apart or have no secret. No secret is in the error.
func (c Clients) Check() error {
	flows := map[string]bool{}
	for _, flow := range c.Flows {
		if flow.FlowID == "" || flows[flow.FlowID] {
			return errors.New("check the clients: a flow has no id, or stands there twice")
		}
		flows[flow.FlowID] = true
		known := make(map[string]bool, len(flow.Clients))
		for _, client := range flow.Clients {
			if client.ID == "" || known[client.ID] || client.UUID == "" || len(client.Key) != keyOfClient ||
				client.Limits.Mbit < 0 || client.Limits.Addresses < 0 {
				return fmt.Errorf("check the clients of flow %s: one has no id, no secret or a negative limit, "+
					"or stands there twice", flow.FlowID)
			}
			known[client.ID] = true
		}
	}
	return nil
}
