package format

import (
	"bytes"
	"encoding/json"

	"panel/modules/flows/flowsapi"
)

type object = map[string]any

// encode writes JSON as people read it.
func encode(value any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(value)
	return out.Bytes(), err
}

// Ports on which the configurations take the traffic of programs on the same device.
const (
	socksPort = 10808
	httpPort  = 10809
	mixedPort = 7890
)

// xray writes one configuration for each connection: of one the core itself can be started, a program lets people
// choose among several.
func xray(connections []flowsapi.Connection) ([]byte, error) {
	if len(connections) == 0 {
		return encode(xrayConfig("", object{"tag": chooser, "protocol": "blackhole"}, nil))
	}
	all := make([]object, len(connections))
	for i, c := range connections {
		all[i] = xrayConfig(c.Name, xrayOutbound(c), c.Refused)
	}
	if len(all) == 1 {
		return encode(all[0])
	}
	return encode(all)
}

func xrayConfig(name string, way object, refused []flowsapi.Refusal) object {
	rules := []object{}
	for _, r := range refused {
		rules = append(rules, xrayRules(r)...)
	}
	rules = append(rules, object{"type": "field", "ip": near, "outboundTag": outside})
	sniffing := object{"enabled": true, "destOverride": []string{"http", "tls", "quic"}, "routeOnly": true}
	return object{
		"remarks": name,
		"log":     object{"loglevel": "warning"},
		"inbounds": []object{
			{
				"tag": "socks", "listen": "127.0.0.1", "port": socksPort, "protocol": "socks",
				"settings": object{"udp": true}, "sniffing": sniffing,
			},
			{"tag": "http", "listen": "127.0.0.1", "port": httpPort, "protocol": "http", "sniffing": sniffing},
		},
		"outbounds": []object{
			way, {"tag": outside, "protocol": "freedom"}, {"tag": nowhere, "protocol": "blackhole"},
		},
		"routing": object{"domainStrategy": "AsIs", "rules": rules},
	}
}

// xrayRules has names and addresses apart: the core joins the conditions of one rule.
func xrayRules(r flowsapi.Refusal) []object {
	rule := func(key string, values []string) object {
		o := object{"type": "field", "outboundTag": nowhere}
		if len(values) > 0 {
			o[key] = values
		}
		if r.Ports != "" {
			o["port"] = r.Ports
		}
		if len(r.Protocols) > 0 {
			o["protocol"] = r.Protocols
		}
		return o
	}
	var out []object
	if len(r.Domains) > 0 {
		names := make([]string, len(r.Domains))
		for i, d := range r.Domains {
			kind, value := pattern(d)
			names[i] = kind + ":" + value
		}
		out = append(out, rule("domain", names))
	}
	if len(r.Networks) > 0 {
		out = append(out, rule("ip", r.Networks))
	}
	if len(out) == 0 {
		out = append(out, rule("", nil))
	}
	return out
}

func xrayOutbound(c flowsapi.Connection) object {
	if c.Tunnel != nil {
		return xrayTunnel(c)
	}
	o := object{"tag": chooser, "streamSettings": xrayStream(c)}
	server := object{"address": c.Host, "port": c.Port}
	switch c.Protocol {
	case "vless":
		user := object{"id": c.ID, "encryption": "none"}
		put(user, "flow", c.Flow)
		server["users"] = []object{user}
		o["protocol"], o["settings"] = "vless", object{"vnext": []object{server}}
		return o
	case "vmess":
		server["users"] = []object{{"id": c.ID, "security": "auto"}}
		o["protocol"], o["settings"] = "vmess", object{"vnext": []object{server}}
		return o
	case "hysteria2":
		server["version"] = 2
		o["protocol"], o["settings"] = "hysteria", server
		return o
	case "trojan":
		o["protocol"] = "trojan"
	case "shadowsocks2022":
		o["protocol"], server["method"] = "shadowsocks", c.Method
	}
	server["password"] = c.Password
	o["settings"] = object{"servers": []object{server}}
	return o
}

func xrayStream(c flowsapi.Connection) object {
	s := object{"network": c.Transport, "security": c.Security}
	web := object{"path": c.Path}
	put(web, "host", c.WebHost)
	switch c.Transport {
	case "raw":
		s["network"] = "tcp" // as programs with an older core call it
	case "xhttp":
		put(web, "mode", c.Mode)
		if len(c.Extra) > 0 {
			web["extra"] = c.Extra
		}
		s["xhttpSettings"] = web
	case "ws":
		s["wsSettings"] = web
	case "httpupgrade":
		s["httpupgradeSettings"] = web
	case "grpc":
		s["grpcSettings"] = object{"serviceName": c.ServiceName}
	case "quic":
		s["network"], s["hysteriaSettings"] = "hysteria", object{"version": 2, "auth": c.Password}
		if masks := xrayMasks(c); len(masks) > 0 {
			s["finalmask"] = masks
		}
	}
	switch c.Security {
	case "tls":
		s["tlsSettings"] = object{"serverName": c.ServerName, "fingerprint": c.Fingerprint, "alpn": c.ALPN}
	case "reality":
		reality := object{
			"serverName": c.ServerName, "fingerprint": c.Fingerprint, "publicKey": c.PublicKey, "shortId": c.ShortID,
		}
		put(reality, "mldsa65Verify", c.PostQuantum)
		s["realitySettings"] = reality
	}
	return s
}

// xrayMasks hides packets of QUIC and changes the port that they go to.
func xrayMasks(c flowsapi.Connection) object {
	masks := object{}
	if c.Obfs != "" {
		masks["udp"] = []object{{"type": "salamander", "settings": object{"password": c.Obfs}}}
	}
	if c.Ports != "" {
		masks["quicParams"] = object{"udpHop": object{"ports": c.Ports, "interval": "25-35"}}
	}
	return masks
}

func put(o object, key, value string) {
	if value != "" {
		o[key] = value
	}
}
