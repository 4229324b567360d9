package install

import (
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"panel/platform/config"
)

// PublicURL is the panel's address as agents dial it; never taken from a request.
func PublicURL(cfg *config.Config) string {
	if given := cfg.String(config.PublicURL); given != "" {
		return strings.TrimRight(given, "/")
	}
	host := cfg.String(config.Bind)
	if addr, err := netip.ParseAddr(host); err == nil && addr.IsUnspecified() {
		host = "127.0.0.1"
	}
	at := url.URL{Scheme: "http", Host: net.JoinHostPort(host, strconv.Itoa(cfg.Int(config.Port)))}
	return at.String()
}

// OwnAddress is the address that a probe through a flow may reach: the panel's public one. It is empty where the panel
// listens everywhere and was given none.
func OwnAddress(cfg *config.Config) string {
	addr, err := netip.ParseAddr(cfg.String(config.Bind))
	if cfg.String(config.PublicURL) == "" && (err != nil || addr.IsUnspecified()) {
		return ""
	}
	return PublicURL(cfg)
}

// SameAddress says whether two addresses of the panel name the same host and port. One that is not known differs from
// none.
func SameAddress(a, b string) bool {
	if a == "" || b == "" {
		return true
	}
	one, err := url.Parse(a)
	other, otherErr := url.Parse(b)
	return err == nil && otherErr == nil && portOf(one) == portOf(other) &&
		strings.EqualFold(one.Hostname(), other.Hostname())
}

func portOf(u *url.URL) string {
	if port := u.Port(); port != "" {
		return port
	}
	return map[string]string{"http": "80", "https": "443"}[u.Scheme]
}
