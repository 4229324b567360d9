package licensedoc

import (
	"fmt"
	"strings"
)

// The text of a document is one line: mark.payload.signature[.endorsement]...
const (
	mark        = "PNLDOC1"
	maxText     = 16 << 10
	signedParts = 3
)

// MaxEndorsements is the longest chain of rotations that a document carries.
const MaxEndorsements = 16

// LooksSigned tells a document from a license key, so that both fit one field.
func LooksSigned(text string) bool { return strings.HasPrefix(strings.TrimSpace(text), mark+".") }

// Sign writes the document in its text form. The chain leads from keys that panels
// may still trust to the signing one.
// Fault: ErrMalformed when the document breaks a rule of the form.
func Sign(d Document, key SigningKey, chain ...Endorsement) (string, error) {
	d.Version, d.KeyID = Version, key.Public().ID()
	payload, err := d.encode()
	if err != nil {
		return "", err
	}
	parts := []string{mark, plain64.EncodeToString(payload), plain64.EncodeToString(key.sign(documentWord, payload))}
	for _, e := range chain {
		parts = append(parts, e.String())
	}
	return strings.Join(parts, "."), nil
}

// Verify reads a text and gives the document only when a trusted key, or a key that
// a trusted one endorsed, has signed these very bytes.
// Faults: ErrMalformed, ErrUntrusted.
func Verify(text string, trusted ...PublicKey) (Document, error) {
	parsed, err := split(text)
	if err != nil {
		return Document{}, err
	}
	d, err := decode(parsed.payload)
	if err != nil {
		return Document{}, err
	}
	key, known := trust(trusted, parsed.chain)[d.KeyID]
	if !known || !key.verifies(documentWord, parsed.payload, parsed.signature) {
		return Document{}, ErrUntrusted
	}
	return d, nil
}

type signedText struct {
	payload, signature []byte
	chain              []Endorsement
}

func split(text string) (signedText, error) {
	text = strings.TrimSpace(text)
	if len(text) > maxText || strings.ContainsAny(text, "\r\n") {
		return signedText{}, fmt.Errorf("%w: not one line of at most %d bytes", ErrMalformed, maxText)
	}
	parts := strings.Split(text, ".")
	if len(parts) < signedParts || len(parts) > signedParts+MaxEndorsements || parts[0] != mark {
		return signedText{}, fmt.Errorf("%w: not of the form %s.…", ErrMalformed, mark)
	}
	return decodeParts(parts)
}

func decodeParts(parts []string) (signedText, error) {
	payload, errPayload := plain64.DecodeString(parts[1])
	signature, errSignature := plain64.DecodeString(parts[2])
	if errPayload != nil || errSignature != nil {
		return signedText{}, fmt.Errorf("%w: not base64url", ErrMalformed)
	}
	chain, err := ParseEndorsements(parts[signedParts:])
	return signedText{payload, signature, chain}, err
}
