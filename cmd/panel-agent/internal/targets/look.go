package targets

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/jonboulle/clockwork"

	"panel/cmd/panel-agent/internal/reach"
	"panel/platform/agentapi"
)

const (
	// mostRead bounds what one connection may bring, whatever the target sends.
	mostRead = 256 << 10
	// mostTried bounds the addresses of a name that are dialed.
	mostTried = 2
	mostName  = 253
)

// look tries one target. Nothing that the target sends makes it dial another address.
type look struct {
	names resolver
	reach reach.Reach
	roots *x509.CertPool
	clock clockwork.Clock
}

// at tells what the target shows before the context ends.
func (l *look) at(ctx context.Context, target agentapi.ScanTarget) (f agentapi.TargetFinding) {
	defer func() { f.Clean() }()
	f = agentapi.TargetFinding{
		Target:     net.JoinHostPort(target.Host, strconv.Itoa(target.Port)),
		ServerName: target.ServerName, CheckedAt: l.clock.Now().UTC(),
	}
	addresses, failure := l.addresses(ctx, target.Host)
	if failure != "" {
		f.Failure = failure
		return f
	}
	if _, err := netip.ParseAddr(target.Host); err != nil && f.ServerName == "" {
		f.ServerName = target.Host
	}
	var conn net.Conn
	var err error
	for _, address := range addresses[:min(len(addresses), mostTried)] {
		f.IP = address.String()
		if conn, f.LatencyMillis, err = l.dial(ctx, address, target.Port); err == nil {
			break
		}
	}
	if err != nil {
		f.Failure = agentapi.TargetNoAnswer
		if errors.Is(err, reach.ErrInside) {
			f.Failure = agentapi.TargetInside
		}
		return f
	}
	l.through(ctx, conn, target.Port, &f)
	return f
}

// addresses gives those of a host, IPv4 first. A name with any address inside is refused as a whole: another look may
// be answered with that one.
func (l *look) addresses(ctx context.Context, host string) ([]netip.Addr, agentapi.TargetFailure) {
	texts := []string{host}
	if _, err := netip.ParseAddr(host); err != nil {
		if texts, err = l.names.LookupHost(ctx, host); err != nil {
			return nil, agentapi.TargetNoAddress
		}
	}
	addresses := make([]netip.Addr, 0, len(texts))
	for _, text := range texts {
		address, err := netip.ParseAddr(text)
		if err != nil || !l.reach.Permits(address) {
			return nil, agentapi.TargetInside
		}
		addresses = append(addresses, address.Unmap())
	}
	slices.SortStableFunc(addresses, func(a, b netip.Addr) int { return a.BitLen() - b.BitLen() })
	if len(addresses) == 0 {
		return nil, agentapi.TargetNoAddress
	}
	return addresses, ""
}

func (l *look) dial(ctx context.Context, address netip.Addr, port int) (net.Conn, float64, error) {
	began := l.clock.Now()
	dialer := net.Dialer{Control: l.reach.Guard}
	conn, err := dialer.DialContext(ctx, "tcp", netip.AddrPortFrom(address, uint16(port)).String())
	if err != nil {
		return nil, 0, err
	}
	if until, limited := ctx.Deadline(); limited {
		_ = conn.SetDeadline(until) // a connection that takes no deadline fails at its first read
	}
	return &capped{Conn: conn, left: mostRead}, float64(l.clock.Since(began).Microseconds()) / 1000, nil
}

// through makes the handshake and asks for the first page. An address without a name is asked for its certificate
// first, whose first name stands for it from then on.
func (l *look) through(ctx context.Context, raw net.Conn, port int, f *agentapi.TargetFinding) {
	conn, err := handshake(ctx, raw, f.ServerName)
	if err == nil && f.ServerName == "" {
		if name := firstName(conn.ConnectionState().PeerCertificates[0]); name != "" {
			conn.Close()
			f.ServerName = name
			if raw, _, err = l.dial(ctx, netip.MustParseAddr(f.IP), port); err == nil {
				conn, err = handshake(ctx, raw, name)
			}
		}
	}
	if err != nil {
		f.Failure = agentapi.TargetNoTLS
		return
	}
	defer conn.Close()
	l.describe(conn.ConnectionState(), f)
	l.name(ctx, f)
	page(ctx, conn, f)
}

// handshake closes the connection when it fails. It offers what a browser does; what the target answers to it is what
// clients of REALITY would see. The certificate is judged later: one that nobody trusts is a fact to report.
func handshake(ctx context.Context, raw net.Conn, name string) (*tls.Conn, error) {
	conn := tls.Client(raw, &tls.Config{
		ServerName: name, NextProtos: []string{"h2", "http/1.1"}, MinVersion: tls.VersionTLS10,
		CurvePreferences:   []tls.CurveID{tls.X25519MLKEM768, tls.X25519, tls.CurveP256, tls.CurveP384},
		InsecureSkipVerify: true,
	})
	if err := conn.HandshakeContext(ctx); err != nil {
		raw.Close()
		return nil, err
	}
	return conn, nil
}

// firstName is the first name of a certificate that a client can ask for.
func firstName(leaf *x509.Certificate) string {
	for _, name := range leaf.DNSNames {
		if len(name) <= mostName && !strings.Contains(name, "*") && strings.Contains(name, ".") {
			return name
		}
	}
	return ""
}

var versions = map[uint16]string{
	tls.VersionTLS10: "1.0", tls.VersionTLS11: "1.1", tls.VersionTLS12: "1.2", tls.VersionTLS13: "1.3",
}

func (l *look) describe(state tls.ConnectionState, f *agentapi.TargetFinding) {
	f.TLSVersion, f.ALPN = versions[state.Version], state.NegotiatedProtocol
	if state.CurveID != 0 {
		f.Group = state.CurveID.String()
	}
	f.OCSP = len(state.OCSPResponse) > 0
	leaf := state.PeerCertificates[0]
	f.Certificate = &agentapi.TargetCertificate{
		Subject: leaf.Subject.String(), Issuer: leaf.Issuer.String(), NotAfter: leaf.NotAfter.UTC(),
		Names:      leaf.DNSNames,
		ChainValid: l.trusted(state.PeerCertificates),
		NameValid:  f.ServerName != "" && leaf.VerifyHostname(f.ServerName) == nil,
	}
	for _, shown := range state.PeerCertificates {
		f.Certificate.ChainBytes += len(shown.Raw)
	}
}

func (l *look) trusted(chain []*x509.Certificate) bool {
	between := x509.NewCertPool()
	for _, certificate := range chain[1:] {
		between.AddCert(certificate)
	}
	_, err := chain[0].Verify(x509.VerifyOptions{Roots: l.roots, Intermediates: between, CurrentTime: l.clock.Now()})
	return err == nil
}

// name asks DNS whether the name leads to the address, and by which name of a CDN it does.
func (l *look) name(ctx context.Context, f *agentapi.TargetFinding) {
	if f.ServerName == "" {
		return
	}
	if found, err := l.names.LookupHost(ctx, f.ServerName); err == nil {
		f.NameMatches = slices.ContainsFunc(found, func(text string) bool {
			address, err := netip.ParseAddr(text)
			return err == nil && address.Unmap().String() == f.IP
		})
	}
	if alias, err := l.names.LookupCNAME(ctx, f.ServerName); err == nil {
		f.CDN = cdnOfName(alias)
	}
}

// capped is a connection that brings no more than so many bytes.
type capped struct {
	net.Conn
	left int
}

var errTooMuch = errors.New("the target sends more than is read of it")

// Read implements io.Reader.
func (c *capped) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, errTooMuch
	}
	n, err := c.Conn.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}
