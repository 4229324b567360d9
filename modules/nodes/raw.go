package nodes

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"strings"

	fast "github.com/fasthttp/websocket"
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

// stream turns the request into a WebSocket. The token was proved before, by the guard. A fleet keeps thousands of streams
// open for days, so that nothing of the request and of the server's buffers may live on with one of them: the bare
// connection goes to a goroutine of its own, and the server gets everything else back.
func (h *handlers) stream(c *fiber.Ctx) error {
	request, err := handshake(c)
	if err != nil {
		return err
	}
	nodeID := nodeOf(c.UserContext())
	_, token, _ := strings.Cut(strings.Clone(c.Get(fiber.HeaderAuthorization)), " ")
	c.Status(http.StatusSwitchingProtocols)
	c.Context().HijackSetNoResponse(true)
	c.Context().Hijack(func(hijacked net.Conn) {
		if conn := upgraded(hijacked, request); conn != nil {
			go h.keep(nodeID, token, newSocket(conn))
		}
	})
	return nil
}

// handshake copies what the WebSocket library looks at. Fault: bad_parameter (400).
func handshake(c *fiber.Ctx) (*http.Request, error) {
	request := &http.Request{Method: http.MethodGet, Header: http.Header{}}
	for _, name := range []string{"Connection", "Upgrade", "Sec-Websocket-Version", "Sec-Websocket-Key"} {
		request.Header.Set(name, strings.Clone(c.Get(name)))
	}
	key, err := base64.StdEncoding.DecodeString(request.Header.Get("Sec-Websocket-Key"))
	if !fast.IsWebSocketUpgrade(request) || request.Header.Get("Sec-Websocket-Version") != "13" || err != nil || len(key) != 16 {
		return nil, errUpgrade
	}
	return request, nil
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
