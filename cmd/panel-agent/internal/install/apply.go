package install

import (
	"context"
	"errors"
	"slices"
	"time"

	"panel/platform/agentapi"
)

// Failure is a phase of an apply that did not succeed.
type Failure struct {
	Code  agentapi.ResultCode
	Stage agentapi.Stage
	Words string
	cause error
}

func (f *Failure) Error() string { return f.cause.Error() }

// Unwrap gives the cause.
func (f *Failure) Unwrap() error { return f.cause }

// Describe fills in the result of a command that ended with it.
func (f *Failure) Describe(r *agentapi.CommandResult) {
	r.Code, r.Stage, r.StderrTail = f.Code, f.Stage, f.Words
}

func fail(code agentapi.ResultCode, stage agentapi.Stage, cause error) error {
	return &Failure{Code: code, Stage: stage, Words: words(cause), cause: cause}
}

// Apply does one phase. Each phase may be repeated without harm. Faults: *Failure.
func (i *Installer) Apply(ctx context.Context, args agentapi.ApplyConfigArgs) (agentapi.ApplyConfigData, error) {
	ctx, cancel := context.WithTimeout(ctx, stageLimit)
	defer cancel()
	i.acts.Lock()
	defer i.acts.Unlock()
	_, before, _ := i.Running()
	began := i.Clock.Now()
	err := i.phase(ctx, args)
	data := agentapi.ApplyConfigData{Interruption: "none"}
	data.RunningRevision, data.RunningHash, _ = i.Running()
	if before != data.RunningHash {
		data.SwitchMillis = i.Clock.Since(began).Milliseconds()
	}
	i.wake()
	return data, err
}

func (i *Installer) phase(ctx context.Context, args agentapi.ApplyConfigArgs) error {
	if args.ApplyID == "" || args.Hash == "" || args.Revision < 1 {
		return fail(agentapi.CodeBadArgs, "",
			errors.New("apply a configuration: apply_id, revision and hash are needed"))
	}
	m := mark{Revision: args.Revision, Hash: args.Hash}
	switch args.Phase {
	case agentapi.PhasePrepare:
		return i.prepare(ctx, m)
	case agentapi.PhaseSwitch:
		return i.switchTo(ctx, m, args)
	case agentapi.PhaseCommit:
		return i.commitApply(m, args.ApplyID)
	case agentapi.PhaseRevert:
		return i.revertApply(ctx, args.ApplyID)
	}
	return fail(agentapi.CodeBadArgs, "", errors.New("apply a configuration: the phase is unknown"))
}

func (i *Installer) prepare(ctx context.Context, m mark) error {
	stage, err := i.take(ctx, m)
	switch {
	case err != nil && stage == agentapi.StageTest && words(err) != "":
		return fail(agentapi.CodeCoreRefused, stage, err)
	case err != nil && stage == agentapi.StageFetch:
		return fail(agentapi.CodeUnavailable, stage, err)
	case err != nil:
		return fail(agentapi.CodeFailed, stage, err)
	}
	next := i.state
	next.Tested = slices.Clone(next.Tested)
	next.addTested(m)
	if err := i.keep(next); err != nil {
		return fail(agentapi.CodeFailed, agentapi.StageTest, err)
	}
	return nil
}

func (i *Installer) switchTo(ctx context.Context, m mark, args agentapi.ApplyConfigArgs) error {
	held := i.state.Switching
	switch {
	case held != nil && held.ApplyID != args.ApplyID:
		return fail(agentapi.CodeApplyActive, agentapi.StageSwitch,
			errors.New("switch: another apply holds this node; revert or commit that one first"))
	case held != nil && held.mark == m && held.Done:
		return nil
	case !i.state.isTested(m.Hash) && !i.state.isGood(m.Hash):
		return fail(agentapi.CodeNotPrepared, agentapi.StageSwitch,
			errors.New("switch: this configuration was not prepared here; prepare it first"))
	}
	return i.begin(ctx, m, args)
}

// begin writes the intent down before it acts, so that a crash in between is understood at the next start.
func (i *Installer) begin(ctx context.Context, m mark, args agentapi.ApplyConfigArgs) error {
	hold := time.Duration(args.HoldSeconds) * time.Second
	if hold <= 0 {
		hold = defaultHold
	}
	before := i.state
	next := i.state
	next.Switching = &pending{mark: m, ApplyID: args.ApplyID, Until: i.Clock.Now().Add(hold)}
	next.Bad = slices.DeleteFunc(slices.Clone(next.Bad), func(hash string) bool { return hash == m.Hash })
	if err := i.keep(next); err != nil {
		return fail(agentapi.CodeFailed, agentapi.StageSwitch, err)
	}
	if err := i.serve(ctx, m); err != nil {
		return fail(agentapi.CodeStartFailed, agentapi.StageSwitch, errors.Join(err, i.keep(before)))
	}
	done := *next.Switching
	done.Done = true
	next.Switching = &done
	if err := i.keep(next); err != nil {
		return fail(agentapi.CodeFailed, agentapi.StageSwitch, err)
	}
	return nil
}

func (i *Installer) commitApply(m mark, applyID string) error {
	held := i.state.Switching
	switch {
	case held != nil && held.ApplyID == applyID && held.mark == m:
	case held == nil && i.state.Installed != nil && i.state.Installed.Hash == m.Hash:
	default:
		return fail(agentapi.CodeNotPrepared, agentapi.StageCommit,
			errors.New("commit: this node does not serve that configuration for that apply"))
	}
	if err := i.seal(m); err != nil {
		return fail(agentapi.CodeFailed, agentapi.StageCommit, err)
	}
	i.adoptAsDesired(m)
	return nil
}

func (i *Installer) seal(m mark) error {
	if err := i.commit(m); err != nil {
		return err
	}
	i.Core.Relabel(m.Revision)
	i.note(m)
	return nil
}

func (i *Installer) revertApply(ctx context.Context, applyID string) error {
	held := i.state.Switching
	if held == nil || held.ApplyID != applyID {
		return nil
	}
	if err := i.revert(ctx); err != nil {
		return fail(agentapi.CodeStartFailed, agentapi.StageRevert, err)
	}
	return nil
}

// revert serves the last good configuration again; a node that never had one serves nothing.
func (i *Installer) revert(ctx context.Context) error {
	next := i.state
	next.Switching = nil
	if next.Installed == nil {
		if err := i.keep(next); err != nil {
			return err
		}
		i.Core.Clear(ctx, 0, "")
		i.note(mark{})
		return nil
	}
	if err := i.serve(ctx, *next.Installed); err != nil {
		return err
	}
	if err := i.keep(next); err != nil {
		return err
	}
	i.note(*next.Installed)
	return nil
}
