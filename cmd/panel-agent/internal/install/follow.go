package install

import (
	"context"
	"slices"
	"time"

	"go.uber.org/zap"

	"panel/platform/agentapi"
)

// Desired takes what the panel wants; Run follows it.
func (i *Installer) Desired(d agentapi.Desired) {
	i.mu.Lock()
	changed := i.desired != d
	i.desired = d
	if changed {
		i.failures = 0
	}
	i.mu.Unlock()
	if changed {
		i.wake()
	}
}

func (i *Installer) wake() {
	select {
	case i.wakeup <- struct{}{}:
	default:
	}
}

// Run follows the desired configuration until the context ends.
func (i *Installer) Run(ctx context.Context) {
	for {
		pause := i.follow(ctx)
		var again <-chan time.Time
		if pause > 0 {
			again = i.Clock.After(pause)
		}
		select {
		case <-ctx.Done():
			return
		case <-i.wakeup:
		case <-again:
		}
	}
}

// follow takes one step toward what is desired and returns the pause before the next; 0 = at the next change.
func (i *Installer) follow(ctx context.Context) time.Duration {
	ctx, cancel := context.WithTimeout(ctx, stageLimit)
	defer cancel()
	i.acts.Lock()
	defer i.acts.Unlock()
	wanted := i.want()
	if left := i.held(wanted); left > 0 {
		return left
	}
	if err := i.endHold(ctx, wanted); err != nil {
		i.Log.Error("an apply without an end could not be taken back; it is tried again", zap.Error(err))
		return i.retry()
	}
	if wanted.Revision == 0 || i.isAvoided(wanted.Hash) || i.state.Installed != nil && *i.state.Installed == wanted {
		return 0
	}
	return i.installWanted(ctx, wanted)
}

func (i *Installer) want() mark {
	i.mu.Lock()
	defer i.mu.Unlock()
	return mark{Revision: i.desired.DesiredRevision, Hash: i.desired.DesiredHash}
}

// held is how long a switched apply may still wait for its commit.
func (i *Installer) held(wanted mark) time.Duration {
	switching := i.state.Switching
	if switching == nil || wanted == switching.mark {
		return 0
	}
	return max(0, switching.Until.Sub(i.Clock.Now()))
}

// endHold ends a switch that nobody committed in time: sealed when the panel wants it by now, else taken back.
func (i *Installer) endHold(ctx context.Context, wanted mark) error {
	switching := i.state.Switching
	if switching == nil {
		return nil
	}
	if wanted == switching.mark {
		return i.seal(switching.mark)
	}
	i.Log.Warn("no commit came for an apply; going back", zap.String("apply_id", switching.ApplyID))
	return i.revert(ctx)
}

func (i *Installer) isAvoided(hash string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.refused[hash] || slices.Contains(i.state.Bad, hash)
}

func (i *Installer) installWanted(ctx context.Context, wanted mark) time.Duration {
	stage, err := i.take(ctx, wanted)
	if err != nil {
		return i.failed(wanted, stage, err)
	}
	if err := i.serve(ctx, wanted); err != nil {
		return i.failed(wanted, agentapi.StageSwitch, err)
	}
	if err := i.commit(wanted); err != nil {
		return i.failed(wanted, agentapi.StageCommit, err)
	}
	i.mu.Lock()
	i.failures = 0
	i.mu.Unlock()
	i.report(wanted, agentapi.StageCommit, nil, "")
	return 0
}

// failed reports what the core said once, and leaves such a configuration alone. Anything else is tried again.
func (i *Installer) failed(wanted mark, stage agentapi.Stage, err error) time.Duration {
	i.Log.Warn("the desired configuration is not installed", zap.Int64("revision", wanted.Revision),
		zap.String("stage", string(stage)), zap.Error(err))
	said := words(err)
	if stage == agentapi.StageTest && said != "" {
		i.mu.Lock()
		i.refused[wanted.Hash] = true
		i.mu.Unlock()
		i.report(wanted, stage, err, said)
		return 0
	}
	pause := i.retry()
	if stage != agentapi.StageFetch && pause == firstRetry {
		i.report(wanted, stage, err, said)
	}
	return pause
}

func (i *Installer) retry() time.Duration {
	i.mu.Lock()
	defer i.mu.Unlock()
	pause := min(lastRetry, firstRetry<<min(i.failures, 10))
	i.failures++
	return pause
}
