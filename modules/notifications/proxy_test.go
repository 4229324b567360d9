package notifications

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/binary"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/paneltest"
)

// hiddenName is a host that only the proxies of these tests know.
const hiddenName = "api.messenger.example"

// trusted is a certificate of this machine and of hiddenName that the whole test process trusts, as a system trusts the
// authorities that it came with.
var trusted tls.Certificate

func TestMain(m *testing.M) { os.Exit(withTrust(m)) }

func withTrust(m *testing.M) int {
	certificate, authority, err := certified()
	folder, folderErr := os.MkdirTemp("", "panel-trust-")
	if err != nil || folderErr != nil {
		fmt.Fprintln(os.Stderr, err, folderErr)
		return 1
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "ca.pem")
	if err := os.WriteFile(file, authority, 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	trusted = certificate
	_ = os.Setenv("SSL_CERT_FILE", file)
	return m.Run()
}

// certified makes a certificate, and the PEM that it is trusted by.
func certified() (tls.Certificate, []byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "tests"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{hiddenName},
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	return tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key},
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}), err
}

const (
	proxyUser     = "panel"
	proxyPassword = "only-the-proxy-knows"
)

// proxy is a real one, of either kind. It wants a password and brings everybody to the stand-in of the messenger.
type proxy struct {
	address string
	target  string
	mu      sync.Mutex
	asked   []string
	carried bytes.Buffer // what went to the target
}

func newProxy(t *testing.T, target string, serve func(p *proxy, conn net.Conn) (wanted string, ok bool)) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	p := &proxy{address: listener.Addr().String(), target: target}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				if wanted, ok := serve(p, conn); ok {
					p.carry(conn, wanted)
				}
			}()
		}
	}()
	return p
}

func (p *proxy) carry(conn net.Conn, wanted string) {
	p.mu.Lock()
	p.asked = append(p.asked, wanted)
	p.mu.Unlock()
	target, err := net.Dial("tcp", p.target)
	if err != nil {
		return
	}
	defer target.Close()
	go func() { _, _ = io.Copy(conn, target); _ = conn.Close() }()
	_, _ = io.Copy(io.MultiWriter(target, p), conn)
}

// Write notes what a client sends through the proxy.
func (p *proxy) Write(part []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.carried.Write(part)
}

func (p *proxy) seen() (asked []string, carried string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string{}, p.asked...), p.carried.String()
}

// connect serves CONNECT of HTTP.
func connect(_ *proxy, conn net.Conn) (string, bool) {
	request, err := http.ReadRequest(bufio.NewReader(conn))
	if err != nil || request.Method != http.MethodConnect {
		return "", false
	}
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte(proxyUser+":"+proxyPassword))
	if request.Header.Get("Proxy-Authorization") != want {
		_, _ = io.WriteString(conn, "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
		return "", false
	}
	_, err = io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n")
	return request.Host, err == nil
}

// socks serves SOCKS 5 (RFC 1928) with a user name and a password (RFC 1929).
func socks(_ *proxy, conn net.Conn) (string, bool) {
	read := func(count byte) []byte {
		part := make([]byte, count)
		if _, err := io.ReadFull(conn, part); err != nil {
			return make([]byte, count)
		}
		return part
	}
	greeting := read(2)
	read(greeting[1])
	_, _ = conn.Write([]byte{5, 2})
	username := string(read(read(2)[1]))
	if password := string(read(read(1)[0])); username != proxyUser || password != proxyPassword {
		_, _ = conn.Write([]byte{1, 1})
		return "", false
	}
	_, _ = conn.Write([]byte{1, 0})
	const byName = 3
	if request := read(4); request[3] != byName {
		return "", false
	}
	name := string(read(read(1)[0]))
	port := binary.BigEndian.Uint16(read(2))
	_, err := conn.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
	return net.JoinHostPort(name, strconv.Itoa(int(port))), err == nil
}

// Rule: the messenger is reached through the proxy of its settings alone, which resolves names and learns no token.
func TestTheMessengerIsReachedThroughItsProxy(t *testing.T) {
	t.Parallel()
	for scheme, serve := range map[string]func(*proxy, net.Conn) (string, bool){"http": connect, "socks5": socks} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			api := &botAPI{}
			api.server = httptest.NewUnstartedServer(api)
			api.server.TLS = &tls.Config{Certificates: []tls.Certificate{trusted}, MinVersion: tls.VersionTLS12}
			api.server.StartTLS()
			t.Cleanup(api.server.Close)
			p := newProxy(t, api.server.Listener.Addr().String(), serve)
			b := newBench(t, paneltest.Env(map[string]string{"PANEL_MESSENGER_API_ROOT": "https://" + hiddenName}))
			b.api = api
			through := func(password string) func(fields) {
				return func(s fields) {
					s["messenger"] = fields{
						"bot_token": token, "chat_id": "42", "thread_id": 0,
						"proxy": scheme + "://" + proxyUser + ":" + password + "@" + p.address,
					}
				}
			}
			b.configure(through(proxyPassword))
			b.Admin().Post(testRoute, nil).Is(http.StatusOK)
			b.happens(probeDown, "p1", "first")
			b.until("&state=sent", 1)
			require.Len(t, api.messages(), 2)
			asked, carried := p.seen()
			require.NotEmpty(t, asked)
			for _, wanted := range asked {
				require.Equal(t, hiddenName+":443", wanted)
			}
			require.NotContains(t, carried, token, "what goes through the proxy is encrypted")

			b.configure(through("wrong"))
			answer := b.Admin().Post(testRoute, nil).Refused(http.StatusBadGateway, "messenger_error")
			require.NotContains(t, strings.ToLower(string(answer.Body)), "wrong")
			require.Len(t, api.messages(), 2)
		})
	}
}
