// Package vault seals secrets before they are stored and opens them again.
//
// A sealed text belongs to one place (table, row, column): moved to another row it does not open.
// The form is v1.<key id>.<nonce and ciphertext>; the cipher is XChaCha20-Poly1305.
package vault

import (
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/chacha20poly1305"
)

// Ref is the place that a sealed text belongs to.
type Ref struct {
	Table  string
	ID     string
	Column string
}

func (r Ref) bytes() []byte { return []byte(r.Table + "/" + r.ID + "/" + r.Column) }

// Errors that Open gives; both mean that nothing was revealed.
var (
	// ErrWrongKey says that the text was sealed with a key that this panel does not have.
	ErrWrongKey = errors.New("the secret was sealed with another master key: set PANEL_SECRET_KEY (or PANEL_SECRET_KEY_PREVIOUS) to the key it was sealed with")
	// ErrDamaged says that the text was changed, cut or moved to another place.
	ErrDamaged = errors.New("the sealed secret is damaged or does not belong to this place")
)

// Vault seals with its current key and opens with that and the earlier ones.
type Vault struct {
	current string
	keys    map[string]cipher.AEAD
	digests [][]byte // keys of Digests, the current one first
}

const (
	version     = "v1"
	shortestKey = 16
	keyPurpose  = "panel/secrets/v1"
	macPurpose  = "panel/digests/v1"
)

// New makes a vault from master keys: the current one, then those that old secrets may still be sealed with.
func New(current string, previous ...string) (*Vault, error) {
	v := &Vault{keys: map[string]cipher.AEAD{}}
	for i, master := range append([]string{current}, previous...) {
		id, key, err := derive(master)
		if err != nil {
			return nil, err
		}
		v.keys[id] = key
		if i == 0 {
			v.current = id
		}
		mac, err := hkdf.Key(sha256.New, []byte(master), nil, macPurpose, sha256.Size)
		if err != nil {
			return nil, fmt.Errorf("deriving the key of digests: %w", err)
		}
		v.digests = append(v.digests, mac)
	}
	return v, nil
}

func derive(master string) (string, cipher.AEAD, error) {
	if len(master) < shortestKey {
		return "", nil, fmt.Errorf("the master key is too short: PANEL_SECRET_KEY needs at least %d characters",
			shortestKey)
	}
	material, err := hkdf.Key(sha256.New, []byte(master), nil, keyPurpose, chacha20poly1305.KeySize)
	if err != nil {
		return "", nil, fmt.Errorf("deriving the key of the secret store: %w", err)
	}
	key, err := chacha20poly1305.NewX(material)
	if err != nil {
		return "", nil, fmt.Errorf("preparing the key of the secret store: %w", err)
	}
	name := sha256.Sum256(append([]byte("key id "), material...))
	return hex.EncodeToString(name[:4]), key, nil
}

// KeyID names the current key without telling anything about it; backups and Doctor compare it.
func (v *Vault) KeyID() string { return v.current }

// Digests gives what a text is recognized by where it must not be guessed from a copy of the database: its digest with
// the current key, then with each earlier one.
func (v *Vault) Digests(text []byte) [][]byte {
	all := make([][]byte, len(v.digests))
	for i, key := range v.digests {
		mac := hmac.New(sha256.New, key)
		_, _ = mac.Write(text) // never fails
		all[i] = mac.Sum(nil)
	}
	return all
}

// Seal encrypts a secret for its place.
func (v *Vault) Seal(place Ref, plain []byte) string {
	key := v.keys[v.current]
	nonce := make([]byte, key.NonceSize(), key.NonceSize()+len(plain)+key.Overhead())
	_, _ = rand.Read(nonce) // never fails: crypto/rand ends the program instead
	sealed := key.Seal(nonce, nonce, plain, place.bytes())
	return version + "." + v.current + "." + base64.RawURLEncoding.EncodeToString(sealed)
}

// Open decrypts what Seal made for the same place. It gives ErrWrongKey or ErrDamaged.
func (v *Vault) Open(place Ref, sealed string) ([]byte, error) {
	id, body, err := split(sealed)
	if err != nil {
		return nil, err
	}
	key := v.keys[id]
	if key == nil {
		return nil, ErrWrongKey
	}
	if len(body) < key.NonceSize() {
		return nil, ErrDamaged
	}
	plain, err := key.Open(nil, body[:key.NonceSize()], body[key.NonceSize():], place.bytes())
	if err != nil {
		return nil, ErrDamaged
	}
	return plain, nil
}

// Stale reports whether the text should be sealed anew, because an earlier key sealed it.
func (v *Vault) Stale(sealed string) bool {
	id, _, err := split(sealed)
	return err == nil && id != v.current
}

func split(sealed string) (id string, body []byte, err error) {
	parts := strings.Split(sealed, ".")
	if len(parts) != 3 || parts[0] != version {
		return "", nil, ErrDamaged
	}
	if body, err = base64.RawURLEncoding.DecodeString(parts[2]); err != nil {
		return "", nil, ErrDamaged
	}
	return parts[1], body, nil
}
