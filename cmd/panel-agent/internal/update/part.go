package update

import (
	"context"
	"errors"

	"panel/cmd/panel-agent/internal/part"
	"panel/platform/agentapi"
)

// Part brings the agent to other builds.
var Part = part.Part{Name: "update", Commands: []agentapi.CommandKind{agentapi.UpdateAgent}, Open: open}

func open(env *part.Env) (*part.Live, error) {
	u := &Updater{
		DataDir: env.DataDir, Executable: env.Executable, Version: env.Version, Build: env.Build,
		BuiltIn: env.UpdateKeys,
		Panel:   Panel{Base: env.Panel.Base(), Token: env.Panel.Token, HTTP: env.HTTP},
		Clock:   env.Clock, Log: env.Log.Named("update"), Leave: env.Leave,
	}
	if err := u.Open(); err != nil {
		return nil, err
	}
	return &part.Live{
		Commands: map[agentapi.CommandKind]part.Handler{agentapi.UpdateAgent: part.HandleID(u.command)},
		Answered: func(agentapi.HeartbeatReply) { u.Confirm() },
	}, nil
}

var errNotForThis = errors.New("this agent cannot be updated from the panel")

func (u *Updater) command(
	ctx context.Context, id string, args agentapi.UpdateAgentArgs,
) (*agentapi.UpdateAgentData, error) {
	if u.Leave == nil {
		return nil, part.Coded(agentapi.CodeNotSupported, errNotForThis)
	}
	data, err := u.Order(ctx, id, args)
	return &data, err
}
