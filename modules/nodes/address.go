package nodes

import (
	"net/netip"
	"net/url"

	"panel/platform/config"
)

// ownAddress is the address that a probe through a flow may reach: the panel's public one. It is empty where the panel listens
// everywhere and was given none.
func ownAddress(cfg *config.Config) string {
	addr, err := netip.ParseAddr(cfg.String(config.Bind))
	if cfg.String(config.PublicURL) == "" && (err != nil || addr.IsUnspecified()) {
		return ""
	}
	return publicURL(cfg)
}

// sameAddress says whether two addresses of the panel name the same host and port. One that is not known differs from none.
func sameAddress(a, b string) bool {
	if a == "" || b == "" {
		return true
	}
	one, err := url.Parse(a)
	other, otherErr := url.Parse(b)
	return err == nil && otherErr == nil && one.Hostname() == other.Hostname() && portOf(one) == portOf(other)
}

func portOf(u *url.URL) string {
	if port := u.Port(); port != "" {
		return port
	}
	return map[string]string{"http": "80", "https": "443"}[u.Scheme]
}
