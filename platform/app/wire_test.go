package app_test

import (
	"bufio"
	"bytes"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"

	"panel/platform/paneltest"
)

// wire sends requests to a running panel without a network: thousands a second, through everything that a request
// passes, from whatever address the test wants.
type wire struct{ server *fasthttp.Server }

func wired(p *paneltest.Panel) wire {
	fiber := p.App.Server().App()
	fiber.Handler() // mounts the routes, which otherwise the first request through fiber itself does
	return wire{server: fiber.Server()}
}

// call is one request as the wire carries it.
type call struct {
	method, path string
	headers      []string // pairs
	ip           net.IP
	body         string
}

var localhost = net.IPv4(127, 0, 0, 1)

// send gives the whole answer; it is not for streams, which never end.
func (w wire) send(c call) response {
	ip := c.ip
	if ip == nil {
		ip = localhost
	}
	cable := &cable{from: &net.TCPAddr{IP: ip, Port: 40_000}, question: strings.NewReader(c.text())}
	_ = w.server.ServeConn(cable) // the end of the questions is no failure
	return cable.read(c.method)
}

func (c call) text() string {
	var text strings.Builder
	text.WriteString(c.method + " " + c.path + " HTTP/1.1\r\nHost: panel.test\r\nConnection: close\r\n")
	for i := 0; i+1 < len(c.headers); i += 2 {
		text.WriteString(c.headers[i] + ": " + c.headers[i+1] + "\r\n")
	}
	if c.method != http.MethodGet && c.method != http.MethodHead {
		text.WriteString("Content-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(c.body)) + "\r\n\r\n" +
			c.body)
	} else {
		text.WriteString("\r\n")
	}
	return text.String()
}

// cable is a connection that holds one question and takes the answer.
type cable struct {
	net.Conn
	from     net.Addr
	question *strings.Reader
	answer   bytes.Buffer
}

func (c *cable) Read(p []byte) (int, error)       { return c.question.Read(p) }
func (c *cable) Write(p []byte) (int, error)      { return c.answer.Write(p) }
func (c *cable) Close() error                     { return nil }
func (c *cable) RemoteAddr() net.Addr             { return c.from }
func (c *cable) LocalAddr() net.Addr              { return c.from }
func (c *cable) SetDeadline(time.Time) error      { return nil }
func (c *cable) SetReadDeadline(time.Time) error  { return nil }
func (c *cable) SetWriteDeadline(time.Time) error { return nil }

// response is what came back.
type response struct {
	status           int
	code, retryAfter string
	body             string
}

func (c *cable) read(method string) response {
	var answer fasthttp.Response
	answer.SkipBody = method == http.MethodHead
	if err := answer.Read(bufio.NewReader(&c.answer)); err != nil {
		return response{body: err.Error()}
	}
	h := response{
		status: answer.StatusCode(), retryAfter: string(answer.Header.Peek("Retry-After")),
		body: string(answer.Body()),
	}
	if strings.HasPrefix(string(answer.Header.ContentType()), "application/problem+json") {
		h.code = codeIn(answer.Body())
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
	eventuallyWithin = time.Minute
	eventuallyEvery  = 50 * time.Millisecond
)
