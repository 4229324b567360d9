package licensedoc

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// Different first words keep a signature of one kind from being used as another.
const (
	documentWord    = "panel license document v1\n"
	endorsementWord = "panel license key endorsement v1\n"
)

var plain64 = base64.RawURLEncoding.Strict()

// SigningKey signs documents and names its successor.
type SigningKey struct{ private ed25519.PrivateKey }

// GenerateSigningKey makes a fresh key from the system's randomness.
func GenerateSigningKey() (SigningKey, error) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return SigningKey{}, fmt.Errorf("making a signing key: %w", err)
	}
	return SigningKey{private}, nil
}

// SigningKeyFromSeed restores a key from what Seed gave.
func SigningKeyFromSeed(seed []byte) (SigningKey, error) {
	if len(seed) != ed25519.SeedSize {
		return SigningKey{},
			errors.New("the stored signing key has the wrong length; restore the data folder from a copy")
	}
	return SigningKey{ed25519.NewKeyFromSeed(seed)}, nil
}

// Seed is the secret half, for the authority's own store.
func (k SigningKey) Seed() []byte { return k.private.Seed() }

// Public is the half that panels are given.
func (k SigningKey) Public() PublicKey { return PublicKey(k.private.Public().(ed25519.PublicKey)) }

func (k SigningKey) sign(word string, message []byte) []byte {
	return ed25519.Sign(k.private, append([]byte(word), message...))
}

// String keeps the key out of logs.
func (SigningKey) String() string { return "signing key ***" }

// PublicKey checks documents.
type PublicKey ed25519.PublicKey

// ID is the short name of the key that documents carry.
func (k PublicKey) ID() string {
	sum := sha256.Sum256(k)
	return hex.EncodeToString(sum[:8])
}

// String is the form that is given to panels.
func (k PublicKey) String() string { return plain64.EncodeToString(k) }

func (k PublicKey) verifies(word string, message, signature []byte) bool {
	return ed25519.Verify(ed25519.PublicKey(k), append([]byte(word), message...), signature)
}

// ParsePublicKey reads what PublicKey.String wrote.
func ParsePublicKey(text string) (PublicKey, error) {
	raw, err := plain64.DecodeString(strings.TrimSpace(text))
	if err != nil || len(raw) != ed25519.PublicKeySize {
		return nil, errors.New(
			"a license public key is 43 characters of base64url, as printed by `panel-licensed public-key`",
		)
	}
	return PublicKey(raw), nil
}

// ParsePublicKeys reads a list of keys separated by commas. A panel that moves to a
// new key lists both, so that the document it keeps stays good.
func ParsePublicKeys(list string) ([]PublicKey, error) {
	var keys []PublicKey
	for _, text := range strings.Split(list, ",") {
		if strings.TrimSpace(text) == "" {
			continue
		}
		key, err := ParsePublicKey(text)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, nil
}
