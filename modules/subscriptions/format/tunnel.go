package format

import (
	"net"
	"strconv"
	"strings"

	"panel/modules/flows/flowsapi"
)

// conf is the file of the first connection of WireGuard: such a file has one.
func conf(connections []flowsapi.Connection) []byte {
	for _, c := range connections {
		if c.Tunnel != nil {
			return []byte("# " + c.Name + "\n" + c.Conf())
		}
	}
	return []byte("# none\n")
}

func xrayTunnel(c flowsapi.Connection) object {
	return object{"tag": chooser, "protocol": "wireguard", "settings": object{
		"secretKey": c.Tunnel.PrivateKey, "address": []string{c.Tunnel.Address}, "mtu": c.Tunnel.MTU, "noKernelTun": true,
		"peers": []object{{
			"publicKey": c.Tunnel.PublicKey, "endpoint": net.JoinHostPort(c.Host, strconv.Itoa(c.Port)),
			"keepAlive": flowsapi.KeepAlive, "allowedIPs": c.Tunnel.Networks(),
		}},
	}}
}

// singBoxTunnel is an endpoint, which sing-box has beside its outbounds.
func singBoxTunnel(c flowsapi.Connection) object {
	return object{
		"type": "wireguard", "tag": c.Name, "private_key": c.Tunnel.PrivateKey, "address": []string{c.Tunnel.Address},
		"mtu": c.Tunnel.MTU, "peers": []object{{
			"address": c.Host, "port": c.Port, "public_key": c.Tunnel.PublicKey, "allowed_ips": c.Tunnel.Networks(),
			"persistent_keepalive_interval": flowsapi.KeepAlive,
		}},
	}
}

// clashTunnel writes the address without its length in the form that both programs take.
func clashTunnel(f Format, c flowsapi.Connection) object {
	address, _, _ := strings.Cut(c.Tunnel.Address, "/")
	o := object{
		"name": c.Name, "type": "wireguard", "server": c.Host, "port": c.Port, "ip": address, "udp": true,
		"private-key": c.Tunnel.PrivateKey, "public-key": c.Tunnel.PublicKey, "mtu": c.Tunnel.MTU,
		"dns": []string{flowsapi.Resolver},
	}
	if f == Stash {
		o["keepalive"] = flowsapi.KeepAlive
		return o
	}
	o["allowed-ips"], o["remote-dns-resolve"] = c.Tunnel.Networks(), true
	o["persistent-keepalive"] = flowsapi.KeepAlive
	return o
}
