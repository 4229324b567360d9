// Package facts reports what the agent sees of its host: listening sockets, addresses and firewalls.
package facts

import (
	"context"

	"panel/cmd/panel-agent/internal/firewall"
	"panel/cmd/panel-agent/internal/part"
	"panel/cmd/panel-agent/internal/sockets"
	"panel/platform/agentapi"
)

// Part adds the facts to heartbeats.
var Part = part.Part{Name: "facts", Open: open}

func open(env *part.Env) (*part.Live, error) {
	reader := firewall.New(env.Clock)
	return &part.Live{Heartbeat: func(ctx context.Context, beat *agentapi.Heartbeat) {
		beat.Sockets, beat.Addresses, beat.Firewall = env.Sockets.List(), sockets.Addresses(), reader.Read(ctx)
	}}, nil
}
