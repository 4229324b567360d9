// Package coretest shows the compiled configurations to the real core. It consists of tests alone, so that no
// executable of the panel links the core.
package coretest

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	corenet "github.com/xtls/xray-core/common/net" //nolint:depguard // only shown to, never linked
	"github.com/xtls/xray-core/core"               //nolint:depguard // only shown to, never linked
	"github.com/xtls/xray-core/features/stats"     //nolint:depguard // only shown to, never linked
	"github.com/xtls/xray-core/infra/conf/serial"  //nolint:depguard // only shown to, never linked
	_ "github.com/xtls/xray-core/main/distro/all"  //nolint:depguard // only shown to, never linked

	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/platform/testneed/freeport"
)

var (
	root   = bytes.Repeat([]byte{7}, 32)
	client = plan.Client{
		ID:    "c1",
		Label: "Anna",
		UUID:  "6ba7b810-9dad-41d1-80b4-00c04fd430c8",
		Key:   bytes.Repeat([]byte{9}, 32),

		Number: 7,
	}
)

func instance(t *testing.T, raw []byte) *core.Instance {
	t.Helper()
	config, err := serial.LoadJSONConfig(bytes.NewReader(raw))
	require.NoError(t, err, "%s", raw)
	made, err := core.New(config)
	require.NoError(t, err, "%s", raw)
	return made
}

func start(t *testing.T, raw []byte) *core.Instance {
	t.Helper()
	made := instance(t, raw)
	require.NoError(t, made.Start())
	t.Cleanup(func() { _ = made.Close() })
	return made
}

// target is a site with TLS 1.3 and h2 that REALITY can stand in front of.
func target(t *testing.T) string {
	t.Helper()
	site := httptest.NewUnstartedServer(
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "a site") }),
	)
	site.EnableHTTP2 = true
	site.Config.ErrorLog = log.New(io.Discard, "", 0)
	site.StartTLS()
	t.Cleanup(site.Close)
	return site.Listener.Addr().String()
}

func page(t *testing.T, text string) (endpoint plan.Endpoint, url string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) }))
	t.Cleanup(s.Close)
	host, port, err := net.SplitHostPort(s.Listener.Addr().String())
	require.NoError(t, err)
	n, err := strconv.Atoi(port)
	require.NoError(t, err)
	return plan.Endpoint{Host: host, Port: n}, s.URL
}

// through fetches a page with a client core whose only outbound is the given one.
func through(t *testing.T, outbound []byte, url string) (string, error) {
	t.Helper()
	raw := fmt.Sprintf(`{"log":{"loglevel":"none"},"outbounds":[%s]}`, outbound)
	dialer := start(t, []byte(raw))
	transport := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		to, err := corenet.ParseDestination(network + ":" + address)
		if err != nil {
			return nil, err
		}
		return core.Dial(context.WithoutCancel(ctx), dialer, to)
	}}
	defer transport.CloseIdleConnections()
	answer, err := (&http.Client{Transport: transport, Timeout: 9 * time.Second}).Get(url)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return string(body), err
}

// asClient turns the probe's outbound into that of an ordinary client.
func asClient(t *testing.T, probe []byte) []byte {
	t.Helper()
	var o map[string]any
	require.NoError(t, json.Unmarshal(probe, &o))
	settings := o["settings"].(map[string]any)
	if o["protocol"] == "vless" || o["protocol"] == "vmess" {
		settings["id"] = client.UUID
	} else {
		server := strings.Split(settings["password"].(string), ":")[0]
		settings["password"] = server + ":" + base64.StdEncoding.EncodeToString(client.Key)
	}
	raw, err := json.Marshal(o)
	require.NoError(t, err)
	return raw
}

func listenerOf(t *testing.T, protocol, transport string) graph.Listener {
	l := graph.Listener{Protocol: protocol, ListenIP: "127.0.0.1", Port: freeport.For(t), Transport: transport}
	if protocol == "vmess" {
		l.Security = "none"
	}
	if protocol == "vless" {
		l.Reality = &graph.Reality{Target: target(t), AllowPrivateTarget: true, ServerNames: []string{"example.com"}}
	}
	return l
}

func drawing(l graph.Listener, exit string, hop *graph.Listener, private string) graph.Graph {
	return graph.Graph{
		Nodes: []graph.Node{
			{Key: "in", Kind: graph.Entry, NodeID: "a", Params: graph.Params{Listener: &l}},
			{Key: "out", Kind: graph.Exit, NodeID: exit, Params: graph.Params{Hop: hop, Private: private}},
			{Key: "stop", Kind: graph.Block},
		},
		Edges: []graph.Edge{
			{From: "in", To: "stop", Match: &graph.Match{Domain: []string{"blocked.example"}}},
			{From: "in", To: "out"},
		},
	}
}

func compiled(t *testing.T, flowID string, g graph.Graph, reflector plan.Endpoint) plan.Result {
	t.Helper()
	r := plan.Compile(plan.Input{
		FlowID:    flowID,
		Graph:     g,
		Root:      root,
		Clients:   []plan.Client{client},
		Reflector: reflector,
		Nodes: map[string]plan.Node{
			"a": {ID: "a", Address: "127.0.0.1", Core: "26.3.27"},
			"b": {ID: "b", Address: "127.0.0.1", Core: "26.3.27"},
		},
	})
	require.Empty(t, r.Plan.Errors)
	return r
}

// Every shape carries a real client's traffic, lets the probe reach the reflector and nothing else, and keeps private
// addresses of the node closed to people unless the exit opens them.
func TestRealClientsGetThrough(t *testing.T) {
	hopOf := map[string]func(t *testing.T) *graph.Listener{
		"own server":      nil,
		"shadowsocks hop": func(*testing.T) *graph.Listener { return nil },
		"reality hop": func(t *testing.T) *graph.Listener {
			l := listenerOf(t, "vless", "")
			return &l
		},
	}
	entries := [][2]string{{"vless", ""}, {"vless", "xhttp"}, {"vless", "grpc"}, {"shadowsocks2022", ""}}
	for shape, hop := range hopOf {
		for i, entry := range entries {
			if hop != nil && i%3 != 0 {
				continue // how clients come in does not change how nodes talk: raw and Shadowsocks are enough
			}
			t.Run(shape+" "+entry[0]+entry[1], func(t *testing.T) {
				t.Parallel()
				fetches(t, listenerOf(t, entry[0], entry[1]), hop)
			})
		}
	}
}

// Nodes forward to each other by whatever carries names: each has its probe and its traffic through the real core.
func TestNodesForwardByEveryProtocol(t *testing.T) {
	t.Parallel()
	for _, l := range []graph.Listener{
		{Protocol: "vless", Security: graph.TLS},
		{Protocol: "vless", Security: graph.TLS, Transport: "grpc"},
		{Protocol: "trojan"},
		{Protocol: "trojan", Transport: "ws", Path: "/hop"},
		{Protocol: "vmess", Transport: "httpupgrade"},
		{Protocol: "vmess", Transport: "xhttp", Security: "none"},
		{Protocol: "shadowsocks2022", Method: "2022-blake3-aes-128-gcm", L4: "tcp"},
	} {
		t.Run(l.Protocol+" "+l.Transport+" "+l.Security, func(t *testing.T) {
			t.Parallel()
			fetches(t, listenerOf(t, "vmess", ""), func(t *testing.T) *graph.Listener {
				l.ListenIP, l.Port = "127.0.0.1", freeport.For(t)
				return &l
			})
		})
	}
}

// The core by itself does not know who comes through Hysteria 2, which the agent mends; so this is about traffic alone.
func TestNodesForwardByHysteria(t *testing.T) {
	t.Parallel()
	_, url := page(t, "through Hysteria")
	flowID, l := uuid.NewString(), listenerOf(t, "vmess", "")
	hop := &graph.Listener{Protocol: "hysteria2", Obfs: "salamander", ListenIP: "127.0.0.1", Port: freeport.For(t)}
	r := compiled(t, flowID, drawing(l, "b", hop, "allow"), plan.Endpoint{})
	for _, f := range r.Fragments {
		start(t, plan.Render([]plan.Fragment{f}))
	}
	text, err := through(t, asClient(t, plan.ProbeClient(flowID, root, "in", "", l, "127.0.0.1")), url)
	require.NoError(t, err)
	require.Equal(t, "through Hysteria", text)
}

func fetches(t *testing.T, l graph.Listener, hop func(*testing.T) *graph.Listener) {
	exit, inner := "a", (*graph.Listener)(nil)
	if hop != nil {
		exit, inner = "b", hop(t)
	}
	reflector, reflectorURL := page(t, "reflected")
	_, privateURL := page(t, "private")
	for _, private := range privateFor(l) {
		flowID := uuid.NewString() // also gives the hop a port of its own
		l.Port = freeport.For(t)
		r := compiled(t, flowID, drawing(l, exit, inner, private), reflector)
		var cores []*core.Instance
		for _, f := range r.Fragments {
			cores = append(cores, start(t, plan.Render([]plan.Fragment{f})))
		}
		probe := plan.ProbeClient(flowID, root, "in", "", l, "127.0.0.1")
		text, err := through(t, probe, reflectorURL)
		require.NoError(t, err)
		require.Equal(t, "reflected", text)
		text, err = through(t, probe, privateURL)
		require.False(t, err == nil && text == "private", "the probe reaches the reflector alone")
		text, err = through(t, asClient(t, probe), privateURL)
		require.Equal(t, private == "allow", err == nil && text == "private")
		for _, c := range cores {
			require.NoError(t, c.Close())
		}
	}
}

// privateFor spares the REALITY shapes, whose first connection waits for five seconds, the second round.
func privateFor(l graph.Listener) []string {
	if l.Protocol == "vless" {
		return []string{"allow"}
	}
	return []string{"block", "allow"}
}

// The core counts a download at the outbound of the edge that its rule chose, and at no other.
func TestTheCoreCountsEachEdgeByItself(t *testing.T) {
	t.Parallel()
	_, url := page(t, strings.Repeat("x", 200_000))
	flowID, l := uuid.NewString(), listenerOf(t, "shadowsocks2022", "")
	_, port, err := net.SplitHostPort(strings.TrimPrefix(url, "http://"))
	require.NoError(t, err)
	g := drawing(l, "a", nil, "allow")
	g.Edges = append(g.Edges, graph.Edge{From: "in", To: "out", Match: &graph.Match{Port: port}})
	r := compiled(t, flowID, g, plan.Endpoint{})
	instance := start(t, plan.Render([]plan.Fragment{r.Fragments["a"]}))
	text, err := through(t, asClient(t, plan.ProbeClient(flowID, root, "in", "", l, "127.0.0.1")), url)
	require.NoError(t, err)
	require.Len(t, text, 200_000)

	manager := instance.GetFeature(stats.ManagerType()).(stats.Manager)
	counted := func(edge int) (sum int64) {
		for _, tag := range plan.OutboundTags(flowID, g)[edge] {
			if c := manager.GetCounter("outbound>>>" + tag + ">>>traffic>>>downlink"); c != nil {
				sum += c.Value()
			}
		}
		return sum
	}
	require.Eventually(t, func() bool { return counted(2) >= 200_000 }, 60*time.Second, 20*time.Millisecond)
	require.Zero(t, counted(1), "the edge that takes the rest carried nothing")
}
