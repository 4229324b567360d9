package main

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"panel/e2e/rig"
	"panel/platform/agentapi"
)

// listener is the server's side: the client is on the list of a node, and in the configuration of a bare core.
func (d dialogue) listener(port int, node bool) object {
	settings, users := object{}, "clients"
	switch d.protocol {
	case "vless":
		settings["decryption"] = "none"
	case "hysteria":
		settings["version"] = 2
	case "shadowsocks":
		settings["method"], settings["password"] = spokenMethod, d.server
	case "wireguard":
		settings["secretKey"], settings["mtu"], settings["noKernelTun"] = d.server, agentapi.TunnelMTU, true
		users = "peers"
	}
	in := object{"tag": "in", "listen": "127.0.0.1", "port": port, "protocol": d.protocol, "settings": settings}
	if node {
		in["clients_of"] = agentapi.ListOf{FlowID: spokenFlow}
	} else {
		settings[users] = []object{d.user()}
	}
	if d.network != "" {
		in["streamSettings"] = d.carried(object{"certificates": []object{{
			"certificate": strings.Split(d.chain, "\n"), "key": strings.Split(d.key, "\n"),
		}}}, "")
	}
	return object{
		"log":       object{"loglevel": "none", "access": "none"},
		"inbounds":  []object{in},
		"outbounds": []object{{"protocol": "freedom", "settings": object{"redirect": "127.0.0.1:0"}}},
	}
}

// user is the client in the form of a configuration.
func (d dialogue) user() object {
	user := object{"email": agentapi.ClientEmail(spokenFlow, d.client.ID)}
	switch d.protocol {
	case "vless", "vmess":
		user["id"] = d.client.UUID
	case "trojan":
		user["password"] = d.client.Password()
	case "shadowsocks":
		user["password"] = d.client.SharedKey(spokenMethod)
	case "hysteria":
		user["auth"] = d.client.Password()
	case "wireguard":
		user["publicKey"] = base64.StdEncoding.EncodeToString(agentapi.TunnelKey(d.client.Key).PublicKey().Bytes())
		user["allowedIPs"] = []string{d.client.TunnelAddress().String() + "/32"}
	}
	return user
}

// dialer is the client's side, behind a door for programs of this machine.
func (d dialogue) dialer(port, door int) object {
	to := object{"address": "127.0.0.1", "port": port}
	switch d.protocol {
	case "vless":
		to["id"], to["encryption"] = d.client.UUID, "none"
	case "vmess":
		to["id"], to["security"] = d.client.UUID, "auto"
	case "trojan":
		to["password"] = d.client.Password()
	case "shadowsocks":
		to["method"], to["password"] = spokenMethod, d.server+":"+d.client.SharedKey(spokenMethod)
	case "hysteria":
		to["version"] = 2
	case "wireguard":
		to = object{
			"secretKey": base64.StdEncoding.EncodeToString(agentapi.TunnelKey(d.client.Key).Bytes()),
			"address":   []string{d.client.TunnelAddress().String()}, "mtu": agentapi.TunnelMTU, "noKernelTun": true,
			"peers": []object{{
				"endpoint":  net.JoinHostPort("127.0.0.1", strconv.Itoa(port)),
				"publicKey": base64.StdEncoding.EncodeToString(agentapi.TunnelKey(d.client.Key[:16]).PublicKey().Bytes()),
			}},
		}
	}
	out := object{"protocol": d.protocol, "settings": to}
	if d.network != "" {
		trusted := object{"serverName": "one." + spreadZone, "pinnedPeerCertSha256": d.pin()}
		out["streamSettings"] = d.carried(trusted, d.client.Password())
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
func (d dialogue) carried(secured object, auth string) object {
	s := object{"network": d.network}
	switch d.network {
	case "grpc":
		s["grpcSettings"] = object{"serviceName": "bench"}
	case "hysteria":
		s["hysteriaSettings"], secured["alpn"] = object{"version": 2, "auth": auth}, []string{"h3"}
	}
	if d.tls {
		s["security"], s["tlsSettings"] = "tls", secured
	}
	return s
}

func (d dialogue) pin() string {
	if d.chain == "" {
		return ""
	}
	block, _ := pem.Decode([]byte(d.chain))
	sum := sha256.Sum256(block.Bytes)
	return hex.EncodeToString(sum[:])
}

// nodeCore runs the core of a node with a client on its list, as the agent does.
func (b *bench) nodeCore(ctx context.Context, name string, config object, client agentapi.Client) (int, error) {
	program, err := rig.Executable(ctx, rig.AgentProgram)
	if err != nil {
		return 0, err
	}
	folder := filepath.Join(b.folder, name)
	dir := filepath.Join(folder, "core")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return 0, fmt.Errorf("make the folder of %s: %w", name, err)
	}
	list := agentapi.Clients{Flows: []agentapi.FlowClients{{
		FlowID: spokenFlow, Revision: 1, Clients: []agentapi.Client{client},
	}}}
	err = errors.Join(
		written(filepath.Join(dir, "config.json"), config), written(filepath.Join(folder, "clients.json"), list),
	)
	if err != nil {
		return 0, err
	}
	process, err := rig.Start(rig.Spec{
		Name: name, Log: filepath.Join(b.folder, name+".log"), Path: program, Args: []string{"core", "--dir", dir},
	})
	if err != nil {
		return 0, err
	}
	b.atEnd(func() error { process.Kill(); return nil })
	return process.PID(), nil
}

func written(path string, content any) error {
	raw, err := json.Marshal(content)
	if err == nil {
		err = os.WriteFile(path, raw, 0o600)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	return nil
}
