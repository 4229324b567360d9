// Package speech writes the configurations of both ends of each protocol.
package speech

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"net"
	"strconv"
	"strings"

	"panel/platform/agentapi"
)

// Speech is a protocol with what carries it.
type Speech struct {
	Name, protocol, network string
	TLS                     bool
}

// All are the protocols of nodes.
var All = []Speech{
	{"VLESS over TLS", "vless", "raw", true},
	{"VLESS over gRPC", "vless", "grpc", true},
	{"Trojan", "trojan", "raw", true},
	{"VMess", "vmess", "raw", false},
	{"Shadowsocks 2022", "shadowsocks", "raw", false},
	{"Hysteria 2", "hysteria", "hysteria", true},
	{"WireGuard", "wireguard", "", false},
}

// Flow is the one that clients are on the list of.
const Flow = "0198a000-0000-7000-8000-00000000bec4"

const method = "2022-blake3-aes-256-gcm"

type object = map[string]any

// Dialogue is what both ends of a protocol know.
type Dialogue struct {
	Speech
	Client     agentapi.Client
	Server     string // key of the server, in Base64
	Host       string // that the certificate names
	Chain, Key string // PEM
}

// Listener is the server's side: the client is on the list of a node, and in the configuration of a bare core.
func (d Dialogue) Listener(port int, node bool) map[string]any {
	settings, users := object{}, "clients"
	switch d.protocol {
	case "vless":
		settings["decryption"] = "none"
	case "hysteria":
		settings["version"] = 2
	case "shadowsocks":
		settings["method"], settings["password"] = method, d.Server
	case "wireguard":
		settings["secretKey"], settings["mtu"], settings["noKernelTun"] = d.Server, agentapi.TunnelMTU, true
		users = "peers"
	}
	in := object{"tag": "in", "listen": "127.0.0.1", "port": port, "protocol": d.protocol, "settings": settings}
	if node {
		in["clients_of"] = agentapi.ListOf{FlowID: Flow}
	} else {
		settings[users] = []object{d.user()}
	}
	if d.network != "" {
		in["streamSettings"] = d.carried(object{"certificates": []object{{
			"certificate": strings.Split(d.Chain, "\n"), "key": strings.Split(d.Key, "\n"),
		}}}, "")
	}
	return object{
		"log":       object{"loglevel": "none", "access": "none"},
		"inbounds":  []object{in},
		"outbounds": []object{{"protocol": "freedom", "settings": object{"redirect": "127.0.0.1:0"}}},
	}
}

// user is the client in the form of a configuration.
func (d Dialogue) user() object {
	user := object{"email": agentapi.ClientEmail(Flow, d.Client.ID)}
	switch d.protocol {
	case "vless", "vmess":
		user["id"] = d.Client.UUID
	case "trojan":
		user["password"] = d.Client.Password()
	case "shadowsocks":
		user["password"] = d.Client.SharedKey(method)
	case "hysteria":
		user["auth"] = d.Client.Password()
	case "wireguard":
		user["publicKey"] = base64.StdEncoding.EncodeToString(agentapi.TunnelKey(d.Client.Key).PublicKey().Bytes())
		user["allowedIPs"] = []string{d.Client.TunnelAddress().String() + "/32"}
	}
	return user
}

// Dialer is the client's side, behind a door for programs of this machine.
func (d Dialogue) Dialer(port, door int) map[string]any {
	to := object{"address": "127.0.0.1", "port": port}
	switch d.protocol {
	case "vless":
		to["id"], to["encryption"] = d.Client.UUID, "none"
	case "vmess":
		to["id"], to["security"] = d.Client.UUID, "auto"
	case "trojan":
		to["password"] = d.Client.Password()
	case "shadowsocks":
		to["method"], to["password"] = method, d.Server+":"+d.Client.SharedKey(method)
	case "hysteria":
		to["version"] = 2
	case "wireguard":
		to = object{
			"secretKey": base64.StdEncoding.EncodeToString(agentapi.TunnelKey(d.Client.Key).Bytes()),
			"address":   []string{d.Client.TunnelAddress().String()}, "mtu": agentapi.TunnelMTU, "noKernelTun": true,
			"peers": []object{{
				"endpoint":  net.JoinHostPort("127.0.0.1", strconv.Itoa(port)),
				"publicKey": base64.StdEncoding.EncodeToString(agentapi.TunnelKey(d.Client.Key[:16]).PublicKey().Bytes()),
			}},
		}
	}
	out := object{"protocol": d.protocol, "settings": to}
	if d.network != "" {
		trusted := object{"serverName": d.Host, "pinnedPeerCertSha256": d.pin()}
		out["streamSettings"] = d.carried(trusted, d.Client.Password())
	}
	return object{
		"log": object{"loglevel": "none", "access": "none"},
		"inbounds": []object{
			{"listen": "127.0.0.1", "port": door, "protocol": "socks", "settings": object{"auth": "noauth"}},
		},
		"outbounds": []object{out},
	}
}

// carried is the transport of either end.
func (d Dialogue) carried(secured object, auth string) object {
	s := object{"network": d.network}
	switch d.network {
	case "grpc":
		s["grpcSettings"] = object{"serviceName": "bench"}
	case "hysteria":
		s["hysteriaSettings"], secured["alpn"] = object{"version": 2, "auth": auth}, []string{"h3"}
	}
	if d.TLS {
		s["security"], s["tlsSettings"] = "tls", secured
	}
	return s
}

func (d Dialogue) pin() string {
	if d.Chain == "" {
		return ""
	}
	block, _ := pem.Decode([]byte(d.Chain))
	sum := sha256.Sum256(block.Bytes)
	return hex.EncodeToString(sum[:])
}
