package flowsapi

import (
	"context"
	"encoding/json"
)

// Draft is a flow as it is given away and taken: without anything secret but what the drawing of a new one brings.
type Draft struct {
	Name        string
	Description string
	Tags        []string
	Drawing     json.RawMessage
}

// Problem is what keeps a drawing from running. Path names the field: "nodes[2].params.listener.port".
type Problem struct {
	Code    string
	Path    string
	Message string
}

// Drafts gives and takes whole flows. Its calls take part in the context's transaction.
type Drafts interface {
	// Draft gives the draft of a flow without its secrets. Fault: not_found (404).
	Draft(ctx context.Context, flowID string) (Draft, error)
	// Check lists what keeps a drawing from running. Faults: those of a body of the API that is not a drawing.
	Check(drawing json.RawMessage) ([]Problem, error)
	// Create makes a flow of the caller without any client. Faults: name_taken (409), invalid_value (422).
	Create(ctx context.Context, d Draft) (flowID string, err error)
	// Taken gives those of the names that flows have already.
	Taken(ctx context.Context, names ...string) ([]string, error)
}
