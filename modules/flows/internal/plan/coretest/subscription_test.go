package coretest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
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
		out = append(out, shape{"vless", transport, "tls"}, shape{"trojan", transport, "tls"})
	}
	return append(out, shape{"shadowsocks2022", "raw", "none"})
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
	flowID, l := uuid.NewString(), listenerOf(t, s.protocol, s.transport)
	if l.Security = s.security; s.security != "reality" {
		l.Reality = nil
	}
	g := drawing(l, "a", nil, "allow")
	in := plan.Input{
		FlowID: flowID, Graph: g, Root: root, Clients: []plan.Client{client},
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
	server := start(t, held(plan.Render([]plan.Fragment{r.Fragments["a"]}), map[string]string{host: trusted}))
	_, address := page(t, "through "+s.String())
	return served{
		server: server, tag: r.Fragments["a"].Inbounds[0].Tag,
		connection: plan.Connect(plan.Access{
			FlowID: flowID, Root: root, Block: "in", Listen: l, Host: host, Client: client, Name: "Европа " + s.String(),
			Refused: plan.Refused(g, "in"),
		}),
		// By name: addresses of the device itself do not go through the tunnel.
		page: strings.Replace(address, "127.0.0.1", "localhost", 1),
	}
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
	var last error
	for until := time.Now().Add(time.Minute); time.Now().Before(until); time.Sleep(100 * time.Millisecond) {
		answer, err := (&http.Client{Transport: transport, Timeout: 20 * time.Second}).Get(address)
		if last = err; err != nil {
			continue
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if last = err; err == nil && answer.StatusCode == http.StatusOK {
			return string(body)
		}
		last = fmt.Errorf("status %d: %w", answer.StatusCode, err)
	}
	require.NoError(t, last)
	return ""
}

// Every shape of entry is reached by the real core that is given the JSON subscription and nothing else: it takes
// traffic on the ports of the document, and only those are changed here, so that tests can run at once.
func TestTheCoreIsFedWithTheSubscriptionAlone(t *testing.T) {
	t.Parallel()
	for _, s := range shapes() {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			entry := serve(t, s)
			raw, err := format.Write(format.Xray, []flowsapi.Connection{entry.connection})
			require.NoError(t, err)
			port := freeport.For(t)
			text := strings.Replace(string(raw), `"port": 10809`, fmt.Sprintf(`"port": %d`, port), 1)
			text = strings.Replace(text, `"port": 10808`, fmt.Sprintf(`"port": %d`, freeport.For(t)), 1)
			start(t, []byte(text))
			require.Equal(t, "through "+s.String(), fetched(t, port, entry.page))
			entry.carried(t)
		})
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
