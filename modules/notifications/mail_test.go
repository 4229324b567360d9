package notifications

import (
	"crypto/hmac"
	"crypto/md5" //nolint:gosec // CRAM-MD5 is what servers offer
	"crypto/tls"
	"encoding/hex"
	"io"
	"mime"
	"net"
	"net/http"
	"net/mail"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"github.com/stretchr/testify/require"
)

// postOffice is a real mail server that keeps what it gets.
type postOffice struct {
	mu      sync.Mutex
	letters []string
	to      []string
	signed  []string // the ways in which somebody signed in
	port    int
	ca      string
}

const mailPassword = "a password that only the mail server knows"

// newPostOffice offers the ways of signing in, or PLAIN. It is encrypted from the first byte on, or by STARTTLS.
func newPostOffice(t *testing.T, direct bool, ways ...string) *postOffice {
	t.Helper()
	office := &postOffice{}
	certificate, ca, err := certified()
	require.NoError(t, err)
	office.ca = string(ca)
	if len(ways) == 0 {
		ways = []string{sasl.Plain}
	}
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) {
		return &session{office: office, ways: ways}, nil
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
	ways   []string
	signed bool
}

func (s *session) AuthMechanisms() []string { return s.ways }

func (s *session) Auth(way string) (sasl.Server, error) {
	judge := func(good bool) error {
		if !good {
			return smtp.ErrAuthFailed
		}
		s.office.mu.Lock()
		defer s.office.mu.Unlock()
		s.signed, s.office.signed = true, append(s.office.signed, way)
		return nil
	}
	password := func(username, password string) error { return judge(username == "panel" && password == mailPassword) }
	switch way {
	case sasl.Login:
		return &loginServer{judge: password}, nil
	case cramMD5:
		return &cramServer{judge: judge}, nil
	}
	return sasl.NewPlainServer(func(_, username, given string) error { return password(username, given) }), nil
}

// loginServer asks for the user name and then for the password.
type loginServer struct {
	judge    func(username, password string) error
	username *string
}

func (l *loginServer) Next(response []byte) (challenge []byte, done bool, err error) {
	switch text := string(response); {
	case response == nil:
		return []byte("Username:"), false, nil
	case l.username == nil:
		l.username = &text
		return []byte("Password:"), false, nil
	default:
		return nil, true, l.judge(*l.username, text)
	}
}

const (
	cramMD5       = "CRAM-MD5"
	cramChallenge = "<1896.697170952@mail.example>"
)

// cramServer never gets the password: it wants a keyed hash of its challenge (RFC 2195).
type cramServer struct{ judge func(good bool) error }

func (c *cramServer) Next(response []byte) (challenge []byte, done bool, err error) {
	if response == nil {
		return []byte(cramChallenge), false, nil
	}
	mac := hmac.New(md5.New, []byte(mailPassword))
	mac.Write([]byte(cramChallenge))
	return nil, true, c.judge(string(response) == "panel "+hex.EncodeToString(mac.Sum(nil)))
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

// Rule: the panel signs in by whatever the server offers, and only where the way is encrypted.
func TestTheWaysToSignInToAMailServer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		security string
		offered  []string
		taken    string
	}{
		{"tls", []string{sasl.Plain}, sasl.Plain},
		{"tls", []string{sasl.Login}, sasl.Login},
		{"tls", []string{cramMD5}, cramMD5},
		{"tls", []string{sasl.Login, sasl.Plain, cramMD5}, cramMD5},
		{"starttls", []string{sasl.Login}, sasl.Login},
		{"starttls", []string{cramMD5, sasl.Plain}, cramMD5},
		{"tls", []string{"GSSAPI"}, ""},
		{"starttls", []string{"GSSAPI"}, ""},
	} {
		t.Run(c.security+" "+strings.Join(c.offered, " "), func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			office := newPostOffice(t, c.security == "tls", c.offered...)
			id := b.addMail(office, fields{"security": c.security})
			b.Admin().Post(base+"/channels/"+id+"/test", nil).Is(http.StatusAccepted)
			if c.taken == "" {
				require.Equal(t, "mail_sign_in_unknown", b.until("&state=failed", 1)[0].Reason.Code)
				return
			}
			b.until("&state=sent", 1)
			require.Equal(t, []string{c.taken}, office.signed)
			b.Admin().Patch(base+"/channels/"+id, fields{"revision": 1, "email": fields{"password": "wrong"}}).
				Is(http.StatusOK)
			b.Admin().Post(base+"/channels/"+id+"/test", nil).Is(http.StatusAccepted)
			require.Equal(t, "mail_sign_in_refused", b.until("&state=failed", 1)[0].Reason.Code)
		})
	}
}

// Rule: whether a password is stored is said of the password, with or without a user name.
func TestWhetherAPasswordIsStoredIsSaid(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.addMail(newPostOffice(t, false), nil)
	one := base + "/channels/" + id
	stored := func() any { return b.Admin().Get(one).Is(http.StatusOK).Value("email.has_password") }
	require.Equal(t, true, stored())
	b.Admin().Patch(one, fields{"revision": 1, "email": fields{"password": ""}}).Is(http.StatusOK)
	require.Equal(t, false, stored(), "a user name alone is no password")
	b.Admin().Patch(one, fields{"revision": 2, "email": fields{"username": "", "password": "x"}}).Is(http.StatusOK)
	require.Equal(t, true, stored())
	_, err := b.DB.ExecContext(t.Context(), "update notifications_channels set sealed = 'of another key'")
	require.NoError(t, err)
	require.Equal(t, false, stored(), "what cannot be opened must be set again")
}

// Rule: what a mail server refuses for good is given up, in words without its own text.
func TestARefusedMailIsGivenUp(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.addMail(newPostOffice(t, false), fields{"to": []string{"nobody@example.com"}})
	b.Admin().Post(base+"/channels/"+id+"/test", nil).Is(http.StatusAccepted)
	require.Equal(t, "the mail server answered 550", b.until("&state=failed", 1)[0].Reason.English)
}

// Rule: a wrong password is no reason to try again and again; a certificate that nobody vouches for stops the mail.
func TestAMailServerIsNotTrustedBlindly(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	office := newPostOffice(t, false)
	id := b.addMail(office, fields{"password": "wrong"})
	b.Admin().Post(base+"/channels/"+id+"/test", nil).Is(http.StatusAccepted)
	require.Equal(t, "mail_sign_in_refused", b.until("&state=failed", 1)[0].Reason.Code)
	b.Admin().Patch(base+"/channels/"+id, fields{"revision": 1, "email": fields{"ca": "", "password": mailPassword}}).
		Is(http.StatusOK)
	b.Admin().Post(base+"/channels/"+id+"/test", nil).Is(http.StatusAccepted)
	require.Eventually(t, func() bool { return b.blockedFor(id) > 0 }, within, every)
	require.Empty(t, office.letters)
}
