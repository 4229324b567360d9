package hosting

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"panel/platform/agentapi"
	"panel/platform/paneltest"
)

// serving is an agent that reports and carries out what it is asked, over the real protocol: it accepts every
// configuration and runs none.
type serving struct {
	url, token string
	address    string

	mu       sync.Mutex
	now      agentapi.Desired
	previous agentapi.Desired
	applyID  string
	answer   func(kind agentapi.CommandKind, args json.RawMessage) *agentapi.CommandResult // nil: as usual
	silent   bool
}

// serves lets an agent live until the test ends.
func (b *bench) serves(agent *paneltest.Agent, address string) *serving {
	b.t.Helper()
	s := &serving{url: b.URL, token: agent.Token, address: address}
	ctx, stop := context.WithCancel(context.Background())
	over := make(chan struct{})
	b.t.Cleanup(func() { stop(); <-over })
	go func() {
		defer close(over)
		tick := time.NewTicker(30 * time.Millisecond)
		defer tick.Stop()
		for beats := 0; ; beats++ {
			if beats%10 == 0 {
				s.beat(ctx)
			}
			s.work(ctx)
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}()
	return s
}

// falls silent: no report, no answer to anything.
func (s *serving) falls(silent bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.silent = silent
}

// answers lets a test answer commands in its own way.
func (s *serving) answers(in func(kind agentapi.CommandKind, args json.RawMessage) *agentapi.CommandResult) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = in
}

func (s *serving) call(ctx context.Context, method, path string, in, out any) {
	var body io.Reader
	if in != nil {
		text, _ := json.Marshal(in)
		body = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, s.url+path, body)
	if err != nil {
		return
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return
	}
	defer answer.Body.Close()
	if out != nil && answer.StatusCode == http.StatusOK {
		_ = json.NewDecoder(answer.Body).Decode(out)
	}
}

func (s *serving) beat(ctx context.Context) {
	beat := paneltest.Heartbeat()
	beat.Capabilities = []agentapi.Capability{
		agentapi.CanApply, agentapi.CanProbe, agentapi.DocumentPools.Capability(),
	}
	s.mu.Lock()
	silent := s.silent
	beat.Addresses = []string{s.address}
	beat.Core.ConfigRevision, beat.Core.ConfigHash = s.now.DesiredRevision, s.now.DesiredHash
	beat.Core.ApplyID = s.applyID
	s.mu.Unlock()
	if !silent {
		s.call(ctx, http.MethodPost, agentapi.PathHeartbeat, beat, nil)
	}
}

func (s *serving) work(ctx context.Context) {
	s.mu.Lock()
	silent := s.silent
	s.mu.Unlock()
	if silent {
		return
	}
	var pending agentapi.Pending
	s.call(ctx, http.MethodGet, agentapi.PathCommands+"?wait=0", nil, &pending)
	for _, command := range pending.Commands {
		result := s.carryOut(command)
		result.ID = command.ID
		s.call(ctx, http.MethodPost, strings.Replace(agentapi.PathCommandResult, "{id}", command.ID, 1), result, nil)
	}
	s.mu.Lock()
	idle := s.applyID == "" && pending.DesiredRevision > 0
	if idle {
		s.now = pending.Desired
	}
	s.mu.Unlock()
}

func (s *serving) carryOut(command agentapi.Command) *agentapi.CommandResult {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.answer != nil {
		if own := s.answer(command.Kind, command.Args); own != nil {
			return own
		}
	}
	result := &agentapi.CommandResult{OK: true, Code: agentapi.CodeDone}
	switch command.Kind { //nolint:exhaustive // the others need no evidence
	case agentapi.ApplyConfig:
		var args agentapi.ApplyConfigArgs
		_ = json.Unmarshal(command.Args, &args)
		s.enter(args)
		result.Data, _ = json.Marshal(agentapi.ApplyConfigData{
			RunningRevision: s.now.DesiredRevision, RunningHash: s.now.DesiredHash, Interruption: "none",
		})
	case agentapi.Probe:
		var args agentapi.ProbeArgs
		_ = json.Unmarshal(command.Args, &args)
		result.Data, _ = json.Marshal(seen(args))
	}
	return result
}

func (s *serving) enter(args agentapi.ApplyConfigArgs) {
	switch args.Phase { //nolint:exhaustive // to prepare changes nothing here
	case agentapi.PhaseSwitch:
		s.previous, s.applyID = s.now, args.ApplyID
		s.now = agentapi.Desired{DesiredRevision: args.Revision, DesiredHash: args.Hash}
	case agentapi.PhaseRevert:
		if s.applyID == args.ApplyID {
			s.now, s.applyID = s.previous, ""
		}
	case agentapi.PhaseCommit:
		s.applyID = ""
	}
}

// seen is good evidence for whatever is asked.
func seen(args agentapi.ProbeArgs) (data agentapi.ProbeData) {
	switch {
	case args.Bind != nil:
		data.Bind = &agentapi.BindData{Bound: true}
	case args.Dial != nil:
		data.Dial = &agentapi.DialData{Connected: true, NonceMatched: true, RemoteAddress: args.Dial.Address}
	case args.TLS != nil:
		data.TLS = &agentapi.TLSData{Version: "1.3", ALPN: "h2", NameMatches: true, Trusted: true, Suitable: true}
	case args.Through != nil:
		data.Through = &agentapi.ThroughData{Status: http.StatusOK, ExitIP: "192.0.2.1", Matched: true}
	}
	return data
}
