// Package tokens makes bearer tokens and proves them from memory: those of sessions, API tokens and agents.
//
// A token is 256 random bits behind a prefix that says what it is for. Only its SHA-256 digest is stored, so that
// comparing is a look-up that tells nothing by its time.
package tokens

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

// Digest is what is stored of a token.
type Digest [sha256.Size]byte

const randomBytes = 32

// New makes a token; it is shown once and never stored.
func New(prefix string) (token string, digest Digest) {
	secret := make([]byte, randomBytes)
	_, _ = rand.Read(secret) // never fails: the runtime ends the process instead
	token = prefix + base64.RawURLEncoding.EncodeToString(secret)
	return token, DigestOf(token)
}

// DigestOf gives the digest under which a token is stored.
func DigestOf(token string) Digest {
	var room [64]byte // every request has a token, and those of the panel need no memory of their own
	return sha256.Sum256(append(room[:0], token...))
}
