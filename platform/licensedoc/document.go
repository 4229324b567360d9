// Package licensedoc is the signed paper that says what an installation may do:
// the license server signs it, a panel checks it without asking anybody.
package licensedoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Version is the only form of document that this build reads and writes.
const Version = 1

// The two verdicts of an authority.
const (
	Active  = "active"
	Refused = "refused"
)

// The reasons of a refusal.
const (
	ReasonUnknownKey  = "unknown_key"
	ReasonRevoked     = "revoked"
	ReasonExpired     = "expired"
	ReasonActivations = "activations_exhausted"
	ReasonReleased    = "not_activated"
)

// EveryFeature in the list of features stands for all features, also those to come.
const EveryFeature = "*"

// Faults of reading a document. Both leave a kept document as it is.
var (
	ErrMalformed = errors.New("the license document is malformed")
	ErrUntrusted = errors.New("the license document is not signed by a trusted key")
)

// Document is what the authority says about one license on one installation.
// Nonce repeats the word of the request that the document answers; an offline
// document answers no request and has none.
type Document struct {
	Version    int       `json:"version"`
	KeyID      string    `json:"key_id"`
	LicenseID  string    `json:"license_id"`
	KeyHash    string    `json:"key_hash"`
	InstanceID string    `json:"instance_id"`
	Plan       string    `json:"plan"`
	Features   []string  `json:"features"`
	ValidUntil time.Time `json:"valid_until"`
	IssuedAt   time.Time `json:"issued_at"`
	Verdict    string    `json:"verdict"`
	Reason     string    `json:"reason"`
	Nonce      string    `json:"nonce"`
}

// Offline tells whether the document was made to be carried by hand.
func (d Document) Offline() bool { return d.Nonce == "" }

// Allows tells whether the plan of the document opens the feature.
func (d Document) Allows(feature string) bool {
	for _, f := range d.Features {
		if f == feature || f == EveryFeature {
			return true
		}
	}
	return false
}

func (d Document) encode() ([]byte, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	return json.Marshal(d)
}

// decode accepts exactly one spelling of a document: what encode writes. So
// doubled, unknown and differently cased members cannot hide in a signed text.
func decode(payload []byte) (Document, error) {
	var d Document
	if err := json.Unmarshal(payload, &d); err != nil {
		return Document{}, fmt.Errorf("%w: not the expected JSON", ErrMalformed)
	}
	again, err := d.encode()
	if err != nil {
		return Document{}, err
	}
	if !bytes.Equal(again, payload) {
		return Document{}, fmt.Errorf("%w: not in its one canonical spelling", ErrMalformed)
	}
	return d, nil
}
