package simulate

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/link"
	"panel/platform/agentapi"
)

var capabilities = []agentapi.Capability{
	agentapi.CanApply, agentapi.CanRestartCore, agentapi.CanCollectLogs, agentapi.CanProbe, agentapi.CanStream,
	agentapi.DocumentCertificates.Capability(), agentapi.DocumentClientLists.Capability(),
	agentapi.DocumentAbuse.Capability(), agentapi.DocumentBlocks.Capability(), agentapi.DropSessions.Capability(),
	agentapi.FindConnections.Capability(),
}

// Totals count what the whole fleet did.
type Totals struct {
	Heartbeats, HeartbeatFailures, Batches, Samples, BatchFailures, Commands, Configs, Failures, Streams,
	Documents, Clients atomic.Int64
}

func (t *Totals) snapshot() map[string]int64 {
	return map[string]int64{
		"heartbeats": t.Heartbeats.Load(), "heartbeat_failures": t.HeartbeatFailures.Load(),
		"batches": t.Batches.Load(),
		"samples": t.Samples.Load(), "batch_failures": t.BatchFailures.Load(), "commands": t.Commands.Load(),
		"configs": t.Configs.Load(), "failures": t.Failures.Load(), "streams_opened": t.Streams.Load(),
		"documents": t.Documents.Load(), "clients": t.Clients.Load(),
	}
}

// simulated is one agent: a node that accepts every configuration and serves none.
type simulated struct {
	options Options
	client  *link.Client
	totals  *Totals
	session string
	stream  string
	started time.Time
	wakeup  chan struct{}

	mu       sync.Mutex
	desired  agentapi.Desired
	serving  agentapi.Desired
	previous agentapi.Desired
	applyID  string
	results  map[string]*agentapi.CommandResult
	held     map[agentapi.DocumentName]agentapi.DocumentStatus

	fetching sync.Mutex                       // one look at the documents at a time
	lists    map[string]agentapi.ListPosition // by flow, with fetching
}

func newAgent(o Options, m member, totals *Totals) (*simulated, error) {
	shared, err := link.NewHTTP("")
	if err != nil {
		return nil, err
	}
	return &simulated{
		options: o, client: link.NewClient(o.PanelURL, m.Token, shared), totals: totals, session: uuid.NewString(),
		stream:  uuid.NewString(),
		started: o.Clock.Now(), wakeup: make(chan struct{}, 1), results: map[string]*agentapi.CommandResult{},
		held: map[agentapi.DocumentName]agentapi.DocumentStatus{}, lists: map[string]agentapi.ListPosition{},
	}, nil
}

func (s *simulated) run(ctx context.Context) {
	if !s.options.PollOnly {
		s.client.ExpectStream()
	}
	var loops sync.WaitGroup
	for _, loop := range []func(context.Context){s.receive, s.heartbeats, s.samples, s.follow} {
		loops.Go(func() { loop(ctx) })
	}
	loops.Wait()
}

func (s *simulated) receive(ctx context.Context) {
	receiver := link.Receiver{
		Client: s.client, Handler: handler{s, ctx}, Timing: s.options.Timing,
		Clock: s.options.Clock, Log: zap.NewNop(),
	}
	receiver.Streaming = func(open bool) {
		if open {
			s.totals.Streams.Add(1)
		}
	}
	if s.options.PollOnly {
		receiver.Poll(ctx)
		return
	}
	receiver.Run(ctx)
}

func (s *simulated) rest(ctx context.Context, pause time.Duration) {
	select {
	case <-ctx.Done():
	case <-s.options.Clock.After(pause):
	}
}

func (s *simulated) heartbeats(ctx context.Context) {
	pace := 15 * time.Second
	for ctx.Err() == nil {
		reply, err := s.client.Heartbeat(ctx, s.report())
		if err != nil {
			s.totals.HeartbeatFailures.Add(1)
		} else {
			s.totals.Heartbeats.Add(1)
			s.accept(ctx, reply)
			pace = max(time.Second, time.Duration(reply.HeartbeatSeconds)*time.Second)
		}
		s.rest(ctx, pace-pace/10+rand.N(pace/5+1))
	}
}

func (s *simulated) accept(ctx context.Context, reply agentapi.HeartbeatReply) {
	s.want(reply.Desired)
	go s.hold(ctx, reply.Documents)
	for _, command := range reply.Commands {
		s.take(ctx, command)
	}
}

func (s *simulated) report() agentapi.Heartbeat {
	s.mu.Lock()
	defer s.mu.Unlock()
	return agentapi.Heartbeat{
		AgentVersion: s.options.Version, Protocol: agentapi.Protocol, OS: "linux", Arch: "amd64", Hostname: "simulated",
		Capabilities: capabilities, BootID: s.session, SessionID: s.session, SentAt: s.options.Clock.Now().UTC(),
		Core: agentapi.CoreReport{
			Kind: "xray", Version: "simulated", State: agentapi.CoreRunning,
			UptimeSeconds:  int64(s.options.Clock.Since(s.started).Seconds()),
			ConfigRevision: s.serving.DesiredRevision, ConfigHash: s.serving.DesiredHash, ApplyID: s.applyID,
		},
		Sockets:   []agentapi.Socket{{L4: agentapi.TCP, IP: "0.0.0.0", Port: 22, Process: "sshd"}},
		Addresses: []string{"192.0.2.1"},
		Documents: s.holding(),
	}
}

func (s *simulated) samples(ctx context.Context) {
	var waiting []agentapi.Sample
	seq := int64(1)
	s.rest(ctx, rand.N(s.options.Sampling+1))
	for ctx.Err() == nil {
		waiting = append(waiting, s.sample())
		if len(waiting) >= max(1, s.options.BatchSamples) && s.send(ctx, seq, waiting) {
			waiting = nil
			seq++
		}
		s.rest(ctx, s.options.Sampling)
	}
}

// send repeats a batch unchanged until it is acknowledged.
func (s *simulated) send(ctx context.Context, seq int64, samples []agentapi.Sample) bool {
	backoff := link.Backoff{First: time.Second, Longest: 15 * time.Second}
	for ctx.Err() == nil {
		reply, err := s.client.Metrics(ctx, agentapi.MetricsBatch{StreamID: s.stream, Seq: seq, Samples: samples})
		if err == nil && reply.AckedSeq >= seq {
			s.totals.Batches.Add(1)
			s.totals.Samples.Add(int64(len(samples)))
			return true
		}
		s.totals.BatchFailures.Add(1)
		s.rest(ctx, backoff.Next())
	}
	return false
}

func (s *simulated) sample() agentapi.Sample {
	return agentapi.Sample{
		ObservedAt: s.options.Clock.Now().UTC(), CPUPercent: 100 * rand.Float64(), Load1: 2 * rand.Float64(),
		MemUsed: rand.N(int64(4 << 30)), MemTotal: 4 << 30, DiskUsed: 10 << 30, DiskTotal: 40 << 30,
		NetRxBps: 1e9 * rand.Float64(), NetTxBps: 1e9 * rand.Float64(), RxPps: 1e5 * rand.Float64(),
		TCPEstablished: rand.N(int64(5000)),
		ConntrackCount: rand.N(int64(9000)), ConntrackMax: 262144,
		UptimeSeconds: int64(s.options.Clock.Since(s.started).Seconds()),
	}
}

// handler binds the agent to the life of the fleet for link.Handler.
type handler struct {
	*simulated
	ctx context.Context
}

func (h handler) Command(c agentapi.Command) error { h.take(h.ctx, c); return nil }

// Desired implements link.Handler.
func (h handler) Desired(d agentapi.Desired, documents []agentapi.DocumentRef) {
	h.want(d)
	go h.hold(h.ctx, documents)
}

// Hello implements link.Handler.
func (s *simulated) Hello() agentapi.Hello {
	s.mu.Lock()
	defer s.mu.Unlock()
	return agentapi.Hello{
		Protocol: agentapi.Protocol, AgentVersion: s.options.Version, SessionID: s.session,
		ConfigRevision: s.serving.DesiredRevision, ConfigHash: s.serving.DesiredHash,
	}
}

func (s *simulated) want(d agentapi.Desired) {
	s.mu.Lock()
	changed := s.desired != d
	s.desired = d
	s.mu.Unlock()
	if changed {
		select {
		case s.wakeup <- struct{}{}:
		default:
		}
	}
}

// follow installs what the panel desires, outside of applies.
func (s *simulated) follow(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wakeup:
		}
		s.mu.Lock()
		wanted, idle := s.desired, s.applyID == "" && s.desired != s.serving && s.desired.DesiredRevision > 0
		s.mu.Unlock()
		if idle {
			s.install(ctx, wanted)
		}
	}
}

func (s *simulated) install(ctx context.Context, wanted agentapi.Desired) {
	result := agentapi.ConfigResult{
		Revision: wanted.DesiredRevision, Hash: wanted.DesiredHash, OK: true,
		Stage: agentapi.StageCommit,
	}
	if _, err := s.client.Config(ctx, wanted.DesiredRevision); err != nil {
		s.totals.Failures.Add(1)
		return
	}
	s.mu.Lock()
	s.serving = wanted
	result.RunningRevision, result.RunningHash = wanted.DesiredRevision, wanted.DesiredHash
	s.mu.Unlock()
	s.totals.Configs.Add(1)
	if err := s.client.ConfigResult(ctx, result); err != nil {
		s.totals.Failures.Add(1)
	}
}

// take runs a command once and repeats its result for a repeated command.
func (s *simulated) take(ctx context.Context, command agentapi.Command) {
	s.mu.Lock()
	known, ok := s.results[command.ID]
	if !ok {
		s.results[command.ID] = nil
	}
	s.mu.Unlock()
	if ok && known == nil {
		return
	}
	go s.work(ctx, command, known)
}

func (s *simulated) work(ctx context.Context, command agentapi.Command, result *agentapi.CommandResult) {
	if result == nil {
		s.rest(ctx, s.options.Latency)
		result = s.carryOut(ctx, command)
		s.mu.Lock()
		s.results[command.ID] = result
		s.mu.Unlock()
		s.totals.Commands.Add(1)
	}
	backoff := link.Backoff{First: time.Second, Longest: 15 * time.Second}
	for ctx.Err() == nil {
		err := s.client.CommandResult(ctx, *result)
		if err == nil || link.Refused(err) {
			return
		}
		s.totals.Failures.Add(1)
		s.rest(ctx, backoff.Next())
	}
}

func (s *simulated) carryOut(ctx context.Context, command agentapi.Command) *agentapi.CommandResult {
	now := s.options.Clock.Now().UTC()
	result := &agentapi.CommandResult{ID: command.ID, OK: true, Code: agentapi.CodeDone, StartedAt: now}
	switch command.Kind {
	case agentapi.ApplyConfig:
		s.apply(ctx, command, result)
	case agentapi.Probe:
		s.probe(command, result)
	case agentapi.RestartCore, agentapi.CollectLogs:
	case agentapi.DropSessions: // nobody is connected
		result.Data, _ = json.Marshal(agentapi.DropSessionsData{})
	case agentapi.FindConnections: // and nobody was
		result.Data, _ = json.Marshal(agentapi.FindConnectionsData{Lines: []agentapi.ConnectionLine{}})
	case agentapi.UpdateAgent, agentapi.RotateToken, agentapi.BlockIPs, agentapi.ScanTargets:
		result.OK, result.Code = false, agentapi.CodeNotSupported
	}
	result.FinishedAt = s.options.Clock.Now().UTC()
	return result
}

func (s *simulated) apply(ctx context.Context, command agentapi.Command, result *agentapi.CommandResult) {
	var args agentapi.ApplyConfigArgs
	if err := json.Unmarshal(command.Args, &args); err != nil {
		result.OK, result.Code = false, agentapi.CodeBadArgs
		return
	}
	if args.Phase == agentapi.PhasePrepare {
		if _, err := s.client.Config(ctx, args.Revision); err != nil {
			result.OK, result.Code = false, agentapi.CodeUnavailable
			result.Stage, result.Error = agentapi.StageFetch, err.Error()
			return
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.enter(args)
	result.Data, _ = json.Marshal(agentapi.ApplyConfigData{
		RunningRevision: s.serving.DesiredRevision, RunningHash: s.serving.DesiredHash, Interruption: "none",
	})
}

func (s *simulated) enter(args agentapi.ApplyConfigArgs) {
	switch args.Phase {
	case agentapi.PhaseSwitch:
		s.previous, s.applyID = s.serving, args.ApplyID
		s.serving = agentapi.Desired{DesiredRevision: args.Revision, DesiredHash: args.Hash}
	case agentapi.PhaseRevert:
		if s.applyID == args.ApplyID {
			s.serving, s.applyID = s.previous, ""
		}
	case agentapi.PhaseCommit:
		s.applyID = ""
		s.totals.Configs.Add(1)
	case agentapi.PhasePrepare:
	}
}

// probe confirms everything: a simulated fleet has no network of its own.
func (s *simulated) probe(command agentapi.Command, result *agentapi.CommandResult) {
	var args agentapi.ProbeArgs
	if json.Unmarshal(command.Args, &args) != nil {
		result.OK, result.Code = false, agentapi.CodeBadArgs
		return
	}
	var data agentapi.ProbeData
	switch {
	case args.Bind != nil:
		data.Bind = &agentapi.BindData{Bound: true}
	case args.Dial != nil:
		data.Dial = &agentapi.DialData{Connected: true, NonceMatched: true, RemoteAddress: args.Dial.Address}
	case args.TLS != nil:
		data.TLS = &agentapi.TLSData{Version: "1.3", ALPN: "h2", NameMatches: true, Trusted: true, Suitable: true}
	case args.Through != nil:
		data.Through = &agentapi.ThroughData{Status: 200, ExitIP: "192.0.2.1", Matched: true}
	}
	result.Data, _ = json.Marshal(data)
}
