package notifications

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"mime"
	"net"
	"net/http"
	"net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"github.com/stretchr/testify/require"
)

// postOffice is a real mail server that keeps what it gets.
type postOffice struct {
	mu      sync.Mutex
	letters []string
	to      []string
	port    int
	ca      string
}

const mailPassword = "a password that only the mail server knows"

func newPostOffice(t *testing.T, direct bool) *postOffice {
	t.Helper()
	office := &postOffice{}
	certificate := office.certify(t)
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) {
		return &session{office: office}, nil
	}))
	server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address, known := listener.Addr().(*net.TCPAddr)
	require.True(t, known)
	office.port = address.Port
	if direct {
		listener = tls.NewListener(listener, server.TLSConfig)
	}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return office
}

func (o *postOffice) certify(t *testing.T) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "post office"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	text, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	o.ca = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: text}))
	return tls.Certificate{Certificate: [][]byte{text}, PrivateKey: key}
}

func (o *postOffice) next(t *testing.T, count int) []string {
	t.Helper()
	all := func() []string {
		o.mu.Lock()
		defer o.mu.Unlock()
		return append([]string{}, o.letters...)
	}
	require.Eventually(t, func() bool { return len(all()) >= count }, within, every)
	return all()
}

type session struct {
	office *postOffice
	signed bool
}

func (s *session) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, username, password string) error {
		if username != "panel" || password != mailPassword {
			return errors.New("who is that")
		}
		s.signed = true
		return nil
	}), nil
}

func (s *session) Reset()                               {}
func (s *session) Logout() error                        { return nil }
func (s *session) Mail(string, *smtp.MailOptions) error { return nil }

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	if strings.HasPrefix(to, "nobody@") {
		return &smtp.SMTPError{Code: 550, Message: "no such person " + mailPassword}
	}
	s.office.mu.Lock()
	defer s.office.mu.Unlock()
	s.office.to = append(s.office.to, to)
	return nil
}

func (s *session) Data(r io.Reader) error {
	if !s.signed {
		return smtp.ErrAuthRequired
	}
	text, err := io.ReadAll(r)
	s.office.mu.Lock()
	defer s.office.mu.Unlock()
	s.office.letters = append(s.office.letters, string(text))
	return err
}

func (b *bench) addMail(o *postOffice, more fields) string {
	b.t.Helper()
	target := fields{
		"host": "127.0.0.1", "port": o.port, "security": "starttls", "username": "panel", "password": mailPassword,
		"from": "panel@example.com", "to": []string{"ops@example.com", "night@example.com"}, "ca": o.ca,
	}
	for name, value := range more {
		target[name] = value
	}
	answer := b.Admin().Post(base+"/channels", fields{"kind": "email", "name": "mail", "email": target}).Is(http.StatusCreated)
	require.NotContains(b.t, string(answer.Body), mailPassword)
	return answer.Text("id")
}

// Rule: mails are encrypted on their way, and names of others write nothing into their heading.
func TestAMailArrives(t *testing.T) {
	t.Parallel()
	for name, direct := range map[string]bool{"starttls": false, "tls": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			office := newPostOffice(t, direct)
			b.addMail(office, fields{"security": name})
			b.widenRule()
			b.happens(probeDown, "p1", "evil\r\nBcc: spy@example.com")
			letter, err := mail.ReadMessage(strings.NewReader(office.next(t, 1)[0]))
			require.NoError(t, err)
			subject, err := new(mime.WordDecoder).DecodeHeader(letter.Header.Get("Subject"))
			require.NoError(t, err)
			require.Equal(t, "🔴 A probe is down: evil Bcc: spy@example.com", subject)
			require.Empty(t, letter.Header.Get("Bcc"))
			require.Contains(t, letter.Header.Get("Message-Id"), "@example.com>")
			require.ElementsMatch(t, []string{"ops@example.com", "night@example.com"}, office.to)
			b.until("&state=sent", 1)
			b.happens(probeUp, "p1", "first")
			again, err := mail.ReadMessage(strings.NewReader(office.next(t, 2)[1]))
			require.NoError(t, err)
			require.Equal(t, letter.Header.Get("Message-Id"), again.Header.Get("In-Reply-To"))
		})
	}
}

// Rule: what a mail server refuses for good is given up, in words without its own text.
func TestARefusedMailIsGivenUp(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.addMail(newPostOffice(t, false), fields{"to": []string{"nobody@example.com"}})
	b.Admin().Post(base+"/channels/"+id+"/test", nil).Is(http.StatusAccepted)
	require.Equal(t, "the mail server answered 550", b.until("&state=failed", 1)[0].Reason)
}

// Rule: a wrong password is no reason to try again and again; a certificate that nobody vouches for stops the mail.
func TestAMailServerIsNotTrustedBlindly(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	office := newPostOffice(t, false)
	id := b.addMail(office, fields{"password": "wrong"})
	b.Admin().Post(base+"/channels/"+id+"/test", nil).Is(http.StatusAccepted)
	require.Contains(t, b.until("&state=failed", 1)[0].Reason, "user name and the password")
	b.Admin().Patch(base+"/channels/"+id, fields{"revision": 1, "email": fields{"ca": "", "password": mailPassword}}).
		Is(http.StatusOK)
	b.Admin().Post(base+"/channels/"+id+"/test", nil).Is(http.StatusAccepted)
	require.Eventually(t, func() bool { return b.blockedFor(id) > 0 }, within, every)
	require.Empty(t, office.letters)
}
