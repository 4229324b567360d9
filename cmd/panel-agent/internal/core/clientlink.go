package core

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// ErrLink is the cause of every failure to read a connection link. The link itself is never quoted: it is a secret.
var ErrLink = errors.New("the connection link cannot be read")

type object = map[string]any

// ClientConfig turns a connection link into the client configuration of a core. dialAs, when given, replaces the
// link's host and port.
func ClientConfig(link, dialAs string) ([]byte, error) {
	parsed, err := parsedLink(strings.TrimSpace(link))
	if err != nil {
		return nil, err
	}
	host, port, err := addressOf(parsed, dialAs)
	if err != nil {
		return nil, err
	}
	var outbound object
	switch parsed.Scheme {
	case "vless":
		outbound = vlessOutbound(parsed, host, port)
	case "trojan":
		outbound, err = trojanOutbound(parsed, host, port)
	case "vmess":
		outbound = vmessOutbound(parsed, host, port)
	case "hysteria2":
		outbound = hysteriaOutbound(parsed, host, port)
	case "ss":
		outbound, err = shadowsocksOutbound(parsed, host, port)
	case "wireguard":
		outbound, err = wireguardOutbound(parsed, host, port)
	default:
		err = fmt.Errorf("%w: only vless://, trojan://, vmess://, hysteria2://, wireguard:// and ss:// are known here", ErrLink)
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(object{"outbounds": []object{outbound}})
}

// parsedLink reads a link; the document of a VMess link becomes one in the form of the others.
func parsedLink(link string) (*url.URL, error) {
	document, is := strings.CutPrefix(link, "vmess://")
	if !is {
		parsed, err := url.Parse(link)
		if err != nil {
			return nil, fmt.Errorf("%w: it is no URL", ErrLink)
		}
		return parsed, nil
	}
	raw, err := decodeBase64(document)
	if err != nil {
		return nil, fmt.Errorf("%w: its document is not base64", ErrLink)
	}
	var d struct {
		Add, Port, ID, Net, Type, Host, Path, TLS, SNI, ALPN, FP string
	}
	if err := json.Unmarshal([]byte(raw), &d); err != nil {
		return nil, fmt.Errorf("%w: its document is not JSON", ErrLink)
	}
	query := url.Values{
		"type": {d.Net}, "host": {d.Host}, "path": {d.Path}, "security": {or(d.TLS, "none")}, "sni": {d.SNI}, "alpn": {d.ALPN},
		"fp": {d.FP},
	}
	switch d.Net {
	case "grpc":
		query.Set("serviceName", d.Path)
	case "xhttp":
		query.Set("mode", d.Type)
	}
	return &url.URL{
		Scheme: "vmess", User: url.User(d.ID), Host: net.JoinHostPort(d.Add, d.Port), RawQuery: query.Encode(),
	}, nil
}

func vmessOutbound(link *url.URL, host string, port int) object {
	user := object{"id": link.User.Username(), "security": "auto"}
	return object{
		"protocol":       "vmess",
		"settings":       object{"vnext": []object{{"address": host, "port": port, "users": []object{user}}}},
		"streamSettings": stream(link.Query()),
	}
}

func hysteriaOutbound(link *url.URL, host string, port int) object {
	query := link.Query()
	settings := object{
		"network": "hysteria", "security": "tls",
		"hysteriaSettings": object{"version": 2, "auth": link.User.Username()},
		"tlsSettings":      object{"serverName": query.Get("sni"), "alpn": []string{"h3"}},
	}
	if query.Get("obfs") == "salamander" {
		password := object{"password": query.Get("obfs-password")}
		settings["finalmask"] = object{"udp": []object{{"type": "salamander", "settings": password}}}
	}
	return object{
		"protocol": "hysteria", "settings": object{"version": 2, "address": host, "port": port}, "streamSettings": settings,
	}
}

func addressOf(link *url.URL, dialAs string) (string, int, error) {
	host, digits := link.Hostname(), link.Port()
	if dialAs != "" {
		var err error
		if host, digits, err = net.SplitHostPort(dialAs); err != nil {
			return "", 0, fmt.Errorf("%w: the address to dial in its place is no host:port", ErrLink)
		}
	}
	port, err := strconv.Atoi(digits)
	if err != nil || host == "" {
		return "", 0, fmt.Errorf("%w: it has no host or no port", ErrLink)
	}
	return host, port, nil
}

func vlessOutbound(link *url.URL, host string, port int) object {
	query := link.Query()
	user := object{
		"id": link.User.Username(), "encryption": or(query.Get("encryption"), "none"),
		"flow": query.Get("flow"),
	}
	return object{
		"protocol":       "vless",
		"settings":       object{"vnext": []object{{"address": host, "port": port, "users": []object{user}}}},
		"streamSettings": stream(query),
	}
}

// trojanOutbound is always over TLS, also where the link does not say so.
func trojanOutbound(link *url.URL, host string, port int) (object, error) {
	query, password := link.Query(), link.User.Username()
	if password == "" {
		return nil, fmt.Errorf("%w: it has no password", ErrLink)
	}
	if query.Get("security") == "" {
		query.Set("security", "tls")
	}
	return object{
		"protocol":       "trojan",
		"settings":       object{"servers": []object{{"address": host, "port": port, "password": password}}},
		"streamSettings": stream(query),
	}, nil
}

func stream(query url.Values) object {
	network := or(query.Get("type"), "raw")
	if network == "tcp" {
		network = "raw"
	}
	settings := object{"network": network, "security": or(query.Get("security"), "none")}
	switch query.Get("security") {
	case "reality":
		settings["realitySettings"] = object{
			"serverName": query.Get("sni"), "fingerprint": or(query.Get("fp"), "chrome"), "password": query.Get("pbk"),
			"shortId": query.Get("sid"), "spiderX": query.Get("spx"), "mldsa65Verify": query.Get("pqv"),
		}
	case "tls":
		settings["tlsSettings"] = tlsSettings(query)
	}
	addTransport(settings, network, query)
	return settings
}

func tlsSettings(query url.Values) object {
	settings := object{"serverName": query.Get("sni"), "fingerprint": query.Get("fp")}
	if alpn := query.Get("alpn"); alpn != "" {
		settings["alpn"] = strings.Split(alpn, ",")
	}
	return settings
}

func addTransport(settings object, network string, query url.Values) {
	path, host := query.Get("path"), query.Get("host")
	switch network {
	case "ws":
		settings["wsSettings"] = object{"path": path, "host": host}
	case "httpupgrade":
		settings["httpupgradeSettings"] = object{"path": path, "host": host}
	case "grpc":
		settings["grpcSettings"] = object{"serviceName": query.Get("serviceName"), "authority": query.Get("authority")}
	case "xhttp":
		xhttp := object{"path": path, "host": host, "mode": or(query.Get("mode"), "auto")}
		if extra := query.Get("extra"); json.Valid([]byte(extra)) {
			xhttp["extra"] = json.RawMessage(extra)
		}
		settings["xhttpSettings"] = xhttp
	}
}

func shadowsocksOutbound(link *url.URL, host string, port int) (object, error) {
	method := link.User.Username()
	password, plain := link.User.Password()
	if !plain {
		raw, err := decodeBase64(method)
		if err != nil {
			return nil, fmt.Errorf("%w: its user part is not base64", ErrLink)
		}
		method, password, plain = strings.Cut(raw, ":")
	}
	if !plain {
		return nil, fmt.Errorf("%w: it has no method or no password", ErrLink)
	}
	server := object{"address": host, "port": port, "method": method, "password": password}
	return object{"protocol": "shadowsocks", "settings": object{"servers": []object{server}}}, nil
}

// wireguardOutbound has a network of its own inside the process.
func wireguardOutbound(link *url.URL, host string, port int) (object, error) {
	query := link.Query()
	mtu, err := strconv.Atoi(query.Get("mtu"))
	if err != nil {
		return nil, fmt.Errorf("%w: its mtu is no number", ErrLink)
	}
	peer := object{"publicKey": query.Get("publickey"), "endpoint": net.JoinHostPort(host, strconv.Itoa(port))}
	return object{"protocol": protocolWireGuard, "settings": object{
		"secretKey": link.User.Username(), "address": strings.Split(query.Get("address"), ","), "mtu": mtu,
		"peers": []object{peer}, "noKernelTun": true,
	}}, nil
}

func decodeBase64(text string) (string, error) {
	text = strings.TrimRight(strings.NewReplacer("+", "-", "/", "_").Replace(text), "=")
	raw, err := base64.RawURLEncoding.DecodeString(text)
	return string(raw), err
}

func or(value, fallback string) string {
	if value == "" {
		return fallback
	}
	return value
}
