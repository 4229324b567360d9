package install

import (
	"context"

	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/link"
	"panel/platform/agentapi"
)

// reporter delivers what became of configurations that no command speaks of.
type reporter struct {
	*Installer
	send    func(context.Context, agentapi.ConfigResult) error
	beat    func() // asks for a heartbeat
	waiting chan struct{}
}

// changed is called when what is installed or to be reported has changed.
func (r *reporter) changed() {
	r.beat()
	select {
	case r.waiting <- struct{}{}:
	default:
	}
}

func (r *reporter) run(ctx context.Context) {
	backoff := link.NewBackoff()
	for ctx.Err() == nil {
		if result, found := r.Outcome(); found && !r.deliver(ctx, result) {
			select {
			case <-ctx.Done():
			case <-r.Clock.After(backoff.Next()):
			}
			continue
		}
		backoff.Reset()
		select {
		case <-ctx.Done():
		case <-r.waiting:
		}
	}
}

func (r *reporter) deliver(ctx context.Context, result agentapi.ConfigResult) bool {
	err := r.send(ctx, result)
	if err != nil && !link.Refused(err) {
		link.LogFailure(r.Log, "config result", err)
		return false
	}
	if err := r.Reported(result); err != nil {
		r.Log.Error("a delivered report could not be forgotten", zap.Error(err))
		return false
	}
	return true
}
