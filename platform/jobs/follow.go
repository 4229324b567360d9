package jobs

import (
	"context"
	"errors"

	"go.uber.org/zap"

	"panel/platform/database"
	"panel/platform/operations"
)

// outcome is what those who follow a run get to know: nil, ErrCancelled, or why it failed. A run that a stopping panel
// hands back has none yet.
func outcome(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case Cancelled(ctx):
		return operations.ErrCancelled
	case stopping(ctx):
		return errHandedBack
	}
	return err
}

var errHandedBack = errors.New("the panel stops; another one goes on")

// record notes the outcome of a run at its operation.
func (a *adapter) record(ctx context.Context, job Job, result error) error {
	var end permanent
	ended := result == nil || errors.Is(result, operations.ErrCancelled) || errors.As(result, &end)
	if ended || job.Last && !errors.Is(result, errHandedBack) {
		return a.runner.ops.End(ctx, job.operation, result)
	}
	return a.runner.ops.Wait(ctx, job.operation, result)
}

// follow changes the operation of a run that still counts. A failure keeps no job from its work.
func (a *adapter) follow(ctx context.Context, job Job, change func(context.Context) error) {
	if job.operation == "" {
		return
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), callWithin)
	defer stop()
	err := a.runner.db.InTx(ctx, func(ctx context.Context) error {
		var held []string
		err := a.runner.db.In(ctx).
			NewRaw("select id from jobs.clients where id = ? for key share", job.client).
			Scan(ctx, &held)
		if err != nil || len(held) == 0 {
			return database.Fault(err, nil)
		}
		return change(ctx)
	})
	if err != nil {
		a.runner.log.Warn("the operation of a job could not be changed", zap.String("kind", job.Kind), zap.Error(err))
		return
	}
	a.runner.ops.Publish(ctx, job.operation)
}
