package core

import (
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/agenttest"
	"panel/platform/agentapi"
)

func TestMain(m *testing.M) { os.Exit(agenttest.Main(m)) }

const (
	testUser = "5783a3e7-e373-51cd-8642-c83782b807c5"
	client1  = "client-1"
)

func newSupervisor(t testing.TB, dir string) *Supervisor {
	t.Helper()
	s, err := New(Options{
		Executable: agenttest.Executable, Dir: dir, Drain: 20 * time.Second, Clock: clockwork.NewRealClock(),
		Log: zap.NewNop(),
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close(context.Background(), false)) })
	return s
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

func counted(s *Supervisor, name string) int64 {
	var sum int64
	for _, count := range s.Counters(context.Background()) {
		sum += count.Values[name]
	}
	return sum
}

func serving(s *Supervisor) *os.Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current.process
}
