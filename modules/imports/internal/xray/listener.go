package xray

import (
	"encoding/base64"
	"encoding/json"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"panel/modules/imports/internal/foreign"
)

// reader reads one listener.
type reader struct {
	out  *foreign.Config
	path string
	key  string
	in   *Inbound
}

func (r *reader) note(at string, code foreign.Code, what string) {
	r.out.Note(r.path+at, code, r.key, what)
}

type settings struct {
	Clients    []json.RawMessage `json:"clients"`
	Users      []json.RawMessage `json:"users"`
	Decryption string            `json:"decryption"`
	Fallbacks  []json.RawMessage `json:"fallbacks"`
	Method     string            `json:"method"`
	Password   string            `json:"password"`
	Network    list              `json:"network"`
	Flow       string            `json:"flow"` // of clients that name none
}

type stream struct {
	Network  string          `json:"network"`
	Security string          `json:"security"`
	TLS      tlsSettings     `json:"tlsSettings"`
	Reality  *reality        `json:"realitySettings"`
	WS       pathSettings    `json:"wsSettings"`
	Upgrade  pathSettings    `json:"httpupgradeSettings"`
	GRPC     grpcSettings    `json:"grpcSettings"`
	XHTTP    json.RawMessage `json:"xhttpSettings"`
	Split    json.RawMessage `json:"splithttpSettings"`
	TCP      tcpSettings     `json:"tcpSettings"`
	Raw      tcpSettings     `json:"rawSettings"`
	Masks    struct {
		TCP []mask `json:"tcp"`
		UDP []mask `json:"udp"`
	} `json:"finalmask"`
	Sockopt struct {
		ProxyProtocol bool `json:"acceptProxyProtocol"`
	} `json:"sockopt"`
}

type mask struct {
	Type     string `json:"type"`
	Settings struct {
		Password string `json:"password"`
	} `json:"settings"`
}

type tlsSettings struct {
	ServerName string `json:"serverName"`
	ALPN       list   `json:"alpn"`
	MinVersion string `json:"minVersion"`
}

type pathSettings struct {
	Path          string `json:"path"`
	ProxyProtocol bool   `json:"acceptProxyProtocol"`
}

type grpcSettings struct {
	ServiceName string `json:"serviceName"`
}

type tcpSettings struct {
	ProxyProtocol bool `json:"acceptProxyProtocol"`
	Header        struct {
		Type string `json:"type"`
	} `json:"header"`
}

// protocols are those that flows speak, by their names in the core.
var protocols = map[string]string{
	"vless": "vless", "vmess": "vmess", "trojan": "trojan", "shadowsocks": "shadowsocks2022", "hysteria": "hysteria2",
	"hysteria2": "hysteria2",
}

var methods = map[string]int{"2022-blake3-aes-128-gcm": 16, "2022-blake3-aes-256-gcm": 32}

// Limits of what a drawing holds.
const (
	longestPath   = 128
	longestName   = 64
	longestSecret = 128
	longestHost   = 253
	mostValues    = 32 // server names or short ids of a listener
	mostBytes     = 1 << 40
)

// read adds the listener, or says why it cannot be an entry.
func (r *reader) read(c *Config) {
	protocol, spoken := protocols[strings.ToLower(r.in.Protocol)]
	switch {
	case strings.EqualFold(r.in.Protocol, "wireguard"):
		r.note(".protocol", foreign.WireGuardAnew, r.in.Protocol)
		return
	case !spoken:
		r.note(".protocol", foreign.ProtocolUnknown, r.in.Protocol)
		return
	}
	var s settings
	var t stream
	if filled(r.in.Settings) && json.Unmarshal(r.in.Settings, &s) != nil {
		r.note(".settings", foreign.NotReadable, "")
		return
	}
	if filled(r.in.Stream) && json.Unmarshal(r.in.Stream, &t) != nil {
		r.note(".streamSettings", foreign.NotReadable, "")
		return
	}
	t.Network, t.Security = strings.ToLower(t.Network), strings.ToLower(t.Security)
	l := &foreign.Listener{Protocol: protocol}
	e := foreign.Entry{Key: r.key, Name: r.name(protocol), Off: r.in.Off, Listener: l}
	if !r.address(e.Listener) || !r.transport(e.Listener, &t) || !r.security(&e, &t) || !r.secrets(e.Listener, &s, &t) {
		return
	}
	if l.Security == "tls" {
		r.note(".streamSettings.tlsSettings", foreign.DomainNeeded, e.Domain)
	}
	r.extras(l, &s, &t)
	r.clients(&e, &s)
	r.rules(c, &e)
	if e.Off {
		r.note("", foreign.SwitchedOff, e.Name)
	}
	r.out.Add(r.path, e)
}

func (r *reader) name(protocol string) string {
	if name := foreign.Clean(r.in.Name, foreign.MaxLabel); len([]rune(name)) >= 3 {
		return name
	}
	if name := foreign.Clean(r.in.Tag, foreign.MaxLabel); len([]rune(name)) >= 3 {
		return name
	}
	return foreign.Clean(protocol+" "+strings.Trim(string(r.in.Port), `"`), foreign.MaxLabel)
}

func (r *reader) address(l *foreign.Listener) bool {
	var listen string
	if filled(r.in.Listen) && json.Unmarshal(r.in.Listen, &listen) != nil {
		listen = "?"
	}
	if listen != "" && listen != "0.0.0.0" {
		if ip, err := netip.ParseAddr(listen); err != nil || ip.Zone() != "" {
			r.note(".listen", foreign.SettingLeftOut, "listen")
		} else {
			l.ListenIP = listen
		}
	}
	var port text
	if json.Unmarshal(r.in.Port, &port) != nil {
		r.note(".port", foreign.PortUnknown, "")
		return false
	}
	from, to, ranged := strings.Cut(string(port), "-")
	if !ranged {
		to = from
	}
	a, errA := strconv.Atoi(from)
	b, errB := strconv.Atoi(to)
	const most = 1000
	if errA != nil || errB != nil || a < 1 || b > 65535 || a > b || b-a >= most {
		r.note(".port", foreign.PortUnknown, "")
		return false
	}
	if a == b {
		l.Port = a
	} else {
		l.PortRange = strconv.Itoa(a) + "-" + strconv.Itoa(b)
	}
	return true
}

// transport reads how the protocol is carried.
func (r *reader) transport(l *foreign.Listener, t *stream) bool {
	if r.in.Sniffing.Enabled {
		l.Sniffing = "on"
	}
	name := map[string]string{
		"": "raw", "tcp": "raw", "raw": "raw", "ws": "ws", "websocket": "ws", "grpc": "grpc", "gun": "grpc", "xhttp": "xhttp",
		"splithttp": "xhttp", "httpupgrade": "httpupgrade", "hysteria": "quic",
	}[t.Network]
	quic, plain := l.Protocol == "hysteria2", l.Protocol == "shadowsocks2022"
	if masks := append(t.Masks.TCP, t.Masks.UDP...); !quic && len(masks) > 0 {
		r.note(".streamSettings.finalmask", foreign.TransportUnknown, masks[0].Type)
		return false
	}
	obscured := t.TCP.Header.Type + t.Raw.Header.Type
	switch {
	case quic && (name == "quic" || t.Network == ""):
		return true
	case name == "" || name == "quic" || quic || plain && name != "raw" || name == "raw" && obscured != "" &&
		strings.ReplaceAll(obscured, "none", "") != "":
		r.note(".streamSettings.network", foreign.TransportUnknown, t.Network)
		return false
	}
	if l.Transport = name; plain {
		l.Transport = ""
	}
	switch name {
	case "ws":
		l.Path = r.pathOf(".streamSettings.wsSettings.path", t.WS.Path)
	case "httpupgrade":
		l.Path = r.pathOf(".streamSettings.httpupgradeSettings.path", t.Upgrade.Path)
	case "grpc":
		l.ServiceName = r.fit(".streamSettings.grpcSettings.serviceName", t.GRPC.ServiceName, longestName)
	case "xhttp":
		r.xhttp(l, t)
	}
	return true
}

// fit is a text that a drawing can hold; one that is longer or has control characters is left out and told of.
func (r *reader) fit(at, text string, longest int) string {
	if foreign.Clean(text, longest) == text {
		return text
	}
	r.note(at, foreign.SettingLeftOut, at[strings.LastIndex(at, ".")+1:])
	return ""
}

// pathOf is a path without what the core reads from its query.
func (r *reader) pathOf(at, path string) string {
	path, _, _ = strings.Cut(path, "?")
	if path != "" && !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return r.fit(at, path, longestPath)
}

func (r *reader) security(e *foreign.Entry, t *stream) bool {
	l := e.Listener
	allowed := map[string][]string{
		"vless": {"reality", "tls"}, "trojan": {"tls"}, "vmess": {"tls", "none"}, "hysteria2": {"tls"},
		"shadowsocks2022": {"none"},
	}[l.Protocol]
	security := t.Security
	if security == "" {
		security = "none"
	}
	if !slices.Contains(allowed, security) || security == "reality" && (t.Reality == nil ||
		l.Transport == "ws" || l.Transport == "httpupgrade") {
		r.note(".streamSettings.security", foreign.SecurityUnknown, security)
		return false
	}
	if l.Security = security; l.Protocol == "shadowsocks2022" {
		l.Security = ""
	}
	switch security {
	case "reality":
		return r.reality(l, t.Reality)
	case "tls":
		e.Domain = foreign.Clean(t.TLS.ServerName, longestHost)
		if l.Protocol != "hysteria2" {
			r.tls(l, &t.TLS)
		}
	}
	return true
}

// tls reads what TLS over TCP is told. Names of protocols without the one that the transport needs let nobody in.
func (r *reader) tls(l *foreign.Listener, from *tlsSettings) {
	for _, name := range from.ALPN {
		if (name == "h2" || name == "http/1.1") && !slices.Contains(l.ALPN, name) {
			l.ALPN = append(l.ALPN, name)
		}
	}
	needed := map[string]string{"ws": "http/1.1", "httpupgrade": "http/1.1", "grpc": "h2"}[l.Transport]
	if len(l.ALPN) > 0 && needed != "" && !slices.Contains(l.ALPN, needed) {
		l.ALPN = nil
		r.note(".streamSettings.tlsSettings.alpn", foreign.SettingLeftOut, "alpn")
	}
	if from.MinVersion == "1.3" {
		l.MinVersion = "1.3"
	}
}

// secrets reads those of the listener itself.
func (r *reader) secrets(l *foreign.Listener, s *settings, t *stream) bool {
	switch l.Protocol {
	case "shadowsocks2022":
		size, spoken := methods[s.Method]
		if !spoken {
			r.note(".settings.method", foreign.MethodUnknown, s.Method)
			return false
		}
		raw, err := base64.StdEncoding.DecodeString(s.Password)
		if err != nil || len(raw) != size {
			r.note(".settings.password", foreign.NotReadable, "")
			return false
		}
		l.Method, l.Secret = s.Method, base64.StdEncoding.EncodeToString(raw)
		if len(s.Network) == 1 && (s.Network[0] == "tcp" || s.Network[0] == "udp") {
			l.L4 = s.Network[0]
		}
	case "hysteria2":
		for i, mask := range t.Masks.UDP {
			password := mask.Settings.Password
			if mask.Type != "salamander" || password == "" || foreign.Clean(password, longestSecret) != password || i > 0 {
				r.note(".streamSettings.finalmask", foreign.TransportUnknown, mask.Type)
				return false
			}
			l.Obfs, l.Secret = mask.Type, password
		}
	case "vless":
		if s.Decryption != "" && s.Decryption != "none" {
			r.note(".settings.decryption", foreign.SecurityUnknown, "decryption")
			return false
		}
	}
	return true
}

// extras reads what is beside the protocol, and tells of settings that flows do not have.
func (r *reader) extras(l *foreign.Listener, s *settings, t *stream) {
	if len(s.Fallbacks) > 0 {
		r.note(".settings.fallbacks", foreign.FallbacksLeftOut, "")
	}
	switch {
	case !t.proxied(l.Transport):
	case l.Protocol == "hysteria2" || l.Protocol == "shadowsocks2022" && l.L4 != "tcp":
		r.note(".streamSettings", foreign.SettingLeftOut, "acceptProxyProtocol")
	default:
		l.AcceptProxy = true
	}
}

// proxied says whether connections begin with the PROXY protocol: what other transports are told does not count.
func (t *stream) proxied(transport string) bool {
	switch transport {
	case "raw", "":
		return t.Sockopt.ProxyProtocol || t.TCP.ProxyProtocol || t.Raw.ProxyProtocol
	case "ws":
		return t.Sockopt.ProxyProtocol || t.WS.ProxyProtocol
	case "httpupgrade":
		return t.Sockopt.ProxyProtocol || t.Upgrade.ProxyProtocol
	}
	return t.Sockopt.ProxyProtocol
}
