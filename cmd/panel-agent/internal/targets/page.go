package targets

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"

	"panel/cmd/panel-agent/internal/core"
	"panel/platform/agentapi"
)

const (
	mostHeaders = 64 << 10
	// browser is sent because sites answer programs without a name with an error page.
	browser = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
)

// page asks for the first page and reads its headers, and nothing of its body. A redirect is told and not followed.
func page(ctx context.Context, conn *tls.Conn, f *agentapi.TargetFinding) {
	address := url.URL{Scheme: "https", Host: f.ServerName, Path: "/"}
	if f.ServerName == "" {
		address.Host = netip.MustParseAddr(f.IP).String()
		if strings.Contains(f.IP, ":") {
			address.Host = "[" + f.IP + "]"
		}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return
	}
	request.Header.Set("User-Agent", browser)
	answer, err := ask(conn, request)
	if err != nil {
		return
	}
	defer answer.Body.Close()
	f.Answered = true
	f.HTTP3 = strings.Contains(answer.Header.Get("Alt-Svc"), "h3")
	if f.CDN == "" {
		f.CDN = cdnOfHeaders(answer.Header)
	}
	if answer.StatusCode >= 300 && answer.StatusCode < 400 {
		redirect(answer.Header.Get("Location"), &address, f)
	}
}

var errOneConnection = errors.New("a target is asked over one connection")

// ask sends the request over the connection that is there, in the protocol that was agreed on; it opens no other one.
func ask(conn *tls.Conn, request *http.Request) (*http.Response, error) {
	var taken atomic.Bool
	transport := &http.Transport{
		DialTLSContext: func(context.Context, string, string) (net.Conn, error) {
			if taken.Swap(true) {
				return nil, errOneConnection
			}
			return conn, nil
		},
		ForceAttemptHTTP2: true, DisableCompression: true, MaxResponseHeaderBytes: mostHeaders,
	}
	return transport.RoundTrip(request)
}

// redirect notes the host that a page leads to, where it is another one.
func redirect(location string, from *url.URL, f *agentapi.TargetFinding) {
	to, err := from.Parse(location)
	if err != nil || to.Hostname() == "" || strings.EqualFold(to.Hostname(), from.Hostname()) {
		return
	}
	f.RedirectsTo = strings.ToLower(to.Hostname())
	if address, err := netip.ParseAddr(to.Hostname()); err == nil {
		f.LeadsInside = core.Inside(address)
	}
	f.LeadsInside = f.LeadsInside || f.RedirectsTo == "localhost" || strings.HasSuffix(f.RedirectsTo, ".localhost")
}
