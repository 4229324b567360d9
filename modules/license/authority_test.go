package license

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/database/dbtest"
	"panel/platform/licensedoc"
)

var binary string

// The tests ask the real authority in a process of its own.
func TestMain(m *testing.M) {
	if dbtest.IsChild(child) {
		return
	}
	folder, err := os.MkdirTemp("", "license-authority")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(folder, "panel-licensed")
	build := exec.Command("go", "build", "-o", binary, "panel/cmd/panel-licensed")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		panic(string(out))
	}
	code := m.Run()
	_ = os.RemoveAll(folder)
	os.Exit(code)
}

// authority is the vendor's program with a fault switch in front of it.
type authority struct {
	t     testing.TB
	data  string
	front *httptest.Server
	fault atomic.Pointer[http.HandlerFunc]
	asked atomic.Int64
}

func startAuthority(t testing.TB) *authority {
	t.Helper()
	a := &authority{t: t, data: t.TempDir()}
	cmd := exec.Command(binary, "serve", "--listen", "127.0.0.1:0", "--data", a.data)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	behind, err := url.Parse("http://" + strings.TrimSpace(strings.TrimPrefix(line, "listening on ")))
	require.NoError(t, err)
	a.front = httptest.NewServer(a.through(httputil.NewSingleHostReverseProxy(behind)))
	t.Cleanup(a.front.Close)
	return a
}

func (a *authority) through(real http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.asked.Add(1)
		if fault := a.fault.Load(); fault != nil {
			// Only a server that has read the whole question notices that the client left.
			question, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(question))
			(*fault)(w, r)
			return
		}
		real.ServeHTTP(w, r)
	})
}

// fails makes every answer wrong in one way; nil puts it right.
func (a *authority) fails(how http.HandlerFunc) {
	if how == nil {
		a.fault.Store(nil)
		return
	}
	a.fault.Store(&how)
}

func (a *authority) run(args ...string) string {
	a.t.Helper()
	cmd := exec.Command(binary, append(args, "--data", a.data)...)
	out, err := cmd.CombinedOutput()
	require.NoError(a.t, err, string(out))
	return strings.TrimSpace(string(out))
}

type issued struct {
	ID  string `json:"id"`
	Key string `json:"key"`
}

func (a *authority) issue(args ...string) issued {
	a.t.Helper()
	var i issued
	require.NoError(a.t, json.Unmarshal([]byte(a.run(append([]string{"issue", "--json"}, args...)...)), &i))
	return i
}

func (a *authority) publicKey() licensedoc.PublicKey {
	a.t.Helper()
	key, err := licensedoc.ParsePublicKey(a.run("public-key"))
	require.NoError(a.t, err)
	return key
}

func (a *authority) offline(key, instance string) string {
	a.t.Helper()
	cmd := exec.Command(binary, "offline", "--instance", instance, "--data", a.data)
	cmd.Stdin = strings.NewReader(key)
	out, err := cmd.CombinedOutput()
	require.NoError(a.t, err, string(out))
	return strings.TrimSpace(string(out))
}
