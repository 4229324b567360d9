package link

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/coder/websocket"
	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/platform/agentapi"
)

// Handler takes what the panel wants; it must be quick.
type Handler interface {
	// Desired takes the wanted configuration and the other wanted documents.
	Desired(config agentapi.Desired, documents []agentapi.DocumentRef)
	// Command takes a command. It returns when the command is safe on disk; the panel may send the same one again.
	Command(agentapi.Command) error
	// Hello describes the agent at the opening of a stream.
	Hello() agentapi.Hello
}

// Timing of the way commands come in.
type Timing struct {
	First, Longest time.Duration // pauses between attempts
	Spread         time.Duration // an agent whose stream broke comes back within this time, at a random moment
	Silence        time.Duration // a stream without any frame for this long is dead
	Ping           time.Duration // pause between the agent's own pings
}

// DefaultTiming suits a panel across the internet.
var DefaultTiming = Timing{
	First: time.Second, Longest: time.Minute, Spread: 10 * time.Second, Silence: 90 * time.Second,
	Ping: 30 * time.Second,
}

const (
	dialLimit  = 15 * time.Second
	writeLimit = 10 * time.Second
	workedFor  = time.Minute
	pollGap    = 500 * time.Millisecond
)

// Receiver keeps a way open on which commands and changes arrive: the stream, and the long-poll while the stream fails.
type Receiver struct {
	Client  *Client
	Handler Handler
	Timing  Timing
	Clock   clockwork.Clock
	Log     *zap.Logger
	// Streaming, when set, is called when the stream opens and when it ends.
	Streaming func(bool)
}

// Run receives until the context ends.
func (r *Receiver) Run(ctx context.Context) {
	backoff := Backoff{First: r.Timing.First, Longest: r.Timing.Longest}
	for ctx.Err() == nil {
		began := r.Clock.Now()
		opened, asked, err := r.stream(ctx)
		if ctx.Err() != nil {
			return
		}
		if r.Clock.Since(began) > workedFor {
			backoff.Reset()
		}
		quiet, pause := time.Duration(0), backoff.Next()
		if opened {
			quiet = rand.N(cmp.Or(asked, r.Timing.Spread, 1))
		}
		r.Log.Info("the stream is closed; commands come by long-poll until it is tried again", zap.Duration("quiet",
			quiet),
			zap.Duration("pause", pause), zap.Error(err))
		r.rest(ctx, quiet) // the streams of a whole fleet may have ended at this moment
		r.pollFor(ctx, pause)
	}
}

// pollFor takes commands by long-poll until the time is over.
func (r *Receiver) pollFor(ctx context.Context, left time.Duration) {
	ctx, cancel := clockwork.WithTimeout(ctx, r.Clock, left)
	defer cancel()
	r.Poll(ctx)
}

// Poll takes commands by long-poll alone until the context ends.
func (r *Receiver) Poll(ctx context.Context) {
	backoff := Backoff{First: r.Timing.First, Longest: r.Timing.Longest}
	for ctx.Err() == nil {
		began := r.Clock.Now()
		pending, err := r.Client.Pending(ctx, agentapi.MaxLongPollSeconds*time.Second)
		pause := backoff.Next()
		if err == nil {
			backoff.Reset()
			r.take(pending)
			pause = pollGap - r.Clock.Since(began) // a command that is still at work is answered again at once
		}
		r.rest(ctx, pause)
	}
}

func (r *Receiver) rest(ctx context.Context, pause time.Duration) {
	if pause <= 0 {
		return
	}
	select {
	case <-ctx.Done():
	case <-r.Clock.After(pause):
	}
}

func (r *Receiver) take(pending agentapi.Pending) {
	r.Handler.Desired(pending.Desired, pending.Documents)
	for _, command := range pending.Commands {
		if err := r.Handler.Command(command); err != nil {
			r.Log.Error("a command could not be written down; the panel will repeat it", zap.String("command",
				command.ID),
				zap.Error(err))
		}
	}
}

// stream serves one WebSocket to its end. A positive duration is the time within which the panel wants us back.
func (r *Receiver) stream(ctx context.Context) (opened bool, asked time.Duration, err error) {
	open := r.Client.opening()
	defer r.Client.stream.CompareAndSwap(open, nil)
	defer open.end()
	conn, err := r.dial(ctx)
	if err != nil {
		return false, 0, err
	}
	defer func() { _ = conn.CloseNow() }()
	open.conn = conn
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	hello := r.Handler.Hello()
	if err := write(ctx, conn, agentapi.Frame{Type: agentapi.FrameHello, Hello: &hello}); err != nil {
		return true, 0, err
	}
	r.report(true)
	defer r.report(false)
	go r.ping(ctx, conn)
	asked, err = r.read(ctx, open)
	return true, asked, err
}

func (r *Receiver) report(open bool) {
	if r.Streaming != nil {
		r.Streaming(open)
	}
}

func (r *Receiver) dial(ctx context.Context) (*websocket.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	header := http.Header{}
	r.Client.sign(header)
	address := "ws" + strings.TrimPrefix(r.Client.base, "http") + agentapi.PathStream
	conn, resp, err := websocket.Dial(ctx, address, &websocket.DialOptions{
		HTTPClient: r.Client.http,
		HTTPHeader: header,
	})
	if resp != nil && resp.Body != nil {
		defer resp.Body.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("open the stream: %w", err)
	}
	conn.SetReadLimit(agentapi.MaxFrame)
	return conn, nil
}

func (r *Receiver) read(ctx context.Context, open *calls) (time.Duration, error) {
	for {
		frame, err := r.next(ctx, open.conn)
		if err != nil {
			return 0, err
		}
		if frame.Type == agentapi.FrameBye {
			return time.Duration(max(1, frame.RetrySeconds)) * time.Second, errors.New("the panel said goodbye")
		}
		if err := r.handle(ctx, open, frame); err != nil {
			return 0, err
		}
	}
}

func (r *Receiver) next(ctx context.Context, conn *websocket.Conn) (agentapi.Frame, error) {
	ctx, cancel := context.WithTimeout(ctx, r.Timing.Silence)
	defer cancel()
	_, raw, err := conn.Read(ctx)
	if err != nil {
		return agentapi.Frame{}, fmt.Errorf("read the stream: %w", err)
	}
	var frame agentapi.Frame
	if err := json.Unmarshal(raw, &frame); err != nil {
		return agentapi.Frame{}, fmt.Errorf("read the stream: %w", err)
	}
	return frame, nil
}

func (r *Receiver) handle(ctx context.Context, open *calls, frame agentapi.Frame) error {
	switch frame.Type {
	case agentapi.FramePing:
		return write(ctx, open.conn, agentapi.Frame{Type: agentapi.FramePong})
	case agentapi.FrameReply:
		open.replied(frame)
	case agentapi.FrameDesired:
		open.offered(frame.Takes)
		if frame.Desired != nil {
			r.Handler.Desired(*frame.Desired, frame.Documents)
		}
	case agentapi.FrameCommand:
		return r.accept(ctx, open.conn, frame.Command)
	case agentapi.FramePong, agentapi.FrameHello, agentapi.FrameAck, agentapi.FrameBye, agentapi.FrameHeartbeat,
		agentapi.FrameMetrics,
		agentapi.FrameResult, agentapi.FrameConfig, agentapi.FrameDocument, agentapi.FrameBatch:
	}
	return nil
}

func (r *Receiver) accept(ctx context.Context, conn *websocket.Conn, command *agentapi.Command) error {
	if command == nil {
		return nil
	}
	if err := r.Handler.Command(*command); err != nil {
		r.Log.Error("a command could not be written down; the panel will repeat it", zap.String("command", command.ID),
			zap.Error(err))
		return nil
	}
	return write(ctx, conn, agentapi.Frame{Type: agentapi.FrameAck, CommandID: command.ID})
}

// ping shows the panel, and every box between, that this end lives, and makes the panel answer.
func (r *Receiver) ping(ctx context.Context, conn *websocket.Conn) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.Clock.After(r.Timing.Ping):
			if write(ctx, conn, agentapi.Frame{Type: agentapi.FramePing}) != nil {
				_ = conn.CloseNow()
				return
			}
		}
	}
}

func write(ctx context.Context, conn *websocket.Conn, frame agentapi.Frame) error {
	raw, err := encode(frame)
	if err != nil {
		return fmt.Errorf("write the stream: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, writeLimit)
	defer cancel()
	if err := conn.Write(ctx, websocket.MessageText, raw); err != nil {
		return fmt.Errorf("write the stream: %w", err)
	}
	return nil
}
