package graph

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"panel/platform/pattern"
)

var (
	hostForm = pattern.Of(
		`^([a-zA-Z0-9_]([a-zA-Z0-9_-]{0,61}[a-zA-Z0-9_])?\.)*[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$`,
	)
	pathForm = pattern.Of(`^/[A-Za-z0-9._~/-]*$`)
	nameForm = pattern.Of(`^[A-Za-z0-9._-]+$`)
)

// Vision is the flow control of VLESS that hides TLS inside REALITY or TLS.
const Vision = "xtls-rprx-vision"

// TLS is the security of a listener that shows the certificate of its entry's domain.
const TLS = "tls"

// WireGuard is a protocol of tunnels: it carries packets, and brings everything else itself.
const WireGuard = "wireguard"

// QUIC is the transport of Hysteria 2, which has no other.
const QUIC = "quic"

// Filled returns the listener with every value that may be left out.
func (l Listener) Filled() Listener {
	l.ListenIP = or(l.ListenIP, "0.0.0.0")
	l.Transport = or(l.Transport, "raw")
	l.Fingerprint = or(l.Fingerprint, "chrome")
	switch l.Protocol {
	case "vless":
		l.L4, l.Security = "tcp", or(l.Security, "reality")
		l.Flow = visionFor(l)
	case "trojan":
		l.L4, l.Security, l.Flow = "tcp", or(l.Security, TLS), ""
	case "vmess":
		l.L4, l.Security, l.Flow = "tcp", or(l.Security, TLS), ""
	case "hysteria2":
		l.L4, l.Security, l.Transport, l.Flow, l.Obfs = "udp", TLS, QUIC, "", or(l.Obfs, "none")
	case WireGuard:
		l.L4, l.Security, l.Transport, l.Flow, l.Fingerprint = "udp", "none", "raw", "", ""
	case "shadowsocks2022":
		l.L4, l.Security = or(l.L4, "both"), "none"
		l.Method = or(l.Method, "2022-blake3-aes-256-gcm")
	}
	return l.filledTransport().filledReality()
}

func visionFor(l Listener) string {
	if l.Flow == "none" || l.Transport != "raw" || l.Security == "none" {
		return ""
	}
	return Vision
}

func (l Listener) filledTransport() Listener {
	switch l.Transport {
	case "xhttp":
		l.Path, l.Mode = or(l.Path, "/"), or(l.Mode, "auto")
	case "ws", "httpupgrade":
		l.Path = or(l.Path, "/")
	}
	if l.Transport == "grpc" {
		l.ServiceName = or(l.ServiceName, "grpc")
	}
	return l
}

func (l Listener) filledReality() Listener {
	if l.Reality == nil || len(l.Reality.ServerNames) > 0 {
		return l
	}
	r := *l.Reality
	if host, _, err := net.SplitHostPort(r.Target); err == nil {
		r.ServerNames = []string{host}
	}
	l.Reality = &r
	return l
}

// Ports gives the first and the last port of the listener; ok is false when none is given or the range is malformed.
func (l Listener) Ports() (from, to int, ok bool) {
	if l.PortRange == "" {
		return l.Port, l.Port, l.Port >= 1 && l.Port <= 65535
	}
	a, b, found := strings.Cut(l.PortRange, "-")
	from, errA := strconv.Atoi(a)
	to, errB := strconv.Atoi(b)
	return from, to, found && errA == nil && errB == nil && from >= 1 && from <= to && to <= 65535 && l.Port == 0
}

func or(v, otherwise string) string {
	if v == "" {
		return otherwise
	}
	return v
}

func (c *checker) listener(path string, l Listener, portNeeded bool) {
	c.address(path, l, portNeeded)
	switch l.Protocol {
	case "vless":
		c.vless(path, l)
	case "trojan":
		c.trojan(path, l)
	case "vmess":
		c.vmess(path, l)
	case "hysteria2":
		c.hysteria(path, l)
	case "shadowsocks2022":
		c.shadowsocks(path, l)
	case WireGuard:
		c.wireGuard(path, l)
	case "":
		c.add("missing_field", path+".protocol", "choose a protocol")
	default:
		c.add("protocol_not_supported", path+".protocol",
			"this panel compiles vless, trojan, vmess, hysteria2, shadowsocks2022 and wireguard")
	}
	c.tlsSettings(path, l)
	if l.Obfs != "" && l.Protocol != "hysteria2" {
		c.add("not_allowed_here", path+".obfs", "obfuscation of packets belongs to hysteria2")
	}
	if l.SecretRef != "" && l.Protocol != "shadowsocks2022" && l.Protocol != "hysteria2" {
		c.add("not_allowed_here", path+".secret_ref", "only listeners of shadowsocks2022 and hysteria2 have a secret")
	}
	if !oneOf(l.Sniffing, "", "auto", "on", "off") {
		c.add("invalid_value", path+".sniffing", "use auto, on or off")
	}
	c.extra(path+".extra", l)
	if l.AcceptProxy && l.Filled().L4 != "tcp" {
		c.add("not_allowed_here", path+".accept_proxy_protocol", "the PROXY protocol stands before connections over tcp alone")
	}
}

func (c *checker) address(path string, l Listener, portNeeded bool) {
	if l.ListenIP != "" {
		if a, err := netip.ParseAddr(l.ListenIP); err != nil || a.Zone() != "" {
			c.add("invalid_value", path+".listen_ip", "write an IP address of the node, or leave it out")
		}
	}
	if !portNeeded && l.Port == 0 && l.PortRange == "" {
		return
	}
	from, to, ok := l.Ports()
	switch {
	case !ok && l.PortRange == "":
		c.add("invalid_value", path+".port", "give one port from 1 to 65535, or one range such as 20000-20010")
	case !ok:
		c.add("invalid_value", path+".port_range", "give one port from 1 to 65535, or one range such as 20000-20010")
	case to-from >= MaxPorts:
		c.add("too_many_ports", path+".port_range", fmt.Sprintf("a listener has at most %d ports", MaxPorts))
	}
}

func (c *checker) vless(path string, l Listener) {
	if !oneOf(l.L4, "", "tcp") {
		c.add("invalid_value", path+".l4", "VLESS listens on tcp")
	}
	if l.Method != "" {
		c.add("not_allowed_here", path+".method", "a method belongs to shadowsocks2022")
	}
	if !oneOf(l.Flow, "", Vision, "none") || l.Flow == Vision && !oneOf(l.Transport, "", "raw") {
		c.add("invalid_value", path+".flow", "vision works over raw only")
	}
	switch l.Security {
	case "", "reality":
		c.reality(path, l)
	case TLS:
		c.tls(path, l)
	default:
		if !c.unencrypted {
			c.add("security_required", path+".security", "VLESS itself does not encrypt: choose reality or tls")
		}
	}
	c.transports(path, l)
}

// trojan holds the rules of a protocol that is nothing without TLS.
func (c *checker) trojan(path string, l Listener) {
	c.only(path, l, "Trojan", "tcp")
	if !oneOf(l.Security, "", TLS) {
		c.add("security_required", path+".security", "Trojan runs over tls")
	}
	c.tls(path, l)
	c.transports(path, l)
}

// vmess encrypts by itself, so that it may run without TLS.
func (c *checker) vmess(path string, l Listener) {
	c.only(path, l, "VMess", "tcp")
	if !oneOf(l.Security, "", TLS, "none") {
		c.add("invalid_value", path+".security", "VMess runs over tls or by itself")
	}
	c.tls(path, l)
	c.transports(path, l)
}

// hysteria holds the rules of a protocol that is nothing without QUIC, whose TLS it shows.
func (c *checker) hysteria(path string, l Listener) {
	c.only(path, l, "Hysteria 2", "udp")
	if !oneOf(l.Security, "", TLS) {
		c.add("security_required", path+".security", "Hysteria 2 runs over tls")
	}
	if !oneOf(l.Transport, "", QUIC) {
		c.add("transport_not_supported", path+".transport", "Hysteria 2 brings its own transport, QUIC")
	}
	if !oneOf(l.Obfs, "", "none", "salamander") {
		c.add("invalid_value", path+".obfs", "use salamander or none")
	}
	c.tls(path, l)
}

// wireGuard holds the rules of a protocol that has nothing to set but its port.
func (c *checker) wireGuard(path string, l Listener) {
	c.only(path, l, "WireGuard", "udp")
	if !oneOf(l.Transport, "", "raw") {
		c.add("transport_not_supported", path+".transport", "WireGuard brings its own transport")
	}
	if !oneOf(l.Security, "", "none") || l.Reality != nil {
		c.add("not_allowed_here", path+".security", "WireGuard encrypts by itself")
	}
	if l.PortRange != "" {
		c.add("not_allowed_here", path+".port_range", "WireGuard listens on one port")
	}
}

// only refuses what a protocol has not, that listens on one layer 4.
func (c *checker) only(path string, l Listener, name, l4 string) {
	if !oneOf(l.L4, "", l4) {
		c.add("invalid_value", path+".l4", name+" listens on "+l4)
	}
	if l.Method != "" {
		c.add("not_allowed_here", path+".method", "a method belongs to shadowsocks2022")
	}
	if !oneOf(l.Flow, "", "none") {
		c.add("not_allowed_here", path+".flow", "vision belongs to vless")
	}
}

func (c *checker) tls(path string, l Listener) {
	if l.Reality != nil {
		c.add("not_allowed_here", path+".reality", "a listener has either REALITY or TLS")
	}
}

// tlsSettings holds what the TLS of a listener may be told: an upgrade is one of HTTP/1.1, gRPC is HTTP/2.
func (c *checker) tlsSettings(path string, l Listener) {
	if !oneOf(l.MinVersion, "", "1.2", "1.3") {
		c.add("invalid_value", path+".min_version", "use 1.2 or 1.3")
	}
	f := l.Filled()
	if (len(l.ALPN) > 0 || l.MinVersion != "") && (f.Security != TLS || f.Transport == QUIC) {
		c.add("not_allowed_here", path+".min_version", "only TLS over TCP takes alpn and min_version")
		return
	}
	needed := map[string]string{"ws": "http/1.1", "httpupgrade": "http/1.1", "grpc": "h2"}[f.Transport]
	if len(l.ALPN) > 0 && needed != "" && !slices.Contains(l.ALPN, needed) {
		c.add("invalid_value", path+".alpn", f.Transport+" needs "+needed)
	}
	for i, name := range l.ALPN {
		if !oneOf(name, "h2", "http/1.1") || slices.Contains(l.ALPN[:i], name) {
			c.add("invalid_value", path+".alpn", "name h2 and http/1.1, each once")
			return
		}
	}
}

// transports holds the rule that REALITY runs only over raw, xhttp and grpc.
func (c *checker) transports(path string, l Listener) {
	switch l.Transport {
	case "", "raw", "xhttp", "grpc":
	case "ws", "httpupgrade":
		if l.Filled().Security == "reality" {
			c.add("reality_transport", path+".transport", "REALITY runs over raw, xhttp or grpc only")
		}
	default:
		c.add("invalid_value", path+".transport", "unknown transport")
	}
	if l.Path != "" && !pathForm().MatchString(l.Path) {
		c.add("invalid_value", path+".path", "begin with / and use letters, digits and -._~/")
	}
	if !oneOf(l.Mode, "", "auto", "packet-up", "stream-up", "stream-one") {
		c.add("invalid_value", path+".mode", "unknown mode of xhttp")
	}
	if l.ServiceName != "" && !nameForm().MatchString(l.ServiceName) {
		c.add("invalid_value", path+".service_name", "use letters, digits and -._")
	}
}

func (c *checker) reality(path string, l Listener) {
	path += ".reality"
	r := l.Reality
	if r == nil || r.Target == "" {
		c.add("missing_field", path+".target", "name a site with TLS 1.3 and h2, such as www.example.org:443")
		return
	}
	host, port, err := net.SplitHostPort(r.Target)
	n, portErr := strconv.Atoi(port)
	if err != nil || portErr != nil || n < 1 || n > 65535 || !isHost(host) {
		c.add("invalid_value", path+".target", "write host:port")
		return
	}
	c.serverNames(path, host, r.ServerNames)
	c.shortIDs(path, r.ShortIDs)
	if r.Xver < 0 || r.Xver > 2 {
		c.add("invalid_value", path+".xver", "use 0, 1 or 2")
	}
	c.publicKey(path+".public_key", r.PublicKey)
	c.limit(path+".limit_fallback_up", r.LimitUpload)
	c.limit(path+".limit_fallback_down", r.LimitDownload)
	if r.MaxTimeDiff < 0 || r.MaxTimeDiff > 86400000 {
		c.add("invalid_value", path+".max_time_diff", "use milliseconds from 0 to one day")
	}
}

func (c *checker) publicKey(path, key string) {
	const size = 32
	if raw, err := base64.RawURLEncoding.DecodeString(key); key != "" && (err != nil || len(raw) != size) {
		c.add("invalid_value", path, "a public key is 43 letters of unpadded Base64 for addresses")
	}
}

const mostBytes = 1 << 40

func (c *checker) limit(path string, l *Limit) {
	if l != nil && (l.BytesPerSec < 1 || l.BytesPerSec > mostBytes || l.AfterBytes < 0 || l.AfterBytes > mostBytes ||
		l.BurstPerSec < 0 || l.BurstPerSec > mostBytes) {
		c.add("invalid_value", path, "give bytes_per_sec, and perhaps after_bytes and burst_bytes_per_sec, up to 2^40")
	}
}

func (c *checker) serverNames(path, host string, names []string) {
	if _, err := netip.ParseAddr(host); err == nil && len(names) == 0 {
		c.add("missing_field", path+".server_names",
			"the target is an address: name the site that its certificate is for")
	}
	for _, n := range names {
		if !hostForm().MatchString(n) || len(n) > 253 {
			c.add("invalid_value", path+".server_names", "write domain names without wildcards")
			return
		}
	}
}

func (c *checker) shortIDs(path string, ids []string) {
	for _, id := range ids {
		if raw, err := hex.DecodeString(id); err != nil || len(raw) > 8 || len(raw) == 0 {
			c.add("invalid_value", path+".short_ids",
				"a short id is 2 to 16 hexadecimal digits, an even number of them")
			return
		}
	}
}

func (c *checker) shadowsocks(path string, l Listener) {
	if !oneOf(l.L4, "", "tcp", "udp", "both") {
		c.add("invalid_value", path+".l4", "use tcp, udp or both")
	}
	if !oneOf(l.Method, "", "2022-blake3-aes-128-gcm", "2022-blake3-aes-256-gcm") {
		c.add("invalid_value", path+".method", "use 2022-blake3-aes-128-gcm or 2022-blake3-aes-256-gcm")
	}
	if !oneOf(l.Transport, "", "raw") {
		c.add("transport_not_supported", path+".transport", "shadowsocks2022 runs over raw only")
	}
	if !oneOf(l.Security, "", "none") || l.Reality != nil {
		c.add("not_allowed_here", path+".security", "shadowsocks2022 encrypts by itself")
	}
	if !oneOf(l.Flow, "", "none") {
		c.add("not_allowed_here", path+".flow", "vision belongs to vless")
	}
}

func isHost(h string) bool {
	if _, err := netip.ParseAddr(h); err == nil {
		return true
	}
	return len(h) <= 253 && hostForm().MatchString(h)
}
