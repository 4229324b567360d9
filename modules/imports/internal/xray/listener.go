package xray

import (
	"encoding/base64"
	"encoding/json"
	"net"
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
	Network    string            `json:"network"`
	Version    int               `json:"version"`
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
		UDP []struct {
			Type     string `json:"type"`
			Settings struct {
				Password string `json:"password"`
			} `json:"settings"`
		} `json:"udp"`
	} `json:"finalmask"`
	Sockopt struct {
		ProxyProtocol bool `json:"acceptProxyProtocol"`
	} `json:"sockopt"`
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

type reality struct {
	Target        text     `json:"target"`
	Dest          text     `json:"dest"`
	Xver          int      `json:"xver"`
	ServerNames   []string `json:"serverNames"`
	PrivateKey    string   `json:"privateKey"`
	ShortIDs      []string `json:"shortIds"`
	MaxTimeDiff   int      `json:"maxTimeDiff"`
	MLDSASeed     string   `json:"mldsa65Seed"`
	MinClientVer  string   `json:"minClientVer"`
	MaxClientVer  string   `json:"maxClientVer"`
	LimitUpload   *limit   `json:"limitFallbackUpload"`
	LimitDownload *limit   `json:"limitFallbackDownload"`
}

type limit struct {
	AfterBytes  int64 `json:"afterBytes"`
	BytesPerSec int64 `json:"bytesPerSec"`
	BurstPerSec int64 `json:"burstBytesPerSec"`
}

// protocols are those that flows speak, by their names in the core.
var protocols = map[string]string{
	"vless": "vless", "vmess": "vmess", "trojan": "trojan", "shadowsocks": "shadowsocks2022", "hysteria": "hysteria2",
	"hysteria2": "hysteria2",
}

var methods = map[string]int{"2022-blake3-aes-128-gcm": 16, "2022-blake3-aes-256-gcm": 32}

// read adds the listener, or says why it cannot be an entry.
func (r *reader) read(c *Config) {
	protocol, spoken := protocols[r.in.Protocol]
	if !spoken {
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
	l := &foreign.Listener{Protocol: protocol}
	e := foreign.Entry{Key: r.key, Name: r.name(protocol), Off: r.in.Off, Listener: l}
	if !r.address(e.Listener) || !r.transport(e.Listener, &t) || !r.security(&e, &t) || !r.secrets(e.Listener, &s, &t) {
		return
	}
	r.extras(&s, &t)
	r.clients(&e, append(s.Clients, s.Users...))
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
	_ = json.Unmarshal(r.in.Listen, &listen) // absent or null: everywhere
	if listen != "" && listen != "0.0.0.0" {
		if _, err := netip.ParseAddr(listen); err != nil {
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
		l.Path = pathOf(t.WS.Path)
	case "httpupgrade":
		l.Path = pathOf(t.Upgrade.Path)
	case "grpc":
		l.ServiceName = t.GRPC.ServiceName
	case "xhttp":
		r.xhttp(l, t)
	}
	return true
}

// pathOf is a path without what the core reads from its query.
func pathOf(path string) string {
	path, _, _ = strings.Cut(path, "?")
	if path != "" && !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return path
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
		e.Domain = foreign.Clean(t.TLS.ServerName, 253)
		r.note(".streamSettings.tlsSettings", foreign.DomainNeeded, e.Domain)
		if l.Protocol == "hysteria2" {
			return true
		}
		for _, name := range t.TLS.ALPN {
			if (name == "h2" || name == "http/1.1") && !slices.Contains(l.ALPN, name) {
				l.ALPN = append(l.ALPN, name)
			}
		}
		if t.TLS.MinVersion == "1.3" {
			l.MinVersion = "1.3"
		}
	}
	return true
}

func (r *reader) reality(l *foreign.Listener, from *reality) bool {
	const at = ".streamSettings.realitySettings"
	to := &foreign.Reality{ServerNames: from.ServerNames, PrivateKey: strings.TrimSpace(from.PrivateKey)}
	l.Reality = to
	if raw, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(to.PrivateKey, "=")); err != nil || len(raw) != 32 {
		r.note(at+".privateKey", foreign.NotReadable, "")
		return false
	}
	r.target(l, from)
	for _, id := range from.ShortIDs {
		if id == "" {
			r.note(at+".shortIds", foreign.EmptyShortID, "")
			continue
		}
		to.ShortIDs = append(to.ShortIDs, id)
	}
	if from.Xver > 0 && from.Xver <= 2 {
		to.Xver = from.Xver
	}
	if from.MaxTimeDiff > 0 && from.MaxTimeDiff <= 86400000 {
		to.MaxTimeDiff = from.MaxTimeDiff
	}
	to.LimitUpload, to.LimitDownload = limitOf(from.LimitUpload), limitOf(from.LimitDownload)
	if from.MLDSASeed != "" {
		to.MLDSA65 = true
		r.note(at+".mldsa65Seed", foreign.MLDSALeftOut, "")
	}
	if from.MinClientVer+from.MaxClientVer != "" {
		r.note(at+".minClientVer", foreign.SettingLeftOut, "minClientVer")
	}
	return true
}

// target reads the site that strangers are shown; a port alone is one of the node itself.
func (r *reader) target(l *foreign.Listener, from *reality) {
	target := string(from.Target)
	if target == "" {
		target = string(from.Dest)
	}
	if _, err := strconv.Atoi(target); err == nil {
		target = "127.0.0.1:" + target
	}
	host, port, err := net.SplitHostPort(target)
	if err != nil && target != "" && !strings.ContainsAny(target, "/@:") {
		host, port, err = target, "443", nil
	}
	if n, bad := strconv.Atoi(port); err != nil || bad != nil || n < 1 || n > 65535 || strings.ContainsAny(host, "/@") {
		r.note(".streamSettings.realitySettings.target", foreign.TargetUnknown, "")
		return
	}
	l.Reality.Target = net.JoinHostPort(host, port)
	if ip, err := netip.ParseAddr(host); err == nil && (ip.IsPrivate() || ip.IsLoopback()) || host == "localhost" {
		l.Reality.AllowPrivateTarget = true
	}
}

func limitOf(from *limit) *foreign.Limit {
	if from == nil || from.BytesPerSec <= 0 {
		return nil
	}
	return &foreign.Limit{AfterBytes: from.AfterBytes, BytesPerSec: from.BytesPerSec, BurstPerSec: from.BurstPerSec}
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
		if raw, err := base64.StdEncoding.DecodeString(s.Password); err != nil || len(raw) != size {
			r.note(".settings.password", foreign.NotReadable, "")
			return false
		}
		l.Method, l.Secret = s.Method, s.Password
		if network := strings.ReplaceAll(s.Network, " ", ""); network == "tcp" || network == "udp" {
			l.L4 = network
		}
	case "hysteria2":
		for i, mask := range t.Masks.UDP {
			if mask.Type != "salamander" || mask.Settings.Password == "" || i > 0 {
				r.note(".streamSettings.finalmask", foreign.SettingLeftOut, mask.Type)
				return false
			}
			l.Obfs, l.Secret = mask.Type, mask.Settings.Password
		}
	case "vless":
		if s.Decryption != "" && s.Decryption != "none" {
			r.note(".settings.decryption", foreign.SecurityUnknown, "decryption")
			return false
		}
	}
	return true
}

// extras tells of settings that flows do not have.
func (r *reader) extras(s *settings, t *stream) {
	if len(s.Fallbacks) > 0 {
		r.note(".settings.fallbacks", foreign.FallbacksLeftOut, "")
	}
	if t.Sockopt.ProxyProtocol || t.TCP.ProxyProtocol || t.Raw.ProxyProtocol || t.WS.ProxyProtocol ||
		t.Upgrade.ProxyProtocol {
		r.note(".streamSettings", foreign.SettingLeftOut, "acceptProxyProtocol")
	}
}
