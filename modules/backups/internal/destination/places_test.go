package destination_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/backups/internal/artefact"
	"panel/modules/backups/internal/destination"
	"panel/platform/outbound"
	"panel/platform/testneed/places"
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

// s3Server is a real S3 server with a bucket.
func s3Server(t testing.TB) destination.S3Config {
	t.Helper()
	return destination.S3Config{
		Endpoint: places.NewS3(t).Endpoint, Bucket: places.Bucket, Prefix: "panel/daily",
		AccessKeyID: places.AccessKey, Region: "us-east-1", PathStyle: true,
	}
}

// sshServer is a real OpenSSH and the settings of a destination there.
type sshServer struct {
	places.SSH
	config destination.SFTPConfig
}

func sshd(t testing.TB) sshServer {
	t.Helper()
	server := places.NewSSH(t)
	return sshServer{SSH: server, config: destination.SFTPConfig{
		Host: places.Address, Port: server.Port, User: server.User, Folder: server.Folder, HostKey: server.HostKey,
	}}
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
