// Package simulate keeps a fleet of agents in one process: the real protocol, no cores and no disk.
package simulate

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/identity"
	"panel/cmd/panel-agent/internal/link"
	"panel/platform/agentapi"
)

// Options of a fleet.
type Options struct {
	PanelURL     string
	Count        int
	TokensFile   string
	NamePrefix   string
	EnrollToken  func() (string, error)
	Spread       time.Duration
	Sampling     time.Duration
	BatchSamples int
	PollOnly     bool
	EnrollOnly   bool
	Latency      time.Duration
	Version      string
	Timing       link.Timing
	Clock        clockwork.Clock
	Log          *zap.Logger
	Out          io.Writer
}

// member is one enrolled agent as the file of tokens keeps it.
type member struct {
	NodeID string `json:"node_id"`
	Token  string `json:"agent_token"`
}

const enrollWorkers = 8

// Run enrols what is missing and keeps the fleet until the context ends; then it prints what it did as one line of
// JSON.
func Run(ctx context.Context, o Options) error {
	base, err := identity.CleanURL(o.PanelURL)
	if err != nil {
		return err
	}
	o.PanelURL = base
	members, err := load(o.TokensFile)
	if err != nil {
		return err
	}
	if len(members) < o.Count {
		added, err := enroll(ctx, o, len(members))
		members = append(members, added...)
		if err != nil {
			return err
		}
	}
	if o.EnrollOnly {
		return nil
	}
	return keep(ctx, o, members[:o.Count])
}

func keep(ctx context.Context, o Options, members []member) error {
	totals := &Totals{}
	var fleet sync.WaitGroup
	for _, m := range members {
		one, err := newAgent(o, m, totals)
		if err != nil {
			return err
		}
		fleet.Go(func() {
			if o.Spread > 0 {
				one.rest(ctx, rand.N(o.Spread))
			}
			one.run(ctx)
		})
	}
	fleet.Wait()
	return json.NewEncoder(o.Out).Encode(totals.snapshot())
}

func load(path string) ([]member, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the identities of the fleet: %w", err)
	}
	defer file.Close()
	var members []member
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var m member
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			return nil, fmt.Errorf("read the identities of the fleet: a line is damaged: %w", err)
		}
		members = append(members, m)
	}
	return members, lines.Err()
}

// enroll adds the missing agents, each written down as soon as the panel has answered.
func enroll(ctx context.Context, o Options, have int) ([]member, error) {
	token, err := o.EnrollToken()
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(o.TokensFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("keep the identities of the fleet: %w", err)
	}
	defer file.Close()
	shared, err := link.NewHTTP("")
	if err != nil {
		return nil, err
	}
	e := &enroller{options: o, client: link.NewClient(o.PanelURL, "", shared), token: token, file: file}
	return e.all(ctx, have)
}

type enroller struct {
	options Options
	client  *link.Client
	token   string
	mu      sync.Mutex
	file    io.Writer
	added   []member
	failure error
}

func (e *enroller) all(ctx context.Context, have int) ([]member, error) {
	numbers := make(chan int)
	var workers sync.WaitGroup
	for range enrollWorkers {
		workers.Go(func() {
			for number := range numbers {
				e.one(ctx, number)
			}
		})
	}
	for number := have; number < e.options.Count; number++ {
		numbers <- number
	}
	close(numbers)
	workers.Wait()
	return e.added, e.failure
}

func (e *enroller) one(ctx context.Context, number int) {
	name := fmt.Sprintf("%s-%05d", e.options.NamePrefix, number+1)
	reply, err := e.ask(ctx, agentapi.EnrollRequest{
		Token: e.token, Name: name, Hostname: name, OS: "linux", Arch: "amd64", AgentVersion: e.options.Version,
		Protocol: agentapi.Protocol, MachineID: uuid.NewString(), Capabilities: capabilities,
	})
	e.mu.Lock()
	defer e.mu.Unlock()
	if err == nil {
		m := member{NodeID: reply.NodeID, Token: reply.AgentToken}
		e.added = append(e.added, m)
		err = json.NewEncoder(e.file).Encode(m)
	}
	e.failure = errors.Join(e.failure, err)
}

// ask obeys a panel that throttles.
func (e *enroller) ask(ctx context.Context, req agentapi.EnrollRequest) (agentapi.EnrollReply, error) {
	for {
		reply, err := e.client.Enroll(ctx, req)
		pause := link.RetryAfter(err)
		if pause == 0 {
			return reply, err
		}
		select {
		case <-ctx.Done():
			return reply, ctx.Err()
		case <-e.options.Clock.After(pause):
		}
	}
}
