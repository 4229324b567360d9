package outbound

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/miekg/dns"
	"github.com/stretchr/testify/require"

	"panel/platform/fault"
)

// forbidden are forms of addresses inside the host, the local network or the cloud's metadata service.
var forbidden = []string{
	"http://127.0.0.1", "http://127.0.0.1:PORT", "http://127.1.2.3:PORT", "http://127.1:PORT", "http://0.0.0.0:PORT",
	"http://0:PORT",
	"http://localhost:PORT", "http://LOCALHOST:PORT", "http://localhost.:PORT", "http://2130706433:PORT",
	"http://0x7f000001:PORT",
	"http://017700000001:PORT", "http://0177.0.0.1:PORT", "http://0x7f.1:PORT", "http://127.0.0.1.:PORT",
	"http://[::1]:PORT", "http://[::]:PORT", "http://[::ffff:127.0.0.1]:PORT", "http://[::ffff:7f00:1]:PORT",
	"http://[0:0:0:0:0:ffff:127.0.0.1]:PORT", "http://[64:ff9b::7f00:1]:PORT", "http://[2002:7f00:1::]:PORT",
	"http://[::127.0.0.1]:PORT", "http://[fe80::1]:PORT", "http://[fe80::1%25lo]:PORT", "http://[ff02::1]:PORT",
	"http://169.254.169.254/latest/meta-data", "http://[fd00:ec2::254]/latest/meta-data",
	"http://100.100.100.200/latest",
	"http://[::ffff:a9fe:a9fe]/latest", "http://224.0.0.1:PORT", "http://255.255.255.255:PORT", "http://240.0.0.1:PORT",
	"http://192.0.2.1:PORT", "http://198.18.0.1:PORT", "http://user:password@127.0.0.1:PORT",
	"http://example.org@127.0.0.1:PORT",
	"http://127.0.0.1:PORT#@example.org", "http:127.0.0.1:PORT", "http:///127.0.0.1:PORT", "file:///etc/passwd",
	"gopher://127.0.0.1:PORT/_x", "unix:///run/docker.sock", "ftp://127.0.0.1:PORT", "dict://127.0.0.1:PORT",
	"//127.0.0.1:PORT",
	"http://127.0.0.1:PORT\r\nHost: example.org", "http://127.0.0.1:0", "http://127.0.0.1:99999",
	"http://127。0。0。1:PORT",
}

// privateOnly are refused to PublicOnly and open to Private.
var privateOnly = []string{
	"10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1", "100.64.0.1",
	"fc00::1", "fd12:3456::1",
}

func TestForbiddenFormsOfAnAddressAreNeverConnectedTo(t *testing.T) {
	t.Parallel()
	var connections atomic.Int64
	server := serve(t, func(http.ResponseWriter, *http.Request) { connections.Add(1) })
	port := server.URL[strings.LastIndexByte(server.URL, ':')+1:]
	for _, reach := range []Reach{PublicOnly, Private} {
		n := network(t, nil)
		n.resolver = rebinding(t, "127.0.0.1")
		c := client(t, n, Options{Reach: reach, Redirects: 3})
		for _, form := range forbidden {
			err := c.JSON(t.Context(), http.MethodGet, strings.ReplaceAll(form, "PORT", port), nil, nil)
			require.Equal(t, "example_error", fault.Code(err), "%s with reach %d", form, reach)
		}
	}
	require.Zero(t, connections.Load())
}

func TestForbiddenFormsBehindARedirectAreNeverConnectedTo(t *testing.T) {
	t.Parallel()
	var connections atomic.Int64
	inside := httpServerOn(t, "127.0.0.1:0", func(http.ResponseWriter, *http.Request) { connections.Add(1) })
	_, port, err := net.SplitHostPort(inside)
	require.NoError(t, err)
	for _, form := range forbidden {
		outside := httpServerOn(t, "127.0.0.2:0", func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Location"] = []string{strings.ReplaceAll(strings.ReplaceAll(form, "PORT", port), "\r\n", "")}
			w.WriteHeader(http.StatusFound)
		})
		n := network(t, map[string]string{"PANEL_OUTBOUND_ALLOW": "127.0.0.2"})
		n.resolver = rebinding(t, "127.0.0.1")
		c := client(t, n, Options{Redirects: 3})
		_, _ = get(t, c, "http://"+outside)
	}
	require.Zero(t, connections.Load())
}

func httpServerOn(t *testing.T, address string, handler http.HandlerFunc) string {
	t.Helper()
	listener, err := net.Listen("tcp4", address)
	require.NoError(t, err)
	server := &http.Server{Handler: handler} //nolint:gosec // a test's server needs no limits
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return listener.Addr().String()
}

func TestPrivateNetworksAreOpenToInfrastructureAlone(t *testing.T) {
	t.Parallel()
	n := network(t, nil)
	for _, text := range privateOnly {
		addr := netip.MustParseAddr(text)
		require.ErrorIs(t, n.permits(addr, PublicOnly), ErrForbidden, text)
		require.NoError(t, n.permits(addr, Private), text)
	}
	for _, text := range []string{"1.1.1.1", "93.184.216.34", "2606:4700::1111"} {
		addr := netip.MustParseAddr(text)
		require.NoError(t, n.permits(addr, PublicOnly), text)
		require.NoError(t, n.permits(addr, Private), text)
	}
}

func TestAllowedNetworksOpenWhatTheyNameAlone(t *testing.T) {
	t.Parallel()
	n := network(t, map[string]string{"PANEL_OUTBOUND_ALLOW": "127.0.0.0/30, 10.1.0.0/16"})
	for text, allowed := range map[string]bool{
		"127.0.0.1": true, "127.0.0.4": false, "10.1.2.3": true,
		"10.2.0.1": false, "::1": false,
	} {
		require.Equal(t, allowed, n.permits(netip.MustParseAddr(text), PublicOnly) == nil, text)
	}
}

func TestAddressesOfTheSettingsMayBeAnywhere(t *testing.T) {
	t.Parallel()
	server := serve(t, func(http.ResponseWriter, *http.Request) {})
	answer, err := get(t, client(t, network(t, nil), Options{Reach: Configured}), server.URL)
	require.NoError(t, err)
	require.True(t, answer.OK())
	_, err = get(t, client(t, network(t, nil), Options{Reach: Configured}), "file:///etc/passwd")
	require.ErrorIs(t, err, ErrForbidden)
}

// A name that changes its address between two look-ups gains nothing: what is dialled is what is judged.
func TestARebindingNameServerGainsNothing(t *testing.T) {
	t.Parallel()
	var inside, allowed atomic.Int64
	address := httpServerOn(t, "127.0.0.1:0", func(http.ResponseWriter, *http.Request) { inside.Add(1) })
	_, port, err := net.SplitHostPort(address)
	require.NoError(t, err)
	httpServerOn(t, "127.0.0.2:"+port, func(http.ResponseWriter, *http.Request) { allowed.Add(1) })

	n := network(t, map[string]string{"PANEL_OUTBOUND_ALLOW": "127.0.0.2"})
	n.resolver = rebinding(t, "127.0.0.2", "127.0.0.1")
	for range 6 {
		c := client(t, n, Options{}) // a new one each time, so that each call resolves and dials
		_, _ = get(t, c, "http://changing.test:"+port)
	}
	require.EqualValues(t, 3, allowed.Load(), "each second answer names the allowed address")
	require.Zero(t, inside.Load())
}

func TestBehindAProxyEveryAddressOfANameIsJudgedBeforeTheProxyIsAsked(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	proxy := serve(t, func(http.ResponseWriter, *http.Request) { asked.Add(1) })
	n := network(t, map[string]string{"PANEL_HTTP_PROXY": proxy.URL})
	n.resolver = rebinding(t, "93.184.216.34", "10.0.0.7")
	c := client(t, n, Options{})
	_, err := get(t, c, "http://changing.test/")
	require.NoError(t, err)
	_, err = get(t, c, "http://changing.test/")
	require.ErrorIs(t, err, ErrForbidden)
	_, err = get(t, c, "http://127.0.0.1/")
	require.ErrorIs(t, err, ErrForbidden)
	require.EqualValues(t, 1, asked.Load())
}

// rebinding is a resolver whose name server answers every name with the addresses in turn.
func rebinding(t *testing.T, addresses ...string) *net.Resolver {
	t.Helper()
	var questions atomic.Int64
	socket, err := net.ListenPacket("udp4", "127.0.0.1:0")
	require.NoError(t, err)
	server := &dns.Server{PacketConn: socket, Handler: dns.HandlerFunc(func(w dns.ResponseWriter, q *dns.Msg) {
		answer := new(dns.Msg)
		answer.SetReply(q)
		if q.Question[0].Qtype == dns.TypeA {
			ip := addresses[int(questions.Add(1)-1)%len(addresses)]
			head := dns.RR_Header{Name: q.Question[0].Name, Rrtype: dns.TypeA, Class: dns.ClassINET}
			answer.Answer = []dns.RR{&dns.A{Hdr: head, A: net.ParseIP(ip)}}
		}
		_ = w.WriteMsg(answer)
	})}
	go func() { _ = server.ActivateAndServe() }()
	t.Cleanup(func() { _ = server.Shutdown() })
	return resolverOf(socket.LocalAddr().String())
}

func TestAddressesThatPeopleTypeAreReadStrictly(t *testing.T) {
	t.Parallel()
	n := network(t, nil)
	for _, good := range []string{"https://hooks.example.org/x", "http://example.org:8080", "https://1.1.1.1"} {
		_, err := n.Address(good, PublicOnly)
		require.NoError(t, err, good)
	}
	for _, bad := range []string{
		"", "example.org", "ftp://example.org", "https://", "https://user@example.org", "http://127.0.0.1",
		"http://10.0.0.1",
		"http://[::1]", "http://example.org:0", "http://example.org:70000", "mailto:a@example.org",
		"http://exa mple.org",
	} {
		_, err := n.Address(bad, PublicOnly)
		require.Error(t, err, bad)
	}
	_, err := n.Address("http://10.0.0.1:9000", Private)
	require.NoError(t, err)
}

// resolverOf asks one name server and nobody else.
func resolverOf(server string) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", server)
	}}
}
