package format_test

import (
	"strings"

	"panel/modules/flows/flowsapi"
	"panel/modules/subscriptions/format"
)

const (
	someID  = "6ba7b810-9dad-41d1-80b4-00c04fd430c8"
	someKey = "CQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQk"
)

// samples are one connection of every shape that a flow can have.
func samples() []flowsapi.Connection {
	var out []flowsapi.Connection
	add := func(c flowsapi.Connection) {
		c.Host, c.UDP = "fra.example.org", true
		c.Name = c.Protocol + " " + c.Transport + " " + c.Security
		if c.Security == "reality" {
			c.ServerName, c.PublicKey, c.ShortID = "www.example.org", someKey, "12345678"
		}
		if c.Security == "tls" {
			c.ServerName, c.ALPN = c.Host, []string{"h2", "http/1.1"}
			if c.Transport == "quic" {
				c.ALPN = []string{"h3"}
			}
		}
		if c.Security != "none" {
			c.Port, c.Fingerprint = 443, "chrome"
		}
		if c.Ports != "" {
			c.Port = 20000
		}
		switch c.Transport {
		case "xhttp":
			c.Path, c.Mode = "/up", "auto"
		case "ws", "httpupgrade":
			c.Path, c.WebHost = "/ws", c.Host
		case "grpc":
			c.ServiceName = "some.service"
		case "raw":
			if c.Protocol == "vless" {
				c.Flow = "xtls-rprx-vision"
			}
		}
		out = append(out, c)
	}
	for _, transport := range []string{"raw", "xhttp", "grpc"} {
		add(flowsapi.Connection{Protocol: "vless", Transport: transport, Security: "reality", ID: someID})
	}
	for _, transport := range []string{"raw", "xhttp", "grpc", "ws", "httpupgrade"} {
		add(flowsapi.Connection{Protocol: "vless", Transport: transport, Security: "tls", ID: someID})
		add(flowsapi.Connection{Protocol: "trojan", Transport: transport, Security: "tls", Password: someKey})
		add(flowsapi.Connection{Protocol: "vmess", Transport: transport, Security: "tls", ID: someID})
	}
	add(flowsapi.Connection{Protocol: "vmess", Transport: "ws", Security: "none", Port: 8080, ID: someID})
	add(flowsapi.Connection{Protocol: "hysteria2", Transport: "quic", Security: "tls", Password: someKey})
	add(flowsapi.Connection{
		Protocol: "hysteria2", Transport: "quic", Security: "tls", Password: someKey, Ports: "20000-20010", Obfs: someKey,
	})
	add(flowsapi.Connection{Protocol: "wireguard", Transport: "raw", Security: "none", Port: 51820, Tunnel: &flowsapi.Tunnel{
		PrivateKey: someKey + "=", PublicKey: strings.Replace(someKey, "C", "D", 1) + "=", Address: "10.0.1.7/32", MTU: 1420,
	}})
	add(flowsapi.Connection{
		Protocol: "shadowsocks2022", Transport: "raw", Security: "none", Port: 8388,
		Method: "2022-blake3-aes-256-gcm", Password: someKey + "=:" + someKey + "=",
	})
	return out
}

var configurations = []format.Format{format.Xray, format.SingBox, format.Clash, format.Stash}
