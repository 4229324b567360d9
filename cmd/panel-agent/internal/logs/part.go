package logs

import (
	"context"

	"panel/cmd/panel-agent/internal/part"
	"panel/platform/agentapi"
)

const (
	usualLines = 200
	mostLines  = 2000
)

// Part answers the command that collects logs.
var Part = part.Part{Name: "logs", Commands: []agentapi.CommandKind{agentapi.CollectLogs}, Open: open}

func open(env *part.Env) (*part.Live, error) {
	collect := func(_ context.Context, args agentapi.CollectLogsArgs) (agentapi.CollectLogsData, error) {
		lines := args.Lines
		if lines <= 0 {
			lines = usualLines
		}
		lines = min(lines, mostLines)
		return agentapi.CollectLogsData{Agent: env.Lines.Last(lines), Core: env.Core.Logs(lines)}, nil
	}
	return &part.Live{Commands: map[agentapi.CommandKind]part.Handler{agentapi.CollectLogs: part.Handle(collect)}}, nil
}
