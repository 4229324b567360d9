package licensedoc

import (
	"crypto/ed25519"
	"encoding/hex"
	"fmt"
)

const (
	signerSize      = 8
	endorsementSize = signerSize + ed25519.PublicKeySize + ed25519.SignatureSize
)

// Endorsement is the word of an older key that a newer one speaks for the same
// authority: how panels that know only the older key follow a rotation.
type Endorsement struct {
	signer    string
	successor PublicKey
	signature []byte
}

// Endorse lets a key name its successor.
func Endorse(old SigningKey, successor PublicKey) Endorsement {
	return Endorsement{old.Public().ID(), successor, old.sign(endorsementWord, successor)}
}

// Successor is the key that the endorsement speaks for.
func (e Endorsement) Successor() PublicKey { return e.successor }

// String is the form inside a document's text.
func (e Endorsement) String() string {
	signer, _ := hex.DecodeString(e.signer)
	return plain64.EncodeToString(append(append(signer, e.successor...), e.signature...))
}

// ParseEndorsements reads what Endorsement.String wrote.
// Fault: ErrMalformed.
func ParseEndorsements(texts []string) ([]Endorsement, error) {
	chain := make([]Endorsement, 0, len(texts))
	for _, text := range texts {
		raw, err := plain64.DecodeString(text)
		if err != nil || len(raw) != endorsementSize {
			return nil, fmt.Errorf("%w: an endorsement", ErrMalformed)
		}
		chain = append(chain, Endorsement{
			signer:    hex.EncodeToString(raw[:signerSize]),
			successor: PublicKey(raw[signerSize : signerSize+ed25519.PublicKeySize]),
			signature: raw[signerSize+ed25519.PublicKeySize:],
		})
	}
	return chain, nil
}

// trust follows the chain in its order from the keys that are trusted outright.
func trust(trusted []PublicKey, chain []Endorsement) map[string]PublicKey {
	known := map[string]PublicKey{}
	for _, key := range trusted {
		known[key.ID()] = key
	}
	for _, e := range chain {
		if signer, ok := known[e.signer]; ok && signer.verifies(endorsementWord, e.successor, e.signature) {
			known[e.successor.ID()] = e.successor
		}
	}
	return known
}
