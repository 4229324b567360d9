package coretest

import (
	"bufio"
	"bytes"
	"crypto/ecdh"
	"crypto/rand"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"github.com/xtls/xray-core/core"           //nolint:depguard // only shown to, never linked
	"github.com/xtls/xray-core/features/stats" //nolint:depguard // only shown to, never linked

	"panel/modules/flows/flowsapi"
	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/modules/subscriptions/format"
	"panel/platform/testneed"
	"panel/platform/testneed/freeport"
)

// trusted is the certificate that the programs of these tests trust as they would one of a public authority.
var trusted string

func TestMain(m *testing.M) { os.Exit(trusting(m)) }

// trusting runs the tests where a certificate of localhost is one that the system trusts.
func trusting(m *testing.M) int {
	folder, err := os.MkdirTemp("", "coretest")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	trusted = filepath.Join(folder, "localhost.pem")
	text, err := selfSigned("localhost")
	if err == nil {
		err = os.WriteFile(trusted, text, 0o600)
	}
	if err == nil {
		err = os.Setenv("SSL_CERT_FILE", trusted)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// shape is one way to reach an entry.
type shape struct{ protocol, transport, security string }

func (s shape) String() string {
	return strings.Join([]string{s.protocol, s.transport, s.security}, " ")
}

// shapes are all that listeners can have.
func shapes() []shape {
	var out []shape
	for _, transport := range []string{"raw", "xhttp", "grpc"} {
		out = append(out, shape{"vless", transport, "reality"})
	}
	for _, transport := range []string{"raw", "xhttp", "grpc", "ws", "httpupgrade"} {
		for _, protocol := range []string{"vless", "trojan", "vmess"} {
			out = append(out, shape{protocol, transport, "tls"})
		}
		out = append(out, shape{"vmess", transport, "none"})
	}
	return append(out, shape{"shadowsocks2022", "raw", "none"}, shape{"hysteria2", "quic", "tls"},
		shape{graph.WireGuard, "raw", "none"})
}

// served is a running entry of a shape with its connection, and the page that only its traffic may reach.
type served struct {
	server     *core.Instance
	tag        string
	connection flowsapi.Connection
	page       string
}

func serve(t *testing.T, s shape) served {
	t.Helper()
	l := listenerOf(t, s.protocol, s.transport)
	if l.Security = s.security; s.security != "reality" {
		l.Reality = nil
	}
	return serveListener(t, s, l, nil)
}

func serveListener(t *testing.T, s shape, l graph.Listener, keys map[string]string) served {
	t.Helper()
	flowID := uuid.NewString()
	g := drawing(l, "a", nil, "allow")
	in := plan.Input{
		FlowID: flowID, Graph: g, Root: root, Keys: keys, Clients: []plan.Client{client},
		Nodes: map[string]plan.Node{"a": {ID: "a", Address: "127.0.0.1", Core: "26.3.27"}},
	}
	host := "127.0.0.1"
	if s.security == graph.TLS {
		host = "localhost"
		in.Graph.Nodes[0].NodeDomainID = "d"
		in.Domains = map[string]plan.Domain{"d": {NodeID: "a", Hostname: host}}
	}
	r := plan.Compile(in)
	require.Empty(t, r.Plan.Errors)
	// By name: addresses of the device itself do not go through the tunnel.
	at, address := page(t, "through "+s.String())
	address = strings.Replace(address, "127.0.0.1", "localhost", 1)
	rendered := plan.Render([]plan.Fragment{r.Fragments["a"]})
	if s.protocol == graph.WireGuard {
		address, rendered = elsewhere, leading(t, rendered, at)
	}
	server := start(t, held(rendered, map[string]string{host: trusted}))
	return served{
		server: server, tag: r.Fragments["a"].Inbounds[0].Tag,
		connection: plan.Connect(plan.Access{
			FlowID: flowID, Root: root, Block: "in", Listen: l, Host: host, Client: client, Name: "Европа " + s.String(),
			Refused: plan.Refused(g, "in"),
		}),
		page: address,
	}
}

// elsewhere is an address of no host: a tunnel of WireGuard carries none of this one.
const elsewhere = "http://198.51.100.7/"

// leading has the ways out of a configuration lead to one page.
func leading(t *testing.T, raw []byte, to plan.Endpoint) []byte {
	t.Helper()
	var d map[string]any
	require.NoError(t, json.Unmarshal(raw, &d))
	for _, way := range d["outbounds"].([]any) {
		if o := way.(map[string]any); o["protocol"] == "freedom" {
			o["settings"] = map[string]any{"redirect": to.String()}
		}
	}
	text, err := json.Marshal(d)
	require.NoError(t, err)
	return text
}

// carried fails unless the entry has carried something.
func (s served) carried(t *testing.T) {
	t.Helper()
	name := "inbound>>>" + s.tag + ">>>traffic>>>uplink"
	counter := s.server.GetFeature(stats.ManagerType()).(stats.Manager).GetCounter(name)
	require.NotNil(t, counter)
	require.Positive(t, counter.Value())
}

// fetched asks for a page through an HTTP proxy on this machine until it listens and the way stands.
func fetched(t *testing.T, port int, address string) string {
	t.Helper()
	proxy := &url.URL{Scheme: "http", Host: fmt.Sprintf("127.0.0.1:%d", port)}
	transport := &http.Transport{Proxy: http.ProxyURL(proxy), DisableKeepAlives: true}
	var text string
	require.Eventually(t, func() bool {
		answer, err := (&http.Client{Transport: transport, Timeout: 20 * time.Second}).Get(address)
		if err != nil {
			return false
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		text = string(body)
		return err == nil && answer.StatusCode == http.StatusOK
	}, 90*time.Second, 100*time.Millisecond)
	return text
}

// Every shape of entry is reached by the real core that is given the JSON subscription and nothing else.
func TestTheCoreIsFedWithTheSubscriptionAlone(t *testing.T) {
	t.Parallel()
	for _, s := range shapes() {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			entry := serve(t, s)
			raw, err := format.Write(format.Xray, []flowsapi.Connection{entry.connection})
			require.NoError(t, err)
			port := freeport.For(t)
			start(t, onPorts(t, raw, port))
			require.Equal(t, "through "+s.String(), fetched(t, port, entry.page))
			entry.carried(t)
		})
	}
}

// Every shape that sing-box knows is reached by the real program with its form of the subscription. What needs a
// network device of its own is taken out of the document: the tunnel, and looking for the way to the internet.
func TestSingBoxIsFedWithTheSubscriptionAlone(t *testing.T) {
	t.Parallel()
	program := testneed.Built(t, "sing-box-v1.14.1", "sing-box.sh")
	for _, s := range shapes() {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			entry := serve(t, s)
			if !format.Knows(format.SingBox, entry.connection) {
				return
			}
			raw, err := format.Write(format.SingBox, []flowsapi.Connection{entry.connection})
			require.NoError(t, err)
			if s.protocol == graph.WireGuard {
				understood(t, program, raw)
				return
			}
			port := freeport.For(t)
			run(t, program, withoutDevice(t, raw, port))
			require.Equal(t, "through "+s.String(), fetched(t, port, entry.page))
			entry.carried(t)
		})
	}
}

// understood fails unless the program knows every member of a document that has a tunnel of WireGuard, which this build
// of it was made without.
func understood(t *testing.T, program string, raw []byte) {
	t.Helper()
	check := func(raw []byte) string {
		file := filepath.Join(t.TempDir(), "document.json")
		require.NoError(t, os.WriteFile(file, raw, 0o600))
		said, err := exec.Command(program, "check", "-c", file).CombinedOutput()
		require.Error(t, err)
		return string(said)
	}
	require.Contains(t, check(raw), "WireGuard is not included in this build")
	require.Contains(t, check(bytes.Replace(raw, []byte(`"private_key"`), []byte(`"privat_key"`), 1)), "privat_key")
}

func withoutDevice(t *testing.T, raw []byte, port int) []byte {
	t.Helper()
	var d map[string]any
	require.NoError(t, json.Unmarshal(raw, &d))
	inbounds := d["inbounds"].([]any)
	require.Equal(t, "tun", inbounds[0].(map[string]any)["type"])
	inbounds[1].(map[string]any)["listen_port"] = port
	d["inbounds"] = inbounds[1:]
	delete(d["route"].(map[string]any), "auto_detect_interface")
	text, err := json.Marshal(d)
	require.NoError(t, err)
	return text
}

func run(t *testing.T, program string, document []byte) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "document.json")
	require.NoError(t, os.WriteFile(file, document, 0o600))
	var said bytes.Buffer
	cmd := exec.Command(program, "run", "-c", file)
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Log(said.String())
		}
	})
}

// Hysteria 2 over a range of ports, with packets that look like nothing: both programs choose a port of the range and
// know the password of the obfuscation from the subscription.
func TestHysteriaHopsAmongItsPorts(t *testing.T) {
	t.Parallel()
	const own = "127.0.77.1" // where nobody else has these ports
	l := graph.Listener{Protocol: "hysteria2", ListenIP: own, PortRange: "20000-20010", Obfs: "salamander"}
	entry := serveListener(t, shape{"hysteria2", "quic", "tls"}, l, nil)
	require.Equal(t, "20000-20010", entry.connection.Ports)
	there := func(f format.Format, quoted string) []byte {
		raw, err := format.Write(f, []flowsapi.Connection{entry.connection})
		require.NoError(t, err)
		require.Contains(t, string(raw), quoted+`"localhost"`)
		return []byte(strings.Replace(string(raw), quoted+`"localhost"`, quoted+`"`+own+`"`, 1))
	}
	port := freeport.For(t)
	start(t, onPorts(t, there(format.Xray, `"address": `), port))
	require.Contains(t, fetched(t, port, entry.page), "hysteria2")

	port = freeport.For(t)
	program := testneed.Built(t, "sing-box-v1.14.1", "sing-box.sh")
	run(t, program, withoutDevice(t, there(format.SingBox, `"server": `), port))
	require.Contains(t, fetched(t, port, entry.page), "hysteria2")
	entry.carried(t)
}

// onPorts changes the ports on which a document takes traffic, so that tests can run at once.
func onPorts(t *testing.T, raw []byte, port int) []byte {
	t.Helper()
	text := strings.Replace(string(raw), `"port": 10809`, fmt.Sprintf(`"port": %d`, port), 1)
	return []byte(strings.Replace(text, `"port": 10808`, fmt.Sprintf(`"port": %d`, freeport.For(t)), 1))
}

// The probe of an apply gets through Hysteria 2 too, hidden or not.
func TestTheProbeSpeaksHysteria(t *testing.T) {
	t.Parallel()
	for _, obfs := range []string{"none", "salamander"} {
		reflector, address := page(t, "reflected")
		flowID := uuid.NewString()
		l := graph.Listener{Protocol: "hysteria2", ListenIP: "127.0.0.1", Port: freeport.For(t), Obfs: obfs}
		g := drawing(l, "a", nil, "allow")
		g.Nodes[0].NodeDomainID = "d"
		r := plan.Compile(plan.Input{
			FlowID: flowID, Graph: g, Root: root, Clients: []plan.Client{client}, Reflector: reflector,
			Domains: map[string]plan.Domain{"d": {NodeID: "a", Hostname: "localhost"}},
			Nodes:   map[string]plan.Node{"a": {ID: "a", Address: "127.0.0.1", Core: "26.3.27"}},
		})
		require.Empty(t, r.Plan.Errors)
		files := map[string]string{"localhost": trusted}
		start(t, held(plan.Render([]plan.Fragment{r.Fragments["a"]}), files))
		probe := held(plan.ProbeClient(flowID, root, "in", "localhost", l, "127.0.0.1"), files)
		text, err := through(t, probe, address)
		require.NoError(t, err)
		require.Equal(t, "reflected", text)
	}
}

// What the flow refuses is refused on the device already.
func TestTheSubscriptionRefusesWhatTheFlowRefuses(t *testing.T) {
	t.Parallel()
	entry := serve(t, shape{"shadowsocks2022", "raw", "none"})
	raw, err := format.Write(format.Xray, []flowsapi.Connection{entry.connection})
	require.NoError(t, err)
	var d struct {
		Routing struct{ Rules []map[string]any }
	}
	require.NoError(t, json.Unmarshal(raw, &d))
	require.Equal(t, map[string]any{
		"type": "field", "domain": []any{"domain:blocked.example"}, "outboundTag": "block",
	}, d.Routing.Rules[0])
}

var update = flag.Bool("update", false, "write the matrix anew")

const matrixFile = "../../../../../docs/client-programs.md"

// The matrix says what these tests try and what is left to the documentation of programs; -update writes it anew.
func TestTheMatrixSaysWhatIsTried(t *testing.T) {
	t.Parallel()
	text := matrix()
	if *update {
		require.NoError(t, os.WriteFile(matrixFile, []byte(text), 0o600))
	}
	written, err := os.ReadFile(matrixFile)
	require.NoError(t, err)
	require.Equal(t, text, string(written))
}

func matrix() string {
	var out strings.Builder
	out.WriteString(matrixHead)
	for _, s := range shapes() {
		cells := []string{names[s.protocol], names[s.transport], names[s.security]}
		if s.protocol == graph.WireGuard {
			cells[1] = "–"
		}
		c := flowsapi.Connection{Protocol: s.protocol, Transport: s.transport, Security: s.security}
		for _, f := range []format.Format{format.Xray, format.SingBox, format.Clash, format.Stash} {
			cells = append(cells, cell(f, c))
		}
		out.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	out.WriteString(rulesHead)
	for _, kind := range ruleKinds {
		cells := []string{kind.name}
		for _, f := range []format.Format{format.Xray, format.SingBox, format.Clash, format.Stash} {
			cells = append(cells, whoRefuses(f, kind.refusal))
		}
		out.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	return out.String()
}

// ruleKinds are what the rules of a flow may choose traffic by.
var ruleKinds = []struct {
	name    string
	refusal flowsapi.Refusal
}{
	{"a domain with all below it", flowsapi.Refusal{Domains: []string{"a.example"}}},
	{"`full:` one name", flowsapi.Refusal{Domains: []string{"full:a.example"}}},
	{"`keyword:` a part of a name", flowsapi.Refusal{Domains: []string{"keyword:ads"}}},
	{"`regexp:` a pattern", flowsapi.Refusal{Domains: []string{`regexp:^ads\d`}}},
	{"an address or a network", flowsapi.Refusal{Networks: []string{"192.0.2.0/24"}}},
	{"a port", flowsapi.Refusal{Ports: "25"}},
	{"a range of ports", flowsapi.Refusal{Ports: "1000-2000"}},
	{"a protocol: HTTP, TLS, QUIC, BitTorrent", flowsapi.Refusal{Protocols: []string{"bittorrent"}}},
	{"several conditions together", flowsapi.Refusal{Domains: []string{"a.example"}, Ports: "443"}},
	{"categories of geosite and geoip", flowsapi.Refusal{}}, // which links do not carry
}

// whoRefuses says whether a form has words for what a flow refuses.
func whoRefuses(f format.Format, r flowsapi.Refusal) string {
	written := func(refused ...flowsapi.Refusal) string {
		raw, err := format.Write(f, []flowsapi.Connection{{
			Name: "x", Host: "a", Port: 1, Protocol: "shadowsocks2022", Transport: "raw", Security: "none", Refused: refused,
		}})
		if err != nil {
			return ""
		}
		return string(raw)
	}
	if len(r.Domains)+len(r.Networks)+len(r.Protocols)+len(r.Ports) == 0 || written(r) == written() {
		return "entry"
	}
	return "program"
}

// What a flow refuses by its protocol is refused on the device, by the real programs: what is sent there never comes to
// the entry.
func TestProgramsRefuseProtocolsByThemselves(t *testing.T) {
	t.Parallel()
	program := testneed.Built(t, "sing-box-v1.14.1", "sing-box.sh")
	for _, f := range []format.Format{format.Xray, format.SingBox} {
		t.Run(string(f), func(t *testing.T) {
			t.Parallel()
			entry := serve(t, shape{"shadowsocks2022", "raw", "none"})
			entry.connection.Refused = []flowsapi.Refusal{{Protocols: []string{"bittorrent"}}}
			raw, err := format.Write(f, []flowsapi.Connection{entry.connection})
			require.NoError(t, err)
			port := freeport.For(t)
			if f == format.SingBox {
				run(t, program, withoutDevice(t, raw, port))
			} else {
				start(t, onPorts(t, raw, port))
			}
			require.NotEmpty(t, fetched(t, port, entry.page))
			address := strings.TrimSuffix(strings.TrimPrefix(entry.page, "http://"), "/")
			require.Contains(t, answered(t, port, address, "whatever else\r\n\r\n", time.Minute), "HTTP/1.1 400")
			handshake := "\x13BitTorrent protocol" + strings.Repeat("\x00", 48) + "\r\n\r\n"
			require.Empty(t, answered(t, port, address, handshake, 5*time.Second))
		})
	}
}

// answered says something to an address through an HTTP proxy on this machine and gives what comes back first; empty
// for nothing within a while.
func answered(t *testing.T, port int, address, said string, within time.Duration) string {
	t.Helper()
	conn, reader := asking(t, port, address, said)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(within)))
	text, _ := reader.Peek(len("HTTP/1.1 400"))
	return string(text)
}

// asking says something to an address through an HTTP proxy on this machine.
func asking(t *testing.T, port int, address, said string) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	require.NoError(t, err)
	require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	_, err = fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", address, address)
	require.NoError(t, err)
	reader := bufio.NewReader(conn)
	answer, err := http.ReadResponse(reader, nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.StatusCode)
	_, err = io.WriteString(conn, said)
	require.NoError(t, err)
	return conn, reader
}

func cell(f format.Format, c flowsapi.Connection) string {
	switch {
	case !format.Knows(f, c):
		return "–"
	case f == format.Xray, f == format.SingBox && c.Protocol != graph.WireGuard:
		return "tried"
	}
	return "documented"
}

var names = map[string]string{
	"vless": "VLESS", "trojan": "Trojan", "vmess": "VMess", "shadowsocks2022": "Shadowsocks 2022", "hysteria2": "Hysteria 2",
	"wireguard": "WireGuard",
	"raw":       "raw", "xhttp": "xhttp", "grpc": "gRPC", "ws": "ws", "httpupgrade": "httpupgrade", "quic": "QUIC",
	"none": "none", "tls": "TLS", "reality": "REALITY",
}

const matrixHead = `# Protocols and client programs

What a listener may speak, and which programs can use it with the subscription of a client. *tried*: a test of this project
starts the program with the subscription alone and fetches a page through the flow. *documented*: the form follows the
documentation of the program, and a test reads it back with an independent parser. *–*: the program does not know it, and the
subscription leaves it out.

A client of WireGuard has a key and an address of its own inside the tunnel; ` + "`?format=wireguard`" + `
gives the file that programs of WireGuard read. Xray knows no users of WireGuard, so the agent serves it itself: clients
come and go, are counted and have their quotas as with every other protocol. The program sing-box that the tests run is built
without WireGuard; it is asked whether it knows every member of what it is given.

Share links carry the same connections as Xray JSON. REALITY runs over raw, xhttp and gRPC only.
A listener over xhttp with ` + "`extra`" + ` settings is left out of the forms for Clash.

| Protocol | Transport | Security | Xray | sing-box | Clash, Mihomo | Stash |
|---|---|---|---|---|---|---|
`

const rulesHead = `
## Rules of a flow

Every rule holds at the entry, whatever the program does. What a flow refuses before anything else is written into
subscriptions too, so that it does not leave the device. *program*: the form has words for it, and the program refuses by
itself; with Xray and sing-box tests have tried a domain and BitTorrent. *entry*: only the entry refuses it.

| Rule | Xray | sing-box | Clash, Mihomo | Stash |
|---|---|---|---|---|
`

// longChained is a site whose certificate is as long as chains of public authorities are, so that a signature by
// ML-DSA-65 hides in it.
func longChained(t *testing.T) string {
	t.Helper()
	names := []string{"example.com"}
	for i := range 120 {
		names = append(names, fmt.Sprintf("one-of-many-names-%d.example.com", i))
	}
	text, err := selfSigned(names...)
	require.NoError(t, err)
	pair, err := tls.X509KeyPair(text, text)
	require.NoError(t, err)
	site := httptest.NewUnstartedServer(http.NotFoundHandler())
	site.EnableHTTP2, site.Config.ErrorLog = true, log.New(io.Discard, "", 0)
	site.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
	site.StartTLS()
	t.Cleanup(site.Close)
	return site.Listener.Addr().String()
}

// Settings beyond the usual carry traffic between real cores: an own key of REALITY with a signature by ML-DSA-65, and
// requests of xhttp that only a client with the same settings makes.
func TestFurtherSettingsOfListenersCarryTraffic(t *testing.T) {
	t.Parallel()
	private, err := ecdh.X25519().GenerateKey(rand.Reader)
	require.NoError(t, err)
	public := base64.RawURLEncoding.EncodeToString(private.PublicKey().Bytes())
	l := listenerOf(t, "vless", "xhttp")
	l.Reality.PublicKey, l.Reality.MLDSA65 = public, true
	l.Sniffing, l.Reality.Target = "off", longChained(t)
	l.Extra = &graph.Extra{
		PaddingBytes: "2000-3000", NoGRPCHeader: true, MaxEachPostBytes: "200000", MinPostsIntervalMs: "5-10",
		Xmux: &graph.Xmux{MaxConcurrency: "2-4", MaxReusableSecs: "60", KeepAliveSeconds: -1},
	}
	l.Mode = "packet-up"
	entry := serveListener(t, shape{"vless", "xhttp", "reality"}, l, map[string]string{
		public: base64.RawURLEncoding.EncodeToString(private.Bytes()),
	})
	require.Equal(t, public, entry.connection.PublicKey)
	raw, err := format.Write(format.Xray, []flowsapi.Connection{entry.connection})
	require.NoError(t, err)
	port := freeport.For(t)
	start(t, onPorts(t, raw, port))
	require.Equal(t, "through vless xhttp reality", fetched(t, port, entry.page))
	entry.carried(t)
}
