package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"panel/cmd/panel-bench/internal/measure"
	"panel/cmd/panel-bench/internal/seed"
	"panel/e2e/rig"
	"panel/platform/agentapi"
)

const (
	viewers        = 500
	viewersOfOne   = 50 // per account: the panel bounds the streams of one
	churnNodes     = 1000
	churnAtOnce    = 25
	churnEvery     = time.Second
	churnRounds    = 5 // of one reading
	bareFor        = 10 * time.Second
	stalledViewers = 10
	reapedWithin   = 30 // seconds: two keep-alives
)

// A panel that has just started does not yet take silence for evidence; short heartbeats make that time short.
const (
	churnHeartbeat = "PANEL_AGENT_HEARTBEAT_SECONDS=1"
	silenceCounts  = 12 * time.Second // after the start
)

// liveViewers (P11) lets the states of 1,000 nodes change while 500 viewers follow, and compares what a delivery costs
// with the same bytes written to as many bare connections.
func liveViewers(ctx context.Context, b *bench) ([]measure.Result, error) {
	var members []seed.Member
	settings := rig.PanelSettings{Env: []string{churnHeartbeat}}
	s, err := b.installBareWith(ctx, "live", settings, func(ctx context.Context, dsn string) (err error) {
		if members, err = seed.Fleet(ctx, dsn, churnNodes); err != nil {
			return err
		}
		return execute(ctx, dsn, steady)
	})
	if err != nil {
		return nil, err
	}
	if err := pause(ctx, silenceCounts); err != nil {
		return nil, err
	}
	before, err := openSockets(s.Panel.PID())
	if err != nil {
		return nil, err
	}
	audience, err := s.audience(ctx)
	if err != nil {
		return nil, err
	}
	c := &churn{stand: s, audience: audience, members: members}
	calm, disturbed, err := c.pairs(ctx, b.settings.pairs)
	if err != nil {
		return nil, err
	}
	results := []measure.Result{
		measure.Below("P11", "from a node's event to 500 viewers, p99", "ms", measure.Series{c.calm.Quantile(0.99)},
			250),
		measure.AtMost("P11", "median delivery beside ten viewers who read nothing", "ms", calm, disturbed, 1.05),
	}
	bare, err := b.bareFanOut(ctx, audience.sample())
	if err != nil {
		return results, err
	}
	results = append(results, measure.AtLeast("P11", "deliveries per processor second against bare connections", "1/s",
		measure.Series{1 / bare}, measure.Series{1 / c.cost.Median()}, 0.50))
	audience.leave()
	reaped, err := s.reaped(ctx, before)
	if err != nil {
		return results, err
	}
	return append(results,
		measure.Below("P11", "viewers that left are gone", "s", measure.Series{reaped}, reapedWithin)), nil
}

// audience is connections that read what comes.
type audience struct {
	conns    []net.Conn
	received atomic.Int64

	mu    sync.Mutex
	delay measure.Series
	line  string // one of the messages
}

func (a *audience) leave() {
	for _, conn := range a.conns {
		_ = conn.Close()
	}
}

func (a *audience) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.delay = nil
}

func (a *audience) delays() measure.Series {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.delay
}

func (a *audience) sample() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.line
}

// audience opens the streams of all viewers, some for each of several accounts.
func (s *stand) audience(ctx context.Context) (*audience, error) {
	a := new(audience)
	for account := range viewers / viewersOfOne {
		token, err := s.viewer(ctx, fmt.Sprintf("viewer-%d", account))
		if err != nil {
			return nil, err
		}
		for range viewersOfOne {
			if err := a.follow(s.address(), token); err != nil {
				return nil, err
			}
		}
	}
	return a, nil
}

// viewer makes an account that may see nodes, and signs it in.
func (s *stand) viewer(ctx context.Context, name string) (token string, err error) {
	const password = "a long enough one"
	account := map[string]any{
		"username":             name,
		"password":             password,
		"permissions":          []string{"nodes.view"},
		"must_change_password": false,
	}
	if err := s.API.Post(ctx, "/api/v1/accounts", account, nil); err != nil {
		return "", err
	}
	var session struct{ Token string }
	err = s.Panel.API.Post(
		ctx,
		"/api/v1/auth/login",
		map[string]string{"username": name, "password": password},
		&session,
	)
	return session.Token, err
}

// streamOf asks for the stream of nodes.
func streamOf(address, token string) (net.Conn, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("follow live changes: %w", err)
	}
	_, err = fmt.Fprintf(
		conn,
		"GET /api/v1/stream?topics=node HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n",
		address,
		token,
	)
	return conn, err
}

var errStream = errors.New("follow live changes: the panel answered something else than a stream")

func (a *audience) follow(address, token string) error {
	conn, err := streamOf(address, token)
	if err != nil {
		return err
	}
	lines := bufio.NewReader(conn)
	status, err := lines.ReadString('\n')
	if err == nil && !strings.Contains(status, " 200 ") {
		rest := make([]byte, 1500)
		n, _ := lines.Read(rest) // what came with the first line is enough to see why
		err = fmt.Errorf("%w: %s%s", errStream, status, rest[:n])
	}
	a.conns = append(a.conns, conn)
	go a.read(lines)
	return err
}

func (a *audience) read(lines *bufio.Reader) {
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		text, isData := strings.CutPrefix(line, "data: ")
		if !isData {
			continue
		}
		var event struct{ At time.Time }
		if json.Unmarshal([]byte(text), &event) != nil {
			continue
		}
		took := milliseconds(time.Since(event.At))
		a.received.Add(1)
		a.mu.Lock()
		a.delay, a.line = append(a.delay, took), line
		a.mu.Unlock()
	}
}

// churn lets the cores of nodes fail and run again, as their agents tell.
type churn struct {
	*stand
	audience *audience
	members  []seed.Member
	sleeper  string // session of those who read nothing
	readings int

	calm measure.Series // how long every delivery took while no viewer stalled
	cost measure.Series // processor seconds of the panel per delivery, then
}

// pairs gives the median delivery without and beside viewers who read nothing, by turns.
func (c *churn) pairs(ctx context.Context, count int) (calm, disturbed measure.Series, err error) {
	return readPairs(count, func() (float64, error) {
		took, cost, err := c.read(ctx)
		c.calm, c.cost = append(c.calm, took...), append(c.cost, cost)
		return took.Median(), err
	}, func() (float64, error) {
		stalled, err := c.stall(ctx)
		if err != nil {
			return 0, err
		}
		defer stalled.leave()
		took, _, err := c.read(ctx)
		return took.Median(), err
	})
}

// read changes some nodes every second for a while and gives how long the events took, and the panel's processor
// seconds per delivery.
func (c *churn) read(ctx context.Context) (took measure.Series, cost float64, err error) {
	c.audience.forget()
	before, err := processorSeconds(c.Panel.PID())
	if err != nil {
		return nil, 0, err
	}
	for range churnRounds {
		next := time.Now().Add(churnEvery)
		if err := c.turn(ctx); err != nil {
			return nil, 0, err
		}
		if err := pause(ctx, time.Until(next)); err != nil {
			return nil, 0, err
		}
	}
	if err := pause(ctx, churnEvery); err != nil {
		return nil, 0, err
	}
	after, err := processorSeconds(c.Panel.PID())
	if err != nil {
		return nil, 0, err
	}
	took = c.audience.delays()
	if wanted := viewers * churnAtOnce * churnRounds; len(took) < wanted*9/10 {
		return nil, 0, fmt.Errorf("follow live changes: only %d of %d deliveries", len(took), wanted)
	}
	return took, (after - before) / float64(len(took)), nil
}

// turn changes the next nodes: the whole fleet fails, one share after the other, and then runs again.
func (c *churn) turn(ctx context.Context) error {
	shares := len(c.members) / churnAtOnce
	first, core := c.readings%shares*churnAtOnce, agentapi.CoreFailed
	if c.readings/shares%2 == 1 {
		core = agentapi.CoreRunning
	}
	c.readings++
	return c.report(ctx, c.members[first:first+churnAtOnce], core)
}

// report sends the heartbeats of some agents at once.
func (s *stand) report(ctx context.Context, agents []seed.Member, core agentapi.CoreState) error {
	failures := make([]error, len(agents))
	var all sync.WaitGroup
	for i, agent := range agents {
		all.Go(func() {
			failures[i] = s.Panel.API.As(agent.Token).Post(ctx, agentapi.PathHeartbeat, agentapi.Heartbeat{
				AgentVersion: "bench", Protocol: agentapi.Protocol, SessionID: agent.NodeID, SentAt: time.Now(),
				Core: agentapi.CoreReport{Kind: "xray", Version: "26.3.27", State: core},
			}, nil)
		})
	}
	all.Wait()
	return errors.Join(failures...)
}

// stall opens streams that nobody reads.
func (c *churn) stall(ctx context.Context) (_ *audience, err error) {
	if c.sleeper == "" {
		if c.sleeper, err = c.viewer(ctx, "sleeper"); err != nil {
			return nil, err
		}
	}
	a := new(audience)
	for range stalledViewers {
		conn, err := streamOf(c.address(), c.sleeper)
		if err != nil {
			return nil, err
		}
		a.conns = append(a.conns, conn)
	}
	return a, nil
}

// reaped is the time until the panel has closed the connections of all viewers.
func (s *stand) reaped(ctx context.Context, before int) (seconds float64, err error) {
	began := time.Now()
	err = rig.Eventually(ctx, 3*reapedWithin*time.Second, func(context.Context) error {
		now, err := openSockets(s.Panel.PID())
		if err == nil && now > before {
			err = fmt.Errorf("%d connections are open, %d were before", now, before)
		}
		return err
	})
	return time.Since(began).Seconds(), err
}

// fanOutMode makes this executable the limit of liveViewers.
const fanOutMode = "bare-fan-out"

// bareFanOut gives the processor seconds of one delivery on bare connections.
func (b *bench) bareFanOut(ctx context.Context, message string) (float64, error) {
	address, process, err := b.bareProgram(ctx, fanOutMode, []byte(message))
	if err != nil {
		return 0, err
	}
	a := new(audience)
	defer a.leave()
	for range viewers {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			return 0, fmt.Errorf("follow the limit: %w", err)
		}
		a.conns = append(a.conns, conn)
		go a.read(bufio.NewReader(conn))
	}
	before, err := processorSeconds(process.PID())
	if err != nil {
		return 0, err
	}
	if err := pause(ctx, bareFor); err != nil {
		return 0, err
	}
	after, err := processorSeconds(process.PID())
	if received := a.received.Load(); err == nil && received > 0 {
		return (after - before) / float64(received), nil
	}
	return 0, errors.Join(err, errors.New("the limit delivered nothing"))
}

// serveFanOut writes the message to every connection, as often as the panel does.
func serveFanOut(file string) error {
	message, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read what to send: %w", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	fmt.Println(listener.Addr())
	for {
		conn, err := listener.Accept()
		if err != nil {
			return fmt.Errorf("accept: %w", err)
		}
		go func() {
			for range time.Tick(churnEvery) {
				for range churnAtOnce {
					if _, err := conn.Write(message); err != nil {
						return
					}
				}
			}
		}()
	}
}
