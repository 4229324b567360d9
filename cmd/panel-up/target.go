package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

const (
	targetMode = "target"
	targetName = "target.panel.test"
	probePath  = "/probe"
)

// startTarget keeps a site that REALITY borrows its handshake from, and a page that a client fetches through the flow.
func (s *stand) startTarget(ctx context.Context) (string, error) {
	site, err := s.port("target", "target", 9843)
	if err != nil {
		return "", err
	}
	page, err := s.port("page", "target", 9880)
	if err != nil {
		return "", err
	}
	adopted, err := s.ensure(program{name: "target", path: s.path("bin", "panel-up"), args: []string{
		targetMode,
		local(site), local(page),
	}})
	if err != nil {
		return "", err
	}
	err = eventually(ctx, 10*time.Second, func(ctx context.Context) error { return answers(ctx, s.probeURL()) })
	return startedOr(adopted, "https://"+local(site)+" and "+s.probeURL()), err
}

func (s *stand) probeURL() string { return "http://" + local(s.memory.Ports["page"]) + probePath }

func startedOr(adopted bool, text string) string {
	if adopted {
		return "still runs, " + text
	}
	return "started, " + text
}

func answers(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return fmt.Errorf("ask %s: %w", url, err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("ask %s: %w", url, err)
	}
	return response.Body.Close()
}

// serveTarget is the process behind startTarget: TLS 1.3 with HTTP/2 on one address, a plain page on the other.
func serveTarget(addresses []string) error {
	if len(addresses) != 2 {
		return fmt.Errorf("usage: panel-up %s <address of the site> <address of the page>", targetMode)
	}
	certificate, err := selfSigned(targetName)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	site := server(addresses[0])
	site.TLSConfig = &tls.Config{
		Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS13,
		NextProtos: []string{"h2", "http/1.1"},
	}
	page := server(addresses[1])
	failed := make(chan error, 2)
	go func() { failed <- site.ListenAndServeTLS("", "") }()
	go func() { failed <- page.ListenAndServe() }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve the target: %w", err)
	case <-ctx.Done():
		return nil
	}
}

func server(address string) *http.Server {
	return &http.Server{Addr: address, Handler: http.HandlerFunc(servePage), ReadHeaderTimeout: 10 * time.Second}
}

// servePage answers with what the visitor looks like from here, so that a fetch shows which exit it came from.
func servePage(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != probePath {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintln(w, "<!doctype html><title>Example site</title><h1>Example site</h1>")
		return
	}
	visitor, _, _ := net.SplitHostPort(r.RemoteAddr)
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]string{"page": "ok", "ip": visitor})
}

func selfSigned(name string) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("make the key of the target: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{
			CommonName:   name,
			Organization: []string{"Example site"},
		},
		DNSNames: []string{name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(1, 0, 0),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("make the certificate of the target: %w", err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}
