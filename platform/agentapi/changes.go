package agentapi

import (
	"encoding/json"
	"errors"
	"fmt"
)

// ClientLists is the content of DocumentClientLists: which lists of clients the node shall hold, in which revision. An
// agent that holds it asks for what has changed (PathClientChanges), and has no use for DocumentClients.
type ClientLists struct {
	Flows []ListRef `json:"flows"`
}

// ListRef is the list of one flow. A list of another epoch is numbered anew and has nothing to do with one that is
// held.
type ListRef struct {
	FlowID   string `json:"flow_id"`
	Epoch    string `json:"epoch"`
	Revision int64  `json:"revision"`
}

// ListPosition is how far an agent has a list: all changes up to Since, those of Since itself up to the client After
// where one is named. Known is the revision that the list had when the agent began with it.
type ListPosition struct {
	Epoch string `json:"epoch"`
	Since int64  `json:"since"`
	After string `json:"after,omitempty"`
	Known int64  `json:"known,omitempty"`
}

// MostChanges is how many clients one answer names.
const MostChanges = 5000

// ClientChanges are changes of a list, oldest first. One client is in it once.
type ClientChanges struct {
	FlowID  string       `json:"flow_id"`
	From    ListPosition `json:"from" doc:"What was asked from"`
	To      ListPosition `json:"to" doc:"What to ask from next"`
	Fresh   bool         `json:"fresh,omitempty" doc:"The list from its beginning: what is held does not count"`
	More    bool         `json:"more,omitempty" doc:"There are further changes"`
	Clients []Client     `json:"clients,omitempty" doc:"Who is on the list, with what it has now"`
	Gone    []string     `json:"gone,omitempty" doc:"Who is on it no more"`
}

// MarshalJSON leaves out the ends of clients that have none, which only the standard library knows how to.
func (c ClientChanges) MarshalJSON() ([]byte, error) {
	type plain ClientChanges
	return json.Marshal(plain(c))
}

// Check refuses lists that could not be told apart.
func (l ClientLists) Check() error {
	known := map[string]bool{}
	for _, flow := range l.Flows {
		if flow.FlowID == "" || flow.Epoch == "" || known[flow.FlowID] {
			return errors.New("check the lists of clients: one has no flow or epoch, or stands there twice")
		}
		known[flow.FlowID] = true
	}
	return nil
}

// Check refuses changes with clients that could not be told apart or have no secret. No secret is in the error.
func (c ClientChanges) Check() error {
	all := Clients{Flows: []FlowClients{{FlowID: c.FlowID, Clients: c.Clients}}}
	if err := all.Check(); err != nil {
		return err
	}
	if c.To.Epoch == "" || c.To == c.From && c.More {
		return fmt.Errorf("check the changes of flow %s: they lead nowhere", c.FlowID)
	}
	return nil
}
