package agent

import (
	"context"
	"math/rand/v2"
	"time"

	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/link"
	"panel/cmd/panel-agent/internal/telemetry"
	"panel/platform/agentapi"
)

const settle = 150 * time.Millisecond // changes that come together make one heartbeat

// longestWait bounds what a panel may ask for, so that a wrong answer does not silence an agent for days.
const longestWait = time.Hour

func newBackoff() link.Backoff { return link.Backoff{First: time.Second, Longest: time.Minute} }

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
		a.explain("heartbeat", err)
		return
	}
	a.updater.Heard()
	if !reply.ServerTime.IsZero() {
		middle := began.Add(a.Clock.Since(began) / 2)
		a.skew.Store(int64(reply.ServerTime.Sub(middle)))
	}
	if reply.HeartbeatSeconds > 0 {
		a.beat.Store(int64(max(shortestBeat, time.Duration(reply.HeartbeatSeconds)*time.Second)))
	}
	if a.prober.Expect(reply.PanelURL) {
		a.Log.Warn("the panel calls itself by another address than this agent dials; probes through flows reach that address alone. "+
			"Set PANEL_PUBLIC_URL on the panel to the address that is dialled, or enrol again with --panel and the panel's address",
			zap.String("dialled", a.client.Base()), zap.String("panel", reply.PanelURL))
	}
	a.installer.Desired(reply.Desired)
	for _, command := range reply.Commands {
		if err := a.desk.Accept(command); err != nil {
			a.Log.Error("an order could not be kept; the panel will repeat it", zap.Error(err))
		}
	}
}

func (a *Agent) explain(what string, err error) {
	if link.TokenInvalid(err) {
		a.Log.Error("the panel does not know this agent's token; traffic goes on, enrol again to manage the node", zap.String("call", what))
		return
	}
	a.Log.Info("the panel was not reached; it is tried again", zap.String("call", what), zap.Error(err))
}

// jittered spreads a fleet: within a tenth around the pace.
func jittered(pace time.Duration) time.Duration { return pace - pace/10 + rand.N(pace/5+1) }

func (a *Agent) rest(ctx context.Context, pause time.Duration) {
	select {
	case <-ctx.Done():
	case <-a.Clock.After(pause):
	}
}

// samples reads the host at a steady pace; what one reading costs does not shift the next.
func (a *Agent) samples(ctx context.Context) {
	tick := a.Clock.NewTicker(a.Sampling)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.Chan():
			a.sample(ctx)
		}
	}
}

func (a *Agent) sample(ctx context.Context) {
	before, err := telemetry.ParseBases(a.buffer.Bases())
	if err != nil {
		a.Log.Warn("traffic is counted anew", zap.Error(err))
		before = telemetry.Bases{}
	}
	reading := a.host.Sample()
	traffic, after, done := telemetry.Difference(before, a.core.Counters(ctx))
	reading.Traffic = traffic
	bases, err := after.Encode()
	if err == nil {
		err = a.buffer.Add(reading, bases)
	}
	if err != nil {
		a.Log.Error("a sample could not be kept", zap.Error(err))
		return
	}
	a.core.Forget(done)
	signal(a.sampled)
}

func (a *Agent) deliverSamples(ctx context.Context) {
	backoff := newBackoff()
	for ctx.Err() == nil {
		delivered, pause := a.deliverBatch(ctx)
		if delivered {
			backoff.Reset()
			continue
		}
		if a.buffer.Held() > 0 {
			a.rest(ctx, max(backoff.Next(), pause))
			continue
		}
		select {
		case <-ctx.Done():
		case <-a.sampled:
		}
	}
}

// deliverBatch sends the oldest batch; false when there is none or it was not acknowledged, with the pause that the panel
// asked for.
func (a *Agent) deliverBatch(ctx context.Context) (delivered bool, pause time.Duration) {
	batch, found, err := a.buffer.Next()
	if err != nil {
		a.Log.Error("a batch cannot be read", zap.Error(err))
		return false, 0
	}
	if !found {
		return false, 0
	}
	reply, err := a.client.Metrics(ctx, batch)
	acked := reply.AckedSeq
	if err != nil && link.Refused(err) { // it will never be taken, and must not block what follows
		a.Log.Error("the panel refuses a batch of samples; it is dropped", zap.Int64("seq", batch.Seq), zap.Error(err))
		acked, err = batch.Seq, nil
	}
	if err != nil {
		a.explain("metrics", err)
		return false, min(longestWait, link.RetryAfter(err))
	}
	if acked < batch.Seq {
		return false, 0
	}
	if err := a.buffer.Ack(acked); err != nil {
		a.Log.Error("an acknowledgement could not be kept", zap.Error(err))
		return false, 0
	}
	return true, 0
}

func (a *Agent) deliverResults(ctx context.Context) {
	backoff := newBackoff()
	a.desk.Deliver(ctx, a.client.CommandResult, backoff.Next, backoff.Reset)
}

// deliverOutcomes reports what became of configurations that no command speaks of.
func (a *Agent) deliverOutcomes(ctx context.Context) {
	backoff := newBackoff()
	for ctx.Err() == nil {
		outcome, found := a.installer.Outcome()
		if found && !a.deliverOutcome(ctx, outcome) {
			a.rest(ctx, backoff.Next())
			continue
		}
		backoff.Reset()
		select {
		case <-ctx.Done():
		case <-a.outcome:
		}
	}
}

func (a *Agent) deliverOutcome(ctx context.Context, outcome agentapi.ConfigResult) bool {
	err := a.client.ConfigResult(ctx, outcome)
	if err != nil && !link.Refused(err) {
		a.explain("config result", err)
		return false
	}
	if err := a.installer.Reported(outcome); err != nil {
		a.Log.Error("a delivered report could not be forgotten", zap.Error(err))
		return false
	}
	return true
}
