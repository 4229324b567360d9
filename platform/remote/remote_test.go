package remote_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/stretchr/testify/require"

	"panel/platform/fault"
	"panel/platform/outbound"
	"panel/platform/remote"
	"panel/platform/testneed/places"
)

// files are what a bucket and a folder have in common.
type files interface {
	Put(ctx context.Context, file string, content io.Reader, about remote.About) error
	Open(ctx context.Context, file string) (io.ReadCloser, error)
	Files(ctx context.Context) ([]remote.File, error)
	Remove(ctx context.Context, file string) error
	Close() error
}

func environment(t *testing.T) remote.Env {
	t.Helper()
	network, err := outbound.Through("")
	require.NoError(t, err)
	return remote.Env{Network: network, Reach: outbound.Configured, Name: "test", Words: remote.Words{
		Send: "send a file", Open: "open a file", Read: "read a file", Remove: "remove a file",
		ListBucket: "list the bucket", ListFolder: "list the folder",
	}}
}

func bucketOf(server places.S3) remote.S3 {
	return remote.S3{
		Endpoint: server.Endpoint, Bucket: places.Bucket, Prefix: "/status/", Region: "us-east-1",
		AccessKeyID: places.AccessKey, SecretKey: places.SecretKey, PathStyle: true,
	}
}

func folderOf(server places.SSH) remote.SFTP {
	return remote.SFTP{
		Host: places.Address, Port: server.Port, User: server.User, Folder: server.Folder, HostKey: server.HostKey,
		Secret: server.Key,
	}
}

func openS3(t *testing.T, config remote.S3) files {
	t.Helper()
	at, err := environment(t).OpenS3(config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, at.Close()) })
	return at
}

func openSFTP(t *testing.T, config remote.SFTP) files {
	t.Helper()
	at, err := environment(t).OpenSFTP(config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, at.Close()) })
	return at
}

// each runs a test at a real S3 server and at a real OpenSSH; restart kills the server and starts it again.
func each(t *testing.T, test func(t *testing.T, at files, restart func())) {
	t.Helper()
	t.Run("s3", func(t *testing.T) {
		t.Parallel()
		server := places.NewS3(t)
		test(t, openS3(t, bucketOf(server)), func() { server.Kill(); server.Start() })
	})
	t.Run("sftp", func(t *testing.T) {
		t.Parallel()
		server := places.NewSSH(t)
		test(t, openSFTP(t, folderOf(server)), func() { server.Kill(); server.Start() })
	})
}

func put(t *testing.T, at files, file, content string) {
	t.Helper()
	about := remote.About{Size: int64(len(content)), MediaType: "text/html", CacheControl: "no-cache"}
	require.NoError(t, at.Put(t.Context(), file, strings.NewReader(content), about))
}

func get(t *testing.T, at files, file string) string {
	t.Helper()
	opened, err := at.Open(t.Context(), file)
	require.NoError(t, err)
	content, err := io.ReadAll(opened)
	require.NoError(t, errors.Join(err, opened.Close()))
	return string(content)
}

// A file lies in the folder that its name says, is put in the place of an older one, and is gone once it was removed.
func TestAFileIsPutReplacedAndRemoved(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, at files, _ func()) {
		put(t, at, "en/index.html", "first")
		put(t, at, "en/index.html", "the second one")
		put(t, at, "index.html", "")
		require.Equal(t, "the second one", get(t, at, "en/index.html"))
		require.Empty(t, get(t, at, "index.html"))
		listed, err := at.Files(t.Context())
		require.NoError(t, err)
		require.Equal(t, []remote.File{{Name: "index.html"}}, listed, "folders are not looked into")
		for range 2 {
			require.NoError(t, at.Remove(t.Context(), "en/index.html"), "what is gone is no error")
		}
		_, err = at.Open(t.Context(), "en/index.html")
		require.ErrorIs(t, err, remote.ErrMissing)
	})
}

// breaking gives a part of what was announced.
type breaking struct{ left int }

func (b *breaking) Read(into []byte) (int, error) {
	if b.left <= 0 {
		return 0, errors.New("the source broke")
	}
	n := min(len(into), b.left)
	b.left -= n
	return n, nil
}

// Who stops in the middle of a file leaves the one that was there as it was.
func TestAFileThatBreaksOffLeavesTheOldOne(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, at files, _ func()) {
		put(t, at, "index.html", "old")
		require.Error(t, at.Put(t.Context(), "index.html", &breaking{100_000}, remote.About{Size: 200_000}))
		require.Equal(t, "old", get(t, at, "index.html"))
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, at.Put(ended, "index.html", strings.NewReader("new"), remote.About{Size: 3}), context.Canceled)
		require.Equal(t, "old", get(t, at, "index.html"))
	})
}

// A server that died and came back is used again without a new start of the panel; meanwhile the error is in words.
func TestAServerThatComesBackIsUsedAgain(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, at files, restart func()) {
		put(t, at, "index.html", "before")
		restart()
		_ = at.Put(t.Context(), "index.html", strings.NewReader("lost"), remote.About{Size: 4}) // the old connection
		put(t, at, "index.html", "after")
		require.Equal(t, "after", get(t, at, "index.html"))
	})
}

// Readers of a bucket are told what a file is and how long they may keep it.
func TestABucketTellsReadersWhatAFileIs(t *testing.T) {
	t.Parallel()
	server := places.NewS3(t)
	put(t, openS3(t, bucketOf(server)), "index.html", "x")
	client, err := minio.New(strings.TrimPrefix(server.Endpoint, "http://"), &minio.Options{
		Creds: credentials.NewStaticV4(places.AccessKey, places.SecretKey, ""), BucketLookup: minio.BucketLookupPath,
	})
	require.NoError(t, err)
	seen, err := client.StatObject(t.Context(), places.Bucket, "status/index.html", minio.StatObjectOptions{})
	require.NoError(t, err, "slashes around the prefix do not matter")
	require.Equal(t, "text/html", seen.ContentType)
	require.Equal(t, "no-cache", seen.Metadata.Get("Cache-Control"))
}

// What the other side refuses is told by its own word, and never with what was secret.
func TestARefusalIsToldInWordsWithoutTheSecret(t *testing.T) {
	t.Parallel()
	s3, ssh := places.NewS3(t), places.NewSSH(t)
	wrongKey, wrongBucket, wrongUser, wrongHost := bucketOf(s3), bucketOf(s3), folderOf(ssh), folderOf(ssh)
	wrongKey.SecretKey, wrongBucket.Bucket, wrongUser.Secret = "canary-secret", "nowhere", "canary-secret"
	_, wrongHost.HostKey = places.KeyPair(t)
	closed := folderOf(ssh)
	closed.Folder = "/proc/nowhere"
	for _, one := range []struct {
		at   files
		said string
	}{
		{openS3(t, wrongKey), "send a file: the S3 service answered SignatureDoesNotMatch"},
		{openS3(t, wrongBucket), "send a file: the S3 service answered NoSuchBucket"},
		{openSFTP(t, wrongUser), "the SSH server refused the user or the key"},
		{openSFTP(t, wrongHost), remote.ErrHostKey.Error()},
	} {
		err := one.at.Put(t.Context(), "file", strings.NewReader("x"), remote.About{Size: 1})
		require.ErrorContains(t, err, one.said)
		require.NotContains(t, err.Error(), "canary")
	}
	require.Error(t, openSFTP(t, closed).Put(t.Context(), "file", strings.NewReader("x"), remote.About{Size: 1}))
	require.NoDirExists(t, ssh.Folder, "nothing was written")
}

// A key of the host is shown before anybody keeps it, and no other one is taken for it.
func TestAHostKeyIsAskedForAndPinned(t *testing.T) {
	t.Parallel()
	server := places.NewSSH(t)
	key, fingerprint, err := environment(t).HostKey(t.Context(), places.Address, server.Port)
	require.NoError(t, err)
	require.Equal(t, server.HostKey, key)
	require.Regexp(t, "^SHA256:", fingerprint)
	server.Kill()
	_, _, err = environment(t).HostKey(t.Context(), places.Address, server.Port)
	require.ErrorContains(t, err, "reach the SSH server")
}

// What is written on an SSH server lies beside its name until it is whole, and nothing of it is left behind.
func TestNothingIsLeftBesideAFile(t *testing.T) {
	t.Parallel()
	server := places.NewSSH(t)
	at := openSFTP(t, folderOf(server))
	put(t, at, "index.html", "whole")
	require.Error(t, at.Put(t.Context(), "index.html", &breaking{1000}, remote.About{Size: 2000}))
	require.NoError(t, at.Remove(t.Context(), "index.html"))
	left, err := os.ReadDir(server.Folder)
	require.NoError(t, err)
	require.Empty(t, left, "the draft of the broken file goes with it")
	require.NoError(t, os.WriteFile(filepath.Join(server.Folder, "big"), bytes.Repeat([]byte("x"), 1<<20), 0o600))
	require.Len(t, get(t, at, "big"), 1<<20)
}

// Settings that cannot work are refused before anybody is called, by the field that is wrong.
func TestWrongSettingsNameTheirField(t *testing.T) {
	t.Parallel()
	env, server := environment(t), remote.SFTP{Host: "ssh.example", User: "u"}
	_, server.HostKey = places.KeyPair(t)
	s3 := remote.S3{Endpoint: "https://s3.example.com", Bucket: "b", AccessKeyID: "k"}
	for field, spoil := range map[string]func(*remote.S3, *remote.SFTP){
		"config.endpoint":      func(s *remote.S3, _ *remote.SFTP) { s.Endpoint = "https://s3.example.com/bucket" },
		"config.bucket":        func(s *remote.S3, _ *remote.SFTP) { s.Bucket = "" },
		"config.access_key_id": func(s *remote.S3, _ *remote.SFTP) { s.AccessKeyID = "" },
		"config.host":          func(_ *remote.S3, s *remote.SFTP) { s.Host = "" },
		"config.port":          func(_ *remote.S3, s *remote.SFTP) { s.Port = 70_000 },
		"config.user":          func(_ *remote.S3, s *remote.SFTP) { s.User = "" },
		"config.host_key":      func(_ *remote.S3, s *remote.SFTP) { s.HostKey = "ssh-ed25519 nonsense" },
		"secret":               func(_ *remote.S3, s *remote.SFTP) { s.Secret = "-----BEGIN OPENSSH PRIVATE KEY-----\nx" },
	} {
		bucket, folder := s3, server
		spoil(&bucket, &folder)
		_, first := env.OpenS3(bucket)
		_, second := env.OpenSFTP(folder)
		var wrong *fault.Fault
		require.ErrorAs(t, errors.Join(first, second), &wrong, field)
		require.Equal(t, field, wrong.Fields[0].Field)
	}
}
