package format

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"panel/modules/flows/flowsapi"
)

// clash writes a configuration of Clash's family. Its lists have one element in a line, in the flow style of YAML that
// JSON is a part of, so that no text needs other quotes than those of JSON.
func clash(f Format, connections []flowsapi.Connection) ([]byte, error) {
	names, proxies := []string{}, []any{}
	for _, c := range connections {
		names, proxies = append(names, c.Name), append(proxies, clashProxy(f, c))
	}
	groups, last := []any{}, "MATCH,REJECT"
	if len(names) > 0 {
		last = "MATCH," + chooser
		groups = []any{
			object{"name": chooser, "type": "select", "proxies": append([]string{fastest}, names...)},
			object{
				"name": fastest, "type": "url-test", "proxies": names, "interval": 300,
				"url": "https://www.gstatic.com/generate_204",
			},
		}
	}
	rules := []any{}
	for _, r := range shared(connections) {
		for _, rule := range clashRules(f, r) {
			rules = append(rules, rule)
		}
	}
	for _, n := range near {
		rules = append(rules, addressRule(n, "DIRECT"))
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "mixed-port: %d\nmode: rule\nlog-level: warning\nipv6: true\n", mixedPort)
	lists := []struct {
		key   string
		items []any
	}{{"proxies", proxies}, {"proxy-groups", groups}, {"rules", append(rules, last)}}
	for _, l := range lists {
		if err := yamlList(&out, l.key, l.items); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

func yamlList(out *bytes.Buffer, key string, items []any) error {
	if len(items) == 0 {
		out.WriteString(key + ": []\n")
		return nil
	}
	out.WriteString(key + ":\n")
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	for _, item := range items {
		out.WriteString("  - ")
		if err := e.Encode(item); err != nil { // ends the line
			return fmt.Errorf("write %s: %w", key, err)
		}
	}
	return nil
}

func addressRule(network, way string) string {
	kind := "IP-CIDR"
	if strings.Contains(network, ":") {
		kind = "IP-CIDR6"
	}
	return kind + "," + network + "," + way + ",no-resolve"
}

// clashRules writes a refusal that has one condition. Several conditions together are left to the entry, which refuses
// the same.
func clashRules(f Format, r flowsapi.Refusal) []string {
	var out []string
	switch {
	case len(r.Protocols) > 0 || r.Ports != "" && len(r.Domains)+len(r.Networks) > 0:
		return nil
	case r.Ports != "":
		for _, port := range ports(r.Ports) {
			if f == Clash || !strings.Contains(port, "-") {
				out = append(out, "DST-PORT,"+port+",REJECT")
			}
		}
		return out
	}
	keys := map[string]string{"domain": "DOMAIN-SUFFIX", "full": "DOMAIN", "keyword": "DOMAIN-KEYWORD"}
	if f == Clash {
		keys["regexp"] = "DOMAIN-REGEX"
	}
	for _, d := range r.Domains {
		kind, value := pattern(d)
		if key := keys[kind]; key != "" && Clean(value) == value && !strings.ContainsAny(value, ", ") {
			out = append(out, key+","+value+",REJECT")
		}
	}
	for _, n := range r.Networks {
		out = append(out, addressRule(n, "REJECT"))
	}
	return out
}

func clashProxy(f Format, c flowsapi.Connection) object {
	if c.Tunnel != nil {
		return clashTunnel(f, c)
	}
	o := object{"name": c.Name, "server": c.Host, "port": c.Port, "udp": c.UDP}
	switch c.Protocol {
	case "vless":
		o["type"], o["uuid"] = "vless", c.ID
		put(o, "flow", c.Flow)
		if f == Clash {
			o["packet-encoding"] = "xudp"
		}
	case "vmess":
		o["type"], o["uuid"], o["alterId"], o["cipher"] = "vmess", c.ID, 0, "auto"
		if c.Security == "none" {
			clashTransport(o, c)
			return o
		}
	case "hysteria2":
		return clashHysteria(f, o, c)
	case "trojan":
		o["type"], o["password"] = "trojan", c.Password
	case "shadowsocks2022":
		o["type"], o["cipher"], o["password"] = "ss", c.Method, c.Password
		return o
	}
	clashTLS(o, c)
	clashTransport(o, c)
	return o
}

func clashHysteria(f Format, o object, c flowsapi.Connection) object {
	o["type"], o["sni"], o["alpn"] = "hysteria2", c.ServerName, c.ALPN
	if f == Stash {
		o["auth"] = c.Password
		return o
	}
	o["password"] = c.Password
	put(o, "ports", c.Ports)
	if c.Obfs != "" {
		o["obfs"], o["obfs-password"] = "salamander", c.Obfs
	}
	return o
}

func clashTLS(o object, c flowsapi.Connection) {
	name := "servername"
	if c.Protocol == "trojan" {
		name = "sni"
	} else {
		o["tls"] = true
	}
	o[name], o["client-fingerprint"] = c.ServerName, clashFingerprint(c.Fingerprint)
	if len(c.ALPN) > 0 {
		o["alpn"] = c.ALPN
	}
	if c.Security == "reality" {
		o["reality-opts"] = object{"public-key": c.PublicKey, "short-id": c.ShortID}
	}
}

// clashFingerprint names a browser that Clash knows: it has no order of its own for what is made up each time.
func clashFingerprint(browser string) string {
	if browser == "randomized" {
		return "random"
	}
	return browser
}

func clashTransport(o object, c flowsapi.Connection) {
	web := object{"path": c.Path}
	if c.WebHost != "" {
		web["headers"] = object{"Host": c.WebHost}
	}
	switch c.Transport {
	case "ws":
		o["network"], o["ws-opts"] = "ws", web
	case "httpupgrade":
		web["v2ray-http-upgrade"] = true
		o["network"], o["ws-opts"] = "ws", web
	case "grpc":
		o["network"], o["grpc-opts"] = "grpc", object{"grpc-service-name": c.ServiceName}
	case "xhttp":
		o["network"], o["xhttp-opts"] = "xhttp", object{"path": c.Path, "host": c.WebHost, "mode": c.Mode}
	default:
		o["network"] = "tcp"
	}
}
