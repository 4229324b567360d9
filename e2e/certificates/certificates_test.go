// Package certificates lets real clients through listeners with TLS of a real agent, while their certificate is renewed
// and while panel and agent are killed.
package certificates

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
	"panel/platform/agentapi"
	"panel/platform/testneed/freeport"
)

const (
	zone   = "tls.example"
	host   = "n1." + zone
	within = 60 * time.Second
)

// world is a panel with an agent that serves flows with TLS.
type world struct {
	*testing.T
	stand *rig.Stand
	agent *rig.Agent
	site  *rig.Site
	root  *authority
	doors []door
}

// door is a flow with one listener.
type door struct {
	name, protocol, transport string
	host, path                string
	port, second              int // of the entries
	flow, link                string
}

func TestCertificatesOnRealNodes(t *testing.T) {
	t.Parallel()
	w := bringUp(t)
	t.Run("a real client gets through each listener by its link", w.carries)
	t.Run("a renewal cuts no open stream", w.renewed)
	t.Run("kill -9 of the agent", w.agentKilled)
	t.Run("kill -9 of the panel", w.panelKilled)
	t.Run("a certificate in use is not removed", w.inUse)
	t.Run("names of any length and alphabet", w.odd)
	t.Run("clients of a server that was taken over", w.imported)
	t.Run("listeners of several flows share a port", w.shared)
}

func bringUp(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, root: newAuthority(t), doors: []door{
		{name: "websocket", protocol: "vless", transport: "ws"},
		{name: "xhttp", protocol: "vless", transport: "xhttp"},
		{name: "trojan", protocol: "trojan", transport: "raw"},
		{name: "vision", protocol: "vless", transport: "raw"},
		{name: "grpc", protocol: "trojan", transport: "grpc"},
		{name: "upgrade", protocol: "vless", transport: "httpupgrade"},
	}}
	var err error
	w.site, err = rig.OpenSite("127.0.0.1")
	require.NoError(t, err)
	t.Cleanup(w.site.Close)
	w.stand = rigtest.Install(t, rig.PanelSettings{})
	w.agent, err = w.stand.Enroll(t.Context(), "node")
	require.NoError(t, err)
	rigtest.Run(t, w.stand, w.agent)
	w.upload(1)
	bound := w.bind("n1")
	for i := range w.doors {
		w.doors[i].host, w.doors[i].port = host, freeport.For(t)
		w.install(&w.doors[i], bound)
	}
	return w
}

// bind binds a host name of the zone to the node.
func (w *world) bind(label string) string { return w.bindIn(zone, label, "direct") }

func (w *world) bindIn(zone, label, mode string) string {
	w.Helper()
	var bound struct{ ID string }
	require.NoError(w, w.stand.API.Post(w.Context(), "/api/v1/node-domains", map[string]any{
		"node_id": w.agent.NodeID, "zone": zone, "label": label, "mode": mode, "ttl": 60,
	}, &bound))
	return bound.ID
}

// upload gives the panel a certificate with this serial number; each outlasts the one before.
func (w *world) upload(serial int64) { w.uploadFor(zone, serial) }

func (w *world) uploadFor(zone string, serial int64) {
	w.Helper()
	chain, key := w.root.issue(w.T, "*."+zone, serial)
	body := map[string]any{"chain": chain, "key": key}
	require.NoError(w, w.stand.API.Post(w.Context(), "/api/v1/certificates", body, nil))
}

// install goes the ordinary way: draw, compile, evidence, apply, link. Nothing is forced.
func (w *world) install(d *door, domainID string) {
	w.Helper()
	_, err := w.stand.API.Apply(w.Context(), w.draw(d, domainID), w.plan(d))
	require.NoError(w, err, d.name)
	w.linked(d)
}

// draw makes the flow of a door, whose id it gives.
func (w *world) draw(d *door, domainIDs ...string) string {
	w.Helper()
	nodes := []map[string]any{
		{"key": "exit", "kind": "exit", "node_id": w.agent.NodeID, "params": map[string]any{"private": "allow"}},
	}
	edges := []map[string]any{}
	for i, domainID := range domainIDs {
		key, port := fmt.Sprint("entry", i), d.port
		if i > 0 {
			port = d.second
		}
		nodes = append(nodes, map[string]any{
			"key": key, "kind": "entry", "node_id": w.agent.NodeID, "node_domain_id": domainID, "params": map[string]any{
				"listener": map[string]any{
					"protocol": d.protocol, "security": "tls", "transport": d.transport, "listen_ip": "127.0.0.1", "port": port,
					"path": d.path,
				},
			},
		})
		edges = append(edges, map[string]any{"from": key, "to": "exit"})
	}
	flow, err := w.stand.API.Draw(w.Context(), d.name, map[string]any{"nodes": nodes, "edges": edges})
	require.NoError(w, err)
	d.flow = flow.ID
	return flow.ID
}

// plan compiles the flow of a door.
func (w *world) plan(d *door) rig.Plan {
	w.Helper()
	plan, err := w.stand.API.Compile(w.Context(), d.flow)
	require.NoError(w, err, d.name)
	return plan
}

// linked issues the link of a door.
func (w *world) linked(d *door) {
	w.Helper()
	var err error
	d.link, err = w.stand.API.Link(w.Context(), d.flow)
	require.NoError(w, err)
	parsed, err := url.Parse(d.link)
	require.NoError(w, err)
	require.Equal(w, fmt.Sprint(d.host, ":", d.port), parsed.Host, "the link carries the host name")
}

// fetch gets a page as a client does that trusts the authority; no name server knows the host, so it is told where it
// is.
func (w *world) fetch(d door, path, expected string) error {
	_, err := rig.Fetch(w.Context(), agentapi.ThroughProbe{
		Link: d.link, DialAs: fmt.Sprint("127.0.0.1:", d.port), URL: w.site.Page + path, Expect: expected, Timeout: 80,
	}, "env", "SSL_CERT_FILE="+w.root.file)
	return err
}

func (w *world) carries(t *testing.T) {
	for _, d := range w.doors {
		require.NoError(t, w.fetch(d, "/", "ok"), d.name)
		require.EqualValues(t, 1, w.shown(d), d.name)
	}
	other := &world{T: t, site: w.site, root: newAuthority(t)}
	require.Error(t, other.fetch(w.doors[0], "/", "ok"), "a client that does not trust the authority refuses")
}

// shown is the serial number of the certificate at a door; 0 while there is none.
func (w *world) shown(d door) int64 {
	dialer := &tls.Dialer{
		NetDialer: &net.Dialer{Timeout: time.Second},
		Config:    &tls.Config{ServerName: d.host, RootCAs: w.root.pool},
	}
	conn, err := dialer.DialContext(w.Context(), "tcp", fmt.Sprint("127.0.0.1:", d.port))
	if err != nil {
		return 0
	}
	defer conn.Close()
	return conn.(*tls.Conn).ConnectionState().PeerCertificates[0].SerialNumber.Int64()
}

func (w *world) untilShown(t *testing.T, serial int64) {
	t.Helper()
	err := rig.Eventually(t.Context(), within, func(context.Context) error {
		for _, d := range w.doors {
			if now := w.shown(d); now != serial {
				return fmt.Errorf("%s shows %d; last words of the agent: %s", d.name, now, w.agent.LastWords())
			}
		}
		return nil
	})
	require.NoError(t, err)
}

func (w *world) renewed(t *testing.T) {
	ended := make(chan error, len(w.doors))
	for _, d := range w.doors {
		go func() { ended <- w.fetch(d, "/held", "ended") }()
	}
	require.Eventually(t, func() bool { return w.site.Held() == len(w.doors) }, within, 20*time.Millisecond)
	w.upload(2)
	w.untilShown(t, 2)
	for _, d := range w.doors {
		require.NoError(t, w.fetch(d, "/", "ok"), d.name)
	}
	require.Empty(t, ended, "the streams are still open")
	w.site.Release()
	for range w.doors {
		require.NoError(t, <-ended)
	}
}

// The core serves on with the old certificate while the agent is away, and shows the new one when it is back.
func (w *world) agentKilled(t *testing.T) {
	w.agent.Kill()
	w.upload(3)
	for _, d := range w.doors {
		require.EqualValues(t, 2, w.shown(d), d.name)
	}
	require.NoError(t, w.agent.Launch())
	w.untilShown(t, 3)
	require.NoError(t, w.fetch(w.doors[0], "/", "ok"))
}

func (w *world) panelKilled(t *testing.T) {
	w.upload(4)
	w.stand.Panel.Process.Kill()
	require.NoError(t, w.stand.Panel.Up(t.Context()))
	w.untilShown(t, 4)
	require.NoError(t, w.fetch(w.doors[1], "/", "ok"))
}

func (w *world) inUse(t *testing.T) {
	var list struct{ Items []struct{ ID string } }
	require.NoError(t, w.stand.API.Get(t.Context(), "/api/v1/certificates", &list))
	require.Len(t, list.Items, 1)
	err := w.stand.API.Call(t.Context(), http.MethodDelete, "/api/v1/certificates/"+list.Items[0].ID, nil, nil)
	require.ErrorContains(t, err, "certificate_in_use")
	require.Equal(t, int64(4), w.shown(w.doors[0]))
}

// authority signs certificates for clients that trust its file.
type authority struct {
	file string
	pool *x509.CertPool
	text string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// trusted is an authority whose root is known, and nothing else of it.
func trusted(t *testing.T, root string) *authority {
	t.Helper()
	a := &authority{file: filepath.Join(t.TempDir(), "root.pem"), pool: x509.NewCertPool(), text: root}
	require.NoError(t, os.WriteFile(a.file, []byte(root), 0o600))
	require.True(t, a.pool.AppendCertsFromPEM([]byte(root)))
	return a
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{file: filepath.Join(t.TempDir(), "root.pem"), pool: x509.NewCertPool()}
	a.cert = &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Test Root"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(1, 0, 0), KeyUsage: x509.KeyUsageCertSign,
	}
	var err error
	a.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	der, err := x509.CreateCertificate(rand.Reader, a.cert, a.cert, a.key.Public(), a.key)
	require.NoError(t, err)
	a.text = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	require.NoError(t, os.WriteFile(a.file, []byte(a.text), 0o600))
	require.True(t, a.pool.AppendCertsFromPEM([]byte(a.text)))
	return a
}

func (a *authority) issue(t *testing.T, name string, serial int64) (chain, key string) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(serial), DNSNames: []string{name}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().AddDate(0, 2, int(serial)),
	}
	der, err := x509.CreateCertificate(rand.Reader, leaf, a.cert, secret.Public(), a.key)
	require.NoError(t, err)
	encoded, err := x509.MarshalPKCS8PrivateKey(secret)
	require.NoError(t, err)
	var text strings.Builder
	require.NoError(t, pem.Encode(&text, &pem.Block{Type: "CERTIFICATE", Bytes: der}))
	return text.String() + a.text, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded}))
}
