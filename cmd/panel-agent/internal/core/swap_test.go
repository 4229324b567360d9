package core

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"panel/cmd/panel-agent/internal/agenttest"
)

func TestASwitchThatCannotListenLeavesTheOldCore(t *testing.T) {
	t.Parallel()
	s, site := newSupervisor(t, t.TempDir()), page(t)
	f := shadowsocksFlow(t, agenttest.FreePort(t))
	require.NoError(t, s.Swap(context.Background(), Spec{Revision: 1, Hash: "a", Core: f.core}))
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	var failed *StartFailed
	next := shadowsocksFlow(t, taken.Addr().(*net.TCPAddr).Port)
	require.ErrorAs(t, s.Swap(context.Background(), Spec{Revision: 2, Hash: "b", Core: next.core}), &failed)
	require.Contains(t, failed.Words, "address already in use")
	require.EqualValues(t, 1, s.Report().ConfigRevision)
	_, err = s.Through(context.Background(), through(f.link, site.URL))
	require.NoError(t, err)
}

func TestSwapsRefuseNoConnectionAndOpenStreamsSurvive(t *testing.T) {
	t.Parallel()
	s, port := newSupervisor(t, t.TempDir()), agenttest.FreePort(t)
	core := agenttest.Forward(t, "in-1", port, agenttest.EchoServer(t))
	require.NoError(t, s.Swap(context.Background(), Spec{Revision: 1, Hash: "1", Core: core}))
	open, err := agenttest.Dial(port)
	require.NoError(t, err)
	defer open.Close()
	require.NoError(t, agenttest.Talk(open, "before"))

	stop := make(chan struct{})
	var made, failed atomic.Int64
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() { hammer(t, port, stop, &made, &failed) })
	}
	for revision := int64(2); revision <= 4; revision++ {
		require.NoError(t, s.Swap(context.Background(), Spec{
			Revision: revision, Hash: fmt.Sprint(revision),
			Core: core,
		}))
		require.NoError(t, agenttest.Talk(open, fmt.Sprint("after ", revision)))
	}
	s.retiring.Wait()
	close(stop)
	workers.Wait()
	require.Zero(t, failed.Load(), "of %d connections", made.Load())
	require.Greater(t, made.Load(), int64(50), "too few to say anything")
	require.Eventually(t, func() bool { return s.Report().Draining == 1 }, 60*time.Second, 20*time.Millisecond,
		"only the core with the open stream is left")
	require.NoError(t, agenttest.Talk(open, "still"))
	open.Close()
	require.Eventually(t, func() bool { return s.Report().Draining == 0 }, 60*time.Second, 50*time.Millisecond)
}

func hammer(t *testing.T, port int, stop chan struct{}, made, failed *atomic.Int64) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		made.Add(1)
		if err := agenttest.Echo(port, "x"); err != nil {
			t.Log(err)
			failed.Add(1)
		}
	}
}

func TestCountersOfAReplacedCoreAreReadToTheEnd(t *testing.T) {
	t.Parallel()
	s, port := newSupervisor(t, t.TempDir()), agenttest.FreePort(t)
	core := agenttest.Forward(t, "in-1", port, agenttest.EchoServer(t))
	require.NoError(t, s.Swap(context.Background(), Spec{Revision: 1, Hash: "1", Core: core}))
	open, err := agenttest.Dial(port)
	require.NoError(t, err)
	require.NoError(t, agenttest.Talk(open, "12345"))
	require.NoError(t, s.Swap(context.Background(), Spec{Revision: 2, Hash: "2", Core: core}))
	require.NoError(t, agenttest.Talk(open, "1234567"))
	open.Close()
	require.Eventually(t, func() bool { return s.Report().Draining == 0 }, 60*time.Second, 50*time.Millisecond)
	require.EqualValues(t, 12, counted(s, "inbound>>>in-1>>>traffic>>>uplink"))
	s.Forget(ended(s))
	require.Len(t, s.Counters(context.Background()), 1)
}

func ended(s *Supervisor) []string {
	var ids []string
	for id, count := range s.Counters(context.Background()) {
		if count.Ended {
			ids = append(ids, id)
		}
	}
	return ids
}

// The newer of two listeners on a port gets every new connection, from the moment it listens.
func TestTheNewerListenerGetsEveryConnection(t *testing.T) {
	t.Parallel()
	older := sharedListener(t, "127.0.0.1:0")
	newer := sharedListener(t, older.Addr().String())
	var gotOlder, gotNewer atomic.Int64
	go acceptAll(older, &gotOlder)
	go acceptAll(newer, &gotNewer)
	for range 200 {
		conn, err := net.Dial("tcp", older.Addr().String())
		require.NoError(t, err)
		conn.Close()
	}
	require.Eventually(t, func() bool { return gotNewer.Load() == 200 }, 60*time.Second, time.Millisecond)
	require.Zero(t, gotOlder.Load())
}

// sharedListener steers after it listens, as a core does; the first of a port does it for those that join.
func sharedListener(t *testing.T, address string) net.Listener {
	t.Helper()
	config := net.ListenConfig{Control: func(_, _ string, conn syscall.RawConn) error {
		return conn.Control(func(fd uintptr) { _ = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1) })
	}}
	config.SetMultipathTCP(false)
	l, err := config.Listen(context.Background(), "tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	if strings.HasSuffix(address, ":0") {
		raw, err := l.(*net.TCPListener).SyscallConn()
		require.NoError(t, err)
		require.NoError(t, raw.Control(func(fd uintptr) { attachPicker(int(fd)) }))
	}
	return l
}

func acceptAll(l net.Listener, count *atomic.Int64) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		count.Add(1)
		conn.Close()
	}
}
