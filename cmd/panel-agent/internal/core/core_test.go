package core

import (
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"golang.org/x/sys/unix"

	"panel/cmd/panel-agent/internal/agenttest"
	"panel/platform/agentapi"
)

func TestMain(m *testing.M) { os.Exit(agenttest.Main(m)) }

const (
	testUser = "5783a3e7-e373-51cd-8642-c83782b807c5"
	client1  = "client-1"
)

func newSupervisor(t *testing.T, dir string) *Supervisor {
	t.Helper()
	s, err := New(Options{
		Executable: agenttest.Executable, Dir: dir, Drain: 20 * time.Second, Clock: clockwork.NewRealClock(), Log: zap.NewNop(),
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background(), false)) })
	return s
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func page(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, "hello through the flow")
	}))
	t.Cleanup(server.Close)
	return server
}

// target is a TLS 1.3 site for REALITY to stand before.
func target(t *testing.T) string {
	t.Helper()
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

type flow struct {
	core []byte
	link string
}

func realityFlow(t *testing.T, port int, target string) flow {
	t.Helper()
	key, err := ecdh.X25519().GenerateKey(rand.Reader)
	require.NoError(t, err)
	private := base64.RawURLEncoding.EncodeToString(key.Bytes())
	public := base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes())
	core := fmt.Sprintf(`{"inbounds":[{"tag":"in-1","listen":"127.0.0.1","port":%d,"protocol":"vless",
		"settings":{"clients":[{"id":"%s","email":"%s","flow":"xtls-rprx-vision"}],"decryption":"none"},
		"streamSettings":{"network":"raw","security":"reality","realitySettings":{"target":"%s",
		"serverNames":["example.com"],"privateKey":"%s","shortIds":["0123456789abcdef"]}}}],
		"outbounds":[{"protocol":"freedom"}]}`, port, testUser, client1, target, private)
	link := fmt.Sprintf("vless://%s@127.0.0.1:%d?type=raw&security=reality&encryption=none&flow=xtls-rprx-vision"+
		"&sni=example.com&fp=chrome&pbk=%s&sid=0123456789abcdef#x", testUser, port, public)
	return flow{core: []byte(core), link: link}
}

func shadowsocksFlow(t *testing.T, port int) flow {
	t.Helper()
	key := func() string {
		raw := make([]byte, 16)
		_, _ = rand.Read(raw)
		return base64.StdEncoding.EncodeToString(raw)
	}
	server, user := key(), key()
	core := fmt.Sprintf(`{"inbounds":[{"tag":"in-1","listen":"127.0.0.1","port":%d,"protocol":"shadowsocks",
		"settings":{"method":"2022-blake3-aes-128-gcm","password":"%s","network":"tcp,udp",
		"clients":[{"password":"%s","email":"%s"}]}}],"outbounds":[{"protocol":"freedom"}]}`, port, server, user, client1)
	secret := base64.RawURLEncoding.EncodeToString([]byte("2022-blake3-aes-128-gcm:" + server + ":" + user))
	return flow{core: []byte(core), link: fmt.Sprintf("ss://%s@127.0.0.1:%d#x", secret, port)}
}

func through(link, url string) FetchOrder {
	return FetchOrder{ThroughProbe: agentapi.ThroughProbe{Link: link, URL: url, Expect: "hello"}}
}

func TestARealClientFetchesThroughRealityAndIsCounted(t *testing.T) {
	t.Parallel()
	s, site := newSupervisor(t, t.TempDir()), page(t)
	f := realityFlow(t, freePort(t), target(t))
	require.NoError(t, s.Check(context.Background(), f.core))
	require.NoError(t, s.Swap(context.Background(), Spec{Revision: 1, Hash: "a", Core: f.core}))
	data, err := s.Through(context.Background(), through(f.link, site.URL))
	require.NoError(t, err)
	require.Equal(t, 200, data.Status)
	require.Less(t, data.TotalMs, 4000.0, "REALITY was not warmed up before it listened")
	require.Eventually(t, func() bool { return counted(s, "user>>>"+client1+">>>traffic>>>downlink") > 0 }, 5*time.Second, 50*time.Millisecond)
	require.Equal(t, agentapi.CoreRunning, s.Report().State)
}

func counted(s *Supervisor, name string) int64 {
	var sum int64
	for _, count := range s.Counters(context.Background()) {
		sum += count.Values[name]
	}
	return sum
}

func TestARealClientFetchesThroughShadowsocks2022(t *testing.T) {
	t.Parallel()
	s, site := newSupervisor(t, t.TempDir()), page(t)
	f := shadowsocksFlow(t, freePort(t))
	require.NoError(t, s.Swap(context.Background(), Spec{Revision: 1, Hash: "a", Core: f.core}))
	_, err := s.Through(context.Background(), through(f.link, site.URL))
	require.NoError(t, err)
}

func TestABadConfigurationIsRefusedInTheCoresWordsAndTheLiveCoreStays(t *testing.T) {
	t.Parallel()
	s, site := newSupervisor(t, t.TempDir()), page(t)
	f := shadowsocksFlow(t, freePort(t))
	require.NoError(t, s.Swap(context.Background(), Spec{Revision: 1, Hash: "a", Core: f.core}))
	before := s.Processes()
	var refused *Refused
	err := s.Check(context.Background(), []byte(`{"inbounds":[{"port":1,"protocol":"nonsense"}]}`))
	require.ErrorAs(t, err, &refused)
	require.Contains(t, refused.Words, "nonsense")
	require.ErrorAs(t, s.Check(context.Background(), []byte(`{`)), &refused)
	require.Equal(t, before, s.Processes())
	_, err = s.Through(context.Background(), through(f.link, site.URL))
	require.NoError(t, err)
}

func TestASwitchThatCannotListenLeavesTheOldCore(t *testing.T) {
	t.Parallel()
	s, site := newSupervisor(t, t.TempDir()), page(t)
	f := shadowsocksFlow(t, freePort(t))
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

// echoCore forwards a plain TCP port, so that a test can open very many connections without a client core.
func echoCore(t *testing.T, port int, behind string) []byte {
	t.Helper()
	host, digits, err := net.SplitHostPort(behind)
	require.NoError(t, err)
	return []byte(fmt.Sprintf(`{"inbounds":[{"tag":"in-1","listen":"127.0.0.1","port":%d,"protocol":"dokodemo-door",
		"settings":{"address":"%s","port":%s,"network":"tcp"}}],"outbounds":[{"protocol":"freedom"}]}`, port, host, digits))
}

func echoServer(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() { defer conn.Close(); _, _ = io.Copy(conn, conn) }()
		}
	}()
	return l.Addr().String()
}

func echoOnce(conn net.Conn, text string) error {
	_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
	if _, err := io.WriteString(conn, text); err != nil {
		return err
	}
	got := make([]byte, len(text))
	if _, err := io.ReadFull(conn, got); err != nil {
		return err
	}
	if string(got) != text {
		return fmt.Errorf("got %q", got)
	}
	return nil
}

func TestSwapsRefuseNoConnectionAndOpenStreamsSurvive(t *testing.T) {
	t.Parallel()
	s, port := newSupervisor(t, t.TempDir()), freePort(t)
	core := echoCore(t, port, echoServer(t))
	address := fmt.Sprintf("127.0.0.1:%d", port)
	require.NoError(t, s.Swap(context.Background(), Spec{Revision: 1, Hash: "1", Core: core}))
	open, err := net.Dial("tcp", address)
	require.NoError(t, err)
	defer open.Close()
	require.NoError(t, echoOnce(open, "before"))

	stop := make(chan struct{})
	var made, failed atomic.Int64
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() { hammer(t, address, stop, &made, &failed) })
	}
	for revision := int64(2); revision <= 4; revision++ {
		require.NoError(t, s.Swap(context.Background(), Spec{Revision: revision, Hash: fmt.Sprint(revision), Core: core}))
		require.NoError(t, echoOnce(open, fmt.Sprint("after ", revision)))
	}
	s.retiring.Wait()
	close(stop)
	workers.Wait()
	require.Zero(t, failed.Load(), "of %d connections", made.Load())
	require.Greater(t, made.Load(), int64(500))
	require.Eventually(t, func() bool { return s.Report().Draining == 1 }, 5*time.Second, 20*time.Millisecond,
		"only the core with the open stream is left")
	require.NoError(t, echoOnce(open, "still"))
	open.Close()
	require.Eventually(t, func() bool { return s.Report().Draining == 0 }, 5*time.Second, 50*time.Millisecond)
}

func hammer(t *testing.T, address string, stop chan struct{}, made, failed *atomic.Int64) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		made.Add(1)
		if err := echoDial(address); err != nil {
			t.Log(err)
			failed.Add(1)
		}
	}
}

func echoDial(address string) error {
	conn, err := net.DialTimeout("tcp", address, 5*time.Second)
	if err != nil {
		return err
	}
	defer conn.Close()
	return echoOnce(conn, "x")
}

func TestCountersOfAReplacedCoreAreReadToTheEnd(t *testing.T) {
	t.Parallel()
	s, port := newSupervisor(t, t.TempDir()), freePort(t)
	core := echoCore(t, port, echoServer(t))
	require.NoError(t, s.Swap(context.Background(), Spec{Revision: 1, Hash: "1", Core: core}))
	open, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	require.NoError(t, err)
	require.NoError(t, echoOnce(open, "12345"))
	require.NoError(t, s.Swap(context.Background(), Spec{Revision: 2, Hash: "2", Core: core}))
	require.NoError(t, echoOnce(open, "1234567"))
	open.Close()
	require.Eventually(t, func() bool { return s.Report().Draining == 0 }, 10*time.Second, 50*time.Millisecond)
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

func serving(s *Supervisor) *os.Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current.process
}

func TestAKilledCoreComesBack(t *testing.T) {
	t.Parallel()
	s, port := newSupervisor(t, t.TempDir()), freePort(t)
	require.NoError(t, s.Swap(context.Background(), Spec{Revision: 1, Hash: "1", Core: echoCore(t, port, echoServer(t))}))
	require.NoError(t, serving(s).Kill())
	require.Eventually(t, func() bool { return s.Report().Restarts == 1 && s.Report().State == agentapi.CoreRunning },
		5*time.Second, 20*time.Millisecond)
	require.NoError(t, echoDial(fmt.Sprintf("127.0.0.1:%d", port)))
}

func TestACrashLoopIsReportedOnceWithTheConfiguration(t *testing.T) {
	t.Parallel()
	s, port := newSupervisor(t, t.TempDir()), freePort(t)
	loops := make(chan Meta, 10)
	s.looping = func(meta Meta, _ string) { loops <- meta }
	require.NoError(t, s.Swap(context.Background(), Spec{Revision: 7, Hash: "bad", Core: echoCore(t, port, echoServer(t))}))
	for crash := range loopCrashes {
		require.Eventually(t, func() bool { return s.Report().State == agentapi.CoreRunning }, 10*time.Second, 5*time.Millisecond)
		require.NoError(t, serving(s).Kill())
		require.Eventually(t, func() bool { return s.Report().Restarts == int64(crash+1) }, 5*time.Second, 5*time.Millisecond)
	}
	require.Equal(t, "bad", (<-loops).Hash)
	require.Empty(t, loops)
}

func TestALaterSupervisorAdoptsWhatServes(t *testing.T) {
	t.Parallel()
	dir, port := t.TempDir(), freePort(t)
	core := echoCore(t, port, echoServer(t))
	first := newSupervisor(t, dir)
	require.NoError(t, first.Swap(context.Background(), Spec{Revision: 3, Hash: "h", Core: core}))
	require.NoError(t, first.Close(context.Background(), true))
	require.NoError(t, echoDial(fmt.Sprintf("127.0.0.1:%d", port)))

	second := newSupervisor(t, dir)
	meta, found := second.Adopt(context.Background(), "h")
	require.True(t, found)
	require.EqualValues(t, 3, meta.Revision)
	require.Equal(t, first.Processes(), second.Processes())
	require.NoError(t, serving(second).Kill())
	require.Eventually(t, func() bool { return second.Report().Restarts == 1 && second.Report().State == agentapi.CoreRunning },
		5*time.Second, 20*time.Millisecond)
	require.NoError(t, echoDial(fmt.Sprintf("127.0.0.1:%d", port)))
}

func TestADeepDataFolderDoesNotMatter(t *testing.T) {
	t.Parallel()
	deep := filepath.Join(t.TempDir(), "a-folder-with-a-long-name-that-does-not-fit-into-a-socket-address", "and-one-more-below-it-to-be-sure")
	s := newSupervisor(t, deep)
	require.NoError(t, s.Swap(context.Background(), Spec{Revision: 1, Hash: "1", Core: echoCore(t, freePort(t), echoServer(t))}))
}

func TestLinksBecomeClientConfigurations(t *testing.T) {
	t.Parallel()
	raw, err := ClientConfig("vless://id@host:443?type=tcp&security=tls&sni=a.example&alpn=h2,http/1.1", "10.0.0.1:8443")
	require.NoError(t, err)
	require.True(t, json.Valid(raw))
	require.Contains(t, string(raw), `"address":"10.0.0.1"`)
	for _, bad := range []string{"", "vless://id@", "trojan://secretword@h:1", "ss://!!!@h:1", "http://secretword@h:1"} {
		_, err := ClientConfig(bad, "")
		require.ErrorIs(t, err, ErrLink, bad)
		require.NotContains(t, err.Error(), "secretword")
	}
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
	require.Eventually(t, func() bool { return gotNewer.Load() == 200 }, 2*time.Second, time.Millisecond)
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

// An agent may be killed right after it has started a core, before that core can be asked anything. Such a core must be
// found, or it would share the port with its successor for ever.
func TestACoreThatWasJustStartedIsFoundByTheNextAgent(t *testing.T) {
	t.Parallel()
	dir, port := t.TempDir(), freePort(t)
	first := newSupervisor(t, dir)
	inst := first.newInstance(Spec{Revision: 1, Hash: "h", Core: echoCore(t, port, echoServer(t))})
	require.NoError(t, inst.fill(Spec{Core: echoCore(t, port, echoServer(t))}))
	require.NoError(t, first.spawn(inst)) // and the agent is gone
	second := newSupervisor(t, dir)
	for _, count := range second.Counters(context.Background()) {
		require.False(t, count.Ended)
	}
	require.NoError(t, StopLeft(context.Background(), dir))
	<-inst.died
}
