package certificates

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"

	"panel/platform/fault"
)

// newKey makes the key of a certificate or of an account as PEM.
func newKey() (crypto.Signer, []byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, fmt.Errorf("make a key: %w", err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, nil, fmt.Errorf("encode a key: %w", err)
	}
	return key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}

func readKey(text []byte) (crypto.Signer, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("read a key: it is no PEM")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, errors.New("read a key: it is no PKCS #8")
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, errors.New("read a key: it signs nothing")
	}
	return signer, nil
}

// What is wrong with a pair of chain and key.
var (
	errNoPair  = errors.New("the certificate and the key do not belong together, or cannot be read")
	errChain   = errors.New("each certificate of the chain must be signed by the next one")
	errNames   = errors.New("the certificate is not for these names")
	errExpired = errors.New("the certificate is not valid now")
)

// checkPair reads a chain and its key as PEM and judges them: they belong together, each certificate is signed by the
// next, and the first is for all of the names.
func checkPair(chain, key []byte, names ...string) (*x509.Certificate, error) {
	pair, err := tls.X509KeyPair(chain, key)
	if err != nil {
		return nil, errNoPair // its text may show a part of what was given
	}
	leaf := pair.Leaf
	for child, rest := leaf, pair.Certificate[1:]; len(rest) > 0; rest = rest[1:] {
		parent, err := x509.ParseCertificate(rest[0])
		if err != nil || child.CheckSignatureFrom(parent) != nil {
			return nil, errChain
		}
		child = parent
	}
	for _, name := range names {
		if !slices.Contains(leaf.DNSNames, name) {
			return nil, errNames
		}
	}
	return leaf, nil
}

// hold writes a pair into the row of its certificate.
func (e *Engine) hold(r *row, leaf *x509.Certificate, chain, key []byte) {
	sum := sha256.Sum256(leaf.Raw)
	from, until := leaf.NotBefore.UTC(), leaf.NotAfter.UTC()
	r.Chain, r.Key = string(chain), e.Vault.Seal(keyRef(r.ID), key)
	r.Issuer, r.Serial, r.Fingerprint = issuerOf(leaf), leaf.SerialNumber.Text(16), hex.EncodeToString(sum[:])
	r.NotBefore, r.NotAfter = &from, &until
	r.Failures, r.LastError, r.RetryAt, r.HoldUntil, r.WarnedAt = 0, "", nil, nil, nil
}

var held = []string{
	"names", "chain", "key", "issuer", "serial", "fingerprint", "not_before", "not_after", "renew_at", "ask_at",
	"failures", "last_error", "retry_at", "hold_until", "warned_at",
}

func issuerOf(leaf *x509.Certificate) string {
	if leaf.Issuer.CommonName != "" {
		return leaf.Issuer.CommonName
	}
	return leaf.Issuer.String()
}

// refusedPair is what a person is told of a pair that cannot be used.
func refusedPair(err error) error {
	field := "chain"
	if errors.Is(err, errNoPair) {
		field = "key"
	}
	return fault.InvalidValue(field, err.Error())
}
