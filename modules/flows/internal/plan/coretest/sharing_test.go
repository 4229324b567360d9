package coretest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"github.com/xtls/xray-core/core"           //nolint:depguard // only shown to, never linked
	"github.com/xtls/xray-core/features/stats" //nolint:depguard // only shown to, never linked

	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/platform/testneed/freeport"
)

// tenant is a flow with one listener at the shared port.
type tenant struct {
	protocol, transport, host, path string

	flow string
	l    graph.Listener
	part plan.Fragment
}

// certificate writes a self-signed certificate with its key, as an agent would put it in.
func certificate(t *testing.T, host string) string {
	t.Helper()
	text, err := selfSigned(host)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), host+".pem")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	return file
}

// selfSigned makes a certificate that is its own authority, for some hosts, with its key.
func selfSigned(hosts ...string) ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: hosts, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, leaf, leaf, key.Public(), key)
	if err != nil {
		return nil, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})...), nil
}

// held puts files in the place of the names of certificates.
func held(raw []byte, files map[string]string) []byte {
	text := string(raw)
	for host, file := range files {
		text = strings.ReplaceAll(text, `"certificate:`+host+`"`, `"`+file+`"`)
	}
	return []byte(text)
}

// settle compiles the flows one after the other on one node, each beside those before it.
func settle(t *testing.T, port int, reflector plan.Endpoint, tenants []*tenant) []plan.Fragment {
	t.Helper()
	var all []plan.Fragment
	for _, n := range tenants {
		n.flow = uuid.NewString()
		n.l = graph.Listener{
			Protocol: n.protocol, ListenIP: "127.0.0.1", Port: port, Security: graph.TLS, Transport: n.transport, Path: n.path,
		}
		g := drawing(n.l, "a", nil, "allow")
		g.Nodes[0].NodeDomainID = "d"
		r := plan.Compile(plan.Input{
			FlowID: n.flow, Graph: g, Root: root, Clients: []plan.Client{client}, Reflector: reflector,
			Domains: map[string]plan.Domain{"d": {NodeID: "a", Hostname: n.host}},
			Nodes:   map[string]plan.Node{"a": {ID: "a", Address: "127.0.0.1", Core: "26.3.27", Others: all}},
		})
		require.Empty(t, r.Plan.Errors)
		require.Empty(t, r.Plan.Conflicts)
		n.part = r.Fragments["a"]
		all = append(all, n.part)
	}
	return all
}

// Listeners with TLS of several flows have one port of a node: clients get through each of them, told apart by host
// name and by path, and each is counted as its own flow's.
func TestListenersWithTLSShareAPort(t *testing.T) {
	t.Parallel()
	for name, tenants := range map[string][]*tenant{
		"every way at three names": {
			{protocol: "vless", transport: "raw", host: "a.example.org"},
			{protocol: "vless", transport: "ws", host: "a.example.org", path: "/ws"},
			{protocol: "trojan", transport: "httpupgrade", host: "a.example.org", path: "/up"},
			{protocol: "vless", transport: "xhttp", host: "a.example.org", path: "/x"},
			{protocol: "trojan", transport: "raw", host: "b.example.org"},
			{protocol: "vless", transport: "grpc", host: "b.example.org"},
			{protocol: "vmess", transport: "ws", host: "b.example.org", path: "/vm"},
			{protocol: "vless", transport: "ws", host: "c.example.public"},
			{protocol: "vmess", transport: "raw", host: "d.example.public"},
		},
		"one name without a raw listener": {
			{protocol: "vless", transport: "ws", host: "a.example.org", path: "/ws"},
			{protocol: "trojan", transport: "ws", host: "a.example.org", path: "/other"},
			{protocol: "trojan", transport: "grpc", host: "a.example.org"},
		},
		"two raw ones with vision": {
			{protocol: "vless", transport: "raw", host: "a.example.org"},
			{protocol: "vless", transport: "raw", host: "b.example.org"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			share(t, tenants)
		})
	}
}

func share(t *testing.T, tenants []*tenant) {
	t.Helper()
	reflector, url := page(t, "reflected")
	files := map[string]string{}
	for _, n := range tenants {
		if files[n.host] == "" {
			files[n.host] = certificate(t, n.host)
		}
	}
	all := settle(t, freeport.For(t), reflector, tenants)
	server := start(t, held(plan.Render(all), files))
	for _, n := range tenants {
		client := fromElsewhere(t, held(n.client(), files))
		text, err := through(t, client, url)
		for range 3 { // a machine under load may not speak within the 200 ms that a door waits; clients try again
			if err == nil {
				break
			}
			text, err = through(t, client, url)
		}
		require.NoError(t, err, "%s %s at %s", n.protocol, n.transport, n.host)
		require.Equal(t, "reflected", text)
	}
	for _, n := range tenants {
		knowsTheClient(t, server, n)
		tag := n.part.Inbounds[0].Tag
		counter := server.GetFeature(stats.ManagerType()).(stats.Manager).GetCounter("inbound>>>" + tag + ">>>traffic>>>uplink")
		require.NotNil(t, counter, tag)
		require.Positive(t, counter.Value(), "%s %s", n.protocol, n.transport)
	}
	strangersSeeNothing(t, tenants[0], files, url)
}

func (n *tenant) client() []byte {
	return plan.ProbeClient(n.flow, root, "in", n.host, n.l, "127.0.0.1")
}

// clientAddress is one that the core counts, for it leaves out 127.0.0.1.
const clientAddress = "127.0.0.9"

func fromElsewhere(t *testing.T, outbound []byte) []byte {
	t.Helper()
	var o map[string]any
	require.NoError(t, json.Unmarshal(outbound, &o))
	o["sendThrough"] = clientAddress
	raw, err := json.Marshal(o)
	require.NoError(t, err)
	return raw
}

// knowsTheClient: whoever stands in front, the listener sees the address that the client comes from, and no other.
func knowsTheClient(t *testing.T, server *core.Instance, n *tenant) {
	t.Helper()
	manager := server.GetFeature(stats.ManagerType()).(stats.Manager)
	online := manager.GetOnlineMap("user>>>flow." + n.flow + ".probe>>>online")
	require.NotNil(t, online)
	require.Equal(t, []string{clientAddress}, slices.Collect(maps.Keys(online.IPTimeMap())), "%s %s at %s", n.protocol,
		n.transport, n.host)
}

// strangersSeeNothing: a name that nobody has leads nowhere.
func strangersSeeNothing(t *testing.T, n *tenant, files map[string]string, url string) {
	t.Helper()
	var o map[string]any
	require.NoError(t, json.Unmarshal(held(n.client(), files), &o))
	o["streamSettings"].(map[string]any)["tlsSettings"].(map[string]any)["serverName"] = "nobody.example.org"
	raw, err := json.Marshal(o)
	require.NoError(t, err)
	_, err = through(t, raw, url)
	require.Error(t, err)
}
