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
	"panel/e2e/rig"
)

const (
	viewers        = 500
	viewersOfOne   = 50 // per account: the panel bounds the streams of one
	churnNodes     = 1000
	churnAtOnce    = 25
	churnEvery     = time.Second
	churnFor       = 30 * time.Second
	stalledViewers = 10
	reapedWithin   = 30 // seconds: two keep-alives
)

// liveViewers (P11) lets the states of 1,000 nodes change while 500 viewers follow, and compares what a delivery costs
// with the same bytes written to as many bare connections.
func liveViewers(ctx context.Context, b *bench) ([]measure.Result, error) {
	s, err := b.installBare(ctx, "live", func(ctx context.Context, dsn string) error {
		if _, err := seedFleet(ctx, dsn, churnNodes); err != nil {
			return err
		}
		return execute(ctx, dsn, steady)
	})
	if err != nil {
		return nil, err
	}
	before, err := openFiles(s.Panel.PID())
	if err != nil {
		return nil, err
	}
	audience, err := s.audience(ctx)
	if err != nil {
		return nil, err
	}
	calm, cost, err := s.churned(ctx, audience)
	if err != nil {
		return nil, err
	}
	stalled, err := s.stall(ctx)
	if err != nil {
		return nil, err
	}
	disturbed, _, err := s.churned(ctx, audience)
	if err != nil {
		return nil, err
	}
	bare, err := b.bareFanOut(ctx, audience.sample())
	if err != nil {
		return nil, err
	}
	audience.leave()
	stalled.leave()
	reaped, err := s.reaped(ctx, before)
	return []measure.Result{
		measure.Below("P11", "from a node's event to 500 viewers, p99", "ms", measure.Series{calm.Quantile(0.99)}, 250),
		measure.AtLeast("P11", "deliveries per processor second against bare connections", "1/s",
			measure.Series{1 / bare}, measure.Series{1 / cost}, 0.50),
		measure.AtMost("P11", "median delivery beside ten viewers who read nothing", "ms",
			measure.Series{calm.Median()}, measure.Series{disturbed.Median()}, 1.05),
		measure.Below("P11", "viewers that left are gone", "s", measure.Series{reaped}, reapedWithin),
	}, err
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

// churned changes the state of some nodes every second and gives how long their events took, and the panel's processor
// seconds per delivery.
func (s *stand) churned(ctx context.Context, a *audience) (took measure.Series, cost float64, err error) {
	a.mu.Lock()
	a.delay = nil
	a.mu.Unlock()
	received := a.received.Load()
	before, err := processorSeconds(s.Panel.PID())
	if err != nil {
		return nil, 0, err
	}
	for round := range int(churnFor / churnEvery) {
		next := time.Now().Add(churnEvery)
		if err := execute(ctx, s.dsn, turnOver, churnAtOnce, round*churnAtOnce); err != nil {
			return nil, 0, err
		}
		time.Sleep(time.Until(next))
	}
	time.Sleep(churnEvery)
	after, err := processorSeconds(s.Panel.PID())
	if err != nil {
		return nil, 0, err
	}
	delivered := a.received.Load() - received
	if delivered < viewers*churnAtOnce {
		return nil, 0, fmt.Errorf("follow live changes: only %d deliveries", delivered)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.delay, (after - before) / float64(delivered), nil
}

// turnOver lets nodes go offline that were heard, and come back that were lost.
const turnOver = `update node_reports set seen_at = case when seen_at > now() then now() - interval '1 hour' else now() + interval '1 hour' end
	where node_id in (select id from nodes order by id limit $1 offset $2)`

// stall opens streams that nobody reads.
func (s *stand) stall(ctx context.Context) (*audience, error) {
	token, err := s.viewer(ctx, "sleeper")
	if err != nil {
		return nil, err
	}
	a := new(audience)
	for range stalledViewers {
		conn, err := streamOf(s.address(), token)
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
		now, err := openFiles(s.Panel.PID())
		if err == nil && now > before+stalledViewers {
			err = fmt.Errorf("%d files are open, %d were before", now, before)
		}
		return err
	})
	return time.Since(began).Seconds(), err
}

func openFiles(pid int) (int, error) {
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		return 0, fmt.Errorf("count the open files of a process: %w", err)
	}
	return len(open), nil
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
	time.Sleep(churnFor)
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
