package app_test

import (
	"bytes"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"

	"panel/platform/paneltest"
)

// wire sends requests to a running panel without a network: tens of thousands a second, through everything that a
// request passes, from whatever address the test wants.
type wire struct{ serve fasthttp.RequestHandler }

func wired(p *paneltest.Panel) wire { return wire{serve: p.App.Server().App().Handler()} }

// call is one request as the wire carries it.
type call struct {
	method, path string
	headers      []string // pairs
	ip           net.IP
	body         string
}

var localhost = net.IPv4(127, 0, 0, 1)

// send gives the whole answer; a stream is closed unread.
func (w wire) send(c call) heard {
	ip := c.ip
	if ip == nil {
		ip = localhost
	}
	var ctx fasthttp.RequestCtx
	ctx.Init2(&cable{from: &net.TCPAddr{IP: ip, Port: 40_000}}, nil, false)
	request := &ctx.Request
	request.Header.SetMethod(c.method)
	request.SetRequestURI(c.path)
	request.Header.SetHost("panel.test")
	if c.method != http.MethodGet && c.method != http.MethodHead {
		request.Header.SetContentType(fiber.MIMEApplicationJSON)
		request.SetBodyString(c.body)
	}
	for i := 0; i+1 < len(c.headers); i += 2 {
		request.Header.Set(c.headers[i], c.headers[i+1])
	}
	w.serve(&ctx)
	return hear(&ctx)
}

// cable is a connection that carries nothing: the request is already there.
type cable struct {
	net.Conn
	from net.Addr
}

func (c *cable) RemoteAddr() net.Addr             { return c.from }
func (c *cable) LocalAddr() net.Addr              { return c.from }
func (c *cable) SetReadDeadline(time.Time) error  { return nil }
func (c *cable) SetWriteDeadline(time.Time) error { return nil }

// heard is what came back.
type heard struct {
	status           int
	code, retryAfter string
	body             string
}

func hear(ctx *fasthttp.RequestCtx) heard {
	h := heard{status: ctx.Response.StatusCode(), retryAfter: string(ctx.Response.Header.Peek(fiber.HeaderRetryAfter))}
	if ctx.Response.IsBodyStream() {
		_ = ctx.Response.CloseBodyStream() // nobody reads it
		return h
	}
	h.body = string(ctx.Response.Body())
	if strings.HasPrefix(string(ctx.Response.Header.ContentType()), "application/problem+json") {
		h.code = codeIn(ctx.Response.Body())
	}
	return h
}

var codeStart = []byte(`"code":"`)

func codeIn(body []byte) string {
	_, rest, _ := bytes.Cut(body, codeStart)
	word, _, _ := bytes.Cut(rest, []byte{'"'})
	return string(word)
}

// The wire and the network say the same: what the matrix proves is what a client on the network meets.
func TestTheWireAnswersAsTheNetworkDoes(t *testing.T) {
	t.Parallel()
	p := everything(t)
	token := p.Admin().Token
	for _, line := range policies(t) {
		if line.path == "/api/v1/stream" || line.access == "throttled" || line.method != http.MethodGet {
			continue
		}
		near := wired(p).send(call{method: line.method, path: line.somewhere(), headers: bearer(token)})
		far := ask(t, p, line, line.somewhere(), bearer(token)...)
		require.Equal(t, far.status, near.status, line.path)
		require.Equal(t, far.code, near.code, line.path)
	}
}

const (
	eventuallyWithin = 20 * time.Second
	eventuallyEvery  = 50 * time.Millisecond
)
