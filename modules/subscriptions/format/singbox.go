package format

import (
	"strconv"
	"strings"

	"panel/modules/flows/flowsapi"
)

// singBox writes a whole configuration; rules are those that every connection has.
func singBox(connections []flowsapi.Connection) ([]byte, error) {
	rules := []object{{"action": "sniff"}, {"protocol": "dns", "action": "hijack-dns"}}
	for _, r := range shared(connections) {
		rules = append(rules, singBoxRule(r))
	}
	rules = append(rules, object{"ip_is_private": true, "outbound": outside})
	route := object{"auto_detect_interface": true, "default_domain_resolver": "local", "final": chooser}
	ways := []object{}
	dns := []object{{"type": "local", "tag": "local"}}
	if len(connections) == 0 {
		route["final"] = outside
		rules = append(rules, object{"action": "reject"})
	} else {
		names := []string{}
		for _, c := range connections {
			names = append(names, c.Name)
		}
		ways = append(ways,
			object{"type": "selector", "tag": chooser, "outbounds": append([]string{fastest}, names...)},
			object{"type": "urltest", "tag": fastest, "outbounds": names},
		)
		dns = append(dns, object{"type": "https", "tag": "remote", "server": "1.1.1.1", "detour": chooser})
	}
	ends := []object{}
	for _, c := range connections {
		if c.Tunnel != nil {
			ends = append(ends, singBoxTunnel(c))
			continue
		}
		ways = append(ways, singBoxOutbound(c))
	}
	route["rules"] = rules
	d := object{
		"log": object{"level": "warn"},
		"dns": object{"servers": dns, "final": dns[len(dns)-1]["tag"]},
		"inbounds": []object{
			{
				"type": "tun", "tag": "tun", "address": []string{"172.19.0.1/30", "fdfe:dcba:9876::1/126"},
				"auto_route": true, "strict_route": true,
			},
			{"type": "mixed", "tag": "mixed", "listen": "127.0.0.1", "listen_port": mixedPort},
		},
		"outbounds": append(ways, object{"type": "direct", "tag": outside}),
		"route":     route,
	}
	if len(ends) > 0 {
		d["endpoints"] = ends
	}
	return encode(d)
}

func singBoxRule(r flowsapi.Refusal) object {
	rule := object{"action": "reject"}
	add := func(key string, value any) {
		list, _ := rule[key].([]any)
		rule[key] = append(list, value)
	}
	keys := map[string]string{
		"domain": "domain_suffix", "full": "domain", "keyword": "domain_keyword", "regexp": "domain_regex",
	}
	for _, d := range r.Domains {
		if kind, value := pattern(d); keys[kind] != "" {
			add(keys[kind], value)
		}
	}
	for _, n := range r.Networks {
		add("ip_cidr", n)
	}
	for _, part := range ports(r.Ports) {
		if from, to, isRange := strings.Cut(part, "-"); isRange {
			add("port_range", from+":"+to)
			continue
		}
		if port, err := strconv.Atoi(part); err == nil {
			add("port", port)
		}
	}
	for _, p := range r.Protocols {
		add("protocol", p)
	}
	return rule
}

func ports(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

func singBoxOutbound(c flowsapi.Connection) object {
	o := object{"tag": c.Name, "server": c.Host, "server_port": c.Port}
	switch c.Protocol {
	case "vless":
		o["type"], o["uuid"], o["packet_encoding"] = "vless", c.ID, "xudp"
		put(o, "flow", c.Flow)
	case "trojan":
		o["type"], o["password"] = "trojan", c.Password
	case "vmess":
		o["type"], o["uuid"], o["security"], o["alter_id"], o["packet_encoding"] = "vmess", c.ID, "auto", 0, "xudp"
	case "hysteria2":
		o["type"], o["password"] = "hysteria2", c.Password
		if c.Ports != "" {
			o["server_ports"], o["hop_interval"] = []string{strings.Replace(c.Ports, "-", ":", 1)}, "30s"
			delete(o, "server_port")
		}
		if c.Obfs != "" {
			o["obfs"] = object{"type": "salamander", "password": c.Obfs}
		}
	case "shadowsocks2022":
		o["type"], o["method"], o["password"] = "shadowsocks", c.Method, c.Password
		if !c.UDP {
			o["network"] = "tcp"
		}
	}
	if c.Security != "none" {
		o["tls"] = singBoxTLS(c)
	}
	if t := singBoxTransport(c); t != nil {
		o["transport"] = t
	}
	return o
}

func singBoxTLS(c flowsapi.Connection) object {
	tls := object{"enabled": true, "server_name": c.ServerName}
	if c.Transport != "quic" { // which has no browser to look like
		tls["utls"] = object{"enabled": true, "fingerprint": c.Fingerprint}
	}
	if len(c.ALPN) > 0 {
		tls["alpn"] = c.ALPN
	}
	if c.Security == "reality" {
		tls["reality"] = object{"enabled": true, "public_key": c.PublicKey, "short_id": c.ShortID}
	}
	return tls
}

func singBoxTransport(c flowsapi.Connection) object {
	switch c.Transport {
	case "ws":
		t := object{"type": "ws", "path": c.Path}
		if c.WebHost != "" {
			t["headers"] = object{"Host": c.WebHost}
		}
		return t
	case "httpupgrade":
		t := object{"type": "httpupgrade", "path": c.Path}
		put(t, "host", c.WebHost)
		return t
	case "grpc":
		return object{"type": "grpc", "service_name": c.ServiceName}
	}
	return nil
}
