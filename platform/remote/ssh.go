package remote

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"

	"panel/platform/fault"
	"panel/platform/outbound"
)

const greetWithin = 20 * time.Second

// ErrHostKey means that an SSH server showed another key than the pinned one: it was set up anew, or somebody is
// between.
var ErrHostKey = errors.New("the server's host key is not the one that was kept: " +
	"ask its operator, then keep the new key if it is right")

// loginBy takes a private key in PEM, or a password.
func loginBy(secret string) ([]ssh.AuthMethod, error) {
	if !strings.HasPrefix(strings.TrimSpace(secret), "-----BEGIN ") {
		answer := func(_, _ string, questions []string, _ []bool) ([]string, error) {
			answers := make([]string, len(questions))
			for i := range answers {
				answers[i] = secret
			}
			return answers, nil
		}
		return []ssh.AuthMethod{ssh.Password(secret), ssh.KeyboardInteractive(answer)}, nil
	}
	key, err := ssh.ParsePrivateKey([]byte(secret))
	var locked *ssh.PassphraseMissingError
	if errors.As(err, &locked) {
		return nil, fault.InvalidValue("secret", "the private key has a passphrase: give one without")
	}
	if err != nil {
		return nil, fault.InvalidValue("secret", "the private key cannot be read")
	}
	return []ssh.AuthMethod{ssh.PublicKeys(key)}, nil
}

// connect is called with the lock held.
func (f *Folder) connect(ctx context.Context) error {
	other := false
	settings := &ssh.ClientConfig{
		User: f.config.User, Auth: f.login, HostKeyAlgorithms: algorithms(f.pinned), Timeout: greetWithin,
		HostKeyCallback: func(name string, remote net.Addr, key ssh.PublicKey) error {
			err := ssh.FixedHostKey(f.pinned)(name, remote, key)
			other = err != nil
			return err
		},
	}
	wire, conn, err := greet(ctx, f.env, f.address(), settings)
	var none *ssh.AlgorithmNegotiationError
	switch {
	case other, errors.As(err, &none) && strings.Contains(err.Error(), "host key"):
		return ErrHostKey
	case err != nil && strings.Contains(err.Error(), "unable to authenticate"):
		return errors.New("the SSH server refused the user or the key")
	case err != nil:
		return err
	}
	client, err := sftp.NewClient(conn, sftp.UseConcurrentWrites(true))
	if err != nil {
		_ = conn.Close() // it is of no use
		return errors.New("the SSH server offers no SFTP to this user")
	}
	f.wire, f.conn, f.client = wire, conn, client
	return nil
}

// algorithms are those of a key's kind: a server with keys of several kinds must show the pinned one.
func algorithms(key ssh.PublicKey) []string {
	if key.Type() == ssh.KeyAlgoRSA {
		return []string{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256}
	}
	return []string{key.Type()}
}

// greet dials and shakes hands within a deadline.
func greet(ctx context.Context, e Env, to string, settings *ssh.ClientConfig) (net.Conn, *ssh.Client, error) {
	ctx, cancel := context.WithTimeout(ctx, greetWithin)
	defer cancel()
	wire, err := e.Network.Dial(ctx, to, e.Reach)
	if err != nil {
		reason, _ := outbound.Explain(err)
		return nil, nil, fmt.Errorf("reach the SSH server: %s: %w", reason, err)
	}
	stop := context.AfterFunc(ctx, func() { _ = wire.Close() })
	conn, channels, requests, err := ssh.NewClientConn(wire, to, settings)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		_ = wire.Close() // it is of no use
		return nil, nil, fmt.Errorf("greet the SSH server: %w", err)
	}
	return wire, ssh.NewClient(conn, channels, requests), nil
}

var errSeen = errors.New("the key was seen")

// HostKey asks an SSH server for its key, so that a person can compare the fingerprint ("SHA256:…") and keep the key.
func (e Env) HostKey(ctx context.Context, host string, port int) (key, fingerprint string, err error) {
	var shown ssh.PublicKey
	settings := &ssh.ClientConfig{
		User: "panel", Timeout: greetWithin,
		HostKeyAlgorithms: []string{
			ssh.KeyAlgoED25519, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521,
			ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256,
		},
		HostKeyCallback: func(_ string, _ net.Addr, key ssh.PublicKey) error {
			shown = key
			return errSeen
		},
	}
	_, conn, err := greet(ctx, e, address(host, port), settings)
	if conn != nil {
		_ = conn.Close() // never: the callback refuses
	}
	if shown == nil {
		return "", "", err
	}
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(shown))), ssh.FingerprintSHA256(shown), nil
}
