package core

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/xtls/xray-core/common"
	xnet "github.com/xtls/xray-core/common/net"
	"github.com/xtls/xray-core/common/serial"
	"github.com/xtls/xray-core/common/session"
	xray "github.com/xtls/xray-core/core"
	"github.com/xtls/xray-core/features/outbound"
	xtransport "github.com/xtls/xray-core/transport"

	"panel/cmd/panel-agent/internal/balance"
	"panel/cmd/panel-agent/internal/disk"
	"panel/platform/agentapi"
)

// A core chooses among the members of pools by itself, so that it goes on while the agent is away: an outbound that
// names a pool is replaced by one that hands each stream to the outbound of a member. Members are probed through the
// core, by the way that traffic takes.

const opPools = "pools"

// pools are those of one core.
type pools struct {
	dir      string // of all cores
	core     *xray.Instance
	known    *balance.Pools
	sessions tls.ClientSessionCache
	resting  context.CancelFunc
	rests    context.Context
}

// newPools puts a chooser in for each outbound that names a pool.
func newPools(raw []byte, dir string, core *xray.Instance) (*pools, error) {
	const resumable = 2048
	p := &pools{
		dir: filepath.Dir(dir), core: core, known: balance.New(filepath.Base(dir), clockwork.NewRealClock()),
		sessions: tls.NewLRUClientSessionCache(resumable),
	}
	p.rests, p.resting = context.WithCancel(context.Background())
	manager, ok := core.GetFeature(outbound.ManagerType()).(outbound.Manager)
	if !ok {
		return nil, errors.New("put in the pools: the core has no outbounds")
	}
	for _, pooled := range pooledIn(raw) {
		way := &poolOutbound{tag: pooled.Tag, chooser: p.known.Add(*pooled.PoolOf), ways: manager}
		err := errors.Join(
			manager.RemoveHandler(context.Background(), way.tag), manager.AddHandler(context.Background(), way))
		if err != nil {
			return nil, fmt.Errorf("put in a pool: %w", err)
		}
	}
	if err := p.read(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	var states []balance.State
	if _, err := disk.ReadJSON(filepath.Join(p.dir, fileMembers), &states); err == nil {
		p.known.Recall(states)
	}
	failures.Store(p)
	return p, nil
}

// pooled is an outbound of a configuration that may name a pool.
type pooled struct {
	Tag    string           `json:"tag"`
	PoolOf *agentapi.PoolOf `json:"pool_of"`
}

// pooledIn gives the outbounds of a configuration that name a pool. Those that follow come last: the first one of a
// group has the ways that are probed.
func pooledIn(raw []byte) []pooled {
	var said struct {
		Outbounds []pooled `json:"outbounds"`
	}
	if json.Unmarshal(raw, &said) != nil {
		return nil
	}
	out := slices.DeleteFunc(said.Outbounds, func(way pooled) bool { return way.PoolOf == nil || way.Tag == "" })
	slices.SortStableFunc(out, func(a, b pooled) int {
		switch {
		case a.PoolOf.Follows == b.PoolOf.Follows:
			return 0
		case a.PoolOf.Follows:
			return 1
		}
		return -1
	})
	return out
}

// read takes what the panel says about pools from the disk.
func (p *pools) read() error {
	var said agentapi.Pools
	if _, err := disk.ReadJSON(filepath.Join(p.dir, filePools), &said); err != nil {
		return fmt.Errorf("read the pools: %w", err)
	}
	p.known.Set(said)
	return nil
}

// answer obeys and informs the agent.
func (p *pools) answer(asked *poolsRequest) *poolsAnswer {
	if asked.Read {
		if err := p.read(); err != nil {
			return &poolsAnswer{Error: err.Error()}
		}
		return &poolsAnswer{}
	}
	return &poolsAnswer{Reports: p.known.Reports(asked.After, agentapi.MaxBatchItems)}
}

// rest is for a core that begins no streams any more: another one probes the members.
func (p *pools) rest() { p.resting() }

// run probes the members and leaves behind what the next core must know, until the core rests or ends.
func (p *pools) run(ended <-chan struct{}) {
	defer p.rest()
	go p.known.Run(p.rests, p.probe)
	tick := time.NewTicker(statesPause)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return
		case <-p.rests.Done():
			return
		case <-tick.C:
		}
		if states, changed := p.known.States(); changed {
			if err := disk.WriteJSON(filepath.Join(p.dir, fileMembers), states); err != nil {
				fmt.Fprintln(os.Stderr, "keep the states of members:", err)
			}
		}
	}
}

const statesPause = 500 * time.Millisecond

// poolOutbound hands each stream to the outbound of a member.
type poolOutbound struct {
	tag     string
	chooser *balance.Chooser
	ways    outbound.Manager
}

// Tag names it in the configuration.
func (o *poolOutbound) Tag() string { return o.tag }

// Start and Close have nothing to do.
func (o *poolOutbound) Start() error { return nil }

// Close ends nothing: streams belong to the outbounds of the members.
func (o *poolOutbound) Close() error { return nil }

// SenderSettings are those of the members.
func (o *poolOutbound) SenderSettings() *serial.TypedMessage { return nil }

// ProxySettings are those of the members.
func (o *poolOutbound) ProxySettings() *serial.TypedMessage { return nil }

// Dispatch returns when the stream has ended.
func (o *poolOutbound) Dispatch(ctx context.Context, link *xtransport.Link) {
	tag, done := o.chooser.Choose(streamOf(ctx))
	defer done()
	way := o.ways.GetHandler(tag)
	if way == nil {
		_ = common.Interrupt(link.Writer)
		_ = common.Interrupt(link.Reader)
		return
	}
	if outbounds := session.OutboundsFromContext(ctx); len(outbounds) > 0 {
		outbounds[len(outbounds)-1].Tag = tag
	}
	way.Dispatch(ctx, link)
}

// streamOf says whose stream it is. The service of another node stands for all of its clients.
func streamOf(ctx context.Context) balance.Stream {
	from := session.InboundFromContext(ctx)
	if from == nil {
		return balance.Stream{}
	}
	if from.User == nil {
		return balance.Stream{}
	}
	if _, client := agentapi.ClientOfEmail(from.User.Email); client == "" {
		return balance.Stream{}
	}
	s := balance.Stream{User: from.User.Email}
	if from.Source.Address != nil {
		s.Source = from.Source.Address.String()
	}
	return s
}

// failures is who wants to know of dials that have failed; the dialer is one for the whole process.
var failures atomic.Pointer[pools]

// watched is a probe that wants to know why its dial has failed.
type watched struct {
	failed chan error
	cancel context.CancelFunc
}

type watchedKey struct{}

// dialFailed tells who waits for it, else the pool of the outbound, that a connection could not be made.
func dialFailed(ctx context.Context, err error) {
	if probe, is := ctx.Value(watchedKey{}).(*watched); is {
		select {
		case probe.failed <- err:
			probe.cancel()
		default: // the first one counts
		}
		return
	}
	all, outbounds := failures.Load(), session.OutboundsFromContext(ctx)
	if all != nil && len(outbounds) > 0 && !errors.Is(err, context.Canceled) {
		all.known.DialFailed(outbounds[len(outbounds)-1].Tag, reasonOf(err))
	}
}

func reasonOf(err error) balance.Result {
	r := balance.Result{Reason: agentapi.PoolReasonFailed, Error: lastLine(err.Error())}
	var slow net.Error
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		r.Reason = agentapi.PoolReasonRefused
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded),
		errors.As(err, &slow) && slow.Timeout():
		r.Reason = agentapi.PoolReasonTimeout
	}
	return r
}

// probe asks a URL through an outbound. Any answer that is not an error of the server proves the way.
func (p *pools) probe(ctx context.Context, tag, address string) balance.Result {
	began := time.Now()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	dial := &watched{failed: make(chan error, 1), cancel: cancel}
	err := p.ask(context.WithValue(ctx, watchedKey{}, dial), tag, address)
	if err == nil {
		return balance.Result{RTT: max(time.Since(began), time.Microsecond)}
	}
	select {
	case refused := <-dial.failed:
		return reasonOf(refused)
	default:
		return reasonOf(errors.Join(err, ctx.Err()))
	}
}

func (p *pools) ask(ctx context.Context, tag, address string) error {
	asked, err := url.Parse(address)
	if err != nil {
		return errors.New("the address to ask is no URL")
	}
	to, err := destinationOf(asked)
	if err != nil {
		return err
	}
	way := session.SetForcedOutboundTagToContext(
		session.ContextWithContent(ctx, &session.Content{SkipDNSResolve: true}), tag)
	conn, err := xray.Dial(way, p.core, to)
	if err != nil {
		return fmt.Errorf("ask through the member: %w", err)
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	if asked.Scheme == "https" {
		conn = tls.Client(conn, &tls.Config{ServerName: asked.Hostname(), ClientSessionCache: p.sessions})
	}
	return exchange(ctx, conn, asked)
}

func destinationOf(asked *url.URL) (xnet.Destination, error) {
	port := asked.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[asked.Scheme]
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil || asked.Hostname() == "" {
		return xnet.Destination{}, errors.New("the address to ask has no host or no port")
	}
	return xnet.TCPDestination(xnet.ParseAddress(asked.Hostname()), xnet.Port(number)), nil
}

func exchange(ctx context.Context, conn net.Conn, asked *url.URL) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, asked.String(), http.NoBody)
	if err != nil {
		return fmt.Errorf("ask through the member: %w", err)
	}
	request.Close = true
	request.Header.Set("User-Agent", "Mozilla/5.0")
	if err := request.Write(conn); err != nil {
		return fmt.Errorf("ask through the member: %w", err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), request)
	if err != nil {
		return fmt.Errorf("ask through the member: %w", err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode >= http.StatusInternalServerError {
		return fmt.Errorf("ask through the member: the answer is %d", answer.StatusCode)
	}
	return nil
}

// Pools has every core of the node do what the panel says about pools. A core that starts reads it by itself.
func (s *Supervisor) Pools(ctx context.Context, wanted agentapi.Pools) error {
	if err := disk.WriteJSON(filepath.Join(s.dir, filePools), wanted); err != nil {
		return fmt.Errorf("keep the pools: %w", err)
	}
	var problems []error
	for _, inst := range s.living() {
		problems = append(problems, tellPools(ctx, inst))
	}
	return errors.Join(problems...)
}

func tellPools(ctx context.Context, inst *instance) error {
	answer, err := ask(ctx, inst.dir, request{Op: opPools, Pools: &poolsRequest{Read: true}})
	select {
	case <-inst.died: // whoever starts next reads them
		return nil
	default:
	}
	if err == nil && answer.Pools != nil && answer.Pools.Error != "" {
		err = errors.New(answer.Pools.Error)
	}
	if err != nil {
		return fmt.Errorf("tell a core of its pools: %w", err)
	}
	return nil
}

// poolsAgain is for a core that begins to serve while the pools change.
func (s *Supervisor) poolsAgain(inst *instance) {
	if err := tellPools(context.Background(), inst); err != nil {
		s.log.Warn("a core could not be told of its pools: " + err.Error())
	}
}

// PoolReports gives what the serving core has to say about its pools after a number of its own. Of another core than
// the named one it is everything.
func (s *Supervisor) PoolReports(ctx context.Context, core string, after int64) ([]agentapi.PoolReport, error) {
	s.mu.Lock()
	inst := s.current
	s.mu.Unlock()
	if inst == nil {
		return nil, nil
	}
	if inst.ID != core {
		after = 0
	}
	answer, err := ask(ctx, inst.dir, request{Op: opPools, Pools: &poolsRequest{After: after}})
	if err != nil || answer.Pools == nil {
		return nil, err
	}
	return answer.Pools.Reports, nil
}
