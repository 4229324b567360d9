// Package wireguard is the core's inbound of WireGuard with peers that are users of the core: they come and go while it
// runs, without a cut of anybody else's streams, and each of them is counted and put out by name. The inbound that the
// core brings knows no users, and another set of peers would need another inbound.
package wireguard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/xtls/xray-core/common"
	"github.com/xtls/xray-core/common/buf"
	xctx "github.com/xtls/xray-core/common/ctx"
	xnet "github.com/xtls/xray-core/common/net"
	"github.com/xtls/xray-core/common/protocol"
	"github.com/xtls/xray-core/common/session"
	xray "github.com/xtls/xray-core/core"
	"github.com/xtls/xray-core/features/routing"
	"github.com/xtls/xray-core/proxy/wireguard/gvisortun"
	"github.com/xtls/xray-core/transport"
	"github.com/xtls/xray-core/transport/internet/stat"
	"golang.zx2c4.com/wireguard/device"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// Settings are those of an inbound; keys are in hexadecimal.
type Settings struct {
	Key     string       `json:"key"`
	Address []netip.Addr `json:"address"` // of the inbound itself inside the tunnel
	MTU     int          `json:"mtu"`
	Peers   []Peer       `json:"peers"`
}

// Message is how the core carries the settings: it makes an inbound of this message alone.
func (s Settings) Message() (*wrapperspb.StringValue, error) {
	raw, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("write the settings of an inbound of WireGuard: %w", err)
	}
	return wrapperspb.String(string(raw)), nil
}

func init() {
	common.Must(common.RegisterConfig((*wrapperspb.StringValue)(nil), func(_ context.Context, config any) (any, error) {
		text, ok := config.(*wrapperspb.StringValue)
		var s Settings
		if !ok || json.Unmarshal([]byte(text.GetValue()), &s) != nil {
			return nil, errors.New("make an inbound of WireGuard: these are no settings of one")
		}
		return New(s)
	}))
}

// Server is an inbound. It is proxy.Inbound and proxy.UserManager.
type Server struct {
	device *device.Device
	bind   *bind
	from   atomic.Pointer[arrival]

	mu        sync.RWMutex
	byEmail   map[string]*protocol.MemoryUser
	byAddress map[netip.Addr]*protocol.MemoryUser
}

// arrival is how packets come in: what streams out of the tunnel have from it.
type arrival struct {
	ctx        context.Context
	dispatcher routing.Dispatcher
}

// New makes an inbound with its peers.
func New(s Settings) (*Server, error) {
	tun, _, stack, err := gvisortun.CreateNetTUN(s.Address, s.MTU, true)
	if err != nil {
		return nil, fmt.Errorf("make the device of an inbound of WireGuard: %w", err)
	}
	server := &Server{
		bind: newBind(), byEmail: map[string]*protocol.MemoryUser{}, byAddress: map[netip.Addr]*protocol.MemoryUser{},
	}
	forward(stack, server.carry)
	quiet := &device.Logger{Verbosef: device.DiscardLogf, Errorf: device.DiscardLogf}
	server.device = device.NewDevice(tun, server.bind, quiet)
	if err := server.fill(s); err != nil {
		server.device.Close()
		return nil, err
	}
	return server, nil
}

func (s *Server) fill(settings Settings) error {
	if err := s.device.IpcSet("private_key=" + settings.Key + "\n"); err != nil {
		return fmt.Errorf("make an inbound of WireGuard: its key: %w", err)
	}
	for _, peer := range settings.Peers {
		if err := s.AddUser(context.Background(), peer.Member()); err != nil {
			return err
		}
	}
	if err := s.device.Up(); err != nil {
		return fmt.Errorf("start an inbound of WireGuard: %w", err)
	}
	return nil
}

// Close ends the tunnels.
func (s *Server) Close() error {
	s.device.Close()
	return nil
}

// Network says that WireGuard is carried by datagrams.
func (*Server) Network() []xnet.Network { return []xnet.Network{xnet.Network_UDP} }

// Process takes the packets of one address until it is silent.
func (s *Server) Process(ctx context.Context, _ xnet.Network, conn stat.Connection, d routing.Dispatcher) error {
	s.from.Store(&arrival{ctx: ctx, dispatcher: d})
	at, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	if err != nil {
		return fmt.Errorf("take packets of WireGuard: %w", err)
	}
	from := &endpoint{at: at, conn: conn}
	reader := buf.NewPacketReader(conn)
	for {
		packets, err := reader.ReadMultiBuffer()
		if err != nil {
			buf.ReleaseMulti(packets)
			return err
		}
		for i, one := range packets {
			packets[i] = nil
			if !s.bind.deliver(packet{one, from}) {
				buf.ReleaseMulti(packets[i+1:])
				return net.ErrClosed
			}
		}
	}
}

// carry hands one stream of a peer to the core.
func (s *Server) carry(to xnet.Destination, conn net.Conn) {
	defer conn.Close()
	from := s.from.Load()
	user := s.userAt(conn.RemoteAddr())
	if from == nil || user == nil {
		return
	}
	ctx, cancel := context.WithCancel(xray.ToBackgroundDetachedContext(from.ctx))
	defer cancel()
	ctx = xctx.ContextWithID(ctx, session.NewID())
	var inbound session.Inbound
	if arrived := session.InboundFromContext(from.ctx); arrived != nil {
		inbound = *arrived
	}
	inbound.Name, inbound.CanSpliceCopy = "wireguard", 3
	inbound.Source, inbound.User, inbound.Conn = xnet.DestinationFromAddr(conn.RemoteAddr()), user, conn
	content := new(session.Content)
	if arrived := session.ContentFromContext(from.ctx); arrived != nil {
		content.SniffingRequest = arrived.SniffingRequest
	}
	ctx = session.ContextWithContent(session.ContextWithInbound(ctx, &inbound), content)
	ctx = session.SubContextFromMuxInbound(ctx)
	link := &transport.Link{Reader: buf.NewReader(conn), Writer: buf.NewWriter(conn)}
	_ = from.dispatcher.DispatchLink(ctx, to, link) // it ends like every stream
}

// userAt is the peer that has an address in the tunnel; WireGuard lets each of them use its own alone.
func (s *Server) userAt(from net.Addr) *protocol.MemoryUser {
	at, err := netip.ParseAddrPort(from.String())
	if err != nil {
		return nil
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.byAddress[at.Addr().Unmap()]
}

// AddUser lets a peer in.
func (s *Server) AddUser(_ context.Context, user *protocol.MemoryUser) error {
	peer, ok := user.Account.(*Peer)
	if !ok {
		return errors.New("add a peer of WireGuard: it is none")
	}
	email := key(user.Email)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byEmail[email] != nil || s.byAddress[peer.Address] != nil {
		return fmt.Errorf("add the peer %s of WireGuard: it is there, or another one has its address", user.Email)
	}
	lines := fmt.Sprintf("public_key=%s\nreplace_allowed_ips=true\nallowed_ip=%s\n", peer.Key,
		netip.PrefixFrom(peer.Address, peer.Address.BitLen()))
	if err := s.device.IpcSet(lines); err != nil {
		return fmt.Errorf("add the peer %s of WireGuard: %w", user.Email, err)
	}
	s.byEmail[email], s.byAddress[peer.Address] = user, user
	return nil
}

// RemoveUser shuts a peer out.
func (s *Server) RemoveUser(_ context.Context, email string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	user := s.byEmail[key(email)]
	if user == nil {
		return fmt.Errorf("remove the peer %s of WireGuard: there is none", email)
	}
	peer, _ := user.Account.(*Peer)
	if err := s.device.IpcSet("public_key=" + peer.Key + "\nremove=true\n"); err != nil {
		return fmt.Errorf("remove the peer %s of WireGuard: %w", email, err)
	}
	delete(s.byEmail, key(email))
	delete(s.byAddress, peer.Address)
	return nil
}

// GetUser gives a peer by its name, or nil.
func (s *Server) GetUser(_ context.Context, email string) *protocol.MemoryUser {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.byEmail[key(email)]
}

// GetUsers gives all peers.
func (s *Server) GetUsers(context.Context) []*protocol.MemoryUser {
	s.mu.RLock()
	defer s.mu.RUnlock()
	all := make([]*protocol.MemoryUser, 0, len(s.byEmail))
	for _, user := range s.byEmail {
		all = append(all, user)
	}
	return all
}

// GetUsersCount counts the peers.
func (s *Server) GetUsersCount(context.Context) int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return int64(len(s.byEmail))
}

// key is a name as the core compares names.
func key(email string) string { return strings.ToLower(email) }
