// Package clients is the part of the agent that holds who may use the flows of the node, and lets the core let in those
// and nobody else.
package clients

import (
	"context"
	"encoding/json"
	"errors"

	"panel/cmd/panel-agent/internal/documents"
	"panel/cmd/panel-agent/internal/part"
	"panel/platform/agentapi"
)

// Part is the manifest.
var Part = part.Part{
	Name:      "clients",
	Documents: []agentapi.DocumentName{agentapi.DocumentClients},
	Open: func(env *part.Env) (*part.Live, error) {
		applied := documents.Document{Name: agentapi.DocumentClients, Apply: apply(env.Core)}
		return &part.Live{Documents: []documents.Document{applied}}, nil
	},
}

// admits is the core.
type admits interface {
	Clients(ctx context.Context, wanted agentapi.Clients) error
}

// apply hands the lists to the core. Lists that cannot be used are refused as a whole, and those before stay.
func apply(core admits) func(context.Context, json.RawMessage) error {
	return func(ctx context.Context, content json.RawMessage) error {
		var wanted agentapi.Clients
		if json.Unmarshal(content, &wanted) != nil { // its text would quote the content
			return documents.Refuse(errors.New("read the clients: they are no JSON of the expected form"))
		}
		if err := wanted.Check(); err != nil {
			return documents.Refuse(err)
		}
		return core.Clients(ctx, wanted)
	}
}
