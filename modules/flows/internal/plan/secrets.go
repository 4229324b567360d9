package plan

import (
	"cmp"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/netip"

	"github.com/cloudflare/circl/sign/mldsa/mldsa65"
	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"

	"panel/modules/flows/internal/graph"
	"panel/platform/agentapi"
)

// Everything secret that the panel makes up for a flow is derived from the flow's root, so that the same draft always
// gives the same keys and a preview has nothing to store. The purpose keeps the keys apart.
func derive(root []byte, purpose string, size int) []byte {
	key, err := hkdf.Key(sha256.New, root, nil, "panel flow "+purpose, size)
	if err != nil {
		//nolint:forbidigo // only a size that no caller has is refused
		panic(fmt.Sprintf("deriving %d bytes is within the limit of HKDF: %v", size, err))
	}
	return key
}

func realityPrivate(root []byte, block string) string {
	return base64.RawURLEncoding.EncodeToString(derive(root, "reality "+block, 32))
}

// realityPublic is what clients need of realityPrivate.
func realityPublic(root []byte, block string) string {
	return publicKeys.of([32]byte(derive(root, "reality "+block, 32)))
}

// publicKeys remembers the keys of the listeners that were asked for lately: all clients of a flow are told the same
// one, and to multiply it costs more than all the rest of a link.
var publicKeys = rememberKeys(4096)

type keyMemory struct{ known *lru.Cache[[32]byte, string] }

func rememberKeys(most int) keyMemory {
	known, err := lru.New[[32]byte, string](most)
	if err != nil {
		//nolint:forbidigo // only a size that no caller has is refused
		panic(fmt.Sprintf("there is room for %d keys: %v", most, err))
	}
	return keyMemory{known}
}

// of gives the public key of a private one.
func (m keyMemory) of(private [32]byte) string {
	if public, known := m.known.Get(private); known {
		return public
	}
	key, err := ecdh.X25519().NewPrivateKey(private[:])
	if err != nil {
		//nolint:forbidigo // only a size that no caller has is refused
		panic(fmt.Sprintf("any 32 bytes are an X25519 key: %v", err))
	}
	public := base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes())
	m.known.Add(private, public)
	return public
}

func mldsaSeed(root []byte, block string) [mldsa65.SeedSize]byte {
	return [mldsa65.SeedSize]byte(derive(root, "mldsa65 "+block, mldsa65.SeedSize))
}

// mldsaVerify is what clients need to prove a signature by mldsaSeed.
func mldsaVerify(root []byte, block string) string {
	seed := mldsaSeed(root, block)
	public, _ := mldsa65.NewKeyFromSeed(&seed)
	return base64.RawURLEncoding.EncodeToString(public.Bytes())
}

func shortID(root []byte, block string) string {
	return hex.EncodeToString(derive(root, "short id "+block, 8))
}

func serverKey(root []byte, block string, l graph.Listener) string {
	if l.Secret != "" {
		return l.Secret
	}
	return base64.StdEncoding.EncodeToString(derive(root, "shadowsocks "+block, keySize(l.Method)))
}

// tunnelKey is the private key of a listener of WireGuard.
func tunnelKey(root []byte, block string) *ecdh.PrivateKey {
	return agentapi.TunnelKey(derive(root, "wireguard "+block, 32))
}

// obfsPassword is known to all clients of a block: it hides what is spoken there, and lets nobody in.
func obfsPassword(root []byte, block string, l graph.Listener) string {
	if l.Secret != "" {
		return l.Secret
	}
	return base64.RawURLEncoding.EncodeToString(derive(root, "obfs "+block, 16))
}

func keySize(method string) int {
	if method == "2022-blake3-aes-128-gcm" {
		return 16
	}
	return 32
}

// credential makes up a client that is not a person: the previous node of a hop, or the panel's own probe.
func credential(root []byte, purpose, email string) account {
	const idSize, keySize = 16, 32
	secret := derive(root, "client "+purpose, idSize+keySize)
	id, err := uuid.FromBytes(secret[:idSize])
	if err != nil {
		//nolint:forbidigo // only a size that no caller has is refused
		panic(fmt.Sprintf("16 bytes are a UUID: %v", err))
	}
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	return account{uuid: id.String(), key: secret[idSize:], email: email, address: agentapi.TunnelProbe()}
}

// account is whoever may use a listener.
type account struct {
	uuid    string
	key     []byte
	own     string // password that it came with
	email   string
	address netip.Addr // in the tunnels of WireGuard
}

// secret is the password of Trojan and Hysteria 2; one that the panel makes up is of letters that need no escape in a
// link.
func (a account) secret() string { return cmp.Or(a.own, base64.RawURLEncoding.EncodeToString(a.key)) }

func (a account) password(method string) string {
	key := make([]byte, keySize(method))
	copy(key, a.key)
	return base64.StdEncoding.EncodeToString(key)
}
