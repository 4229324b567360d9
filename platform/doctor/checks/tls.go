package checks

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"time"

	"panel/platform/doctor"
)

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
	finding := Certificate(ctx, env, address.Hostname(), port)
	finding.Subject = address.Host
	return finding
}

// renew is what helps against most certificates.
func renew() doctor.Text {
	return doctor.Say("renew the certificate (certbot renew, or your own way), then nginx -t && systemctl reload nginx")
}

// Certificate looks at what a server shows and tells in which way it is bad. The data hold not_after where the end of a
// certificate for this name is known.
func Certificate(ctx context.Context, env doctor.Env, host, port string) doctor.Finding {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	connection, err := (&tls.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort(host, port))
	if err == nil {
		defer connection.Close()
		return expiry(connection.(*tls.Conn).ConnectionState().PeerCertificates[0].NotAfter, env.Now())
	}
	var invalid x509.CertificateInvalidError
	var stranger x509.UnknownAuthorityError
	var other x509.HostnameError
	switch {
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		finding := failed(doctor.Say("the certificate ended on %s", invalid.Cert.NotAfter.UTC().Format(time.DateOnly)),
			renew())
		finding.Data = map[string]any{"not_after": invalid.Cert.NotAfter.UTC().Format(time.RFC3339)}
		return finding
	case errors.As(err, &other):
		return failed(doctor.Say("the certificate is not for this name"),
			doctor.Say("correct ssl_certificate in nginx, then nginx -t && systemctl reload nginx"))
	case errors.As(err, &stranger):
		return failed(doctor.Say("browsers do not trust the certificate: its issuer is unknown"), doctor.Say("use a certificate of a public authority with its whole chain, then nginx -t && systemctl reload nginx"))
	}
	return failed(doctor.Say("no TLS connection: %s", whyNot(err)),
		doctor.Command("systemctl status nginx; panelctl logs nginx -n 50"))
}

func expiry(ends, now time.Time) doctor.Finding {
	left := ends.Sub(now)
	finding := ok("the certificate is valid until %s", ends.UTC().Format(time.DateOnly))
	finding.Data = map[string]any{"not_after": ends.UTC().Format(time.RFC3339)}
	switch {
	case left < alarmWithin:
		finding.Status, finding.Do = doctor.Failed, renew()
	case left < renewWithin:
		finding.Status, finding.Do = doctor.Warning, renew()
	}
	return finding
}
