package core

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"sync"

	"github.com/jonboulle/clockwork"
	"github.com/xtls/xray-core/app/dispatcher"
	"github.com/xtls/xray-core/common"
	xnet "github.com/xtls/xray-core/common/net"
	"github.com/xtls/xray-core/common/protocol"
	"github.com/xtls/xray-core/common/serial"
	"github.com/xtls/xray-core/common/session"
	xray "github.com/xtls/xray-core/core"
	"github.com/xtls/xray-core/features/routing"
	xtransport "github.com/xtls/xray-core/transport"
	"github.com/xtls/xray-core/transport/internet/stat"
	"google.golang.org/protobuf/types/known/emptypb"

	"panel/cmd/panel-agent/internal/core/limits"
	"panel/cmd/panel-agent/internal/core/routes"
	"panel/cmd/panel-agent/internal/core/sensor"
	"panel/platform/agentapi"
)

// admission is the dispatcher of the core, with the streams of each user at hand: whoever is put out has them ended,
// and begins no other one, also where a protocol goes on to know it. That is so for streams inside of a connection
// that was let in before, and for the inbounds of a core that drains.
type admission struct {
	routing.Dispatcher

	admits func(email string) terms
	limits *limits.Keeper
	sensor *sensor.Sensor

	mu   sync.Mutex
	open map[string]map[*dispatched]bool
}

// terms are on what a user begins a stream.
type terms struct {
	admitted bool
	counted  bool // its bytes must be counted as they pass
	clientID string
	limits   agentapi.ClientLimits
}

var (
	errPutOut    = errors.New("the client may not use this flow any more")
	errElsewhere = errors.New("the client uses the node from as many addresses as it may")
)

// The core makes its dispatcher from a message of its configuration. An empty message stands for one with admission.
func init() {
	common.Must(common.RegisterConfig((*emptypb.Empty)(nil), func(ctx context.Context, _ any) (any, error) {
		made, err := common.CreateObject(ctx, &dispatcher.Config{})
		if err != nil {
			return nil, fmt.Errorf("make the dispatcher: %w", err)
		}
		plain, ok := made.(routing.Dispatcher)
		if !ok {
			return nil, errors.New("make the dispatcher: it is none")
		}
		clock := clockwork.NewRealClock()
		return &admission{
			Dispatcher: plain, limits: limits.New(clock), sensor: sensor.New(clock),
			open:   map[string]map[*dispatched]bool{},
			admits: func(string) terms { return terms{admitted: true} },
		}, nil
	}))
}

// admitting has the core of a configuration use an admission, and rules that can be exchanged.
func admitting(config *xray.Config) *xray.Config {
	plain := serial.GetMessageType(&dispatcher.Config{})
	for i, app := range config.App {
		if app.Type == plain {
			config.App[i] = serial.ToTypedMessage(&emptypb.Empty{})
		}
	}
	routes.Into(config)
	return config
}

// dispatched is one stream on its way.
type dispatched struct {
	cancel context.CancelFunc
	conn   io.Closer // nil: datagrams
	link   *xtransport.Link
	source netip.Addr
	visit  *limits.Visit  // nil: nothing limits it
	heard  *sensor.Stream // nil: nobody listens
	ended  bool
	hidden bool // its bytes may pass through the kernel, which counts them at its end
}

func (d *dispatched) end() {
	d.cancel()
	if d.conn != nil {
		_ = d.conn.Close()
	}
	if d.link != nil {
		_ = common.Interrupt(d.link.Reader)
		_ = common.Interrupt(d.link.Writer)
	}
}

// Dispatch lets the core carry a stream, unless its user was put out.
func (a *admission) Dispatch(ctx context.Context, to xnet.Destination) (*xtransport.Link, error) {
	ctx, stream, email, err := a.enter(ctx, to)
	switch {
	case err != nil:
		return nil, err
	case stream == nil:
		return a.Dispatcher.Dispatch(ctx, to)
	}
	link, err := a.Dispatcher.Dispatch(ctx, to)
	if err != nil {
		a.leave(email, stream)
		return nil, err
	}
	a.carry(stream, link)
	if stream.visit != nil {
		link = stream.visit.Near(ctx, link)
	}
	return stream.heard.Near(link), nil
}

// DispatchLink is Dispatch for who has the other end already; it returns when the stream has ended.
func (a *admission) DispatchLink(ctx context.Context, to xnet.Destination, link *xtransport.Link) error {
	ctx, stream, email, err := a.enter(ctx, to)
	switch {
	case err != nil:
		return err
	case stream == nil:
		return a.Dispatcher.DispatchLink(ctx, to, link)
	}
	defer a.leave(email, stream)
	link = stream.heard.Far(link)
	if stream.visit != nil {
		link = stream.visit.Far(ctx, link)
	}
	return a.Dispatcher.DispatchLink(ctx, to, link)
}

// enter notes a stream of a known user. It lasts as long as its connection, and there is none for traffic of nobody.
func (a *admission) enter(
	ctx context.Context, to xnet.Destination,
) (context.Context, *dispatched, string, error) {
	from := session.InboundFromContext(ctx)
	if from == nil {
		return ctx, nil, "", nil
	}
	if from.User == nil {
		from.User = userOf(from.Conn)
	}
	if from.User == nil || from.User.Email == "" {
		return ctx, nil, "", nil
	}
	email, stream := from.User.Email, &dispatched{source: sourceOf(from)}
	if from.Conn != nil {
		stream.conn = from.Conn
	}
	own, cancel := context.WithCancel(ctx)
	stream.cancel = cancel
	if err := a.note(email, stream, from, to); err != nil {
		stream.end()
		return ctx, nil, "", err
	}
	context.AfterFunc(own, func() { a.leave(email, stream) })
	return own, stream, email, nil
}

// sourceOf is from where a stream comes; not valid where that is unknown.
func sourceOf(from *session.Inbound) (source netip.Addr) {
	if address := from.Source.Address; address != nil && address.Family().IsIP() {
		source, _ = netip.AddrFromSlice(address.IP())
	}
	return source.Unmap()
}

// note keeps a stream of a user who is admitted, holds it to the limits of the user, and tells of it where the user is
// one of a list.
func (a *admission) note(email string, stream *dispatched, from *session.Inbound, to xnet.Destination) error {
	on, admitted := a.keep(email, stream, from)
	if !admitted {
		return errPutOut
	}
	var visit *limits.Visit
	if on.limits != (agentapi.ClientLimits{}) {
		var room bool
		visit, room = a.limits.Enter(on.clientID, on.limits, stream.source, func() { a.endOne(stream) })
		if !room {
			a.leave(email, stream)
			return errElsewhere
		}
	}
	var heard *sensor.Stream
	if on.clientID != "" {
		heard = a.sensor.Begin(email, from.Tag, stream.source, sensor.ToOf(to))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	stream.visit, stream.heard = visit, heard
	return nil
}

// keep notes a stream of a user who is admitted. The bytes of one with a limit do not pass through the kernel.
func (a *admission) keep(email string, stream *dispatched, from *session.Inbound) (on terms, admitted bool) {
	const neverInKernel = 3
	a.mu.Lock()
	defer a.mu.Unlock()
	if on = a.admits(email); !on.admitted {
		return on, false
	}
	if on.counted || on.limits != (agentapi.ClientLimits{}) {
		from.CanSpliceCopy = neverInKernel
	}
	stream.hidden = from.CanSpliceCopy != neverInKernel
	if a.open[email] == nil {
		a.open[email] = map[*dispatched]bool{}
	}
	a.open[email][stream] = true
	return on, true
}

// userOf is who opened a connection, where its transport has let it in and the proxy has overlooked that: Hysteria
// asks the connection itself, and not what is inside of one whose bytes are counted.
func userOf(conn net.Conn) *protocol.MemoryUser {
	inside, ok := stat.TryUnwrapStatsConn(conn).(interface{ User() *protocol.MemoryUser })
	if !ok {
		return nil
	}
	return inside.User()
}

// carry notes the near end of a stream, unless its user was put out meanwhile.
func (a *admission) carry(stream *dispatched, link *xtransport.Link) {
	a.mu.Lock()
	stream.link = link
	gone := stream.ended
	a.mu.Unlock()
	if gone {
		stream.end()
	}
}

func (a *admission) leave(email string, stream *dispatched) {
	stream.cancel()
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.open[email], stream)
	if len(a.open[email]) == 0 {
		delete(a.open, email)
	}
	if stream.visit != nil {
		stream.visit.Leave()
	}
	stream.heard.End()
}

// endOne ends a stream that gives way to another one.
func (a *admission) endOne(stream *dispatched) {
	a.mu.Lock()
	stream.ended = true
	one := *stream
	a.mu.Unlock()
	one.end()
}

// end ends the streams of a user; with hidden, only those whose bytes may pass uncounted. It gives from where each
// came.
func (a *admission) end(email string, hidden bool) (sources []netip.Addr) {
	a.mu.Lock()
	streams := make([]dispatched, 0, len(a.open[email]))
	for stream := range a.open[email] {
		if stream.hidden || !hidden {
			stream.ended = true
			streams = append(streams, *stream)
		}
	}
	a.mu.Unlock()
	for _, stream := range slices.Backward(streams) {
		stream.end()
		sources = append(sources, stream.source)
	}
	return sources
}

// drop ends the streams of a client, in one flow or in all.
func (a *admission) drop(clientID, flowID string) (sources []netip.Addr) {
	var emails []string
	a.mu.Lock()
	for email := range a.open {
		flow, client := agentapi.ClientOfEmail(email)
		if client == clientID && (flowID == "" || flow == flowID) {
			emails = append(emails, email)
		}
	}
	a.mu.Unlock()
	for _, email := range emails {
		sources = append(sources, a.end(email, false)...)
	}
	return sources
}
