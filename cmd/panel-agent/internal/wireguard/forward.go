package wireguard

import (
	"io"
	"net"
	"sync"
	"time"

	"github.com/xtls/xray-core/common/buf"
	xnet "github.com/xtls/xray-core/common/net"
	"gvisor.dev/gvisor/pkg/buffer"
	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/adapters/gonet"
	"gvisor.dev/gvisor/pkg/tcpip/checksum"
	"gvisor.dev/gvisor/pkg/tcpip/header"
	"gvisor.dev/gvisor/pkg/tcpip/stack"
	"gvisor.dev/gvisor/pkg/tcpip/transport/tcp"
	"gvisor.dev/gvisor/pkg/tcpip/transport/udp"
	"gvisor.dev/gvisor/pkg/waiter"
)

// nic numbers the one network device of a stack.
const nic tcpip.NICID = 1

const (
	mostOpening = 65535 // streams of TCP that are being opened
	mostWaiting = 1024  // datagrams of one peer's port that wait to be read
)

// carrier takes a stream; it returns when the stream has ended.
type carrier func(to xnet.Destination, conn net.Conn)

// forward hands whatever comes out of the tunnel to a carrier.
func forward(s *stack.Stack, carry carrier) {
	streams := tcp.NewForwarder(s, 0, mostOpening, func(r *tcp.ForwarderRequest) {
		go accept(r, carry)
	})
	s.SetTransportProtocolHandler(tcp.ProtocolNumber, streams.HandlePacket)
	all := &datagrams{stack: s, carry: carry, open: map[xnet.Destination]*flow{}}
	s.SetTransportProtocolHandler(udp.ProtocolNumber, all.handle)
}

func accept(r *tcp.ForwarderRequest, carry carrier) {
	var queue waiter.Queue
	id := r.ID()
	end, err := r.CreateEndpoint(&queue)
	if err != nil {
		r.Complete(true)
		return
	}
	to := xnet.TCPDestination(xnet.IPAddress(id.LocalAddress.AsSlice()), xnet.Port(id.LocalPort))
	carry(to, gonet.NewTCPConn(&queue, end))
	end.Close()
	r.Complete(false)
}

// datagrams are those of all peers. Whatever one port of a peer sends is one stream, whoever it is for, so that answers
// of everybody find the way back.
type datagrams struct {
	stack *stack.Stack
	carry carrier

	mu   sync.Mutex
	open map[xnet.Destination]*flow
}

func (d *datagrams) handle(id stack.TransportEndpointID, p *stack.PacketBuffer) bool {
	from := xnet.UDPDestination(xnet.IPAddress(id.RemoteAddress.AsSlice()), xnet.Port(id.RemotePort))
	to := xnet.UDPDestination(xnet.IPAddress(id.LocalAddress.AsSlice()), xnet.Port(id.LocalPort))
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.open[from]
	if f == nil {
		f = &flow{all: d, from: from, to: to, waiting: make(chan datagram, mostWaiting), ended: make(chan struct{})}
		d.open[from] = f
		go d.carry(to, f)
	}
	select {
	case f.waiting <- datagram{p.Data().AsRange().ToSlice(), to}:
	default: // as a network drops them
	}
	return true
}

type datagram struct {
	data []byte
	to   xnet.Destination
}

// flow is a stream of datagrams.
type flow struct {
	all      *datagrams
	from, to xnet.Destination
	waiting  chan datagram
	once     sync.Once
	ended    chan struct{}
}

// ReadMultiBuffer gives the next datagram with whom it is for.
func (f *flow) ReadMultiBuffer() (buf.MultiBuffer, error) {
	select {
	case next := <-f.waiting:
		b := buf.FromBytes(next.data)
		b.UDP = &next.to
		return buf.MultiBuffer{b}, nil
	case <-f.ended:
		return nil, io.EOF
	}
}

// WriteMultiBuffer sends answers, each from whoever gave it.
func (f *flow) WriteMultiBuffer(all buf.MultiBuffer) error {
	defer buf.ReleaseMulti(all)
	for _, b := range all {
		from := f.to
		if b.UDP != nil {
			from = *b.UDP
		}
		if err := f.all.send(b.Bytes(), from, f.from); err != nil {
			return err
		}
	}
	return nil
}

// Read gives the next datagram.
func (f *flow) Read(into []byte) (int, error) {
	select {
	case next := <-f.waiting:
		return copy(into, next.data), nil
	case <-f.ended:
		return 0, io.EOF
	}
}

// Write sends an answer.
func (f *flow) Write(data []byte) (int, error) {
	return len(data), f.all.send(data, f.to, f.from)
}

// Close ends the stream; the next datagram begins another one.
func (f *flow) Close() error {
	f.once.Do(func() {
		f.all.mu.Lock()
		defer f.all.mu.Unlock()
		delete(f.all.open, f.from)
		close(f.ended)
	})
	return nil
}

// LocalAddr is whom the first datagram was for.
func (f *flow) LocalAddr() net.Addr { return f.to.RawNetAddr() }

// RemoteAddr is the peer's.
func (f *flow) RemoteAddr() net.Addr { return f.from.RawNetAddr() }

// SetDeadline is net.Conn; the core has limits of its own.
func (*flow) SetDeadline(time.Time) error { return nil }

// SetReadDeadline is net.Conn.
func (*flow) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline is net.Conn.
func (*flow) SetWriteDeadline(time.Time) error { return nil }

// send writes one datagram into the tunnel. An answer from another family than the question's has no way back.
func (d *datagrams) send(data []byte, from, to xnet.Destination) error {
	if !from.Address.Family().IsIP() || from.Address.Family() != to.Address.Family() {
		return nil
	}
	source, dest := tcpip.AddrFromSlice(from.Address.IP()), tcpip.AddrFromSlice(to.Address.IP())
	size := header.UDPMinimumSize + len(data)
	if size > 0xffff-header.IPv4MinimumSize {
		return nil
	}
	head := make(header.UDP, header.UDPMinimumSize)
	head.Encode(&header.UDPFields{SrcPort: uint16(from.Port), DstPort: uint16(to.Port), Length: uint16(size)})
	pseudo := header.PseudoHeaderChecksum(header.UDPProtocolNumber, source, dest, uint16(size))
	head.SetChecksum(^head.CalculateChecksum(checksum.Checksum(data, pseudo)))
	raw, kind := ipHeader(source, dest, size)
	raw = append(append(raw, head...), data...)
	if err := d.stack.WriteRawPacket(nic, kind, buffer.MakeWithData(raw)); err != nil {
		return net.ErrClosed
	}
	return nil
}

func ipHeader(from, to tcpip.Address, size int) ([]byte, tcpip.NetworkProtocolNumber) {
	const hops = 64
	if from.Len() == header.IPv6AddressSize {
		head := make(header.IPv6, header.IPv6MinimumSize)
		head.Encode(&header.IPv6Fields{
			PayloadLength: uint16(size), TransportProtocol: header.UDPProtocolNumber, HopLimit: hops, SrcAddr: from,
			DstAddr: to,
		})
		return head, header.IPv6ProtocolNumber
	}
	head := make(header.IPv4, header.IPv4MinimumSize)
	head.Encode(&header.IPv4Fields{
		TotalLength: uint16(header.IPv4MinimumSize + size), TTL: hops, Protocol: uint8(header.UDPProtocolNumber),
		SrcAddr: from, DstAddr: to,
	})
	head.SetChecksum(^head.CalculateChecksum())
	return head, header.IPv4ProtocolNumber
}
