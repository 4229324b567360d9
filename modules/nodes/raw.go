package nodes

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	fast "github.com/fasthttp/websocket"
	"github.com/gofiber/contrib/websocket"
	"github.com/gofiber/fiber/v2"

	"panel/platform/agentapi"
	"panel/platform/fault"
)

// metricsBatch is decoded by hand: it is the busiest operation, and the typed layer reads every body twice.
func (h *handlers) metricsBatch(c *fiber.Ctx) error {
	text, err := inflated(c)
	if err != nil {
		return err
	}
	batch, err := readBatch(text)
	if err != nil {
		return fault.Malformed("bad_json", "the body must be a JSON document of numbered samples")
	}
	if err := h.telemetry.take(c.UserContext(), nodeOf(c.UserContext()), batch); err != nil {
		return err
	}
	return c.JSON(agentapi.MetricsReply{AckedSeq: batch.Seq})
}

// inflated reads the body up to the limit, which counts what comes out of gzip.
func inflated(c *fiber.Ctx) ([]byte, error) {
	raw := c.Request().Body()
	if c.Get(fiber.HeaderContentEncoding) != "gzip" {
		return within(raw)
	}
	reader, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return nil, fault.Malformed("bad_json", "the body is not gzip")
	}
	text, err := io.ReadAll(io.LimitReader(reader, agentapi.MaxBody+1))
	if err != nil {
		return nil, fault.Malformed("bad_json", "the body is not gzip")
	}
	return within(text)
}

func within(text []byte) ([]byte, error) {
	if len(text) > agentapi.MaxBody {
		return nil, fault.TooLarge("a body of an agent may have 1 MiB")
	}
	return text, nil
}

var errUpgrade = fault.Malformed("bad_parameter", "this address takes WebSocket connections only")

// stream turns the request into a WebSocket. The token was proved before, by the guard.
func (h *handlers) stream(c *fiber.Ctx) error {
	if !websocket.IsWebSocketUpgrade(c) {
		return errUpgrade
	}
	nodeID := nodeOf(c.UserContext())
	_, token, _ := strings.Cut(strings.Clone(c.Get(fiber.HeaderAuthorization)), " ")
	return websocket.New(func(conn *websocket.Conn) {
		h.streams.serve(nodeID, token, newSocket(conn.Conn))
	}, websocket.Config{ReadBufferSize: 1 << 10, WriteBufferSize: 1 << 10, HandshakeTimeout: writeWithin})(c)
}

const (
	writeWithin = 10 * time.Second
	silence     = 90 * time.Second
)

// socket is one WebSocket as a wire. Writes are one at a time; a peer that is silent for 90 seconds is gone.
type socket struct {
	conn *fast.Conn
	mu   sync.Mutex
}

func newSocket(conn *fast.Conn) *socket {
	conn.SetReadLimit(agentapi.MaxFrame)
	s := &socket{conn: conn}
	conn.SetPongHandler(func(string) error { return s.heard() })
	return s
}

func (s *socket) heard() error {
	return s.conn.SetReadDeadline(time.Now().Add(silence)) //nolint:forbidigo // deadlines of the network are real time
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

// Receive waits for the next text frame.
func (s *socket) Receive() ([]byte, error) {
	if err := s.heard(); err != nil {
		return nil, err
	}
	kind, text, err := s.conn.ReadMessage()
	if err == nil && kind != fast.TextMessage {
		err = errSilent
	}
	return text, err
}

// Close ends the connection; a Receive that waits returns.
func (s *socket) Close() {
	_ = s.conn.WriteControl(fast.CloseMessage, fast.FormatCloseMessage(fast.CloseGoingAway, ""), time.Now().Add(time.Second)) //nolint:forbidigo // as above
	_ = s.conn.Close()
}

func (h *handlers) installScript(c *fiber.Ctx) error {
	c.Set(fiber.HeaderContentType, "text/x-shellscript; charset=utf-8")
	return c.SendString(h.installer.script())
}

func (h *handlers) installBinary(c *fiber.Ctx) error {
	found, err := h.installer.binary(strings.Clone(c.Params("os")), strings.Clone(c.Params("arch")))
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, fiber.MIMEOctetStream)
	c.Set("X-Checksum-Sha256", found.sha256)
	return c.SendFile(found.path, false)
}
