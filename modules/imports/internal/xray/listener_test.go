package xray_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/imports/internal/foreign"
)

// clientsOf are clients that any protocol accepts.
func clientsOf() []any {
	return []any{object{"id": annasID, "password": "s3cret", "auth": "s3cret", "email": "anna"}}
}

// Each protocol is read over each transport and with each security that flows speak, and refused with any other.
func TestProtocolsTransportsAndSecurities(t *testing.T) {
	t.Parallel()
	transports := map[string]string{
		"": "raw", "tcp": "raw", "raw": "raw", "ws": "ws", "websocket": "ws", "grpc": "grpc", "gun": "grpc",
		"xhttp": "xhttp", "splithttp": "xhttp", "httpupgrade": "httpupgrade", "WS": "ws",
		"kcp": "", "quic": "", "hysteria": "", "h2": "", "domainsocket": "",
	}
	securities := map[string][]string{
		"vless": {"reality", "tls", "TLS"}, "trojan": {"tls", "TLS"}, "vmess": {"tls", "TLS", "none", ""},
	}
	for protocol, allowed := range securities {
		for network, transport := range transports {
			for _, security := range []string{"", "none", "tls", "TLS", "reality", "xtls"} {
				stream := object{"network": network, "security": security, "realitySettings": realityOf(nil)}
				c := listener(t, object{
					"tag": "in-1", "port": 443, "protocol": strings.ToUpper(protocol), "streamSettings": stream,
					"settings": object{"clients": clientsOf()},
				})
				fits := false
				for _, one := range allowed {
					fits = fits || one == security
				}
				fits = fits && (security != "reality" || transport != "ws" && transport != "httpupgrade")
				where := strings.Join([]string{protocol, network, security}, "/")
				switch {
				case transport == "":
					require.Equal(t, []string{
						strings.TrimSpace("inbounds[0].streamSettings.network transport_not_supported " + network),
					}, told(c), where)
				case !fits:
					require.Empty(t, c.Entries, where)
					require.Equal(t, foreign.SecurityUnknown, c.Findings[0].Code, where)
					require.Equal(t, "inbounds[0].streamSettings.security", c.Findings[0].Path, where)
				default:
					require.Len(t, c.Entries, 1, where)
					require.Equal(t, protocol, c.Entries[0].Listener.Protocol)
					require.Equal(t, transport, c.Entries[0].Listener.Transport, where)
					require.Len(t, c.Entries[0].Clients, 1, where)
				}
			}
		}
	}
}

func TestProtocolsThatFlowsDoNotSpeakAreTold(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"socks", "http", "dokodemo-door", "mixed", "tun", "", "a\u0000b"} {
		c := listener(t, object{"port": 1, "protocol": protocol})
		require.Empty(t, c.Entries)
		require.Equal(t, foreign.ProtocolUnknown, c.Findings[0].Code)
		require.Equal(t, foreign.Clean(protocol, 64), c.Findings[0].What)
	}
}

// Flows speak WireGuard, with keys and addresses of their own making: peers from elsewhere could not go on with their
// files, and whoever imports is told so.
func TestListenersOfWireGuardAreToldWithTheirReason(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"wireguard", "WireGuard"} {
		c := listener(t, object{"port": 51820, "protocol": protocol, "settings": object{"peers": []object{{"publicKey": "x"}}}})
		require.Empty(t, c.Entries)
		require.Len(t, c.Findings, 1)
		require.Equal(t, "inbounds[0].protocol", c.Findings[0].Path)
		require.Equal(t, foreign.WireGuardAnew, c.Findings[0].Code)
	}
}

// A limit of the addresses of a client comes along, also one that is beyond what a client here can have.
func TestALimitOfAddressesComesAlong(t *testing.T) {
	t.Parallel()
	var clients []object
	for i, limit := range []any{0, 2, -1, 1e9} {
		id := fmt.Sprintf("0d1f5a52-6c0e-4b33-8a06-5a2a2b1c9b%02d", i)
		clients = append(clients, object{"id": id, "email": id, "limitIp": limit})
	}
	c := listener(t, object{
		"port": 1, "protocol": "vless", "settings": object{"clients": clients, "decryption": "none"},
		"streamSettings": object{"security": "tls", "tlsSettings": object{"serverName": "a.example"}},
	})
	var limits []int
	for _, one := range c.Entries[0].Clients {
		limits = append(limits, one.Addresses)
	}
	require.Equal(t, []int{0, 2, 0, 1000}, limits)
}

func TestPorts(t *testing.T) {
	t.Parallel()
	type ports struct {
		one  int
		span string
	}
	for given, wanted := range map[any]ports{
		443: {443, ""}, "443": {443, ""}, "20000-20010": {0, "20000-20010"}, "5-5": {5, ""}, "1-1000": {0, "1-1000"},
		65535: {65535, ""}, 1: {1, ""},
	} {
		e, _ := one(t, with(shadowsocks(nil), object{"port": given}))
		require.Equal(t, wanted, ports{e.Listener.Port, e.Listener.PortRange}, given)
	}
	for _, given := range []any{
		0, -1, 65536, "", "x", "1-1001", "9-1", "443,8443", "1-2-3", "env:PORT", true, nil, 1.5,
		object{},
		"1e3", " 443",
		"99999999999999999999",
	} {
		c := listener(t, with(shadowsocks(nil), object{"port": given}))
		require.Equal(t, []string{"inbounds[0].port port_not_read"}, told(c), "%v", given)
	}
}

// A listener listens where it did; an address that is none of the node's is told of.
func TestAddressesToListenOn(t *testing.T) {
	t.Parallel()
	for given, wanted := range map[any]string{
		nil: "", "": "", "0.0.0.0": "", "127.0.0.1": "127.0.0.1", "::": "::", "2001:db8::7": "2001:db8::7",
	} {
		e, c := one(t, with(shadowsocks(nil), object{"listen": given}))
		require.Equal(t, wanted, e.Listener.ListenIP, given)
		require.Empty(t, c.Findings, given)
	}
	for _, given := range []any{"/dev/shm/x.sock", "@abstract", "example.org", "fe80::1%eth0", 5, object{"a": 1}, true} {
		e, c := one(t, with(shadowsocks(nil), object{"listen": given}))
		require.Empty(t, e.Listener.ListenIP)
		require.Equal(t, []string{"inbounds[0].listen setting_left_out listen"}, told(c), given)
	}
}

func TestPathsAndServiceNames(t *testing.T) {
	t.Parallel()
	long := "/" + strings.Repeat("a", 200)
	for _, c := range []struct{ network, settings, given, wanted, left string }{
		{"ws", "wsSettings", "/chat?ed=2048", "/chat", ""},
		{"ws", "wsSettings", "chat", "/chat", ""},
		{"ws", "wsSettings", "", "", ""},
		{"ws", "wsSettings", "?ed=1", "", ""},
		{"ws", "wsSettings", long, "", ".wsSettings.path setting_left_out path"},
		{"ws", "wsSettings", "/a\u0000b", "", ".wsSettings.path setting_left_out path"},
		{"httpupgrade", "httpupgradeSettings", "/up", "/up", ""},
		{"httpupgrade", "httpupgradeSettings", long, "", ".httpupgradeSettings.path setting_left_out path"},
		{"xhttp", "xhttpSettings", "/x/y", "/x/y", ""},
		{"xhttp", "xhttpSettings", long, "", ".xhttpSettings.path setting_left_out path"},
		{"splithttp", "splithttpSettings", "/s", "/s", ""},
	} {
		e, got := one(t, vless(object{"network": c.network, "security": "tls", c.settings: object{"path": c.given}}))
		require.Equal(t, c.wanted, e.Listener.Path, c)
		if c.left != "" {
			require.Contains(t, told(got), "inbounds[0].streamSettings"+c.left)
		}
	}
	grpc := func(name string) object {
		return vless(object{"network": "grpc", "security": "tls", "grpcSettings": object{"serviceName": name}})
	}
	e, _ := one(t, grpc("feed"))
	require.Equal(t, "feed", e.Listener.ServiceName)
	e, c := one(t, grpc(strings.Repeat("a", 65)))
	require.Empty(t, e.Listener.ServiceName)
	require.Contains(t, told(c), "inbounds[0].streamSettings.grpcSettings.serviceName setting_left_out serviceName")
}

// A raw stream may look like HTTP only where flows speak that.
func TestARawStreamThatHidesInHTTPIsToldOf(t *testing.T) {
	t.Parallel()
	for _, settings := range []string{"tcpSettings", "rawSettings"} {
		for kind, spoken := range map[string]bool{"none": true, "": true, "http": false} {
			c := listener(t, vless(object{
				"security": "tls", settings: object{"header": object{"type": kind}},
			}))
			require.Equal(t, spoken, len(c.Entries) == 1, "%s %s", settings, kind)
		}
	}
	c := listener(t, vless(object{"security": "tls", "finalmask": object{"tcp": []any{object{"type": "fragment"}}}}))
	require.Equal(t, []string{"inbounds[0].streamSettings.finalmask transport_not_supported fragment"}, told(c))
}

func TestTLS(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		network string
		alpn    any
		wanted  []string
		left    bool
	}{
		{"raw", []any{"h2", "http/1.1"}, []string{"h2", "http/1.1"}, false},
		{"raw", []any{"http/1.1", "h2", "h2", "h3"}, []string{"http/1.1", "h2"}, false},
		{"raw", "h2,http/1.1", []string{"h2", "http/1.1"}, false},
		{"raw", nil, nil, false},
		{"ws", []any{"h2"}, nil, true},
		{"httpupgrade", []any{"h2"}, nil, true},
		{"grpc", []any{"http/1.1"}, nil, true},
		{"grpc", []any{"http/1.1", "h2"}, []string{"http/1.1", "h2"}, false},
	} {
		e, got := one(t, vless(object{
			"network": c.network, "security": "tls",
			"tlsSettings": object{"alpn": c.alpn, "serverName": "a.example.org", "minVersion": "1.3"},
		}))
		require.Equal(t, c.wanted, e.Listener.ALPN, c)
		require.Equal(t, "1.3", e.Listener.MinVersion)
		require.Equal(t, "a.example.org", e.Domain)
		require.Contains(t, told(got), "inbounds[0].streamSettings.tlsSettings domain_needed a.example.org")
		if c.left {
			require.Contains(t, told(got), "inbounds[0].streamSettings.tlsSettings.alpn setting_left_out alpn")
		}
	}
	e, _ := one(t, vless(object{"security": "tls", "tlsSettings": object{"minVersion": "1.0"}}))
	require.Empty(t, e.Listener.MinVersion)
}

func TestRealityKeepsItsKeysAndNames(t *testing.T) {
	t.Parallel()
	e, c := one(t, overReality(object{
		"xver": 2, "maxTimeDiff": 60000, "shortIds": []any{"", "aa", "0123456789abcdef"}, "mldsa65Seed": "seed",
		"serverNames": []any{"a.example", "", "b.example"}, "minClientVer": "1.8.0", "privateKey": realityKey + "=",
		"limitFallbackUpload":   object{"bytesPerSec": 10, "afterBytes": -5, "burstBytesPerSec": 1 << 50},
		"limitFallbackDownload": object{"bytesPerSec": 0, "afterBytes": 7},
	}))
	require.Equal(t, &foreign.Reality{
		Target: "www.example.org:443", ServerNames: []string{"a.example", "b.example"},
		ShortIDs: []string{"aa", "0123456789abcdef"}, MaxTimeDiff: 60000, Xver: 2, PrivateKey: realityKey, MLDSA65: true,
		LimitUpload: &foreign.Limit{BytesPerSec: 10, BurstPerSec: 1 << 40},
	}, e.Listener.Reality)
	require.Equal(t, []string{
		"inbounds[0].streamSettings.realitySettings.shortIds empty_short_id",
		"inbounds[0].streamSettings.realitySettings.mldsa65Seed mldsa_left_out",
		"inbounds[0].streamSettings.realitySettings.minClientVer setting_left_out minClientVer",
	}, told(c))
	for _, key := range []string{"", "x", realityKey[1:], realityKey + "AAAA", "!!!" + realityKey} {
		c := listener(t, overReality(object{"privateKey": key}))
		require.Equal(t, []string{"inbounds[0].streamSettings.realitySettings.privateKey not_readable"}, told(c))
	}
	many := make([]any, 40)
	for i := range many {
		many[i] = "aa"
	}
	e, c = one(t, overReality(object{"shortIds": many}))
	require.Len(t, e.Listener.Reality.ShortIDs, 32)
	require.Equal(t, []string{"inbounds[0].streamSettings.realitySettings.shortIds over_limit"}, told(c))
	require.Equal(t, []string{"inbounds[0].streamSettings.security security_not_supported reality"},
		told(listener(t, vless(object{"security": "reality"}))))
}

func TestTargetsOfReality(t *testing.T) {
	t.Parallel()
	type target struct {
		text  string
		local bool
	}
	for given, wanted := range map[any]target{
		"www.example.org:443": {"www.example.org:443", false}, "www.example.org": {"www.example.org:443", false},
		8443: {"127.0.0.1:8443", true}, "8443": {"127.0.0.1:8443", true}, "localhost:8443": {"localhost:8443", true},
		"[::1]:443": {"[::1]:443", true}, "10.1.2.3:443": {"10.1.2.3:443", true}, "192.0.2.7:443": {"192.0.2.7:443", false},
	} {
		for _, member := range []string{"target", "dest"} {
			e, c := one(t, overReality(object{"target": nil, member: given}))
			require.Equal(t, wanted, target{e.Listener.Reality.Target, e.Listener.Reality.AllowPrivateTarget}, given)
			require.Empty(t, c.Findings)
		}
	}
	for _, given := range []any{
		"", "/dev/shm/site.sock", "@site", "a:b:c", "example.org:0", "example.org:70000", ":443", "0", "a\u0000:443",
	} {
		e, c := one(t, overReality(object{"target": given}))
		require.Empty(t, e.Listener.Reality.Target)
		require.Equal(t, []string{"inbounds[0].streamSettings.realitySettings.target target_not_read"}, told(c), given)
	}
}

func TestShadowsocks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		network any
		l4      string
	}{
		{"tcp", "tcp"},
		{"udp", "udp"},
		{"tcp,udp", ""},
		{"tcp, udp", ""},
		{nil, ""},
		{[]any{"udp"}, "udp"},
		{[]any{"tcp", "udp"}, ""},
	} {
		e, _ := one(t, shadowsocks(object{"network": c.network}))
		require.Equal(t, c.l4, e.Listener.L4, c)
	}
	e, _ := one(t, shadowsocks(object{"password": "MDEyMzQ1Njc4\r\nOWFiY2RlZg=="}))
	require.Equal(t, shadowKey, e.Listener.Secret)
	for _, method := range []string{"aes-256-gcm", "2022-blake3-chacha20-poly1305", "none", ""} {
		c := listener(t, shadowsocks(object{"method": method}))
		require.Equal(t, []string{strings.TrimSpace("inbounds[0].settings.method method_not_supported " + method)}, told(c))
	}
	for _, password := range []string{"", "short", shadowKey + shadowKey, "c2hvcnQ="} {
		c := listener(t, shadowsocks(object{"password": password}))
		require.Equal(t, []string{"inbounds[0].settings.password not_readable"}, told(c))
	}
}

func TestHysteria(t *testing.T) {
	t.Parallel()
	salamander := object{"type": "salamander", "settings": object{"password": "obfuscat3d"}}
	e, _ := one(t, hysteria(object{"udp": []any{salamander}}))
	require.Equal(t, &foreign.Listener{
		Protocol: "hysteria2", Port: 8444, Security: "tls", Obfs: "salamander", Secret: "obfuscat3d",
	}, e.Listener)
	require.Equal(t, "hy-s3cret", e.Clients[0].Password)
	e, _ = one(t, hysteria(nil))
	require.Empty(t, e.Listener.Obfs)
	for _, masks := range [][]any{
		{object{"type": "salamander"}},
		{object{"type": "mkcp-original"}},
		{salamander, salamander},
		{object{"type": "salamander", "settings": object{"password": strings.Repeat("x", 129)}}},
	} {
		c := listener(t, hysteria(object{"udp": masks}))
		require.Empty(t, c.Entries, "links of another obfuscation would not work")
		require.Equal(t, "inbounds[0].streamSettings.finalmask", c.Findings[len(c.Findings)-1].Path)
	}
}

// A load balancer in front that says who connects goes on doing so, where the transport in use was told of it.
func TestThePROXYProtocolIsAccepted(t *testing.T) {
	t.Parallel()
	on := object{"acceptProxyProtocol": true}
	for _, c := range []struct {
		network, member string
		accepted        bool
	}{
		{"raw", "sockopt", true},
		{"tcp", "tcpSettings", true},
		{"raw", "rawSettings", true},
		{"ws", "wsSettings", true},
		{"httpupgrade", "httpupgradeSettings", true},
		{"grpc", "sockopt", true},
		{"xhttp", "sockopt", true},
		{"ws", "tcpSettings", false},
		{"raw", "wsSettings", false},
		{"grpc", "httpupgradeSettings", false},
	} {
		e, got := one(t, vless(object{"network": c.network, "security": "tls", c.member: on}))
		require.Equal(t, c.accepted, e.Listener.AcceptProxy, c)
		require.NotContains(t, strings.Join(told(got), "\n"), "acceptProxyProtocol")
	}
	over := with(shadowsocks(object{"network": "tcp"}), object{"streamSettings": object{"sockopt": on}})
	e, c := one(t, over)
	require.True(t, e.Listener.AcceptProxy)
	require.Empty(t, c.Findings)
	e, c = one(t, with(shadowsocks(nil), object{"streamSettings": object{"sockopt": on}}))
	require.False(t, e.Listener.AcceptProxy, "it stands before connections over tcp alone")
	require.Equal(t, []string{"inbounds[0].streamSettings setting_left_out acceptProxyProtocol"}, told(c))
}

func TestSettingsBesideTheProtocol(t *testing.T) {
	t.Parallel()
	in := overReality(nil)
	in["sniffing"] = object{"enabled": true}
	in["settings"] = with(in["settings"].(object), object{"fallbacks": []any{object{"dest": 80}}})
	e, c := one(t, in)
	require.Equal(t, "on", e.Listener.Sniffing)
	require.Equal(t, []string{"inbounds[0].settings.fallbacks fallbacks_left_out"}, told(c))
	in["sniffing"] = object{"enabled": false}
	e, _ = one(t, in)
	require.Empty(t, e.Listener.Sniffing)
	in["settings"] = with(in["settings"].(object), object{"decryption": "mlkem768x25519plus.native.600s.x"})
	require.Contains(t, told(listener(t, in)), "inbounds[0].settings.decryption security_not_supported decryption")
}

// What has another form than the core's is told of by its place; the other listeners are read all the same.
func TestWrongTypesAreTold(t *testing.T) {
	t.Parallel()
	sound := shadowsocks(nil)
	for at, wrong := range map[string]any{
		"inbounds[0]":                5,
		"inbounds[0].settings":       with(sound, object{"settings": "text"}),
		"inbounds[0].streamSettings": with(sound, object{"streamSettings": []any{1}}),
	} {
		c := read(t, object{"inbounds": []any{wrong, with(sound, object{"tag": "good"})}})
		require.Len(t, c.Entries, 1, at)
		require.Equal(t, []string{at + " not_readable"}, told(c))
	}
}
