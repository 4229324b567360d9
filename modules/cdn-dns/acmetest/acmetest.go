// Package acmetest starts a real certificate authority for tests.
package acmetest

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/testneed"
	"panel/platform/testneed/freeport"
)

// Authority is a Pebble on this machine.
type Authority struct {
	URL *url.URL
	// Roots prove its address, as PEM.
	Roots string

	management string
}

// Root is what clients of its certificates trust, as PEM.
func (a Authority) Root(t testing.TB) string {
	t.Helper()
	pool := x509.NewCertPool()
	require.True(t, pool.AppendCertsFromPEM([]byte(a.Roots)))
	trusting := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}
	client := &http.Client{Transport: trusting, Timeout: startsWithin}
	answer, err := client.Get("https://" + a.management + "/roots/0")
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return string(text)
}

// Directory is the address of its ACME directory.
func (a Authority) Directory() string { return a.URL.String() + "/dir" }

const (
	startsWithin = 30 * time.Second
	every        = 20 * time.Millisecond
	lifetime     = 90 * 24 * time.Hour
)

// Pebble starts an authority that asks the DNS server at the address for proofs. Changes are members of its settings.
func Pebble(t testing.TB, dnsServer string, changes ...map[string]any) Authority {
	t.Helper()
	program, dir := testneed.Built(t, "pebble-v2.10.1", "pebble.sh"), t.TempDir()
	cert, key := pair(t)
	at := Authority{
		URL: &url.URL{Scheme: "https", Host: freeAddress(t)}, Roots: string(cert), management: freeAddress(t),
	}
	settings := map[string]any{
		"listenAddress": at.URL.Host, "managementListenAddress": at.management, "httpPort": 5002, "tlsPort": 5001,
		"certificate": write(t, dir, "cert.pem", cert), "privateKey": write(t, dir, "key.pem", key),
		"retryAfter": map[string]any{"authz": 1, "order": 1},
		"profiles": map[string]any{
			"default": map[string]any{"description": "usual", "validityPeriod": int(lifetime.Seconds())},
		},
	}
	for _, change := range changes {
		for name, value := range change {
			settings[name] = value
		}
	}
	text, err := json.Marshal(map[string]any{"pebble": settings})
	require.NoError(t, err)
	cmd := exec.Command(program, "-config", write(t, dir, "config.json", text), "-dnsserver", dnsServer)
	cmd.Env = []string{"PEBBLE_VA_NOSLEEP=1", "PEBBLE_WFE_NONCEREJECT=0", "PEBBLE_AUTHZREUSE=0"}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", at.URL.Host)
		return err == nil && conn.Close() == nil
	}, startsWithin, every)
	return at
}

// pair is a certificate for this machine and its key, as PEM.
func pair(t testing.TB) (cert, key []byte) {
	t.Helper()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	der, err := x509.MarshalPKCS8PrivateKey(server.TLS.Certificates[0].PrivateKey)
	require.NoError(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

func write(t testing.TB, dir, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(path, content, 0o600))
	return path
}

func freeAddress(t testing.TB) string {
	t.Helper()
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(freeport.For(t)))
}
