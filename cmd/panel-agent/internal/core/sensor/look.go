package sensor

import (
	"bytes"
	"context"
	"encoding/binary"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/xtls/xray-core/common"
	"github.com/xtls/xray-core/common/buf"
	xnet "github.com/xtls/xray-core/common/net"
	"github.com/xtls/xray-core/common/protocol/bittorrent"
	"github.com/xtls/xray-core/common/protocol/http"
	"github.com/xtls/xray-core/common/protocol/tls"
	"github.com/xtls/xray-core/transport"
)

// Sign is what the first bytes of a stream show.
type Sign string

// Signs. Encrypted handshakes of BitTorrent and those of its transport over UDP show nothing.
const (
	BitTorrent  Sign = "bittorrent"   // a plain handshake
	HTTPTracker Sign = "http_tracker" // a tracker is asked over HTTP
	UDPTracker  Sign = "udp_tracker"  // a tracker is asked over UDP
	DHT         Sign = "dht"          // a query or an answer of the distributed table of BitTorrent
	Name        Sign = "name"         // the name that a stream to an address asks for
)

// How much of a stream is looked at: the first bytes may come in two pieces, and datagrams are one by one.
const (
	piecesSeen    = 2
	datagramsSeen = 32
)

// signOf judges the first bytes of a stream, or a datagram.
func signOf(first []byte, udp bool) Sign {
	if udp {
		return signOfDatagram(first)
	}
	if _, err := bittorrent.SniffBittorrent(first); err == nil {
		return BitTorrent
	}
	if bytes.HasPrefix(first, []byte("GET ")) {
		line, _, _ := bytes.Cut(first, []byte{'\n'})
		if bytes.Contains(line, []byte("info_hash=")) {
			return HTTPTracker
		}
	}
	return ""
}

// signOfDatagram knows the request with which BEP 15 begins and the messages of BEP 5.
func signOfDatagram(data []byte) Sign {
	const magic, request = 0x41727101980, 16
	switch {
	case len(data) == request && binary.BigEndian.Uint64(data) == magic && binary.BigEndian.Uint32(data[8:]) == 0:
		return UDPTracker
	case bytes.HasPrefix(data, []byte("d1:ad2:id20:")), bytes.HasPrefix(data, []byte("d1:rd2:id20:")):
		return DHT
	}
	return ""
}

// nameIn is the host that a request of TLS or HTTP names.
func nameIn(first []byte) string {
	if header, err := tls.SniffTLS(first); err == nil {
		return header.Domain()
	}
	if header, err := http.SniffHTTP(first, context.Background()); err == nil {
		return header.Domain()
	}
	return ""
}

// look sees the beginning of what a client sends in a stream.
type look struct {
	*Stream

	left atomic.Int32
	last To
	seen map[Sign]bool
}

func newLook(st *Stream) *look {
	l := &look{Stream: st, last: st.begun.To}
	if l.left.Store(piecesSeen); st.begun.To.UDP {
		l.left.Store(datagramsSeen)
	}
	return l
}

// at is called with what passes, which it leaves as it is.
func (l *look) at(all buf.MultiBuffer) {
	if l.left.Load() <= 0 {
		return
	}
	for _, piece := range all {
		if piece.IsEmpty() {
			continue
		}
		if l.left.Add(-1) < 0 {
			return
		}
		l.piece(piece)
	}
}

func (l *look) piece(piece *buf.Buffer) {
	if l.begun.To.UDP && piece.UDP != nil {
		if to := ToOf(*piece.UDP); to != l.last && to != l.begun.To {
			l.last = to
			l.tell(Event{What: Reached, To: to})
		}
	}
	if sign := signOf(piece.Bytes(), l.begun.To.UDP); sign != "" {
		l.show(sign, l.last)
		return
	}
	if l.names && l.begun.To.Host == "" && !l.begun.To.UDP {
		if name := nameIn(piece.Bytes()); name != "" {
			named := l.begun.To
			named.Host = name
			l.show(Name, named)
		}
	}
}

func (l *look) show(sign Sign, to To) {
	if l.seen[sign] {
		return
	}
	if l.seen == nil {
		l.seen = map[Sign]bool{}
	}
	l.seen[sign] = true
	l.tell(Event{What: Showed, Sign: sign, To: to})
}

// ToOf is a destination of the core.
func ToOf(dest xnet.Destination) To {
	to := To{Port: uint16(dest.Port), UDP: dest.Network == xnet.Network_UDP}
	if dest.Address == nil {
		return to
	}
	if dest.Address.Family().IsDomain() {
		to.Host = dest.Address.Domain()
		return to
	}
	ip, _ := netip.AddrFromSlice(dest.Address.IP())
	to.IP = ip.Unmap()
	return to
}

// Near gives the end of a stream that faces the client, whose writes are looked at.
func (st *Stream) Near(link *transport.Link) *transport.Link {
	if st == nil {
		return link
	}
	return &transport.Link{Reader: link.Reader, Writer: &writer{link.Writer, newLook(st)}}
}

// Far gives the end of a stream that faces away from the client, whose reads are looked at.
func (st *Stream) Far(link *transport.Link) *transport.Link {
	if st == nil {
		return link
	}
	return &transport.Link{Reader: &reader{link.Reader, newLook(st)}, Writer: link.Writer}
}

type writer struct {
	buf.Writer
	look *look
}

// WriteMultiBuffer looks before it writes: what is written belongs to another one.
func (w *writer) WriteMultiBuffer(all buf.MultiBuffer) error {
	w.look.at(all)
	return w.Writer.WriteMultiBuffer(all)
}

// Interrupt ends the stream at once.
func (w *writer) Interrupt() { _ = common.Interrupt(w.Writer) }

// Close ends the stream.
func (w *writer) Close() error { return common.Close(w.Writer) }

type reader struct {
	buf.Reader
	look *look
}

// ReadMultiBuffer looks at what it has read.
func (r *reader) ReadMultiBuffer() (buf.MultiBuffer, error) {
	read, err := r.Reader.ReadMultiBuffer()
	r.look.at(read)
	return read, err
}

// ReadMultiBufferTimeout is for who waits for the first bytes for a short time.
func (r *reader) ReadMultiBufferTimeout(wait time.Duration) (buf.MultiBuffer, error) {
	in, can := r.Reader.(buf.TimeoutReader)
	if !can {
		return nil, buf.ErrNotTimeoutReader
	}
	read, err := in.ReadMultiBufferTimeout(wait)
	r.look.at(read)
	return read, err
}

// Interrupt ends the stream at once.
func (r *reader) Interrupt() { _ = common.Interrupt(r.Reader) }

// Close ends the stream.
func (r *reader) Close() error { return common.Close(r.Reader) }
