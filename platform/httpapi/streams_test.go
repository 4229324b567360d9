package httpapi

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"

	"panel/platform/access"
	"panel/platform/fault"
)

// Live streams are bounded for each account and in sum; one that ends makes room for one, and leaves nothing behind.
func TestLiveStreamsAreBounded(t *testing.T) {
	t.Parallel()
	s := NewStreams()
	leave := map[string][]func(){}
	open := func(account string) error {
		left, err := s.Open(account)
		if err == nil {
			leave[account] = append(leave[account], left)
		}
		return err
	}
	for range streamsOfOne {
		require.NoError(t, open("anna"))
	}
	require.Equal(t, fault.KindThrottled, fault.KindOf(open("anna")))
	require.NoError(t, open("boris"), "another account has streams of its own")
	leave["anna"][0]()
	leave["anna"] = leave["anna"][1:]
	require.NoError(t, open("anna"))
	for i := 0; s.all < streamsInAll; i++ {
		require.NoError(t, open("account "+strconv.Itoa(i/streamsOfOne)))
	}
	require.Equal(t, fault.KindThrottled, fault.KindOf(open("one more")))
	for _, list := range leave {
		for _, left := range list {
			left()
		}
	}
	require.Zero(t, s.all)
	require.Empty(t, s.open)
}

// R10: a panel that stops ends its live streams at once, because nothing waits for them, and answers every request that
// it has accepted.
func TestAStopEndsStreamsAndAnswersWhatWasAccepted(t *testing.T) {
	t.Parallel()
	streams := NewStreams()
	began, goOn := make(chan struct{}), make(chan struct{})
	s, addr := listening(t, Routes{
		Raw(http.MethodGet, "/live", "Follow", access.Public(), func(c *fiber.Ctx) error {
			ctx := streams.Detach(c.UserContext())
			c.Context().SetBodyStreamWriter(func(w *bufio.Writer) {
				_, _ = w.WriteString("hello\n")
				_ = w.Flush()
				<-ctx.Done()
			})
			return nil
		}, Lasts()),
		Get("/slow", "Work", access.Public(), func(context.Context, *struct{}) (*spoken, error) {
			close(began)
			<-goOn
			return saying("done"), nil
		}),
	}, func(o *Options) { o.Streams = streams })
	live, err := net.Dial("tcp", addr.String())
	require.NoError(t, err)
	defer live.Close()
	require.NoError(t, live.SetDeadline(time.Now().Add(time.Minute)))
	_, err = io.WriteString(live, "GET /live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	require.NoError(t, err)
	reader := bufio.NewReader(live)
	for line := ""; !strings.Contains(line, "hello"); {
		line, err = reader.ReadString('\n')
		require.NoError(t, err)
	}
	accepted := make(chan string, 1)
	go func() { accepted <- answered(t, addr, "GET /slow HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n") }()
	<-began

	stopped := make(chan error, 1)
	go func() { stopped <- s.Stop(context.WithoutCancel(t.Context())) }()
	_, err = io.ReadAll(reader)
	require.NoError(t, err, "the stream ends as a whole answer")
	require.Empty(t, stopped, "one request is still being worked on")
	close(goOn)
	require.Contains(t, <-accepted, `"said":"done"`)
	require.NoError(t, <-stopped)
	_, open := <-streams.Stopping()
	require.False(t, open)
}
