package checks

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"panel/platform/doctor"
)

func gigabytes(bytes uint64) string { return fmt.Sprintf("%.1f GB", float64(bytes)/1e9) }

// licenseServer asks the addresses in the panel's order; one that answers anything at all is reachable.
func licenseServer(ctx context.Context, env doctor.Env) doctor.Finding {
	var last error
	for address := range strings.SplitSeq(env.Getenv("PANEL_LICENSE_URLS"), ",") {
		if address = strings.TrimSpace(address); address == "" {
			continue
		}
		if last = reach(ctx, address); last == nil {
			return ok("%s answers", hostOf(address))
		}
	}
	if last == nil {
		return skipped("no license server is configured")
	}
	return warning(doctor.Say("no license server answers: %s", innermost(last)), doctor.Say("check the network and PANEL_LICENSE_URLS; the license holds for its grace period"))
}

func reach(ctx context.Context, address string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return errors.New("an address in PANEL_LICENSE_URLS cannot be read")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

func hostOf(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return parsed.Host
}

// public is the panel's own address as browsers see it; nil where there is none to check.
func public(env doctor.Env) *url.URL {
	parsed, err := url.Parse(env.Getenv("PANEL_PUBLIC_URL"))
	if err != nil || parsed.Hostname() == "" {
		return nil
	}
	return parsed
}

func publicName(ctx context.Context, env doctor.Env) doctor.Finding {
	address := public(env)
	if address == nil {
		return skipped("no public address configured")
	}
	if _, err := netip.ParseAddr(address.Hostname()); err == nil {
		return skipped("the public address is no name")
	}
	found, err := net.DefaultResolver.LookupHost(ctx, address.Hostname())
	if err != nil {
		return failed(doctor.Say("the name %s does not resolve", address.Hostname()), doctor.Say("correct the DNS record, or PANEL_PUBLIC_URL"))
	}
	return ok("%s is %s", address.Hostname(), strings.Join(found, ", "))
}

const (
	renewWithin = 30 * 24 * time.Hour
	alarmWithin = 14 * 24 * time.Hour
)

func publicCertificate(ctx context.Context, env doctor.Env) doctor.Finding {
	address := public(env)
	if address == nil || address.Scheme != "https" {
		return skipped("no public address with https configured")
	}
	port := address.Port()
	if port == "" {
		port = "443"
	}
	connection, err := (&tls.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort(address.Hostname(), port))
	if err != nil {
		return failed(doctor.Say("no trusted TLS connection to %s: %s", address.Host, innermost(err)), doctor.Say("renew the certificate and reload nginx"))
	}
	defer connection.Close()
	return expiry(connection.(*tls.Conn).ConnectionState().PeerCertificates[0].NotAfter, env.Now())
}

func expiry(ends, now time.Time) doctor.Finding {
	left := ends.Sub(now)
	finding := ok("the certificate is valid until %s", ends.UTC().Format(time.DateOnly))
	finding.Data = map[string]any{"not_after": ends.UTC().Format(time.RFC3339)}
	renew := doctor.Say("renew the certificate and reload nginx")
	switch {
	case left < alarmWithin:
		finding.Status, finding.Do = doctor.Failed, renew
	case left < renewWithin:
		finding.Status, finding.Do = doctor.Warning, renew
	}
	return finding
}
