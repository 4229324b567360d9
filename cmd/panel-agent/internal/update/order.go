package update

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/platform/agentapi"
	"panel/platform/release"
)

const (
	selfTestLimit = 45 * time.Second
	waitPause     = 100 * time.Millisecond
)

// Updater carries orders to update from inside a running agent, up to the moment in which the agent ends for the new
// build.
type Updater struct {
	DataDir    string
	Executable string
	Version    string
	Build      string // as in Self
	BuiltIn    string // keys that were built in
	Panel      Panel
	Clock      clockwork.Clock
	Log        *zap.Logger
	Leave      func() // ends the agent and leaves its cores serving

	store store
	one   sync.Mutex
	said  bool
}

// Open makes the updater ready.
func (u *Updater) Open() error {
	u.store = newStore(u.DataDir)
	if err := os.MkdirAll(u.store.dir, 0o700); err != nil {
		return fmt.Errorf("make the folder of updates: %w", err)
	}
	return nil
}

// Confirm is called after every heartbeat that the panel has answered; the first one proves this build.
func (u *Updater) Confirm() {
	if u.said || u.Build == "" {
		return
	}
	if u.store.confirmed(u.Build) {
		u.said = true
		return
	}
	if err := u.store.confirm(u.Build); err != nil {
		u.Log.Error("a heartbeat of this build could not be noted", zap.Error(err))
		return
	}
	u.said = true
}

// Order brings the agent to a version. It returns in the build that runs in the end: the new one, or the one before it
// with the failure. An order that was cut by the change of builds is given again and finds its outcome here.
func (u *Updater) Order(
	ctx context.Context, id string, args agentapi.UpdateAgentArgs,
) (agentapi.UpdateAgentData, error) {
	u.one.Lock()
	defer u.one.Unlock()
	now, err := u.store.load()
	if err != nil {
		return agentapi.UpdateAgentData{Version: u.Version}, err
	}
	switch {
	case now.Last != nil && now.Last.Order == id:
		return u.report(*now.Last)
	case now.Trial != nil:
		return u.await(ctx, args.Version)
	case args.Version == u.Version:
		return agentapi.UpdateAgentData{Version: u.Version}, nil
	case release.Compare(u.Version, args.Version) > 0 && !args.AllowOlder:
		return agentapi.UpdateAgentData{Version: u.Version}, failed(agentapi.StageVerify,
			fmt.Errorf("%s is older than %s, which runs here; "+
				"an old release stays signed for ever, so going back to one must be asked for: "+
				"update this node alone with allow_older", args.Version, u.Version))
	}
	if err := u.prepare(ctx, id, args, now); err != nil {
		return agentapi.UpdateAgentData{Version: u.Version}, err
	}
	u.Leave()
	<-ctx.Done() // the order goes on in the build that runs next
	return agentapi.UpdateAgentData{Version: u.Version}, ctx.Err()
}

func (u *Updater) report(last outcome) (agentapi.UpdateAgentData, error) {
	data := agentapi.UpdateAgentData{Version: u.Version, Previous: last.From}
	if last.OK {
		return data, nil
	}
	return data, &failure{stage: last.Stage, err: errors.New(last.Error), tail: last.Tail}
}

// await waits for the decision on a build that is on trial. It answers every order of that version, so that a panel
// that lost count and ordered twice hears the same twice.
func (u *Updater) await(ctx context.Context, version string) (agentapi.UpdateAgentData, error) {
	data := agentapi.UpdateAgentData{Version: u.Version}
	poll := u.Clock.NewTicker(waitPause)
	defer poll.Stop()
	for {
		select {
		case <-ctx.Done():
			return data, ctx.Err()
		case <-poll.Chan():
		}
		now, err := u.store.load()
		switch {
		case err != nil:
			return data, err
		case now.Trial != nil:
		case now.Last != nil && now.Last.Version == version:
			return u.report(*now.Last)
		default:
			return data, failed(agentapi.StageSwitch, errors.New("another update was at work; order again"))
		}
	}
}

// prepare does everything that can fail while the running build serves, and writes down that the new one is on trial.
func (u *Updater) prepare(ctx context.Context, id string, args agentapi.UpdateAgentArgs, now state) error {
	b, err := u.fetch(ctx, args.Version)
	if err != nil {
		return err
	}
	if at, failedBefore := now.Failed[b.SHA256]; failedBefore && !args.Retry &&
		u.Clock.Since(at) < agentapi.UpdateRest*time.Hour {
		return failed(agentapi.StageHeld,
			fmt.Errorf("this build failed here at %s and is not tried again by itself for %d hours; "+
				"update this node alone to try it now",
				at.Format(time.RFC3339), agentapi.UpdateRest))
	}
	if err := u.selfTest(ctx, b); err != nil {
		now.Failed[b.SHA256] = u.Clock.Now().UTC()
		return errors.Join(err, u.store.save(now))
	}
	if u.Build == "" && now.Active == nil {
		if now.Base, err = digest(u.Executable); err != nil {
			return failed(agentapi.StageSwitch, err)
		}
	}
	now.Trial = &trial{Build: b, Order: id, From: u.Version}
	if err := errors.Join(u.forgetConfirmation(), u.store.save(now)); err != nil {
		return failed(agentapi.StageSwitch, err)
	}
	return nil
}

// forgetConfirmation keeps a heartbeat of an earlier trial of the same build from counting for this one.
func (u *Updater) forgetConfirmation() error {
	err := os.Remove(u.store.path(confirmedName))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// SelfTested is what a build prints after a self test that went well.
type SelfTested struct {
	Version string `json:"version"`
}

// selfTest lets the new build check this server's identity and configuration before anything changes.
func (u *Updater) selfTest(ctx context.Context, b Build) error {
	ctx, cancel := context.WithTimeout(ctx, selfTestLimit)
	defer cancel()
	var said bytes.Buffer
	var words tail
	err := u.started(ctx, func() error {
		cmd := exec.CommandContext(ctx, u.store.executable(b), "run", "--self-test", "--data", u.DataDir)
		cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &said, &words, pipeLimit
		return cmd.Run()
	})
	if err != nil {
		return &failure{
			stage: agentapi.StageSelfTest, err: fmt.Errorf("the new build does not pass its self test: %w", err),
			tail: words.String(),
		}
	}
	var tested SelfTested
	lines := bytes.Split(bytes.TrimSpace(said.Bytes()), []byte("\n")) // the core may speak before
	if err := json.Unmarshal(lines[len(lines)-1], &tested); err != nil || tested.Version != b.Version {
		return &failure{
			stage: agentapi.StageSelfTest,
			err:   errors.New("the new build calls itself another version than the release says"), tail: words.String(),
		}
	}
	return nil
}

// started runs a program that was written a moment ago. Another process that was forked meanwhile may hold the file
// open for writing until it has become its own program; the kernel then refuses to run it.
func (u *Updater) started(ctx context.Context, run func() error) error {
	for {
		err := run()
		if !errors.Is(err, syscall.ETXTBSY) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-u.Clock.After(waitPause):
		}
	}
}
