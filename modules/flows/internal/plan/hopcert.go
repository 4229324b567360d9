package plan

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"math/big"
	"strings"
	"time"

	"panel/modules/flows/internal/graph"
)

// hopCertificate is what a block shows to the nodes that forward to it. Nobody else has to trust it: they know it by
// its digest. It is made of the root alone, so that each compilation makes the same.
type hopCertificate struct {
	chain, key []string // lines of PEM
	digest     string   // SHA-256, in hexadecimal
}

func hopCertificateOf(root []byte, block string) hopCertificate {
	key := hopKey(root, block)
	template := &x509.Certificate{
		SerialNumber: new(big.Int).SetBytes(derive(root, "hop serial "+block, 16)), KeyUsage: x509.KeyUsageDigitalSignature,
		NotBefore: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(2120, 1, 1, 0, 0, 0, 0, time.UTC),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	chain, err := x509.CreateCertificate(nil, template, template, &key.PublicKey, key) // without chance: RFC 6979
	var private []byte
	if err == nil {
		private, err = x509.MarshalPKCS8PrivateKey(key)
	}
	if err != nil {
		//nolint:forbidigo // nothing of it comes from outside
		panic(fmt.Sprintf("a key of our own signs: %v", err))
	}
	sum := sha256.Sum256(chain)
	return hopCertificate{
		chain: lines("CERTIFICATE", chain), key: lines("PRIVATE KEY", private), digest: hex.EncodeToString(sum[:]),
	}
}

// hopKey takes the first number that is a key: nearly all are.
func hopKey(root []byte, block string) *ecdsa.PrivateKey {
	const size = 32
	for n := 0; ; n++ {
		key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), derive(root, fmt.Sprintf("hop key %d %s", n, block), size))
		if err == nil {
			return key
		}
	}
}

func lines(kind string, raw []byte) []string {
	text := string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: raw}))
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// hopServerTLS and hopClientTLS are the two ends of TLS between nodes.
func hopServerTLS(root []byte, block string, l graph.Listener) *tlsParams {
	shown := hopCertificateOf(root, block)
	return &tlsParams{
		ALPN: alpn(l), MinVersion: "1.3", Certificates: []certificateRef{{Lines: shown.chain, KeyLines: shown.key}},
	}
}

func hopClientTLS(root []byte, block string, l graph.Listener) *tlsParams {
	return &tlsParams{
		Fingerprint: l.Fingerprint, ALPN: alpn(l), MinVersion: "1.3", Pinned: hopCertificateOf(root, block).digest,
	}
}
