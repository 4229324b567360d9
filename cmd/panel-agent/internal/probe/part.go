package probe

import (
	"context"
	"errors"

	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/part"
	"panel/platform/agentapi"
)

// Part gathers evidence for the panel.
var Part = part.Part{
	Name: "probe", Commands: []agentapi.CommandKind{agentapi.Probe},
	Capabilities: []agentapi.Capability{agentapi.CanDialPublic}, Open: open,
}

func open(env *part.Env) (*part.Live, error) {
	p := &Prober{Owner: env.Sockets.Owner, Client: env.Core, Reflect: env.Panel.ReflectURL(), Bearer: env.Panel.Token}
	env.OnRelease(p.Release)
	return &part.Live{
		Commands: map[agentapi.CommandKind]part.Handler{
			agentapi.Probe: part.Handle(func(ctx context.Context, args agentapi.ProbeArgs) (agentapi.ProbeData, error) {
				data, err := p.Run(ctx, args)
				return data, coded(err)
			}),
		},
		Answered: func(reply agentapi.HeartbeatReply) {
			if p.Expect(reply.PanelURL) {
				env.Log.Warn("the panel calls itself by another address than this agent dials; probes through flows reach that "+
					"address alone. Set PANEL_PUBLIC_URL on the panel to the address that is dialled, or enrol again with --panel "+
					"and the panel's address", zap.String("dialled", env.Panel.Base()), zap.String("panel",
					reply.PanelURL))
			}
		},
	}, nil
}

// coded gives the errors of a probe the codes that the panel knows.
func coded(err error) error {
	switch {
	case errors.Is(err, ErrArgs):
		return part.Coded(agentapi.CodeBadArgs, err)
	case errors.Is(err, ErrInUse):
		return part.Coded(agentapi.CodePortInUse, err)
	case errors.Is(err, ErrUnreachable): // also one that let the time of the probe pass
		return part.Coded(agentapi.CodeUnreachable, err)
	case errors.Is(err, context.DeadlineExceeded):
		return part.Coded(agentapi.CodeExpired, err)
	}
	return err
}
