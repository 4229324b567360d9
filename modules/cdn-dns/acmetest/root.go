package acmetest

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
)

// Pair is a chain and the key of its first certificate, as PEM.
type Pair struct{ Chain, Key string }

// Root signs certificates by hand, with the dates that a test wants.
type Root struct {
	Chain string // of the root itself

	t    testing.TB
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// NewRoot makes a root.
func NewRoot(t testing.TB) *Root {
	t.Helper()
	r := &Root{t: t}
	now := time.Now() //nolint:forbidigo // nobody looks at the dates of a root of tests
	cert, key := r.sign(now.Add(-24*time.Hour), now.Add(1000*24*time.Hour))
	r.cert, r.key, r.Chain = cert, key, text("CERTIFICATE", cert.Raw)
	return r
}

// Sign makes a certificate, with the root behind it in the chain.
func (r *Root) Sign(from, until time.Time, names ...string) Pair {
	r.t.Helper()
	cert, key := r.sign(from, until, names...)
	der, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(r.t, err)
	return Pair{Chain: text("CERTIFICATE", cert.Raw) + r.Chain, Key: text("PRIVATE KEY", der)}
}

// sign makes the root itself while there is none.
func (r *Root) sign(from, until time.Time, names ...string) (*x509.Certificate, *ecdsa.PrivateKey) {
	r.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(r.t, err)
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	require.NoError(r.t, err)
	template := &x509.Certificate{
		SerialNumber: serial, NotBefore: from, NotAfter: until, DNSNames: names, BasicConstraintsValid: true,
		Subject: pkix.Name{CommonName: "Test " + serial.Text(16)}, IsCA: r.cert == nil,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	parent, by := r.cert, r.key
	if parent == nil {
		parent, by = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), by)
	require.NoError(r.t, err)
	made, err := x509.ParseCertificate(der)
	require.NoError(r.t, err)
	return made, key
}

func text(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}
