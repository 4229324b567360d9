// Package tokens replaces the agent's token when the panel asks for it.
package tokens

import (
	"context"
	"time"

	"panel/cmd/panel-agent/internal/identity"
	"panel/cmd/panel-agent/internal/part"
	"panel/platform/agentapi"
)

// Part answers the command that rotates the token.
var Part = part.Part{Name: "tokens", Commands: []agentapi.CommandKind{agentapi.RotateToken}, Open: open}

// rotated says until when the token before works; it never holds a token.
type rotated struct {
	PreviousValidUntil time.Time `json:"previous_valid_until"`
}

func open(env *part.Env) (*part.Live, error) {
	rotate := func(ctx context.Context, _ struct{}) (*rotated, error) {
		reply, err := env.Panel.Rotate(ctx, func(token string) error { return store(env.DataDir, token) })
		if err != nil {
			return nil, err
		}
		return &rotated{reply.PreviousValidUntil}, nil
	}
	return &part.Live{Commands: map[agentapi.CommandKind]part.Handler{agentapi.RotateToken: part.Handle(rotate)}}, nil
}

// store makes the new token durable before it is used.
func store(dir, token string) error {
	id, err := identity.Load(dir)
	if err != nil {
		return err
	}
	id.Token, id.Former = identity.Token(token), id.Token
	return identity.Save(dir, id)
}
