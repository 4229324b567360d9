// Package sites is a set of sites on this machine that differ as targets of REALITY: good ones, and one for each way
// in which a site is none. Tests have agents look at them.
package sites

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Address is where all sites of a set are.
const Address = "127.0.0.1"

// Set are sites whose names lead to Address.
type Set struct {
	Roots *x509.CertPool // with the authority of the good sites
	Bytes *Flood         // what the sites sent that send too much

	t         testing.TB
	authority *x509.Certificate
	key       *ecdsa.PrivateKey
	serial    int64
	ports     map[string]int
}

// Names of the sites. Each is the host name without its zone.
const (
	Good       = "good"
	Classic    = "classic"    // its key exchange does not withstand quantum computers
	Stapled    = "stapled"    // with a proof that its certificate is not revoked, and HTTP/3
	Fake       = "fake"       // shows a certificate for another name
	SelfSigned = "selfsigned" // has signed its certificate itself
	Expired    = "expired"    // shows a certificate that has expired
	Away       = "away"       // redirects to another site
	Www        = "www.own"    // redirects to its own name without www
	Inward     = "inward"     // redirects to a private address
	Behind     = "behind"     // stands behind a CDN
	Old        = "old"        // speaks TLS 1.2 alone
	Plain      = "plain"      // does not offer HTTP/2
	Curve      = "curve"      // knows no X25519
	Tarpit     = "tarpit"     // takes connections and says nothing
	Heavy      = "heavy"      // answers with a page of 10 MB
	Noise      = "noise"      // sends 10 MB of no TLS
	Closed     = "closed"     // has nobody who listens
)

const (
	zone     = ".sites.example.net"
	tenMB    = 10 << 20
	lifetime = 24 * 90 * time.Hour
)

// Open opens all sites; they close with the test.
func Open(t testing.TB) *Set {
	t.Helper()
	s := &Set{t: t, ports: map[string]int{}, Bytes: new(Flood)}
	s.found()
	s.serve(Good, s.issued(Good), nil, nil)
	s.serve(Classic, s.issued(Classic), func(c *tls.Config) { c.CurvePreferences = []tls.CurveID{tls.X25519} }, nil)
	stapled := s.issued(Stapled)
	stapled.OCSPStaple = []byte("a proof")
	s.serve(Stapled, stapled, nil, header("Alt-Svc", `h3=":443"; ma=86400`))
	s.serve(Fake, s.issued("other"), nil, nil)
	s.serve(SelfSigned, s.selfSigned(Host(SelfSigned)), nil, nil)
	s.serve(Expired, s.issue(Host(Expired), time.Now().Add(-time.Hour)), nil, nil)
	s.serve(Away, s.issued(Away), nil, leading("https://elsewhere.example.org/page"))
	s.serve(Www, s.issued(Www), nil, leading("https://own"+zone+"/"))
	s.serve(Inward, s.issued(Inward), nil, leading("http://10.0.0.1/admin"))
	s.serve(Behind, s.issued(Behind), nil, header("CF-Ray", "8a1b2c3d4e5f-FRA"))
	s.serve(Old, s.issued(Old), func(c *tls.Config) { c.MaxVersion = tls.VersionTLS12 }, nil)
	s.serve(Plain, s.issued(Plain), func(c *tls.Config) { c.NextProtos = []string{"http/1.1"} }, nil)
	s.serve(Curve, s.issued(Curve), func(c *tls.Config) { c.CurvePreferences = []tls.CurveID{tls.CurveP256} }, nil)
	s.serve(Heavy, s.issued(Heavy), nil, func(w http.ResponseWriter, _ *http.Request) { s.Bytes.into(w) })
	s.listen(Tarpit, func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) })
	s.listen(Noise, func(conn net.Conn) { s.Bytes.into(conn) })
	s.ports[Closed] = s.ports[Good] // its name is of an address that nobody listens on
	return s
}

// Host is the host name of a site.
func Host(name string) string { return name + zone }

// Target is a site as host:port.
func (s *Set) Target(name string) string {
	s.t.Helper()
	require.Contains(s.t, s.ports, name)
	return net.JoinHostPort(Host(name), strconv.Itoa(s.ports[name]))
}

// Port is that of a site.
func (s *Set) Port(name string) int { return s.ports[name] }

// Names lists the sites.
func (s *Set) Names() []string {
	names := make([]string, 0, len(s.ports))
	for name := range s.ports {
		names = append(names, name)
	}
	return names
}

// Files writes what a process needs that looks at the sites: their authority, and their names as /etc/hosts has them.
func (s *Set) Files(folder string) (roots, hosts string) {
	s.t.Helper()
	roots, hosts = filepath.Join(folder, "sites.pem"), filepath.Join(folder, "hosts")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.authority.Raw})
	require.NoError(s.t, os.WriteFile(roots, text, 0o600))
	lines := []string{"127.0.0.1 localhost"}
	for name := range s.ports {
		at := Address
		if name == Closed {
			at = "127.0.0.9"
		}
		lines = append(lines, at+" "+Host(name))
	}
	require.NoError(s.t, os.WriteFile(hosts, []byte(strings.Join(lines, "\n")+"\n"), 0o644)) //nolint:gosec // no secret
	return roots, hosts
}

func (s *Set) found() {
	var err error
	s.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(s.t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Authority of test sites"},
		NotBefore: time.Now().Add(-lifetime), NotAfter: time.Now().Add(lifetime), IsCA: true,
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, s.key.Public(), s.key)
	require.NoError(s.t, err)
	s.authority, err = x509.ParseCertificate(der)
	require.NoError(s.t, err)
	s.Roots = x509.NewCertPool()
	s.Roots.AddCert(s.authority)
}

func (s *Set) issued(name string) tls.Certificate {
	return s.issue(Host(name), time.Now().Add(lifetime/2))
}

func (s *Set) issue(host string, until time.Time) tls.Certificate {
	return s.sign(host, until, s.authority, s.key)
}

func (s *Set) selfSigned(host string) tls.Certificate {
	return s.sign(host, time.Now().Add(lifetime/2), nil, nil)
}

// sign makes a certificate of the authority, or of the certificate itself where there is none.
func (s *Set) sign(host string, until time.Time, by *x509.Certificate, with *ecdsa.PrivateKey) tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(s.t, err)
	s.serial++
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1 + s.serial), Subject: pkix.Name{CommonName: host}, DNSNames: []string{host},
		NotBefore: time.Now().Add(-lifetime), NotAfter: until,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if by == nil {
		by, with = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, by, key.Public(), with)
	require.NoError(s.t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func (s *Set) serve(name string, shown tls.Certificate, change func(*tls.Config), page http.HandlerFunc) {
	if page == nil {
		page = func(http.ResponseWriter, *http.Request) {}
	}
	server := httptest.NewUnstartedServer(page)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.EnableHTTP2 = true
	server.TLS = &tls.Config{Certificates: []tls.Certificate{shown}, NextProtos: []string{"h2", "http/1.1"}}
	if change != nil {
		change(server.TLS)
		server.EnableHTTP2 = len(server.TLS.NextProtos) > 1
	}
	server.StartTLS()
	s.t.Cleanup(server.Close)
	s.ports[name] = server.Listener.Addr().(*net.TCPAddr).Port //nolint:forcetypeassert // of a TCP listener
}

// listen hands each connection to a function and closes it afterwards.
func (s *Set) listen(name string, talk func(net.Conn)) {
	listener, err := net.Listen("tcp", Address+":0")
	require.NoError(s.t, err)
	s.t.Cleanup(func() { listener.Close() })
	s.ports[name] = listener.Addr().(*net.TCPAddr).Port //nolint:forcetypeassert // of a TCP listener
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				talk(conn)
			}()
		}
	}()
}

func header(name, value string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.Header().Set(name, value) }
}

func leading(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusFound)
	}
}
