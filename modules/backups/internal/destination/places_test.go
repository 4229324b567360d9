package destination_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"panel/modules/backups/internal/artefact"
	"panel/modules/backups/internal/destination"
	"panel/platform/outbound"
	"panel/platform/testneed"
	"panel/platform/testneed/freeport"
)

func environment(t testing.TB) destination.Env {
	t.Helper()
	network, err := outbound.Through("")
	require.NoError(t, err)
	return destination.Env{Network: network, Folder: t.TempDir()}
}

func spec(t testing.TB, kind destination.Kind, config any, secret string) destination.Spec {
	t.Helper()
	text, err := json.Marshal(config)
	require.NoError(t, err)
	return destination.Spec{Kind: kind, Config: text, Secret: secret}
}

func opened(t testing.TB, s destination.Spec) artefact.Destination {
	t.Helper()
	at, err := environment(t).Open(s)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, at.Close()) })
	return at
}

// started runs a program until the test ends, and waits until it listens.
func started(t testing.TB, port int, cmd *exec.Cmd) {
	t.Helper()
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(port))
		if err != nil {
			return false
		}
		return conn.Close() == nil
	}, 30*time.Second, 20*time.Millisecond, cmd.Path)
}

const (
	accessKey = "AKIATEST"
	secretKey = "a-secret-key-of-the-test"
)

// s3Server is a real S3 server with a bucket.
func s3Server(t testing.TB) destination.S3Config {
	t.Helper()
	program := testneed.Built(t, "versitygw-v1.8.0", "versitygw.sh")
	port, err := freeport.Find()
	require.NoError(t, err)
	root := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(root, "backups"), 0o700))
	cmd := exec.Command(program, "--port", "127.0.0.1:"+strconv.Itoa(port), "posix", root)
	cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+accessKey, "ROOT_SECRET_KEY="+secretKey)
	started(t, port, cmd)
	return destination.S3Config{
		Endpoint: "http://127.0.0.1:" + strconv.Itoa(port), Bucket: "backups", Prefix: "panel/daily",
		AccessKeyID: accessKey, Region: "us-east-1", PathStyle: true,
	}
}

// sshServer is a real OpenSSH with one key of the host; it answers the private key of the user, too.
type sshServer struct {
	config destination.SFTPConfig
	key    string // of the user, PEM
	root   string
	port   int
}

func keyPair(t testing.TB) (private, public string) {
	t.Helper()
	pub, priv, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	block, err := ssh.MarshalPrivateKey(priv, "")
	require.NoError(t, err)
	shown, err := ssh.NewPublicKey(pub)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(block)), strings.TrimSpace(string(ssh.MarshalAuthorizedKey(shown)))
}

func sshd(t testing.TB) sshServer {
	t.Helper()
	port, err := freeport.Find()
	require.NoError(t, err)
	return sshdOn(t, port)
}

func sshdOn(t testing.TB, port int) sshServer {
	t.Helper()
	program := testneed.Program(t, "sshd")
	root := t.TempDir()
	hostPrivate, hostPublic := keyPair(t)
	userPrivate, userPublic := keyPair(t)
	write := func(name, text string) string {
		path := filepath.Join(root, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	settings := write("sshd_config", strings.Join([]string{
		"Port " + strconv.Itoa(port), "ListenAddress 127.0.0.1", "HostKey " + write("host", hostPrivate),
		"AuthorizedKeysFile " + write("authorized", userPublic+"\n"), "StrictModes no", "UsePAM yes", "PidFile none",
		"PasswordAuthentication no", "PermitRootLogin prohibit-password", "Subsystem sftp internal-sftp",
		"ForceCommand internal-sftp", "",
	}, "\n"))
	if os.Geteuid() == 0 { // the folder of the unprivileged half of a server that root starts
		require.NoError(t, os.MkdirAll("/run/sshd", 0o755))
	}
	started(t, port, exec.Command(program, "-D", "-e", "-f", settings))
	me, err := user.Current()
	require.NoError(t, err)
	files := filepath.Join(root, "files")
	return sshServer{
		config: destination.SFTPConfig{
			Host: "127.0.0.1", Port: port, User: me.Username, Folder: files, HostKey: hostPublic,
		},
		key: userPrivate, root: root, port: port,
	}
}

// small is a disk of a few megabytes; it needs root.
func small(t testing.TB, megabytes int) string {
	t.Helper()
	path := t.TempDir()
	size := fmt.Sprintf("size=%dm", megabytes)
	require.NoError(t, syscall.Mount("tmpfs", path, "tmpfs", 0, size))
	t.Cleanup(func() { _ = syscall.Unmount(path, syscall.MNT_DETACH) })
	return path
}

func random(t testing.TB, bytes int) []byte {
	t.Helper()
	text := make([]byte, bytes)
	_, err := rand.Read(text)
	require.NoError(t, err)
	return text
}

// failing is a content that ends with an error.
type failing struct{ left int }

func (f *failing) Read(into []byte) (int, error) {
	if f.left <= 0 {
		return 0, context.Canceled
	}
	n := min(len(into), f.left)
	f.left -= n
	return n, nil
}
