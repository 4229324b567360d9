package backups

import (
	"crypto/ed25519"
	"net"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"panel/platform/paneltest"
)

// shows is the port of an SSH server that shows its key and lets nobody in.
func shows(t *testing.T) (port int, key ssh.PublicKey) {
	t.Helper()
	_, private, err := ed25519.GenerateKey(nil)
	require.NoError(t, err)
	signer, err := ssh.NewSignerFromKey(private)
	require.NoError(t, err)
	settings := &ssh.ServerConfig{}
	settings.AddHostKey(signer)
	settings.PasswordCallback = func(ssh.ConnMetadata, []byte) (*ssh.Permissions, error) {
		return nil, net.ErrClosed
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			wire, err := listener.Accept()
			if err != nil {
				return
			}
			_, _, _, _ = ssh.NewServerConn(wire, settings) // the panel leaves as soon as it has seen the key
			_ = wire.Close()
		}
	}()
	address, is := listener.Addr().(*net.TCPAddr)
	require.True(t, is)
	return address.Port, signer.PublicKey()
}

// The key of an SSH server is shown to a person before it is kept, and never learnt silently.
func TestTheHostKeyIsShownBeforeItIsKept(t *testing.T) {
	t.Parallel()
	port, key := shows(t)
	allowed := paneltest.Env(map[string]string{"PANEL_OUTBOUND_ALLOW": "127.0.0.0/8"})
	p := paneltest.Start(t, paneltest.Modules(Module()), allowed)
	var shown HostKey
	p.Admin().Post("/api/v1/backups/host-key", fields{"host": "127.0.0.1", "port": port}).Is(http.StatusOK).JSON(&shown)
	require.Equal(t, ssh.FingerprintSHA256(key), shown.Fingerprint)
	require.Contains(t, string(ssh.MarshalAuthorizedKey(key)), shown.HostKey)
}

func TestAServerThatShowsNoKeyIsNamed(t *testing.T) {
	t.Parallel()
	admin := paneltest.New(t, Module()).Admin()
	admin.Post("/api/v1/backups/host-key", fields{"host": "127.0.0.1", "port": 1}).
		Refused(http.StatusUnprocessableEntity, "backup_server_unreachable")
	admin.Post("/api/v1/backups/host-key", fields{"host": ""}).Refused(http.StatusUnprocessableEntity, "invalid_value")
}
