package core

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/netip"

	"github.com/xtls/xray-core/common/protocol"
	"github.com/xtls/xray-core/common/serial"
	xray "github.com/xtls/xray-core/core"
	"github.com/xtls/xray-core/infra/conf"
	xwireguard "github.com/xtls/xray-core/proxy/wireguard"

	"panel/cmd/panel-agent/internal/wireguard"
	"panel/platform/agentapi"
)

// protocolWireGuard is how configurations call WireGuard.
const protocolWireGuard = "wireguard"

// tunnelled gives a configuration the agent's own inbounds of WireGuard, whose peers are users like those of any other
// protocol. Peers that have no name are left out: nobody could be told who they are.
func tunnelled(parsed *conf.Config, config *xray.Config) error {
	for i, in := range config.Inbound {
		settings, err := in.ProxySettings.GetInstance()
		if err != nil {
			return fmt.Errorf("read the inbound %s: %w", in.Tag, err)
		}
		of, is := settings.(*xwireguard.DeviceConfig)
		if !is || parsed.InboundConfigs[i].Settings == nil {
			continue
		}
		peers, err := peersIn(*parsed.InboundConfigs[i].Settings)
		if err != nil {
			return fmt.Errorf("read the peers of the inbound %s: %w", in.Tag, err)
		}
		message, err := wireguard.Settings{
			Key: of.SecretKey, Address: []netip.Addr{agentapi.TunnelListener()}, MTU: int(of.Mtu), Peers: peers,
		}.Message()
		if err != nil {
			return err
		}
		in.ProxySettings = serial.ToTypedMessage(message)
	}
	return nil
}

func peersIn(settings json.RawMessage) ([]wireguard.Peer, error) {
	var read struct {
		Peers []struct {
			Email      string         `json:"email"`
			PublicKey  string         `json:"publicKey"`
			AllowedIPs []netip.Prefix `json:"allowedIPs"`
		} `json:"peers"`
	}
	if err := json.Unmarshal(settings, &read); err != nil {
		return nil, err
	}
	peers := []wireguard.Peer{}
	for _, one := range read.Peers {
		key, err := conf.ParseWireGuardKey(one.PublicKey)
		if err != nil {
			return nil, err
		}
		if one.Email != "" && len(one.AllowedIPs) == 1 {
			peers = append(peers, wireguard.Peer{Email: one.Email, Key: key, Address: one.AllowedIPs[0].Addr()})
		}
	}
	return peers, nil
}

// peer is a client in the form of the inbound's configuration.
func (l listed) peer(client agentapi.Client) object {
	return object{
		"email":      agentapi.ClientEmail(l.FlowID, client.ID),
		"publicKey":  hex.EncodeToString(agentapi.TunnelKey(client.Key).PublicKey().Bytes()),
		"allowedIPs": []string{client.TunnelAddress().String() + "/32"},
	}
}

// peers are clients as the inbound knows them. One without a number has no address: it comes again with one.
func (l listed) peers(clients []agentapi.Client) []*protocol.MemoryUser {
	var members []*protocol.MemoryUser
	for _, client := range clients {
		if client.Number > 0 {
			members = append(members, wireguard.Peer{
				Email: agentapi.ClientEmail(l.FlowID, client.ID), Address: client.TunnelAddress(),
				Key: hex.EncodeToString(agentapi.TunnelKey(client.Key).PublicKey().Bytes()),
			}.Member())
		}
	}
	return members
}
