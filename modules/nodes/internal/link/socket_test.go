package link

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"

	"panel/platform/access"
	"panel/platform/agentapi"
)

// served takes streams over real connections until the test ends, and gives its address.
func served(t *testing.T, s *Streams) (address string) {
	t.Helper()
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Server().KeepHijackedConns = true // as the panel's server does
	app.Get("/stream", func(c *fiber.Ctx) error {
		c.SetUserContext(access.With(context.Background(), access.Caller{
			Kind:   access.Node,
			NodeID: strings.Clone(c.Query("node", "n")),
		}))
		return s.Accept(c)
	})
	on, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() { ended <- app.Listener(on) }()
	t.Cleanup(func() {
		for _, l := range s.all() {
			l.close()
		}
		require.NoError(t, app.Shutdown())
		require.NoError(t, <-ended)
	})
	return on.Addr().String()
}

func connect(t *testing.T, address, node string) *websocket.Conn {
	t.Helper()
	conn, answer, err := websocket.Dial(t.Context(), "ws://"+address+"/stream?node="+node, &websocket.DialOptions{
		HTTPHeader: http.Header{"Authorization": {"Bearer the-token"}},
	})
	require.NoError(t, err)
	if answer.Body != nil {
		_ = answer.Body.Close()
	}
	t.Cleanup(func() { _ = conn.CloseNow() })
	return conn
}

func exchange(t *testing.T, conn *websocket.Conn, text string) (f agentapi.Frame) {
	t.Helper()
	require.NoError(t, conn.Write(t.Context(), websocket.MessageText, []byte(text)))
	require.NoError(t, wsjson.Read(t.Context(), conn, &f))
	return f
}

// ends waits until the panel has ended the connection.
func ends(t *testing.T, conn *websocket.Conn) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		if _, _, err := conn.Read(ctx); err != nil {
			require.NoError(t, ctx.Err(), "the stream is still open")
			return
		}
	}
}

// Calls of any size that a frame may have are answered over a real connection, one after the other and whole.
func TestCallsAreAnsweredOverARealConnection(t *testing.T) {
	t.Parallel()
	d := &answers{core: json.RawMessage(`"` + strings.Repeat("y", mostFitting/2) + `"`)}
	s := registry(d)
	conn := connect(t, served(t, s), "n")
	conn.SetReadLimit(agentapi.MaxFrame)
	for range 3 {
		require.Equal(t, 15, exchange(t, conn, heartbeatCall).Reply.Heartbeat.HeartbeatSeconds)
		require.Len(t, exchange(t, conn, configCall).Reply.Config.Core, mostFitting/2+2)
	}
	long := `"boot_id":"` + strings.Repeat("x", agentapi.MaxFrame/2) + `","protocol"`
	padded := strings.Replace(heartbeatCall, `"protocol"`, long, 1)
	require.EqualValues(t, 7, exchange(t, conn, padded).Call)
	require.Equal(t, agentapi.FramePong, exchange(t, conn, `{"type":"ping"}`).Type)
	require.Equal(t, 1, s.Open())
	require.Equal(t, "the-token", s.at("n").token, "which is proved again for each call")
	require.NoError(t, conn.Close(websocket.StatusNormalClosure, ""))
	eventually(t, func() bool { return s.Open() == 0 })
}

// What no agent sends ends its stream: a frame beyond the limit, one that is no text, and one that is no JSON.
func TestWhatNoAgentSendsEndsItsStream(t *testing.T) {
	t.Parallel()
	s := registry(&answers{})
	address := served(t, s)
	for name, send := range map[string]func(conn *websocket.Conn) error{
		"too-long": func(conn *websocket.Conn) error {
			long := `{"type":"` + strings.Repeat("x", agentapi.MaxFrame) + `"}`
			return conn.Write(t.Context(), websocket.MessageText, []byte(long))
		},
		"binary": func(conn *websocket.Conn) error {
			return conn.Write(t.Context(), websocket.MessageBinary, []byte(heartbeatCall))
		},
		"no-json": func(conn *websocket.Conn) error {
			return conn.Write(t.Context(), websocket.MessageText, []byte("hello"))
		},
	} {
		conn := connect(t, address, name)
		eventually(t, func() bool { return s.at(name) != nil })
		_ = send(conn) // the panel may hang up before all of it is written
		ends(t, conn)
		eventually(t, func() bool { return s.at(name) == nil }, name)
	}
}

// asking sends a request as it is written and gives the first line of the answer; nothing where the panel hung up.
func asking(t *testing.T, address, request string) string {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	_, err = io.WriteString(conn, request)
	require.NoError(t, err)
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return ""
	}
	return line
}

const (
	wellFormed = "GET /stream HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
	switching = "101"
)

// Only a whole handshake makes a stream; half of one is answered as a request, and bytes that came too early end the
// connection, because they would be lost.
func TestOnlyAWholeHandshakeMakesAStream(t *testing.T) {
	t.Parallel()
	s := registry(&answers{})
	address := served(t, s)
	for what, change := range map[string][2]string{
		"no upgrade":      {"Upgrade: websocket\r\n", ""},
		"another upgrade": {"Upgrade: websocket", "Upgrade: h2c"},
		"another version": {"Version: 13", "Version: 8"},
		"no key":          {"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n", ""},
		"a short key":     {"AAAAAAAAAAAAAAAAAAAAAA==", "AAAA"},
		"no base64":       {"AAAAAAAAAAAAAAAAAAAAAA==", "%%%%%%%%%%%%%%%%%%%%%%%%"},
	} {
		line := asking(t, address, strings.Replace(wellFormed, change[0], change[1], 1))
		require.NotEmpty(t, line, what)
		require.NotContains(t, line, switching, what)
	}
	require.Zero(t, s.Open())
	require.NotContains(t, asking(t, address, wellFormed+"too early"), switching)
	require.Zero(t, s.Open())
	require.Contains(t, asking(t, address, wellFormed), switching)
	eventually(t, func() bool { return s.Open() == 0 }) // its connection is closed by now
}

// panicked fails inside a call.
type panicked struct{ *answers }

func (panicked) Heartbeat(context.Context, string, *agentapi.Heartbeat) (*agentapi.HeartbeatReply, error) {
	panic("a fault of the panel")
}

// A panic while a call is answered costs that stream and nothing else.
func TestAPanicCostsItsStreamAlone(t *testing.T) {
	t.Parallel()
	s := registry(&answers{})
	s.panel = panicked{&answers{}}
	address := served(t, s)
	unlucky, other := connect(t, address, "unlucky"), connect(t, address, "other")
	require.Equal(t, 200, exchange(t, other, resultCall).Reply.Status)
	require.NoError(t, unlucky.Write(t.Context(), websocket.MessageText, []byte(heartbeatCall)))
	ends(t, unlucky)
	eventually(t, func() bool { return s.Open() == 1 })
	require.Equal(t, 200, exchange(t, other, resultCall).Reply.Status)
}

// A stream that shows itself, with frames or by answering pings, is not quiet; time without either is measured.
func TestSilenceIsMeasured(t *testing.T) {
	t.Parallel()
	s := registry(&answers{})
	conn := connect(t, served(t, s), "n")
	eventually(t, func() bool { return s.at("n") != nil })
	l := s.at("n")
	quiet := func() time.Duration { return l.wire.Quiet() }
	eventually(t, func() bool { return quiet() > 20*time.Millisecond })
	before := quiet()
	exchange(t, conn, resultCall)
	require.Less(t, quiet(), before+20*time.Second)
	reading, stop := context.WithCancel(t.Context())
	defer stop()
	go func() { _, _, _ = conn.Read(reading) }() // which answers pings
	marked := time.Now()
	eventually(t, func() bool {
		l.ping()
		return quiet() < time.Since(marked)/2
	})
}

// A panel that says goodbye ends the real connection after its word.
func TestTheGoodbyeArrives(t *testing.T) {
	t.Parallel()
	s := registry(&answers{})
	conn := connect(t, served(t, s), "n")
	eventually(t, func() bool { return s.Open() == 1 })
	s.dismiss()
	var last agentapi.Frame
	require.NoError(t, wsjson.Read(t.Context(), conn, &last))
	require.Equal(t, []any{agentapi.FrameBye, 2}, []any{last.Type, last.RetrySeconds})
	ends(t, conn)
}

// An agent that comes back resumes: the newer stream gets all that waits, of which the older one may have lost a part.
func TestANewStreamGetsEverythingAnew(t *testing.T) {
	t.Parallel()
	pending := agentapi.Pending{
		Desired:   agentapi.Desired{DesiredRevision: 3, DesiredHash: "h"},
		Documents: []agentapi.DocumentRef{{Name: "blocks", Revision: 2, Hash: "d"}},
		Commands:  []agentapi.Command{{ID: "1"}, {ID: "2"}},
	}
	for range 2 {
		w := newLine()
		l := over(w)
		l.greet(pending)
		l.send(pending) // what another change brings is known by then
		eventually(t, func() bool { return len(w.frames()) == 3 })
		first := w.frames()[0]
		require.Equal(t, []any{agentapi.FrameDesired, pending.Desired, pending.Documents, Takes},
			[]any{first.Type, *first.Desired, first.Documents, first.Takes})
		require.Equal(t, []string{"1", "2"}, []string{w.frames()[1].Command.ID, w.frames()[2].Command.ID})
		l.close()
	}
}
