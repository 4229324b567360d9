package wireguard

import (
	"net/netip"

	"github.com/xtls/xray-core/common/protocol"
	xwireguard "github.com/xtls/xray-core/proxy/wireguard"
	"google.golang.org/protobuf/proto"
)

// Peer is who may use an inbound: by a key of its own, from one address in the tunnel.
type Peer struct {
	Email   string     `json:"email"`
	Key     string     `json:"key"` // public, in hexadecimal
	Address netip.Addr `json:"address"`
}

// Member is the peer as a user of the core.
func (p Peer) Member() *protocol.MemoryUser { return &protocol.MemoryUser{Email: p.Email, Account: &p} }

// Equals reports whether both are let in alike.
func (p *Peer) Equals(other protocol.Account) bool {
	o, ok := other.(*Peer)
	return ok && o.Key == p.Key && o.Address == p.Address
}

// ToProto is the peer as the core's own inbound knows it.
func (p *Peer) ToProto() proto.Message {
	return &xwireguard.PeerConfig{PublicKey: p.Key, AllowedIps: []string{p.Address.String()}}
}
