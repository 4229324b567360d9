package agentapi

import (
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"net/netip"
)

// What WireGuard has inside its tunnels. Each client of a listener has one address there: by it the agent knows whose
// traffic it is.
const (
	TunnelMTU = 1420 // what is left of 1500 bytes also when IPv6 carries the tunnel

	clientNetwork = 10 << 24
	firstClient   = 1 << 8            // the addresses before are those of the listener and of the panel's probe
	clientCount   = 1<<24 - 2*256     // and the last ones are left, too
	keyOfTunnel   = "panel wireguard" // tells the key of a tunnel from whatever else is made of a secret
)

// TunnelListener is the address of a listener inside its tunnels, TunnelProbe that of the panel's probe.
func TunnelListener() netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, 1}) }

// TunnelProbe is the address of the panel's probe.
func TunnelProbe() netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, 2}) }

// TunnelAddress is that of the client with a number. Two clients of a flow whose numbers are 16 millions apart would
// share one.
func TunnelAddress(number int64) netip.Addr {
	var raw [4]byte
	binary.BigEndian.PutUint32(raw[:], uint32(clientNetwork+firstClient+number%clientCount))
	return netip.AddrFrom4(raw)
}

// TunnelKey makes the private key of a tunnel from a secret.
func TunnelKey(secret []byte) *ecdh.PrivateKey {
	raw, err := hkdf.Key(sha256.New, secret, nil, keyOfTunnel, sha256.Size)
	if err == nil {
		var key *ecdh.PrivateKey
		if key, err = ecdh.X25519().NewPrivateKey(raw); err == nil {
			return key
		}
	}
	//nolint:forbidigo // only a size that no caller has is refused
	panic(fmt.Sprintf("any secret makes a key of X25519: %v", err))
}

// TunnelAddress is where the client is inside the tunnel.
func (c Client) TunnelAddress() netip.Addr { return TunnelAddress(c.Number) }
