package agent

import (
	"context"
	"math/rand/v2"
	"os"
	"runtime"
	"time"

	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/link"
	"panel/cmd/panel-agent/internal/part"
	"panel/platform/agentapi"
)

const settle = 150 * time.Millisecond // changes that come together make one heartbeat

func (a *Agent) receive(ctx context.Context) {
	receiver := link.Receiver{Client: a.client, Handler: a, Timing: a.Timing, Clock: a.Clock, Log: a.Log.Named("link")}
	receiver.Run(ctx)
}

// Desired implements link.Handler.
func (a *Agent) Desired(config agentapi.Desired, wanted []agentapi.DocumentRef) {
	for _, live := range a.live {
		if live.Desired != nil {
			live.Desired(config)
		}
	}
	a.documents.Desired(wanted)
}

// Command implements link.Handler.
func (a *Agent) Command(c agentapi.Command) error { return a.queue.Accept(c) }

// Hello implements link.Handler.
func (a *Agent) Hello() agentapi.Hello {
	hello := agentapi.Hello{Protocol: agentapi.Protocol, AgentVersion: a.Version, SessionID: a.session}
	for _, live := range a.live {
		if live.Hello != nil {
			live.Hello(&hello)
		}
	}
	return hello
}

func (a *Agent) report(ctx context.Context) agentapi.Heartbeat {
	hostname, _ := os.Hostname()
	beat := agentapi.Heartbeat{
		AgentVersion: a.Version, Protocol: agentapi.Protocol, OS: runtime.GOOS, Arch: runtime.GOARCH,
		Hostname:     hostname,
		Capabilities: part.Capabilities(a.Parts), BootID: a.boot, SessionID: a.session, SentAt: a.Clock.Now().UTC(),
		PanelURL: a.client.Base(), Documents: a.documents.Status(),
	}
	for _, live := range a.live {
		if live.Heartbeat != nil {
			live.Heartbeat(ctx, &beat)
		}
	}
	return beat
}

// heartbeats reports at the pace that the panel asks for, and at once when something changes.
func (a *Agent) heartbeats(ctx context.Context) {
	for ctx.Err() == nil {
		a.heartbeat(ctx)
		select {
		case <-ctx.Done():
		case <-a.Clock.After(jittered(time.Duration(a.beat.Load()))):
		case <-a.changed:
			a.rest(ctx, settle)
		}
	}
}

func (a *Agent) heartbeat(ctx context.Context) {
	began := a.Clock.Now()
	reply, err := a.client.Heartbeat(ctx, a.report(ctx))
	if err != nil {
		link.LogFailure(a.Log, "heartbeat", err)
		return
	}
	if !reply.ServerTime.IsZero() {
		middle := began.Add(a.Clock.Since(began) / 2)
		a.skew.Store(int64(reply.ServerTime.Sub(middle)))
	}
	if reply.HeartbeatSeconds > 0 {
		a.beat.Store(int64(max(shortestBeat, time.Duration(reply.HeartbeatSeconds)*time.Second)))
	}
	for _, live := range a.live {
		if live.Answered != nil {
			live.Answered(reply)
		}
	}
	a.Desired(reply.Desired, reply.Documents)
	for _, command := range reply.Commands {
		if err := a.queue.Accept(command); err != nil {
			a.Log.Error("a command could not be written down; the panel will repeat it", zap.Error(err))
		}
	}
}

// jittered spreads a fleet: within a tenth around the pace.
func jittered(pace time.Duration) time.Duration { return pace - pace/10 + rand.N(pace/5+1) }

func (a *Agent) rest(ctx context.Context, pause time.Duration) {
	select {
	case <-ctx.Done():
	case <-a.Clock.After(pause):
	}
}

func (a *Agent) deliverResults(ctx context.Context) {
	backoff := link.NewBackoff()
	a.queue.Deliver(ctx, a.client.CommandResult, backoff.Next, backoff.Reset)
}
