package link

import (
	"bufio"
	"bytes"
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	fast "github.com/fasthttp/websocket"
	"go.uber.org/zap"

	"panel/platform/agentapi"
)

// writeBuffers are shared by all streams, because at a moment few of them write.
var writeBuffers sync.Pool

var upgrader = fast.Upgrader{
	ReadBufferSize: 1 << 10, WriteBufferSize: 1 << 10, WriteBufferPool: &writeBuffers, HandshakeTimeout: writeWithin,
	CheckOrigin: func(*http.Request) bool { return true }, // an agent is no browser, and it has proved its token
}

// upgraded answers the handshake on the bare connection; nil after it has closed it.
func upgraded(hijacked net.Conn, request *http.Request) *fast.Conn {
	server, known := hijacked.(interface{ UnsafeConn() net.Conn })
	if !known || spokeTooEarly(hijacked) {
		_ = hijacked.Close()
		return nil
	}
	bare := server.UnsafeConn()
	conn, err := upgrader.Upgrade(takeover{conn: bare}, request, nil)
	if err != nil {
		_ = bare.Close()
		return nil
	}
	return conn
}

// spokeTooEarly finds bytes that came with the handshake: they would be lost with the server's buffer, and no agent
// sends any.
func spokeTooEarly(hijacked net.Conn) bool {
	if hijacked.SetReadDeadline(time.Unix(1, 0)) != nil {
		return true
	}
	n, _ := hijacked.Read(make([]byte, 1)) // what is buffered comes at once, else the deadline is over
	return n > 0
}

// takeover hands the library a connection in the form in which net/http would.
type takeover struct {
	http.ResponseWriter // never called: the handshake was checked before
	conn                net.Conn
}

// Hijack gives the connection with buffers that are thrown away.
func (t takeover) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	const least = 16
	return t.conn, bufio.NewReadWriter(bufio.NewReaderSize(t.conn, least), bufio.NewWriterSize(t.conn, least)), nil
}

// keep serves a stream to its end. A panic costs the stream, not the panel.
func (s *Streams) keep(nodeID, token string, socket *socket) {
	defer socket.Close()
	defer func() {
		if cause := recover(); cause != nil {
			s.log.Error("a stream of an agent failed", zap.String("node", nodeID), zap.Any("panic", cause),
				zap.Stack("stack"))
		}
	}()
	s.serve(nodeID, token, socket)
}

const writeWithin = 10 * time.Second

// socket is one WebSocket as a wire. Writes are one at a time.
type socket struct {
	conn *fast.Conn
	mu   sync.Mutex
	seen atomic.Int64 // when the other side last showed itself, as Unix nanoseconds
}

func newSocket(conn *fast.Conn) *socket {
	conn.SetReadLimit(agentapi.MaxFrame)
	s := &socket{conn: conn}
	s.touch()
	conn.SetPongHandler(func(string) error { s.touch(); return nil })
	return s
}

func (s *socket) touch() { s.seen.Store(time.Now().UnixNano()) } //nolint:forbidigo // the network is real time

// Quiet is the time since the other side last showed itself.
func (s *socket) Quiet() time.Duration {
	return time.Since(time.Unix(0, s.seen.Load())) //nolint:forbidigo // as above
}

// Send writes one text frame.
func (s *socket) Send(text []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.conn.SetWriteDeadline(time.Now().Add(writeWithin)); err != nil { //nolint:forbidigo // as above
		return err
	}
	return s.conn.WriteMessage(fast.TextMessage, text)
}

// Ping asks for a sign of life.
func (s *socket) Ping() error {
	return s.conn.WriteControl(fast.PingMessage, nil, time.Now().Add(writeWithin)) //nolint:forbidigo // as above
}

var errSilent = errors.New("the agent sent something that is no text frame")

// readBuffers are shared by all streams, because at a moment few of them read.
var readBuffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// mostPooled bounds a text whose memory is used again.
const mostPooled = 64 << 10

// Receive waits for the next text frame and hands it to take, which must not keep it.
func (s *socket) Receive(take func(text []byte) error) error {
	kind, reader, err := s.conn.NextReader()
	s.touch()
	if err == nil && kind != fast.TextMessage {
		err = errSilent
	}
	if err != nil {
		return err
	}
	text, ok := readBuffers.Get().(*bytes.Buffer)
	if !ok {
		text = new(bytes.Buffer)
	}
	defer func() {
		if text.Cap() <= mostPooled {
			text.Reset()
			readBuffers.Put(text)
		}
	}()
	if _, err := text.ReadFrom(reader); err != nil {
		return err
	}
	return take(text.Bytes())
}

// Close ends the connection; a Receive that waits returns.
func (s *socket) Close() {
	_ = s.conn.WriteControl(fast.CloseMessage, fast.FormatCloseMessage(fast.CloseGoingAway, ""), time.Now().Add(time.Second)) //nolint:forbidigo // as above
	_ = s.conn.Close()
}
