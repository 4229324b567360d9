package rig

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// SiteName is what the certificate of a Site says.
const SiteName = "site.panel.test"

// Site is what flows lead to: a TLS 1.3 site that REALITY borrows its handshake from, and a plain page behind the flow.
type Site struct {
	Target string // host:port of the TLS site
	Page   string // address of the page

	servers []*http.Server
	mu      sync.Mutex
	held    chan struct{}
	opened  int
}

// OpenSite serves both on the host until Close.
func OpenSite(host string) (*Site, error) {
	certificate, err := selfSigned()
	if err != nil {
		return nil, err
	}
	s := &Site{held: make(chan struct{})}
	settings := &tls.Config{
		Certificates: []tls.Certificate{certificate},
		MinVersion:   tls.VersionTLS13,
		NextProtos:   []string{"h2", "http/1.1"},
	}
	target, err := s.serve(host, settings)
	if err != nil {
		return nil, err
	}
	page, err := s.serve(host, nil)
	s.Target, s.Page = target, "http://"+page
	return s, err
}

func (s *Site) serve(host string, settings *tls.Config) (string, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return "", fmt.Errorf("open a site: %w", err)
	}
	server := &http.Server{
		Handler:           s,
		TLSConfig:         settings,
		ReadHeaderTimeout: time.Minute,
		ErrorLog:          log.New(io.Discard, "", 0),
	}
	s.servers = append(s.servers, server)
	go func() {
		if settings == nil {
			_ = server.Serve(listener) // ends with Close
		} else {
			_ = server.ServeTLS(listener, "", "")
		}
	}()
	return listener.Addr().String(), nil
}

// ServeHTTP answers /held after Release, /bytes?n= with that many bytes, and anything else with the visitor's address.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/held":
		fmt.Fprintln(w, "begun")
		if flusher, ok := w.(http.Flusher); ok {
			flusher.Flush()
		}
		<-s.hold()
		fmt.Fprintln(w, "ended")
	case "/bytes":
		n, _ := strconv.ParseInt(r.URL.Query().Get("n"), 10, 64)
		w.Header().Set("Content-Length", strconv.FormatInt(n, 10))
		_, _ = io.CopyN(w, zeros{}, n) // the visitor may leave
	default:
		visitor, _, _ := net.SplitHostPort(r.RemoteAddr)
		_ = json.NewEncoder(w).Encode(map[string]string{"page": "ok", "ip": visitor}) // the visitor may leave
	}
}

func (s *Site) hold() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened++
	return s.held
}

// Held counts the visitors that have ever come to /held.
func (s *Site) Held() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opened
}

// Release lets everything go that waits at /held.
func (s *Site) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.held)
	s.held = make(chan struct{})
}

// Close ends both servers.
func (s *Site) Close() {
	s.Release()
	for _, server := range s.servers {
		_ = server.Close()
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func selfSigned() (tls.Certificate, error) {
	certificate, key, err := Certificate(SiteName)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(certificate, key)
}

// Certificate makes one for a name or an address, signed by itself, and its key, both as PEM.
func Certificate(name string) (certificate, key []byte, err error) {
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, fmt.Errorf("make the key of a site: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, BasicConstraintsValid: true,
		NotBefore: time.Now().
			Add(-time.Hour),
		NotAfter: time.Now().Add(24 * time.Hour), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if ip := net.ParseIP(name); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{name}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &secret.PublicKey, secret)
	if err != nil {
		return nil, nil, fmt.Errorf("make the certificate of a site: %w", err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(secret)
	if err != nil {
		return nil, nil, fmt.Errorf("encode the key of a site: %w", err)
	}
	return pem.EncodeToMemory(
			&pem.Block{Type: "CERTIFICATE", Bytes: der},
		), pem.EncodeToMemory(
			&pem.Block{Type: "PRIVATE KEY", Bytes: raw},
		), nil
}
