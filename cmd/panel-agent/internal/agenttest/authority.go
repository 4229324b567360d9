package agenttest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/agentapi"
)

// Authority signs certificates for tests.
type Authority struct {
	Root string // PEM
	leaf *x509.Certificate
	key  *ecdsa.PrivateKey
}

// NewAuthority makes one.
func NewAuthority(t testing.TB) *Authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	root := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Test Root"}, IsCA: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, root, root, key.Public(), key)
	require.NoError(t, err)
	return &Authority{Root: encode("CERTIFICATE", der), leaf: root, key: key}
}

// Issue signs a certificate of a host name with this serial number, valid from a moment for a day.
func (a *Authority) Issue(t testing.TB, host string, serial int64, from time.Time) agentapi.HostCertificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(serial), DNSNames: []string{host}, NotBefore: from, NotAfter: from.Add(24 * time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, leaf, a.leaf, key.Public(), a.key)
	require.NoError(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	return agentapi.HostCertificate{
		Host: host, Chain: encode("CERTIFICATE", der) + a.Root, Key: encode("PRIVATE KEY", secret),
	}
}

func encode(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}
