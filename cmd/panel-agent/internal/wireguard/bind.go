package wireguard

import (
	"net"
	"net/netip"
	"runtime"
	"sync"

	"github.com/xtls/xray-core/common/buf"
	"golang.zx2c4.com/wireguard/conn"
)

// bind is how the device sends and receives: by the listener of the core.
type bind struct {
	packets chan packet

	mu     sync.Mutex
	closed chan struct{}
}

type packet struct {
	data *buf.Buffer
	from *endpoint
}

func newBind() *bind { return &bind{packets: make(chan packet), closed: make(chan struct{})} }

// deliver hands a packet to the device and reports whether there still is one.
func (b *bind) deliver(p packet) bool {
	select {
	case b.packets <- p:
		return true
	case <-b.ended():
		p.data.Release()
		return false
	}
}

func (b *bind) ended() chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.closed
}

// Open is conn.Bind.
func (b *bind) Open(port uint16) ([]conn.ReceiveFunc, uint16, error) {
	b.mu.Lock()
	b.closed = make(chan struct{})
	closed := b.closed
	b.mu.Unlock()
	receive := func(bufs [][]byte, sizes []int, from []conn.Endpoint) (int, error) {
		select {
		case p := <-b.packets:
			sizes[0], from[0] = copy(bufs[0], p.data.Bytes()), p.from
			p.data.Release()
			return 1, nil
		case <-closed:
			return 0, net.ErrClosed
		}
	}
	all := make([]conn.ReceiveFunc, runtime.NumCPU())
	for i := range all {
		all[i] = receive
	}
	return all, port, nil
}

// Close is conn.Bind.
func (b *bind) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-b.closed:
	default:
		close(b.closed)
	}
	return nil
}

// SetMark is conn.Bind.
func (*bind) SetMark(uint32) error { return nil }

// BatchSize is conn.Bind.
func (*bind) BatchSize() int { return 1 }

// ParseEndpoint is conn.Bind: nobody is dialled.
func (*bind) ParseEndpoint(string) (conn.Endpoint, error) { return nil, conn.ErrWrongEndpointType }

// Send is conn.Bind.
func (*bind) Send(bufs [][]byte, to conn.Endpoint) error {
	end, ok := to.(*endpoint)
	if !ok {
		return conn.ErrWrongEndpointType
	}
	for _, data := range bufs {
		if _, err := end.conn.Write(data); err != nil {
			return err
		}
	}
	return nil
}

// endpoint is where a peer was heard last.
type endpoint struct {
	at   netip.AddrPort
	conn net.Conn
}

// ClearSrc is conn.Endpoint.
func (*endpoint) ClearSrc() {}

// SrcToString is conn.Endpoint.
func (*endpoint) SrcToString() string { return "" }

// SrcIP is conn.Endpoint.
func (*endpoint) SrcIP() netip.Addr { return netip.Addr{} }

// DstToString is conn.Endpoint.
func (e *endpoint) DstToString() string { return e.at.String() }

// DstIP is conn.Endpoint.
func (e *endpoint) DstIP() netip.Addr { return e.at.Addr() }

// DstToBytes is conn.Endpoint: cookies against floods are made of it.
func (e *endpoint) DstToBytes() []byte {
	raw, _ := e.at.MarshalBinary() // it never fails
	return raw
}
