package fleet

import (
	"encoding/json"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/proxy"

	"panel/platform/testneed"
	"panel/platform/testneed/freeport"
)

// people are clients with a program of their own, sing-box, each with links and addresses to come from.
type people struct {
	outbounds []map[string]any
	users     []map[string]string
	rules     []map[string]any
	address   string // of the program's SOCKS
}

type object = map[string]any

// join adds a person who uses a link of VLESS with REALITY from an address.
func (p *people) join(t *testing.T, name, link, from string) {
	t.Helper()
	u, err := url.Parse(link)
	require.NoError(t, err)
	require.Equal(t, "vless", u.Scheme)
	port, err := strconv.Atoi(u.Port())
	require.NoError(t, err)
	q := u.Query()
	p.outbounds = append(p.outbounds, object{
		"type": "vless", "tag": name, "server": u.Hostname(), "server_port": port, "uuid": u.User.Username(),
		"flow": q.Get("flow"), "inet4_bind_address": from,
		"tls": object{
			"enabled": true, "server_name": q.Get("sni"), "utls": object{"enabled": true, "fingerprint": "chrome"},
			"reality": object{"enabled": true, "public_key": q.Get("pbk"), "short_id": q.Get("sid")},
		},
	})
	p.users = append(p.users, map[string]string{"username": name, "password": name})
	p.rules = append(p.rules, object{"auth_user": []string{name}, "outbound": name})
}

// begin starts the program, with a command that runs it where the people are and the address that it is asked on. It
// ends with the test.
func (p *people) begin(t *testing.T, at string, enter ...string) {
	t.Helper()
	program := testneed.Built(t, "sing-box-v1.14.1", "sing-box.sh")
	port := freeport.For(t)
	p.address = net.JoinHostPort(at, strconv.Itoa(port))
	raw, err := json.Marshal(object{
		"log":       object{"level": "warn"},
		"inbounds":  []object{{"type": "socks", "listen": at, "listen_port": port, "users": p.users}},
		"outbounds": p.outbounds,
		"route":     object{"rules": p.rules},
	})
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "people.json")
	require.NoError(t, os.WriteFile(file, raw, 0o600))
	log, err := os.Create(file + ".log")
	require.NoError(t, err)
	line := append(slices.Clone(enter), program, "run", "-c", file)
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = log, log, &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait() // it was killed
		if said, err := os.ReadFile(file + ".log"); err == nil && t.Failed() {
			t.Logf("the program of the clients said: %s", said[max(0, len(said)-4000):])
		}
		require.NoError(t, log.Close())
	})
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", p.address)
		return err == nil && conn.Close() == nil
	}, answersWithin, glance)
}

// dial opens a stream of a person.
func (p *people) dial(t *testing.T, name, to string) (net.Conn, error) {
	t.Helper()
	through, err := proxy.SOCKS5("tcp", p.address, &proxy.Auth{User: name, Password: name}, proxy.Direct)
	require.NoError(t, err)
	return through.Dial("tcp", to)
}

// says opens a stream, writes into it and closes it when the other end has answered, or has refused.
func (p *people) says(t *testing.T, name, to, text string) {
	t.Helper()
	conn, err := p.dial(t, name, to)
	if err != nil {
		return // the program may tell of the refusal at once
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, text); err == nil {
		_, _ = conn.Read(make([]byte, 1)) // whatever comes, or the end
	}
}
