package install

import (
	"context"

	"panel/cmd/panel-agent/internal/part"
	"panel/platform/agentapi"
)

// Part keeps the core serving what the panel wants.
var Part = part.Part{
	Name:      "core",
	Documents: nil, // the configuration goes its own way, with an apply in phases
	Commands:  []agentapi.CommandKind{agentapi.ApplyConfig, agentapi.RestartCore},
	// It may have happened already, and twice is a disturbance.
	Once:         []agentapi.CommandKind{agentapi.RestartCore},
	Capabilities: []agentapi.Capability{agentapi.CanTunnel, agentapi.CanBeProxied},
	Open:         open,
}

func open(env *part.Env) (*part.Live, error) {
	i, err := New(Options{
		Dir: env.DataDir, Core: env.Core, Source: env.Panel, Clock: env.Clock, Log: env.Log.Named("install"),
		Release: env.Release, Changed: env.Changed,
	})
	if err != nil {
		return nil, err
	}
	env.OnCrashLoop(i.CrashLoop)
	r := &reporter{Installer: i, send: env.Panel.ConfigResult, beat: env.Changed, waiting: make(chan struct{}, 1)}
	i.Changed = r.changed
	return &part.Live{
		Commands: map[agentapi.CommandKind]part.Handler{
			agentapi.ApplyConfig: part.Handle(i.Apply),
			agentapi.RestartCore: part.Handle(func(ctx context.Context, _ struct{}) (agentapi.CoreReport, error) {
				err := env.Core.Restart(ctx)
				return env.Core.Report(), err
			}),
		},
		Desired: i.Desired,
		Hello:   func(h *agentapi.Hello) { h.ConfigRevision, h.ConfigHash, _ = i.Running() },
		Heartbeat: func(_ context.Context, beat *agentapi.Heartbeat) {
			beat.Core = env.Core.Report()
			beat.Core.ConfigRevision, beat.Core.ConfigHash, beat.Core.ApplyID = i.Running()
		},
		Boot:  i.Boot,
		Loops: []func(context.Context){i.Run, r.run},
		Close: env.Core.Close,
	}, nil
}
