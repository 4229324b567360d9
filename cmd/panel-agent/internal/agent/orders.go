package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"panel/cmd/panel-agent/internal/core"
	"panel/cmd/panel-agent/internal/identity"
	"panel/cmd/panel-agent/internal/install"
	"panel/cmd/panel-agent/internal/probe"
	"panel/cmd/panel-agent/internal/update"
	"panel/platform/agentapi"
)

const (
	usualLines = 200
	mostLines  = 2000
)

// handle runs one order of the closed list; anything else is answered with not_supported.
func (a *Agent) handle(ctx context.Context, command agentapi.Command) agentapi.CommandResult {
	switch command.Kind {
	case agentapi.ApplyConfig:
		return decoded(command, func(args agentapi.ApplyConfigArgs) (any, error) { return a.installer.Apply(ctx, args) })
	case agentapi.RestartCore:
		return answer(a.restart(ctx))
	case agentapi.CollectLogs:
		return decoded(command, func(args agentapi.CollectLogsArgs) (any, error) { return a.logs(args), nil })
	case agentapi.Probe:
		return decoded(command, func(args agentapi.ProbeArgs) (any, error) { return a.prober.Run(ctx, args) })
	case agentapi.RotateToken:
		return answer(a.rotate(ctx))
	case agentapi.UpdateAgent:
		if a.Leave != nil {
			return decoded(command, func(args agentapi.UpdateAgentArgs) (any, error) { return a.updater.Order(ctx, command.ID, args) })
		}
	case agentapi.BlockIPs, agentapi.DropSessions:
	}
	return agentapi.CommandResult{Code: agentapi.CodeNotSupported, Error: "this agent cannot do that; update it"}
}

func decoded[Args any](command agentapi.Command, do func(Args) (any, error)) agentapi.CommandResult {
	var args Args
	if len(command.Args) > 0 {
		if err := json.Unmarshal(command.Args, &args); err != nil {
			return agentapi.CommandResult{Code: agentapi.CodeBadArgs, Error: fmt.Sprintf("read the arguments of %s: %v", command.Kind, err)}
		}
	}
	return answer(do(args))
}

// answer turns the outcome of an order into its result; evidence comes along also when the order failed.
func answer(data any, err error) agentapi.CommandResult {
	result := agentapi.CommandResult{OK: err == nil, Code: codeOf(err)}
	if raw, encodeErr := json.Marshal(data); encodeErr == nil && string(raw) != "null" {
		result.Data = raw
	}
	if err == nil {
		return result
	}
	result.Error = err.Error()
	var failure *install.Failure
	var started *core.StartFailed
	if stage, tail, ok := update.Failed(err); ok {
		result.Stage, result.StderrTail = stage, tail
	}
	switch {
	case errors.As(err, &failure):
		result.Stage, result.StderrTail = failure.Stage, failure.Words
	case errors.As(err, &started):
		result.StderrTail = started.Words
	}
	return result
}

func codeOf(err error) agentapi.ResultCode {
	var failure *install.Failure
	switch {
	case err == nil:
		return agentapi.CodeDone
	case errors.As(err, &failure):
		return failure.Code
	case errors.Is(err, core.ErrStart):
		return agentapi.CodeStartFailed
	case errors.Is(err, probe.ErrArgs):
		return agentapi.CodeBadArgs
	case errors.Is(err, probe.ErrInUse):
		return agentapi.CodePortInUse
	case errors.Is(err, context.DeadlineExceeded):
		return agentapi.CodeExpired
	case errors.Is(err, probe.ErrUnreachable):
		return agentapi.CodeUnreachable
	}
	return agentapi.CodeFailed
}

func (a *Agent) restart(ctx context.Context) (any, error) {
	err := a.core.Restart(ctx)
	return a.core.Report(), err
}

// rotate takes a new token; its evidence tells until when the old one works, never the token.
func (a *Agent) rotate(ctx context.Context) (any, error) {
	reply, err := a.client.Rotate(ctx, func(token string) error {
		id, err := identity.Load(a.DataDir)
		if err != nil {
			return err
		}
		id.Token = identity.Token(token)
		return identity.Save(a.DataDir, id)
	})
	if err != nil {
		return nil, err
	}
	return map[string]any{"previous_valid_until": reply.PreviousValidUntil}, nil
}

func (a *Agent) logs(args agentapi.CollectLogsArgs) agentapi.CollectLogsData {
	lines := args.Lines
	if lines <= 0 {
		lines = usualLines
	}
	lines = min(lines, mostLines)
	return agentapi.CollectLogsData{Agent: a.Lines.Last(lines), Core: a.core.Logs(lines)}
}
