package places

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/testneed"
	"panel/platform/testneed/freeport"
)

// The one user of an S3 server and its bucket.
const (
	AccessKey = "AKIATEST"
	SecretKey = "a-secret-key-of-the-test"
	Bucket    = "backups"
)

// S3 is a real S3 server with a bucket.
type S3 struct {
	*Server
	Endpoint string
	Root     string // where it keeps its files
}

// NewS3 starts an S3 server.
func NewS3(t testing.TB) S3 {
	t.Helper()
	program := testneed.Built(t, "versitygw-v1.8.0", "versitygw.sh")
	port, err := freeport.Find()
	require.NoError(t, err)
	root := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(root, Bucket), 0o700))
	return S3{Root: root, Endpoint: "http://" + Address + ":" + strconv.Itoa(port), Server: start(t, port, func() *exec.Cmd {
		cmd := exec.Command(program, "--port", Address+":"+strconv.Itoa(port), "posix", root)
		cmd.Env = append(cmd.Environ(), "ROOT_ACCESS_KEY="+AccessKey, "ROOT_SECRET_KEY="+SecretKey)
		return cmd
	})}
}
