package part

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"panel/platform/agentapi"
)

// Handler carries out one command. It obeys the context, which ends at the command's deadline.
type Handler func(ctx context.Context, command agentapi.Command) agentapi.CommandResult

// Describer is an error that fills in the result of the command which it ended: code, stage and the words of the core.
type Describer interface {
	error
	Describe(*agentapi.CommandResult)
}

// Handle makes a Handler of a function with the kind's own types. Its data goes up also when it failed.
func Handle[Args, Data any](do func(ctx context.Context, args Args) (Data, error)) Handler {
	return HandleID(func(ctx context.Context, _ string, args Args) (Data, error) { return do(ctx, args) })
}

// HandleID is Handle for a function that needs the id of its command.
func HandleID[Args, Data any](do func(ctx context.Context, id string, args Args) (Data, error)) Handler {
	return func(ctx context.Context, command agentapi.Command) agentapi.CommandResult {
		var args Args
		if len(command.Args) > 0 {
			if err := json.Unmarshal(command.Args, &args); err != nil {
				return agentapi.CommandResult{
					Code: agentapi.CodeBadArgs, Error: fmt.Sprintf("the arguments of %s have another form",
						command.Kind),
				}
			}
		}
		data, err := do(ctx, command.ID, args)
		return result(data, err)
	}
}

func result(data any, err error) agentapi.CommandResult {
	r := agentapi.CommandResult{OK: err == nil, Code: agentapi.CodeDone}
	if raw, failed := json.Marshal(data); failed == nil && string(raw) != "null" {
		r.Data = raw
	}
	if err == nil {
		return r
	}
	r.Error, r.Code = err.Error(), agentapi.CodeFailed
	var described Describer
	switch {
	case errors.As(err, &described):
		described.Describe(&r)
	case errors.Is(err, context.DeadlineExceeded):
		r.Code = agentapi.CodeExpired
	}
	return r
}

// Coded gives an error the code of the result that it ends with.
func Coded(code agentapi.ResultCode, err error) error { return &coded{err, code} }

type coded struct {
	error
	code agentapi.ResultCode
}

// Unwrap gives the cause.
func (c *coded) Unwrap() error { return c.error }

// Describe implements Describer.
func (c *coded) Describe(r *agentapi.CommandResult) { r.Code = c.code }
