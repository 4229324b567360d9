package plan

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"net"
	"strconv"
	"strings"

	"panel/modules/flows/internal/graph"
	"panel/platform/agentapi"
)

// inbound renders a listener for its accounts; name is the domain whose certificate a listener with TLS shows.
func inbound(root []byte, tag, block, name string, l graph.Listener, accounts []account, sniff bool) Inbound {
	in := Inbound{Tag: tag, Listen: l.ListenIP, Port: portText(l), Stream: serverStream(root, block, name, l)}
	if sniff {
		in.Sniffing = &sniffing{Enabled: true, DestOverride: []string{"http", "tls", "quic"}, RouteOnly: true}
	}
	switch l.Protocol {
	case "vless":
		in.Protocol = "vless"
		in.Settings = inboundSettings{Clients: identified(l.Flow, accounts), Decryption: "none"}
		return in
	case "vmess":
		in.Protocol = "vmess"
		in.Settings = inboundSettings{Clients: identified("", accounts)}
		return in
	case "trojan":
		in.Protocol = "trojan"
		in.Settings = inboundSettings{Clients: trojanUsers(accounts)}
		return in
	case "hysteria2":
		in.Protocol = "hysteria"
		in.Settings = inboundSettings{Clients: hysteriaUsers(accounts), Version: hysteriaVersion}
		return in
	case graph.WireGuard:
		in.Protocol, in.Stream, in.Settings = graph.WireGuard, nil, tunnelSettings(root, block, accounts)
		return in
	}
	in.Protocol = "shadowsocks"
	in.Settings = inboundSettings{
		Clients: shadowsocksUsers(
			l,
			accounts,
		),
		Method:   l.Method,
		Password: serverKey(root, block, l),
		Network:  network(l.L4),
	}
	return in
}

// identified are users who are known by an id.
func identified(flow string, accounts []account) []user {
	users := make([]user, len(accounts))
	for i, a := range accounts {
		users[i] = user{ID: a.uuid, Flow: flow, Email: a.email}
	}
	return users
}

// hysteriaVersion is the one that the core speaks.
const hysteriaVersion = 2

func hysteriaUsers(accounts []account) []user {
	users := make([]user, len(accounts))
	for i, a := range accounts {
		users[i] = user{Auth: a.secret(), Email: a.email}
	}
	return users
}

func trojanUsers(accounts []account) []user {
	users := make([]user, len(accounts))
	for i, a := range accounts {
		users[i] = user{Password: a.secret(), Email: a.email}
	}
	return users
}

func shadowsocksUsers(l graph.Listener, accounts []account) []user {
	users := make([]user, len(accounts))
	for i, a := range accounts {
		users[i] = user{Password: a.password(l.Method), Email: a.email}
	}
	return users
}

func network(l4 string) string {
	if l4 == "both" {
		return "tcp,udp"
	}
	return l4
}

// PortText is the port of a listener, or its range.
func PortText(l graph.Listener) string { return portText(l) }

func portText(l graph.Listener) string {
	from, to, _ := l.Ports()
	if from == to {
		return strconv.Itoa(from)
	}
	return fmt.Sprintf("%d-%d", from, to)
}

func serverStream(root []byte, block, name string, l graph.Listener) *stream {
	s := transportOf(l)
	if l.AcceptProxy {
		s.Socket = &socketParams{Proxied: true}
	}
	if l.Obfs == salamander {
		s.Masks = obfuscated(root, block, l)
	}
	switch l.Security {
	case graph.TLS:
		s.Security, s.TLS = graph.TLS, serverTLS(name, l)
		if name == "" {
			s.TLS = hopServerTLS(root, block, l)
		}
		return s
	case "reality":
	default:
		return s
	}
	s.Security = "reality"
	s.Reality = &realityParams{
		Target: l.Reality.Target, ServerNames: l.Reality.ServerNames, PrivateKey: realityPrivate(root, block),
		ShortIDs: shortIDs(root, block, l), MaxTimeDiff: l.Reality.MaxTimeDiff, Xver: l.Reality.Xver,
		LimitUpload: limited(l.Reality.LimitUpload), LimitDownload: limited(l.Reality.LimitDownload),
	}
	if l.Reality.MLDSA65 {
		seed := mldsaSeed(root, block)
		s.Reality.MLDSASeed = base64.RawURLEncoding.EncodeToString(seed[:])
	}
	return s
}

// limited fills what the core takes for no limit at all.
func limited(l *graph.Limit) *limitParams {
	if l == nil {
		return nil
	}
	return &limitParams{
		AfterBytes: l.AfterBytes, BytesPerSec: l.BytesPerSec, BurstPerSec: max(l.BurstPerSec, l.BytesPerSec),
	}
}

func transportOf(l graph.Listener) *stream {
	s := &stream{Network: l.Transport}
	switch l.Transport {
	case "xhttp":
		s.XHTTP = &xhttpParams{Path: l.Path, Mode: l.Mode, Extra: extra(l.Extra)}
	case "grpc":
		s.GRPC = &grpcParams{ServiceName: l.ServiceName}
	case "ws":
		s.WS = &pathParams{Path: l.Path}
	case "httpupgrade":
		s.Upgrade = &pathParams{Path: l.Path}
	case graph.QUIC:
		s.Network, s.Hysteria = "hysteria", &hysteriaParams{Version: hysteriaVersion}
	}
	return s
}

func extra(e *graph.Extra) *xhttpExtra {
	if e == nil {
		return nil
	}
	out := &xhttpExtra{
		PaddingBytes: e.PaddingBytes, NoGRPCHeader: e.NoGRPCHeader, NoSSEHeader: e.NoSSEHeader,
		MaxEachPostBytes: e.MaxEachPostBytes, MinPostsIntervalMs: e.MinPostsIntervalMs,
		MaxBufferedPosts: e.MaxBufferedPosts, StreamUpServerSecs: e.StreamUpServerSecs,
	}
	if e.Xmux != nil {
		muxed := xmux(*e.Xmux)
		out.Xmux = &muxed
	}
	return out
}

// salamander is the obfuscation of Hysteria 2.
const salamander = "salamander"

func obfuscated(root []byte, block string, l graph.Listener) *masks {
	hidden := maskSettings{Password: obfsPassword(root, block, l)}
	return &masks{UDP: []packetMask{{Type: salamander, Settings: hidden}}}
}

// serverTLS shows the certificate of the domain to those who ask for it; a scanner of addresses, which knows no name,
// sees nothing.
func serverTLS(name string, l graph.Listener) *tlsParams {
	shown := agentapi.CertificateOf(name)
	return &tlsParams{
		ALPN: alpn(l), MinVersion: cmp.Or(l.MinVersion, "1.2"), OnlyKnown: true,
		Certificates: []certificateRef{{Chain: shown, Key: shown}},
	}
}

// clientTLS trusts what the node holds for the domain, so that a probe on the node tells whether the listener shows it,
// whoever has signed it.
func clientTLS(name string, l graph.Listener) *tlsParams {
	return &tlsParams{
		ServerName: name, Fingerprint: l.Fingerprint, ALPN: alpn(l), NoSystemRoots: true,
		Certificates: []certificateRef{{Chain: agentapi.CertificateOf(name), Usage: "verify"}},
	}
}

// alpn is what the listener says, else what the transport can speak inside TLS: an upgrade is one of HTTP/1.1, gRPC is
// HTTP/2.
func alpn(l graph.Listener) []string {
	if len(l.ALPN) > 0 {
		return l.ALPN
	}
	switch l.Transport {
	case "ws", "httpupgrade":
		return []string{"http/1.1"}
	case "grpc":
		return []string{"h2"}
	case graph.QUIC:
		return []string{"h3"}
	}
	return []string{"h2", "http/1.1"}
}

func shortIDs(root []byte, block string, l graph.Listener) []string {
	if len(l.Reality.ShortIDs) > 0 {
		return l.Reality.ShortIDs
	}
	return []string{shortID(root, block)}
}

// outbound renders the client side of a listener: what a node, or a probe, dials.
func outbound(root []byte, tag, block, name string, l graph.Listener, host string, a account) Outbound {
	port, _, _ := l.Ports()
	o := Outbound{
		Tag: tag, Settings: &outboundSettings{Address: host, Port: port}, Stream: clientStream(root, block, name, l),
	}
	switch l.Protocol {
	case "trojan":
		o.Protocol, o.Settings.Password = "trojan", a.secret()
		return o
	case "vless":
		o.Protocol = "vless"
		o.Settings.ID, o.Settings.Flow, o.Settings.Encryption = a.uuid, l.Flow, "none"
		return o
	case "vmess":
		o.Protocol, o.Settings.ID, o.Settings.Security = "vmess", a.uuid, "auto"
		return o
	case "hysteria2":
		o.Protocol, o.Settings.Version, o.Stream.Hysteria.Auth = "hysteria", hysteriaVersion, a.secret()
		return o
	}
	o.Protocol = "shadowsocks"
	o.Settings.Method = l.Method
	o.Settings.Password = serverKey(root, block, l) + ":" + a.password(l.Method)
	return o
}

func clientStream(root []byte, block, name string, l graph.Listener) *stream {
	s := transportOf(l)
	if l.Obfs == salamander {
		s.Masks = obfuscated(root, block, l)
	}
	switch l.Security {
	case graph.TLS:
		s.Security, s.TLS = graph.TLS, clientTLS(name, l)
		if name == "" {
			s.TLS = hopClientTLS(root, block, l)
		}
		return s.at(name)
	case "reality":
	default:
		return s
	}
	s.Security = "reality"
	s.Reality = &realityParams{
		ServerName: l.Reality.ServerNames[0], PublicKey: l.Reality.PublicKey,
		ShortID: shortIDs(root, block, l)[0], Fingerprint: l.Fingerprint,
	}
	if s.Reality.PublicKey == "" {
		s.Reality.PublicKey = realityPublic(root, block)
	}
	if l.Reality.MLDSA65 {
		s.Reality.MLDSAVerify = mldsaVerify(root, block)
	}
	return s
}

// at names the host in requests: the client dials an address, and says the domain.
func (s *stream) at(name string) *stream {
	for _, p := range []*pathParams{s.WS, s.Upgrade} {
		if p != nil {
			p.Host = name
		}
	}
	if s.XHTTP != nil {
		s.XHTTP.Host = name
	}
	return s
}

// listens tells which ports a listener holds, one set per layer 4. Host is the domain of a listener with TLS.
func listens(flowID, name, block, host string, l graph.Listener) []Listen {
	from, to, _ := l.Ports()
	var out []Listen
	for _, l4 := range strings.Split(network(l.L4), ",") {
		held := Listen{FlowID: flowID, Name: name, Block: block, L4: l4, IP: l.ListenIP, From: from, To: to}
		if l.Security == graph.TLS && l4 == agentapi.TCP && host != "" {
			held.Host, held.Path = strings.ToLower(host), toldApartBy(l)
			held.H2 = l.Transport == "grpc" || l.Transport == "xhttp"
			held.Alone = l.Protocol == "vmess" && l.Transport == "raw" || len(l.ALPN) > 0
		}
		if l.AcceptProxy { // whoever is behind the same port would be asked for a header, too
			held.Host, held.Path, held.H2, held.Alone = "", "", false, false
		}
		out = append(out, held)
	}
	return out
}

// listenerFact tells a listener without its secrets.
func listenerFact(name, domain string, l graph.Listener) Fact {
	fields := map[string]string{
		"listen":   net.JoinHostPort(l.ListenIP, portText(l)) + "/" + strings.ReplaceAll(network(l.L4), ",", "+"),
		"protocol": l.Protocol, "transport": l.Transport, "security": l.Security,
	}
	put := func(key, value string) {
		if value != "" {
			fields[key] = value
		}
	}
	if l.Security == graph.TLS {
		put("domain", domain)
	}
	put("flow", l.Flow)
	put("method", l.Method)
	put("path", l.Path)
	put("mode", l.Mode)
	put("service_name", l.ServiceName)
	put("alpn", strings.Join(l.ALPN, ", "))
	put("min_version", l.MinVersion)
	put("obfs", strings.TrimPrefix(l.Obfs, "none"))
	if l.AcceptProxy {
		put("accept_proxy_protocol", "on")
	}
	put("sniffing", strings.TrimPrefix(l.Sniffing, "auto"))
	if l.Extra != nil {
		put("extra", string(encode(extra(l.Extra))))
	}
	if l.Reality != nil {
		put("target", l.Reality.Target)
		put("server_names", strings.Join(l.Reality.ServerNames, ", "))
		put("public_key", l.Reality.PublicKey)
		if l.Reality.MLDSA65 {
			put("mldsa65", "on")
		}
		put("xver", strings.TrimPrefix(strconv.Itoa(l.Reality.Xver), "0"))
		put("limit_fallback_up", limitText(l.Reality.LimitUpload))
		put("limit_fallback_down", limitText(l.Reality.LimitDownload))
	}
	return Fact{Group: "listeners", Name: name, Fields: fields}
}

func limitText(l *graph.Limit) string {
	if l == nil {
		return ""
	}
	return fmt.Sprintf("%d B/s after %d B", l.BytesPerSec, l.AfterBytes)
}
