package wireguard

import (
	"encoding/hex"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xtls/xray-core/common"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"panel/platform/agentapi"
)

func peerOf(email string, number int64) Peer {
	key := agentapi.TunnelKey([]byte(email)).PublicKey().Bytes()
	return Peer{Email: email, Key: hex.EncodeToString(key), Address: agentapi.TunnelAddress(number)}
}

func settings(peers ...Peer) Settings {
	return Settings{
		Key: hex.EncodeToString(agentapi.TunnelKey([]byte("server")).Bytes()), MTU: agentapi.TunnelMTU, Peers: peers,
		Address: []netip.Addr{agentapi.TunnelListener()},
	}
}

// The core makes an inbound of the message that its configuration carries, with the peers in it.
func TestTheCoreMakesAnInboundOfItsMessage(t *testing.T) {
	t.Parallel()
	message, err := settings(peerOf("Anna", 1)).Message()
	require.NoError(t, err)
	made, err := common.CreateObject(t.Context(), message)
	require.NoError(t, err)
	server := made.(*Server)
	require.NotNil(t, server.GetUser(t.Context(), "anna"), "the core compares names in small letters")
	require.NoError(t, server.Close())

	for _, text := range []string{"", "{", `{"key":"none","mtu":1420}`} {
		_, err := common.CreateObject(t.Context(), wrapperspb.String(text))
		require.Error(t, err, text)
	}
}

// Peers come and go by their names. Nobody gets the address of another one, and what is refused changes nothing.
func TestPeersComeAndGoByTheirNames(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	server, err := New(settings(peerOf("anna", 1)))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	boris, thief := peerOf("boris", 2), peerOf("thief", 1)
	require.NoError(t, server.AddUser(ctx, boris.Member()))
	require.Error(t, server.AddUser(ctx, boris.Member()), "twice")
	require.Error(t, server.AddUser(ctx, thief.Member()), "the address of Anna")
	wrong := Peer{Email: "wrong", Key: "no key", Address: agentapi.TunnelAddress(3)}
	require.Error(t, server.AddUser(ctx, wrong.Member()))
	require.EqualValues(t, 2, server.GetUsersCount(ctx))
	require.Len(t, server.GetUsers(ctx), 2)
	require.True(t, server.GetUser(ctx, "boris").Account.Equals(&boris))
	require.False(t, server.GetUser(ctx, "boris").Account.Equals(&thief))

	require.NoError(t, server.RemoveUser(ctx, "anna"))
	require.Error(t, server.RemoveUser(ctx, "anna"))
	require.NoError(t, server.AddUser(ctx, thief.Member()), "her address is free now")
}
