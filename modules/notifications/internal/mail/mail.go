// Package mail sends messages as e-mail, always encrypted on their way to the mail server.
package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"panel/modules/notifications/internal/message"
	"panel/platform/outbound"
)

// Server is a mail server and whom it shall send to.
type Server struct {
	Host     string   `json:"host"`
	Port     int      `json:"port"`
	Security string   `json:"security"`
	Username string   `json:"username"`
	From     string   `json:"from"`
	To       []string `json:"to"`
	// CA is the certificate authority of the server in PEM; empty: those of the system.
	CA string `json:"ca"`
	// Password is kept apart from the rest.
	Password string `json:"-"`
}

// TLS from the first byte on; the other way is STARTTLS, without which nothing is sent.
const TLS = "tls"

const limit = 20 * time.Second

// Send sends the message to all recipients. Error: *message.Refusal.
func (s Server) Send(ctx context.Context, network *outbound.Network, m message.Message, now time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	letter, err := s.letter(m, now)
	if err != nil {
		return message.Refused(message.AddressUnusable, "", true)
	}
	client, err := s.client(network)
	if err != nil {
		return message.Refused(message.SettingsUnusable, "", true)
	}
	if err := client.DialAndSendWithContext(ctx, letter); err != nil {
		return s.refusal(err)
	}
	return nil
}

func (s Server) letter(m message.Message, now time.Time) (*gomail.Msg, error) {
	letter := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	if err := errors.Join(letter.From(s.From), letter.To(s.To...)); err != nil {
		return nil, err
	}
	letter.SetUserAgent("panel")
	letter.SetMessageIDWithValue(s.id(m.ID))
	letter.SetDateWithValue(now)
	letter.SetGenHeader("Auto-Submitted", "auto-generated")
	if m.Answers != "" {
		letter.SetGenHeader(gomail.HeaderInReplyTo, "<"+s.id(m.Answers)+">")
		letter.SetGenHeader(gomail.HeaderReferences, "<"+s.id(m.Answers)+">")
	}
	letter.Subject(m.Subject())
	letter.SetBodyString(gomail.TypeTextPlain, m.Plain())
	return letter, nil
}

// id names a mail after its event and the sender's domain; the name of this machine is nobody's business.
func (s Server) id(event string) string {
	domain := "panel.invalid"
	if at := strings.LastIndexByte(s.From, '@'); at >= 0 {
		domain = strings.TrimRight(s.From[at+1:], ">")
	}
	return event + "@" + domain
}

func (s Server) client(network *outbound.Network) (*gomail.Client, error) {
	trust := &tls.Config{ServerName: s.Host, MinVersion: tls.VersionTLS12}
	if s.CA != "" {
		trust.RootCAs = x509.NewCertPool()
		if !trust.RootCAs.AppendCertsFromPEM([]byte(s.CA)) {
			return nil, errors.New("the certificate authority of the mail server cannot be read")
		}
	}
	options := []gomail.Option{
		gomail.WithPort(s.Port), gomail.WithTimeout(limit), gomail.WithHELO("panel.invalid"), gomail.WithTLSConfig(trust),
		gomail.WithTLSPolicy(gomail.TLSMandatory), gomail.WithDialContextFunc(s.dial(network, trust)),
	}
	signIn := gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover)
	if s.Security == TLS {
		// The library does not know that dial has encrypted the connection, and would not look for PLAIN and LOGIN.
		signIn = gomail.WithOpportunisticSMTPAuth(gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthSCRAMSHA1,
			gomail.SMTPAuthCramMD5, gomail.SMTPAuthPlain, gomail.SMTPAuthLogin)
		options = append(options, gomail.WithSSL())
	}
	if s.Username != "" {
		options = append(options, signIn, gomail.WithUsername(s.Username), gomail.WithPassword(s.Password))
	}
	return gomail.NewClient(s.Host, options...)
}

// dial connects to the mail server alone, whatever the library asks for, and only where the panel may.
func (s Server) dial(network *outbound.Network, trust *tls.Config) gomail.DialContextFunc {
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		conn, err := network.Dial(ctx, net.JoinHostPort(s.Host, strconv.Itoa(s.Port)), outbound.Private)
		if err != nil || s.Security != TLS {
			return conn, err
		}
		return tls.Client(conn, trust), nil
	}
}

// refusal gives the reason of an error of the library; of an answer of the server its code alone.
func (s Server) refusal(err error) error {
	var refused *gomail.SendError
	if errors.As(err, &refused) && refused.ErrorCode() > 0 {
		return message.Refused(message.MailStatus, strconv.Itoa(refused.ErrorCode()), !refused.IsTemp())
	}
	switch {
	case errors.Is(err, gomail.ErrNoSupportedAuthDiscovered), strings.Contains(err.Error(), "does not support SMTP AUTH"):
		return message.Refused(message.SignInUnknown, "", true)
	case strings.Contains(err.Error(), "SMTP AUTH failed"):
		return s.signIn(err)
	}
	cause := outbound.CauseOf(err)
	answer := message.Refused(cause.Code, "", false)
	answer.Late = cause.Late
	return answer
}

// signIn judges an attempt to sign in: what the server says for good is the password, the rest may pass.
func (s Server) signIn(err error) error {
	var answered *textproto.Error
	if errors.As(err, &answered) && answered.Code < 500 {
		return message.Refused(message.MailStatus, strconv.Itoa(answered.Code), false)
	}
	if !errors.As(err, &answered) {
		if cause := outbound.CauseOf(err); cause.Code != "no_connection" {
			answer := message.Refused(cause.Code, "", false)
			answer.Late = cause.Late
			return answer
		}
	}
	return message.Refused(message.SignInRefused, "", true)
}
