package places

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"panel/platform/testneed"
	"panel/platform/testneed/freeport"
)

// SSH is a real OpenSSH with one key of the host and one user, who signs in with a key.
type SSH struct {
	*Server
	User    string
	Key     string // of the user, PEM
	HostKey string // as in authorized_keys
	Folder  string // for files; it is not there yet
}

// NewSSH starts an OpenSSH server.
func NewSSH(t testing.TB) SSH {
	t.Helper()
	program := testneed.Program(t, "sshd")
	port, err := freeport.Find()
	require.NoError(t, err)
	root := t.TempDir()
	hostPrivate, hostPublic := KeyPair(t)
	userPrivate, userPublic := KeyPair(t)
	write := func(name, text string) string {
		path := filepath.Join(root, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	settings := write("sshd_config", strings.Join([]string{
		"Port " + strconv.Itoa(port), "ListenAddress " + Address, "HostKey " + write("host", hostPrivate),
		"AuthorizedKeysFile " + write("authorized", userPublic+"\n"), "StrictModes no", "UsePAM yes", "PidFile none",
		"PasswordAuthentication no", "PermitRootLogin prohibit-password", "Subsystem sftp internal-sftp",
		"ForceCommand internal-sftp", "",
	}, "\n"))
	if os.Geteuid() == 0 { // the folder of the unprivileged half of a server that root starts
		require.NoError(t, os.MkdirAll("/run/sshd", 0o755))
	}
	me, err := user.Current()
	require.NoError(t, err)
	return SSH{
		User: me.Username, Key: userPrivate, HostKey: hostPublic, Folder: filepath.Join(root, "files"),
		Server: start(t, port, func() *exec.Cmd { return exec.Command(program, "-D", "-e", "-f", settings) }),
	}
}

// KeyPair is a key of a user or a host: the private half as PEM, the public one as in authorized_keys.
func KeyPair(t testing.TB) (private, public string) {
	t.Helper()
	pub, priv, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	block, err := ssh.MarshalPrivateKey(priv, "")
	require.NoError(t, err)
	shown, err := ssh.NewPublicKey(pub)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(block)), strings.TrimSpace(string(ssh.MarshalAuthorizedKey(shown)))
}
