package xui_test

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/imports/internal/foreign"
	"panel/modules/imports/internal/xui"
)

const (
	id     = "0d1f5a52-6c0e-4b33-8a06-5a2a2b1c9b10"
	realit = `"security":"reality","realitySettings":{"target":"www.example.org:443","serverNames":["www.example.org"],
		"privateKey":"MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY","shortIds":["0123abcd"]}`
	withTLS = `"security":"tls","tlsSettings":{"serverName":"a.example","alpn":["h2","http/1.1"],"minVersion":"1.3"}`
)

// inbound is one as 3x-ui has it, with the members of its settings and of its stream.
func inbound(protocol, settings, stream string) map[string]any {
	return map[string]any{
		"id": 7, "remark": "An inbound", "enable": true, "listen": "", "port": 4443, "protocol": protocol, "tag": "in-4443",
		"settings": "{" + settings + "}", "streamSettings": "{" + stream + "}", "sniffing": `{"enabled":false}`,
		"total": 0, "expiryTime": 0,
	}
}

// listed reads a list of inbounds as the API gives it.
func listed(t *testing.T, inbounds ...map[string]any) *foreign.Config {
	t.Helper()
	text, err := json.Marshal(inbounds)
	require.NoError(t, err)
	c, err := xui.Inbounds(text)
	require.NoError(t, err)
	for _, f := range c.Findings {
		require.NotEmpty(t, f.Code.Reason(), f.Code)
	}
	return c
}

func clients(members string) string { return `"clients":[{"email":"anna",` + members + `}]` }

// Every protocol that flows speak is read on every transport that 3x-ui offers for it.
func TestEveryProtocolIsReadOnItsTransports(t *testing.T) {
	t.Parallel()
	paths := map[string]string{
		"ws": `"wsSettings":{"path":"/a?ed=2048"}`, "httpupgrade": `"httpupgradeSettings":{"path":"a"}`,
		"grpc": `"grpcSettings":{"serviceName":"a"}`, "xhttp": `"xhttpSettings":{"path":"/a","mode":"stream-up"}`,
		"tcp": `"tcpSettings":{"header":{"type":"none"}}`,
	}
	secrets := map[string]string{
		"vless": `"id":"` + id + `"`, "vmess": `"id":"` + id + `","security":"auto"`, "trojan": `"password":"s3cret"`,
	}
	for protocol, secret := range secrets {
		for network, settings := range paths {
			stream := `"network":"` + network + `",` + settings + "," + withTLS
			c := listed(t, inbound(protocol, clients(secret), stream))
			require.Len(t, c.Entries, 1, "%s over %s", protocol, network)
			l := c.Entries[0].Listener
			require.Equal(t, protocol, l.Protocol)
			require.Equal(t, strings.ReplaceAll(network, "tcp", "raw"), l.Transport)
			require.Equal(t, "tls", l.Security)
			require.Equal(t, "1.3", l.MinVersion)
			require.Equal(t, []string{"h2", "http/1.1"}, l.ALPN)
			require.Equal(t, "a.example", c.Entries[0].Domain)
			require.Equal(t, map[string]string{"ws": "/a", "httpupgrade": "/a", "xhttp": "/a"}[network], l.Path)
			require.Equal(t, map[string]string{"grpc": "a"}[network], l.ServiceName)
			require.Equal(t, map[string]string{"xhttp": "stream-up"}[network], l.Mode)
			require.Equal(t, 4443, l.Port)
			require.Empty(t, l.Sniffing)
			require.Len(t, c.Entries[0].Clients, 1)
		}
	}
}

func TestRealityIsReadWhereFlowsHaveIt(t *testing.T) {
	t.Parallel()
	for _, network := range []string{"tcp", "grpc", "xhttp"} {
		c := listed(t, inbound("vless", clients(`"id":"`+id+`"`), `"network":"`+network+`",`+realit))
		require.Len(t, c.Entries, 1, network)
		require.Equal(t, "www.example.org:443", c.Entries[0].Listener.Reality.Target)
		require.Equal(t, []string{"www.example.org"}, c.Entries[0].Listener.Reality.ServerNames)
		require.Empty(t, c.Entries[0].Domain)
	}
}

// Hysteria keeps its secret as "auth", and the one of its disguise in a mask.
func TestHysteriaIsRead(t *testing.T) {
	t.Parallel()
	stream := `"network":"hysteria","hysteriaSettings":{"version":2},` + withTLS +
		`,"finalmask":{"udp":[{"type":"salamander","settings":{"password":"mask"}}]}`
	c := listed(t, inbound("hysteria", `"version":2,`+clients(`"auth":"s3cret"`), stream))
	require.Equal(t, "hysteria2", c.Entries[0].Listener.Protocol)
	require.Equal(t, "salamander", c.Entries[0].Listener.Obfs)
	require.Equal(t, "mask", c.Entries[0].Listener.Secret)
	require.Equal(t, "s3cret", c.Entries[0].Clients[0].Password)
}

// Shadowsocks is read with the methods of 2022, whose keys have their length.
func TestShadowsocksIsReadWithItsKeys(t *testing.T) {
	t.Parallel()
	for method, size := range map[string]int{"2022-blake3-aes-128-gcm": 16, "2022-blake3-aes-256-gcm": 32} {
		key := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", size)))
		settings := `"method":"` + method + `","password":"` + key + `","network":"tcp,udp",` +
			clients(`"method":"","password":"`+key+`"`)
		c := listed(t, inbound("shadowsocks", settings, `"network":"tcp","security":"none"`))
		require.Equal(t, method, c.Entries[0].Listener.Method)
		require.Equal(t, key, c.Entries[0].Listener.Secret)
		require.Len(t, c.Entries[0].Clients[0].Key, size)
	}
}

// refusal is an inbound that becomes no entry.
type refusal struct {
	protocol, settings, stream string
	path                       string
	code                       foreign.Code
	what                       string
}

// What flows do not speak is named by its place in 3x-ui, and nothing is made of it.
func TestAnInboundThatCannotBeAFlowIsNamedWithItsReason(t *testing.T) {
	t.Parallel()
	vless := clients(`"id":"` + id + `"`)
	for _, one := range []refusal{
		{"vless", vless, `"network":"kcp"`, ".streamSettings.network", foreign.TransportUnknown, "kcp"},
		{"vless", vless, `"network":"quic"`, ".streamSettings.network", foreign.TransportUnknown, "quic"},
		{"vless", vless, `"network":"hysteria"`, ".streamSettings.network", foreign.TransportUnknown, "hysteria"},
		{
			"vmess", vless, `"network":"tcp","tcpSettings":{"header":{"type":"http"}}`, ".streamSettings.network",
			foreign.TransportUnknown, "tcp",
		},
		{"vless", vless, `"network":"tcp"`, ".streamSettings.security", foreign.SecurityUnknown, "none"},
		{"vless", vless, `"network":"ws",` + realit, ".streamSettings.security", foreign.SecurityUnknown, "reality"},
		{"vless", vless, `"security":"reality"`, ".streamSettings.security", foreign.SecurityUnknown, "reality"},
		{"trojan", vless, `"network":"tcp",` + realit, ".streamSettings.security", foreign.SecurityUnknown, "reality"},
		{"vless", vless, `"security":"xtls"`, ".streamSettings.security", foreign.SecurityUnknown, "xtls"},
		{
			"vless", `"decryption":"mlkem768x25519plus.native.600s.x",` + vless, withTLS, ".settings.decryption",
			foreign.SecurityUnknown, "decryption",
		},
		{
			"shadowsocks", `"method":"aes-256-gcm","password":"x"`, "", ".settings.method", foreign.MethodUnknown,
			"aes-256-gcm",
		},
		{
			"shadowsocks", `"method":"2022-blake3-aes-128-gcm","password":"c2hvcnQ="`, "", ".settings.password",
			foreign.NotReadable, "",
		},
		{
			"hysteria", "", withTLS + `,"finalmask":{"udp":[{"type":"noise"}]}`, ".streamSettings.finalmask",
			foreign.TransportUnknown, "noise",
		},
		{
			"vless", vless, strings.Replace(realit, "MDEy", "", 1), ".streamSettings.realitySettings.privateKey",
			foreign.NotReadable, "",
		},
		{"vless", `"clients":"none"`, withTLS, ".settings", foreign.NotReadable, ""},
		{"vless", vless, `"wsSettings":1`, ".streamSettings", foreign.NotReadable, ""},
	} {
		c := listed(t, inbound(one.protocol, one.settings, one.stream))
		require.Empty(t, c.Entries, one.path)
		require.Equal(t, []foreign.Finding{{
			Path: "inbounds[id=7]" + one.path, Code: one.code, Entry: "in-4443", What: one.what,
		}}, c.Findings)
	}
}

// The protocols of 3x-ui that flows do not speak are named.
func TestProtocolsThatFlowsDoNotSpeakAreNamed(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"http", "mixed", "tunnel", "tun", "mtproto", "socks", "dokodemo-door", ""} {
		c := listed(t, inbound(protocol, "", ""))
		require.Empty(t, c.Entries)
		require.Equal(t, []foreign.Finding{{
			Path: "inbounds[id=7].protocol", Code: foreign.ProtocolUnknown, Entry: "in-4443", What: protocol,
		}}, c.Findings)
	}
}

// What an inbound has beside its listener is read, or named: nothing is left out silently.
func TestASettingThatIsLeftOutIsNamed(t *testing.T) {
	t.Parallel()
	reality := func(member string) string { return strings.Replace(realit, `"shortIds"`, member+`,"shortIds"`, 1) }
	vless := clients(`"id":"` + id + `","flow":"xtls-rprx-vision"`)
	const at = ".streamSettings.realitySettings"
	for _, one := range []refusal{
		{"vless", vless + `,"fallbacks":[{"dest":80}]`, withTLS, ".settings.fallbacks", foreign.FallbacksLeftOut, ""},
		{"vless", vless, reality(`"mldsa65Seed":"seed"`), at + ".mldsa65Seed", foreign.MLDSALeftOut, ""},
		{"vless", vless, reality(`"minClientVer":"25.1.1"`), at + ".minClientVer", foreign.SettingLeftOut, "minClientVer"},
		{"vless", vless, strings.Replace(realit, `"0123abcd"`, `""`, 1), at + ".shortIds", foreign.EmptyShortID, ""},
		{"vless", vless, strings.Replace(realit, "www.example.org:443", "@", 1), at + ".target", foreign.TargetUnknown, ""},
		{
			"vless", clients(`"id":"` + id + `"`), `"network":"xhttp","xhttpSettings":{"uplinkHTTPMethod":"PUT"},` + withTLS,
			".streamSettings.xhttpSettings", foreign.SettingLeftOut, "uplinkHTTPMethod",
		},
		{"vless", `"clients":[]`, withTLS, ".settings.clients", foreign.NoClients, ""},
		{"vless", `"clients":[1]`, withTLS, ".settings.clients[0]", foreign.NotReadable, ""},
		{"vless", clients(`"flow":"xtls-rprx-vision"`), withTLS, ".settings.clients[0]", foreign.ClientNoSecret, "anna"},
		{"trojan", clients(`"password":"a\nb"`), withTLS, ".settings.clients[0]", foreign.ClientNoSecret, "anna"},
		{
			"vless", `"clients":[{"email":"boris","id":"b","flow":"xtls-rprx-vision"},{"email":"anna","id":"a"}]`, withTLS,
			".settings.clients[1].flow", foreign.ClientOtherFlow, "anna",
		},
		{
			"trojan", clients(`"password":"s","expiryTime":-1e18`), withTLS, ".settings.clients[0].expiryTime",
			foreign.TimeTooLong, "anna",
		},
		{
			"trojan", clients(`"password":"s","totalGB":1000,"reset":30`), withTLS, ".settings.clients[0].reset",
			foreign.ResetLeftOut, "anna",
		},
		{
			"trojan", clients(`"password":"s","totalGB":1000,"trafficReset":"hourly"`), withTLS,
			".settings.clients[0].reset", foreign.ResetLeftOut, "anna",
		},
	} {
		c := listed(t, inbound(one.protocol, one.settings, one.stream))
		require.Len(t, c.Entries, 1, one.path)
		require.Contains(t, c.Findings, foreign.Finding{
			Path: "inbounds[id=7]" + one.path, Code: one.code, Entry: "in-4443", What: one.what,
		})
	}
}

// An inbound of 3x-ui may have a quota and an end of its own, which flows do not have.
func TestTheQuotaAndTheEndOfAnInboundAreNamed(t *testing.T) {
	t.Parallel()
	limited := inbound("trojan", clients(`"password":"s"`), withTLS)
	limited["total"], limited["expiryTime"] = int64(1)<<40, int64(1893456000000)
	c := listed(t, limited)
	require.Len(t, c.Entries, 1)
	for _, name := range []string{"total", "expiryTime"} {
		require.Contains(t, c.Findings, foreign.Finding{
			Path: "inbounds[id=7]." + name, Code: foreign.SettingLeftOut, What: name,
		})
	}
	for _, f := range listed(t, inbound("trojan", clients(`"password":"s"`), withTLS)).Findings {
		require.NotEqual(t, foreign.SettingLeftOut, f.Code, "an inbound without limits has none to name")
	}
}

// Clients keep their quota, when it begins anew, and whether they are switched off.
func TestClientsKeepTheirLimits(t *testing.T) {
	t.Parallel()
	for cycle, reset := range map[string]string{
		"": "never", "never": "never", "daily": "daily", "weekly": "weekly", "monthly": "monthly",
	} {
		c := listed(t, inbound("trojan", clients(
			`"password":"s","totalGB":1000,"enable":false,"comment":"a note","trafficReset":"`+cycle+`"`), withTLS))
		client := c.Entries[0].Clients[0]
		require.EqualValues(t, 1000, client.Quota)
		require.Equal(t, reset, client.Reset)
		require.True(t, client.Disabled)
		require.Equal(t, "a note", client.Note)
	}
	unlimited := listed(t, inbound("trojan", clients(`"password":"s","totalGB":0,"reset":30`), withTLS)).Entries[0].Clients[0]
	require.Zero(t, unlimited.Quota)
	require.Empty(t, unlimited.Reset)
}

// What clients have used is never below zero, and belongs to their name in the same list.
func TestWhatClientsHaveUsedComesAlong(t *testing.T) {
	t.Parallel()
	one := inbound("trojan", clients(`"password":"s"`), withTLS)
	one["clientStats"] = []map[string]any{{"email": "anna", "up": -5, "down": 6}, {"email": "boris", "up": 1, "down": 1}}
	client := listed(t, one).Entries[0].Clients[0]
	require.Zero(t, client.Up)
	require.EqualValues(t, 6, client.Down)
}

// Where an inbound listens is kept, and a socket is named.
func TestWhereAnInboundListens(t *testing.T) {
	t.Parallel()
	for listen, ip := range map[string]string{"": "", "0.0.0.0": "", "192.0.2.7": "192.0.2.7", "::": "::", "@socket": ""} {
		one := inbound("trojan", clients(`"password":"s"`), withTLS)
		one["listen"] = listen
		c := listed(t, one)
		require.Equal(t, ip, c.Entries[0].Listener.ListenIP)
		require.Equal(t, listen == "@socket", len(codes(c, "inbounds[id=7].listen")) > 0)
	}
	for _, port := range []int{0, -1, 65536} {
		one := inbound("trojan", clients(`"password":"s"`), withTLS)
		one["port"] = port
		c := listed(t, one)
		require.Empty(t, c.Entries)
		require.Equal(t, []foreign.Code{foreign.PortUnknown}, codes(c, "inbounds[id=7].port"))
	}
}

// Settings that are no document are named, and keep no other inbound from being read.
func TestOneUnreadableInboundStopsNoOther(t *testing.T) {
	t.Parallel()
	sound := inbound("trojan", clients(`"password":"s"`), withTLS)
	for _, member := range []string{"settings", "streamSettings"} {
		for _, broken := range []any{"{", "[]", "1", []int{1}, 7, `"text"`} {
			one := inbound("trojan", clients(`"password":"s"`), withTLS)
			one["id"], one[member] = 8, broken
			c := listed(t, one, sound)
			require.Len(t, c.Entries, 1, "%v", broken)
			require.Contains(t, c.Findings, foreign.Finding{
				Path: "inbounds[id=8]", Code: foreign.NotReadable, What: "An inbound",
			})
		}
	}
	sniffed := inbound("trojan", clients(`"password":"s"`), withTLS)
	sniffed["sniffing"] = "{"
	require.Len(t, listed(t, sniffed).Entries, 1, "whether it sniffs is no reason to leave it out")
}

// More inbounds than one import takes are told of.
func TestMoreInboundsThanOneImportTakesAreTold(t *testing.T) {
	t.Parallel()
	many := make([]map[string]any, foreign.MaxEntries+2)
	for i := range many {
		many[i] = inbound("trojan", clients(`"password":"s"`), withTLS)
	}
	c := listed(t, many...)
	require.Len(t, c.Entries, foreign.MaxEntries)
	require.Contains(t, codes(c, ""), foreign.TooMany)
}

// What is read and found out holds no secret but where a client or a listener keeps it.
func TestFindingsHoldNoSecret(t *testing.T) {
	t.Parallel()
	settings := `"clients":[{"email":"anna","password":"the-secret\n","id":"the-secret the-secret the-secret the-secret"}]`
	for _, protocol := range []string{"vless", "vmess", "trojan", "hysteria", "shadowsocks", "wireguard"} {
		for _, stream := range []string{withTLS, realit, `"network":"kcp","kcpSettings":{"seed":"the-secret"}`} {
			text, err := json.Marshal(listed(t, inbound(protocol, settings, stream)).Findings)
			require.NoError(t, err)
			require.NotContains(t, string(text), "the-secret")
		}
	}
}
