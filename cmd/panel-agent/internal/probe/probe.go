// Package probe gathers evidence from this host: can a port be had, does an address answer, is a site a fit REALITY
// target, does a real client get through a flow.
package probe

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"panel/cmd/panel-agent/internal/core"
	"panel/platform/agentapi"
)

const (
	dialLimit  = 5 * time.Second
	tlsLimit   = 10 * time.Second
	longHold   = 120 * time.Second
	mostNames  = 50
	mostHeld   = 32
	answerWait = 5 * time.Second
)

var nonceForm = regexp.MustCompile(`^[A-Za-z0-9]{8,64}$`)

// Errors that a caller turns into a code.
var (
	ErrArgs        = errors.New("the probe is not described well")
	ErrInUse       = errors.New("the port is in use")
	ErrUnreachable = errors.New("no answer")
	ErrInside      = errors.New("the target is this host itself or in a private network")
)

// Client runs a client core.
type Client interface {
	Through(ctx context.Context, order core.FetchOrder) (agentapi.ThroughData, error)
}

// Prober runs probes and holds temporary listeners.
type Prober struct {
	Owner   func(l4, ip string, port int) (agentapi.Socket, bool)
	Client  Client
	Reflect string        // page that shows the caller's address, asked with Bearer
	Bearer  func() string // the agent token of this moment: it is replaced while the agent runs

	mu   sync.Mutex
	own  string               // address by which the panel calls itself, where it is not that of Reflect
	held map[string]io.Closer // by l4 and port
}

// Run does the one probe that is asked for. Faults: ErrArgs, ErrInUse, ErrUnreachable.
func (p *Prober) Run(ctx context.Context, args agentapi.ProbeArgs) (agentapi.ProbeData, error) {
	switch {
	case args.Bind != nil:
		data, err := p.bind(ctx, *args.Bind)
		return agentapi.ProbeData{Bind: &data}, err
	case args.Dial != nil:
		data, err := dial(ctx, *args.Dial)
		return agentapi.ProbeData{Dial: &data}, err
	case args.TLS != nil:
		data, err := handshake(ctx, *args.TLS)
		return agentapi.ProbeData{TLS: &data}, err
	case args.Through != nil:
		data, err := p.through(ctx, *args.Through)
		return agentapi.ProbeData{Through: &data}, err
	}
	return agentapi.ProbeData{}, ErrArgs
}

func (p *Prober) through(ctx context.Context, asked agentapi.ThroughProbe) (agentapi.ThroughData, error) {
	if (asked.Link == "") == (len(asked.Core) == 0) {
		return agentapi.ThroughData{}, fmt.Errorf("%w: give a link or a core configuration", ErrArgs)
	}
	order := core.FetchOrder{ThroughProbe: asked}
	own := p.reflection()
	if asked.URL == "" {
		order.URL, order.Bearer = cmp.Or(own, p.Reflect), p.Bearer()
	}
	data, err := p.Client.Through(ctx, order)
	if err != nil && asked.URL == "" && own != "" {
		err = fmt.Errorf("%w; the flow lets a probe reach the panel as %s alone, its PANEL_PUBLIC_URL, "+
			"while this agent dials %s: "+
			"make the first reachable from the exit, or set PANEL_PUBLIC_URL to the second", err, origin(own),
			origin(p.Reflect))
	}
	if err != nil {
		return data, &unreached{err}
	}
	return data, nil
}

// unreached is ErrUnreachable in the words of who tried.
type unreached struct{ error }

// Is says that it is ErrUnreachable.
func (u *unreached) Is(target error) bool { return target == ErrUnreachable }

// Unwrap gives what was met.
func (u *unreached) Unwrap() error { return u.error }

// Expect takes the address by which the panel calls itself and says whether it is news that this differs from the one
// that is dialled. A token that is dialled with TLS goes nowhere without.
func (p *Prober) Expect(panel string) (differs bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.own
	p.own = ""
	if panel == "" || origin(panel) == origin(p.Reflect) || origin(panel) == "" {
		return false
	}
	if strings.HasPrefix(p.Reflect, "https:") && !strings.HasPrefix(panel, "https:") {
		return false
	}
	p.own = panel + agentapi.PathReflect
	return p.own != before
}

func (p *Prober) reflection() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.own
}

// origin is scheme, host and port of an address; empty for what is none.
func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

func (p *Prober) bind(ctx context.Context, asked agentapi.BindProbe) (agentapi.BindData, error) {
	if !nonceForm.MatchString(asked.Nonce) || asked.Port < 1 || asked.Port > 65535 || asked.HoldSeconds < 0 {
		return agentapi.BindData{}, ErrArgs
	}
	hold := min(longHold, time.Duration(asked.HoldSeconds)*time.Second)
	address := net.JoinHostPort(asked.IP, strconv.Itoa(asked.Port))
	p.Release(asked.L4, asked.Port)
	listener, err := listen(ctx, asked.L4, address, asked.Nonce)
	if errors.Is(err, syscall.EADDRINUSE) {
		return p.occupied(asked)
	}
	if err != nil {
		return agentapi.BindData{}, err
	}
	if hold == 0 {
		return agentapi.BindData{Bound: true}, listener.Close()
	}
	return agentapi.BindData{Bound: true}, p.hold(asked.L4, asked.Port, listener, hold)
}

func (p *Prober) occupied(asked agentapi.BindProbe) (agentapi.BindData, error) {
	socket, found := p.Owner(asked.L4, asked.IP, asked.Port)
	if found && socket.Own {
		return agentapi.BindData{Own: true, Owner: socket.Process}, nil
	}
	return agentapi.BindData{Owner: socket.Process}, ErrInUse
}

func listen(ctx context.Context, l4, address, nonce string) (io.Closer, error) {
	var config net.ListenConfig
	switch l4 {
	case agentapi.TCP:
		listener, err := config.Listen(ctx, "tcp", address)
		if err != nil {
			return nil, fmt.Errorf("listen for a probe: %w", err)
		}
		go answerTCP(listener, nonce)
		return listener, nil
	case agentapi.UDP:
		conn, err := config.ListenPacket(ctx, "udp", address)
		if err != nil {
			return nil, fmt.Errorf("listen for a probe: %w", err)
		}
		go answerUDP(conn, nonce)
		return conn, nil
	}
	return nil, ErrArgs
}

func answerTCP(listener net.Listener, nonce string) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		_ = conn.SetDeadline(time.Now().Add(answerWait))
		_, _ = io.WriteString(conn, nonce)
		_ = conn.Close()
	}
}

// answerUDP answers only to who knows the nonce, with no more than was sent: it cannot be used to amplify.
func answerUDP(conn net.PacketConn, nonce string) {
	packet := make([]byte, 128)
	for {
		n, from, err := conn.ReadFrom(packet)
		if err != nil {
			return
		}
		if string(packet[:n]) == nonce {
			_, _ = conn.WriteTo(packet[:n], from)
		}
	}
}

func (p *Prober) hold(l4 string, port int, listener io.Closer, hold time.Duration) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.held) >= mostHeld {
		return errors.Join(fmt.Errorf("%w: too many temporary listeners are open", ErrArgs), listener.Close())
	}
	if p.held == nil {
		p.held = map[string]io.Closer{}
	}
	p.held[holdKey(l4, port)] = listener
	time.AfterFunc(hold, func() { p.releaseIf(l4, port, listener) })
	return nil
}

func holdKey(l4 string, port int) string { return l4 + "/" + strconv.Itoa(port) }

// Release closes the temporary listener on a port: the core wants it.
func (p *Prober) Release(l4 string, port int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if listener, ok := p.held[holdKey(l4, port)]; ok {
		_ = listener.Close()
		delete(p.held, holdKey(l4, port))
	}
}

func (p *Prober) releaseIf(l4 string, port int, listener io.Closer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = listener.Close()
	if p.held[holdKey(l4, port)] == listener {
		delete(p.held, holdKey(l4, port))
	}
}

func dial(ctx context.Context, asked agentapi.DialProbe) (agentapi.DialData, error) {
	if asked.L4 != agentapi.TCP && asked.L4 != agentapi.UDP || asked.L4 == agentapi.UDP && asked.Nonce == "" {
		return agentapi.DialData{}, ErrArgs
	}
	began := time.Now()
	conn, err := dialer(asked.Public).DialContext(ctx, asked.L4, asked.Address)
	if errors.Is(err, ErrInside) {
		return agentapi.DialData{Inside: true}, nil
	}
	if err != nil {
		return agentapi.DialData{}, &unreached{err}
	}
	defer conn.Close()
	data := agentapi.DialData{
		Connected: asked.L4 == agentapi.TCP, RemoteAddress: conn.RemoteAddr().String(),
		LatencyMillis: millis(time.Since(began)),
	}
	if asked.Nonce == "" {
		return data, nil
	}
	data.NonceMatched = answered(conn, asked)
	data.Connected = data.Connected || data.NonceMatched
	if !data.NonceMatched {
		return data, fmt.Errorf("%w: the expected word did not come", ErrUnreachable)
	}
	return data, nil
}

// answered asks three times over UDP, where a packet may be lost.
func answered(conn net.Conn, asked agentapi.DialProbe) bool {
	answer := make([]byte, len(asked.Nonce))
	for range 3 {
		_ = conn.SetDeadline(time.Now().Add(dialLimit / 3))
		if asked.L4 == agentapi.UDP {
			_, _ = io.WriteString(conn, asked.Nonce)
		}
		if _, err := io.ReadFull(conn, answer); err == nil {
			return string(answer) == asked.Nonce
		}
		if asked.L4 == agentapi.TCP {
			return false
		}
	}
	return false
}

func handshake(ctx context.Context, asked agentapi.TLSProbe) (agentapi.TLSData, error) {
	ctx, cancel := context.WithTimeout(ctx, tlsLimit)
	defer cancel()
	if asked.SNI == "" {
		return agentapi.TLSData{}, ErrArgs
	}
	raw, err := dialer(asked.Public).DialContext(ctx, "tcp", asked.Target)
	if errors.Is(err, ErrInside) {
		return agentapi.TLSData{Inside: true}, ErrInside
	}
	if err != nil {
		return agentapi.TLSData{}, &unreached{err}
	}
	defer raw.Close()
	// The certificate is judged below and reported; a target that is not trusted is still a fact to show.
	conn := tls.Client(raw, &tls.Config{
		ServerName: asked.SNI, NextProtos: []string{"h2", "http/1.1"},
		InsecureSkipVerify: true,
	})
	began := time.Now()
	if err := conn.HandshakeContext(ctx); err != nil {
		return agentapi.TLSData{RemoteAddress: raw.RemoteAddr().String()}, &unreached{err}
	}
	data := describe(conn.ConnectionState(), asked.SNI)
	data.Inside = leadsInside(raw.RemoteAddr().String())
	data.LatencyMillis, data.RemoteAddress = millis(time.Since(began)), raw.RemoteAddr().String()
	return data, nil
}

// dialer checks the address that is really dialled, after the name was resolved.
func dialer(public bool) *net.Dialer {
	d := &net.Dialer{Timeout: dialLimit}
	if public {
		d.Control = func(_, address string, _ syscall.RawConn) error {
			if leadsInside(address) {
				return ErrInside
			}
			return nil
		}
	}
	return d
}

func leadsInside(address string) bool {
	at, err := netip.ParseAddrPort(address)
	return err != nil || core.Inside(at.Addr())
}

func describe(state tls.ConnectionState, sni string) agentapi.TLSData {
	data := agentapi.TLSData{
		Version: map[uint16]string{tls.VersionTLS13: "1.3", tls.VersionTLS12: "1.2"}[state.Version],
		ALPN:    state.NegotiatedProtocol, Curve: state.CurveID.String(),
	}
	leaf := state.PeerCertificates[0]
	data.Names = leaf.DNSNames[:min(len(leaf.DNSNames), mostNames)]
	data.NameMatches = leaf.VerifyHostname(sni) == nil
	data.Trusted = trusted(state.PeerCertificates)
	for _, shown := range state.PeerCertificates {
		data.ChainBytes += len(shown.Raw)
	}
	data.Suitable = data.Version == "1.3" && data.ALPN == "h2" && data.NameMatches
	return data
}

func trusted(chain []*x509.Certificate) bool {
	between := x509.NewCertPool()
	for _, certificate := range chain[1:] {
		between.AddCert(certificate)
	}
	_, err := chain[0].Verify(x509.VerifyOptions{Intermediates: between})
	return err == nil
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
