package link

import (
	"encoding/base64"
	"net"
	"net/http"
	"strings"

	fast "github.com/fasthttp/websocket"
	"github.com/gofiber/fiber/v2"

	"panel/platform/access"
	"panel/platform/fault"
)

var errUpgrade = fault.Malformed("bad_parameter", "this address takes WebSocket connections only")

// Accept turns the request of an agent into a WebSocket. The token was proved before, by the guard. A fleet keeps
// thousands of streams open for days, so that nothing of the request and of the server's buffers may live on with one
// of them: the bare connection goes to a goroutine of its own, and the server gets everything else back.
func (s *Streams) Accept(c *fiber.Ctx) error {
	request, err := handshake(c)
	if err != nil {
		return err
	}
	nodeID := access.From(c.UserContext()).NodeID
	_, token, _ := strings.Cut(strings.Clone(c.Get(fiber.HeaderAuthorization)), " ")
	c.Status(http.StatusSwitchingProtocols)
	c.Context().HijackSetNoResponse(true)
	c.Context().Hijack(func(hijacked net.Conn) {
		if conn := upgraded(hijacked, request); conn != nil {
			go s.keep(nodeID, token, newSocket(conn))
		}
	})
	return nil
}

// handshake copies what the WebSocket library reads. Fault: bad_parameter (400).
func handshake(c *fiber.Ctx) (*http.Request, error) {
	request := &http.Request{Method: http.MethodGet, Header: http.Header{}}
	for _, name := range []string{"Connection", "Upgrade", "Sec-Websocket-Version", "Sec-Websocket-Key"} {
		request.Header.Set(name, strings.Clone(c.Get(name)))
	}
	key, err := base64.StdEncoding.DecodeString(request.Header.Get("Sec-Websocket-Key"))
	version := request.Header.Get("Sec-Websocket-Version")
	if !fast.IsWebSocketUpgrade(request) || version != "13" || err != nil || len(key) != 16 {
		return nil, errUpgrade
	}
	return request, nil
}
