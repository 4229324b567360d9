package probe

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/cmd/panel-agent/internal/core"
	"panel/cmd/panel-agent/internal/part"
	"panel/platform/agentapi"
	"panel/platform/testneed/freeport"
)

const nonce = "n0nce12345"

func newProber() *Prober {
	return &Prober{Owner: func(string, string, int) (agentapi.Socket, bool) {
		return agentapi.Socket{Process: "nginx"}, true
	}}
}

// Firewall evidence of domain.md 4.3: a peer dials a temporary listener and hears its nonce.
func TestAPeerHearsTheNonceOfATemporaryListener(t *testing.T) {
	t.Parallel()
	for _, l4 := range []string{agentapi.TCP, agentapi.UDP} {
		p, port := newProber(), freeport.For(t)
		bound, err := p.Run(context.Background(), agentapi.ProbeArgs{Bind: &agentapi.BindProbe{
			L4: l4, IP: "127.0.0.1",
			Port: port, Nonce: nonce, HoldSeconds: 30,
		}})
		require.NoError(t, err)
		require.True(t, bound.Bind.Bound)
		asked := agentapi.ProbeArgs{Dial: &agentapi.DialProbe{L4: l4, Address: net.JoinHostPort("127.0.0.1",
			strconv.Itoa(port)), Nonce: nonce}}
		heard, err := p.Run(context.Background(), asked)
		require.NoError(t, err)
		require.True(t, heard.Dial.NonceMatched)
		require.True(t, heard.Dial.Connected)
		p.Release(l4, port)
		_, err = p.Run(context.Background(), asked)
		require.ErrorIs(t, err, ErrUnreachable)
	}
}

func TestAnotherProcessOnThePortIsNamed(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port
	data, err := newProber().Run(context.Background(), agentapi.ProbeArgs{Bind: &agentapi.BindProbe{
		L4: agentapi.TCP,
		IP: "127.0.0.1", Port: port, Nonce: nonce,
	}})
	require.ErrorIs(t, err, ErrInUse)
	require.Equal(t, "nginx", data.Bind.Owner)
}

func TestATargetShowsItsHandshake(t *testing.T) {
	t.Parallel()
	site := httptest.NewUnstartedServer(http.NotFoundHandler())
	site.EnableHTTP2 = true
	site.StartTLS()
	defer site.Close()
	data, err := newProber().Run(context.Background(),
		agentapi.ProbeArgs{TLS: &agentapi.TLSProbe{Target: site.Listener.Addr().String(), SNI: "example.com"}})
	require.NoError(t, err)
	require.Equal(t, "1.3", data.TLS.Version)
	require.Equal(t, "h2", data.TLS.ALPN)
	require.True(t, data.TLS.NameMatches)
	require.True(t, data.TLS.Suitable)
	require.False(t, data.TLS.Trusted)
	require.True(t, data.TLS.Inside, "this target is on the host itself")
}

// A target may be asked for on condition that it is out in the net; nothing inside is dialled then, whatever its name.
func TestATargetInsideTheHostIsNotDialledWhereItMustBePublic(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "10.0.0.1", "[64:ff9b::7f00:1]"} {
		data, err := newProber().Run(t.Context(), agentapi.ProbeArgs{TLS: &agentapi.TLSProbe{
			Target: host + ":1",
			SNI:    "example.com", Public: true,
		}})
		require.ErrorIs(t, err, ErrInside, host)
		require.True(t, data.TLS.Inside, host)
	}
}

// An address may be dialled on the same condition: nothing inside is, and that is an answer.
func TestAnAddressInsideTheHostIsNotDialledWhereItMustBePublic(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.NotFoundHandler())
	defer site.Close()
	address := site.Listener.Addr().String()
	for public, want := range map[bool]agentapi.DialData{
		true: {Inside: true}, false: {Connected: true, RemoteAddress: address},
	} {
		data, err := newProber().Run(t.Context(), agentapi.ProbeArgs{Dial: &agentapi.DialProbe{
			Address: address, L4: agentapi.TCP, Public: public,
		}})
		require.NoError(t, err)
		data.Dial.LatencyMillis = 0
		require.Equal(t, want, *data.Dial)
	}
}

// orders keeps what a client core was asked to fetch.
type orders []core.FetchOrder

func (o *orders) Through(_ context.Context, order core.FetchOrder) (agentapi.ThroughData, error) {
	*o = append(*o, order)
	return agentapi.ThroughData{}, nil
}

// A token that was replaced ends a day later; a probe that still carried it would take every apply of the node back.
func TestAClientGoesThroughWithTheTokenOfTheMoment(t *testing.T) {
	t.Parallel()
	token, asked := "before", &orders{}
	p := &Prober{Client: asked, Reflect: "http://panel/agent/v1/reflect", Bearer: func() string { return token }}
	for _, want := range []string{"before", "after"} {
		token = want
		_, err := p.Run(context.Background(), agentapi.ProbeArgs{Through: &agentapi.ThroughProbe{Link: "vless://x"}})
		require.NoError(t, err)
		require.Equal(t, want, (*asked)[len(*asked)-1].Bearer)
	}
}

func TestSenselessProbesAreRefused(t *testing.T) {
	t.Parallel()
	for _, args := range []agentapi.ProbeArgs{
		{},
		{Bind: &agentapi.BindProbe{L4: "tcp", Port: 0, Nonce: nonce}},
		{Bind: &agentapi.BindProbe{L4: "tcp", Port: 9, Nonce: "x"}},
		{Bind: &agentapi.BindProbe{L4: "sctp", Port: 9, Nonce: nonce}},
		{Dial: &agentapi.DialProbe{L4: "udp"}},
		{TLS: &agentapi.TLSProbe{}},
		{Through: &agentapi.ThroughProbe{}},
	} {
		_, err := newProber().Run(context.Background(), args)
		require.ErrorIs(t, err, ErrArgs)
	}
}

// refusing is a client core whose flow lets the probe reach one address alone.
type refusing struct{ only string }

func (r refusing) Through(_ context.Context, order core.FetchOrder) (agentapi.ThroughData, error) {
	if order.URL != r.only {
		return agentapi.ThroughData{}, io.EOF
	}
	return agentapi.ThroughData{Status: 200}, nil
}

// An agent may dial the panel by another name than the panel's own, which is the only one that a flow lets probes
// reach.
func TestAProbeGoesToTheNameThatThePanelHasForItself(t *testing.T) {
	t.Parallel()
	asked := agentapi.ProbeArgs{Through: &agentapi.ThroughProbe{Link: "vless://x"}}
	p := newProber()
	p.Reflect, p.Bearer = "http://10.0.0.5:8080/agent/v1/reflect", func() string { return "token" }
	p.Client = refusing{"https://panel.example/agent/v1/reflect"}
	_, err := p.Run(t.Context(), asked)
	require.Error(t, err)
	require.True(t, p.Expect("https://panel.example"))
	require.False(t, p.Expect("https://panel.example"), "it is news once")
	_, err = p.Run(t.Context(), asked)
	require.NoError(t, err)
	p.Client = refusing{"nothing"}
	_, err = p.Run(t.Context(), asked)
	require.ErrorIs(t, err, ErrUnreachable)
	require.ErrorIs(t, err, io.EOF)
	require.True(t, strings.HasPrefix(err.Error(), io.EOF.Error()), "in the words of who tried: %s", err)
	for _, said := range []string{"PANEL_PUBLIC_URL", "https://panel.example", "http://10.0.0.5:8080"} {
		require.ErrorContains(t, err, said)
	}
	for _, same := range []string{"", "http://10.0.0.5:8080", "no address"} {
		require.False(t, p.Expect(same))
	}
	p.Reflect = "https://panel.example/agent/v1/reflect"
	require.False(t, p.Expect("http://elsewhere.example"), "a token does not leave TLS")
}

// A site that lets the time of a probe pass is not reached; an agent that did not answer in time is something else.
func TestASiteThatStaysSilentIsNotReached(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer silent.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = newProber().Run(ctx, agentapi.ProbeArgs{TLS: &agentapi.TLSProbe{
		Target: silent.Addr().String(), SNI: "target.example",
	}})
	var result agentapi.CommandResult
	var described part.Describer
	require.ErrorAs(t, coded(err), &described)
	described.Describe(&result)
	require.Equal(t, agentapi.CodeUnreachable, result.Code)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}
