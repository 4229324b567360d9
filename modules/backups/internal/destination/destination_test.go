package destination_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/backups/internal/artefact"
	"panel/modules/backups/internal/destination"
	"panel/platform/fault"
	"panel/platform/testneed/places"
)

// each runs a test at every kind of place that gives files back.
func each(t *testing.T, test func(t *testing.T, at artefact.Destination)) {
	t.Helper()
	t.Run("local", func(t *testing.T) {
		t.Parallel()
		test(t, opened(t, spec(t, destination.Local, destination.LocalConfig{Folder: "daily"}, "")))
	})
	t.Run("s3", func(t *testing.T) {
		t.Parallel()
		test(t, opened(t, spec(t, destination.S3, s3Server(t), places.SecretKey)))
	})
	t.Run("sftp", func(t *testing.T) {
		t.Parallel()
		server := sshd(t)
		test(t, opened(t, spec(t, destination.SFTP, server.config, server.Key)))
	})
}

func TestAFileIsKeptListedReadAndRemoved(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, at artefact.Destination) {
		require.NoError(t, at.Check(t.Context()))
		found, err := at.Files(t.Context())
		require.NoError(t, err)
		require.Empty(t, found)
		large := random(t, 40<<20) // more than one piece of S3
		require.NoError(t, at.Put(t.Context(), "large", onlyReader{bytes.NewReader(large)}))
		require.NoError(t, at.Put(t.Context(), "empty", bytes.NewReader(nil)))
		found, err = at.Files(t.Context())
		require.NoError(t, err)
		require.ElementsMatch(t, []artefact.File{{Name: "large", Bytes: 40 << 20}, {Name: "empty"}}, found)
		content, err := at.Open(t.Context(), "large")
		require.NoError(t, err)
		read, err := io.ReadAll(content)
		require.NoError(t, err)
		require.NoError(t, content.Close())
		require.True(t, bytes.Equal(large, read))
		require.NoError(t, at.Remove(t.Context(), "large"))
		require.NoError(t, at.Remove(t.Context(), "large"), "what is gone is gone")
		_, err = at.Open(t.Context(), "large")
		require.ErrorIs(t, err, artefact.ErrMissing)
	})
}

type onlyReader struct{ io.Reader }

// A stream that breaks off leaves no file, also not a short one.
func TestAStreamThatBreaksOffLeavesNoFile(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, at artefact.Destination) {
		require.Error(t, at.Put(t.Context(), "half", &failing{left: 20 << 20}))
		_, err := at.Open(t.Context(), "half")
		require.ErrorIs(t, err, artefact.ErrMissing)
		require.NoError(t, at.Remove(t.Context(), "half"))
		found, err := at.Files(t.Context())
		require.NoError(t, err)
		require.Empty(t, found)
	})
}

func TestAWrongKeyOfS3IsNamed(t *testing.T) {
	t.Parallel()
	config := s3Server(t)
	at := opened(t, spec(t, destination.S3, config, "another-secret-key"))
	err := at.Put(t.Context(), "file", bytes.NewReader([]byte("x")))
	require.ErrorContains(t, err, "SignatureDoesNotMatch")
	require.NotContains(t, err.Error(), "another-secret-key")
	config.Bucket = "nowhere"
	at = opened(t, spec(t, destination.S3, config, places.SecretKey))
	require.ErrorContains(t, at.Check(t.Context()), "NoSuchBucket")
}

// A service that dies as it joins the pieces of an object may say afterwards that it is done, and never have it. Nobody
// believes that: the file was not kept.
func TestAnS3ServiceThatLostAFileIsNotBelieved(t *testing.T) {
	t.Parallel()
	config := s3Server(t)
	config.Endpoint = forgetful(t, config.Endpoint)
	at := opened(t, spec(t, destination.S3, config, places.SecretKey))
	err := at.Put(t.Context(), "lost", bytes.NewReader(random(t, 20<<20)))
	require.ErrorContains(t, err, "said that it has the file, and does not have it")
	_, err = at.Open(t.Context(), "lost")
	require.ErrorIs(t, err, artefact.ErrMissing)
}

// forgetful stands before an S3 server and says of every upload that it is done, without handing that on.
func forgetful(t *testing.T, server string) (endpoint string) {
	t.Helper()
	behind, err := url.Parse(server)
	require.NoError(t, err)
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(behind)
		r.Out.Host = r.In.Host // it is signed
	}}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.URL.Query().Has("uploadId") {
			_, _ = io.WriteString(w, "<CompleteMultipartUploadResult><Bucket>"+places.Bucket+
				"</Bucket><Key>lost</Key><ETag>\"1-1\"</ETag></CompleteMultipartUploadResult>")
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	return front.URL
}

// The host's key is pinned: a server with another one is refused, never accepted silently.
func TestAChangedHostKeyIsRefused(t *testing.T) {
	t.Parallel()
	server := sshd(t)
	key, fingerprint, err := environment(t).HostKey(t.Context(), "127.0.0.1", server.Port)
	require.NoError(t, err)
	require.Equal(t, server.config.HostKey, key, "a person sees the key before it is kept")
	require.Regexp(t, "^SHA256:", fingerprint)
	_, server.config.HostKey = places.KeyPair(t)
	at := opened(t, spec(t, destination.SFTP, server.config, server.Key))
	require.ErrorIs(t, at.Put(t.Context(), "file", bytes.NewReader(nil)), destination.ErrHostKey)
	require.NoDirExists(t, server.config.Folder)
	// A pinned key of a kind that the server does not have is another key, too.
	server.config.HostKey = "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBEmKSENjQEezOmxkZMy7opKgwFB9nkt5YRrYMjNuG5N87uRgg6CLrbo5wAdT/y6v0mKV0U2w0WZ2YB/++Tpockg="
	at = opened(t, spec(t, destination.SFTP, server.config, server.Key))
	require.ErrorIs(t, at.Put(t.Context(), "file", bytes.NewReader(nil)), destination.ErrHostKey)
}

func TestAWrongKeyOfTheUserIsToldInWords(t *testing.T) {
	t.Parallel()
	server := sshd(t)
	other, _ := places.KeyPair(t)
	at := opened(t, spec(t, destination.SFTP, server.config, other))
	require.ErrorContains(t, at.Check(t.Context()), "refused the user or the key")
}

// A connection that broke is made anew by the next call.
func TestABrokenConnectionIsMadeAnew(t *testing.T) {
	t.Parallel()
	server := sshd(t)
	at := opened(t, spec(t, destination.SFTP, server.config, server.Key))
	require.NoError(t, at.Put(t.Context(), "one", bytes.NewReader([]byte("1"))))
	require.NoError(t, at.Close())
	require.NoError(t, at.Put(t.Context(), "two", bytes.NewReader([]byte("2"))))
	found, err := at.Files(t.Context())
	require.NoError(t, err)
	require.Len(t, found, 2)
}

func TestAFullDiskIsNamedAndLeavesNothing(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root makes a small disk")
	}
	disk := small(t, 4)
	server := sshd(t)
	server.config.Folder = disk
	for _, s := range []destination.Spec{
		spec(t, destination.Local, destination.LocalConfig{Folder: disk}, ""),
		spec(t, destination.SFTP, server.config, server.Key),
	} {
		at := opened(t, s)
		err := at.Put(t.Context(), "large", bytes.NewReader(random(t, 8<<20)))
		require.ErrorIs(t, err, destination.ErrFull, s.Kind)
		require.NoError(t, at.Remove(t.Context(), "large"))
		left, err := os.ReadDir(disk)
		require.NoError(t, err)
		require.Empty(t, left)
	}
}

// What people write over the web leads neither out of the folder of backups nor to this machine.
func TestProfilesAreConfined(t *testing.T) {
	t.Parallel()
	env := environment(t)
	env.Confined = true
	host := destination.S3Config{Endpoint: "http://127.0.0.1:9000", Bucket: "b", AccessKeyID: "k"}
	key := "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBtf2c0gAl3vZZ8nqJ0BJrGQ3p9YV0z6gF8s6m3m2m1X"
	for name, s := range map[string]destination.Spec{
		"config.folder":   spec(t, destination.Local, destination.LocalConfig{Folder: "/etc"}, ""),
		"config.endpoint": spec(t, destination.S3, host, "s"),
		"config.host_key": spec(t, destination.SFTP, destination.SFTPConfig{Host: "h", User: "u"}, "s"),
		"config.user":     spec(t, destination.SFTP, destination.SFTPConfig{Host: "h", HostKey: key}, "s"),
		"config.chat_id":  spec(t, destination.Messenger, destination.MessengerConfig{}, "1:x"),
		"secret":          spec(t, destination.Messenger, destination.MessengerConfig{ChatID: "1"}, "1/../x"),
		"kind":            spec(t, "tape", struct{}{}, ""),
		"config":          spec(t, destination.Local, map[string]string{"path": "x"}, ""),
		"max_part_bytes":  {Kind: destination.Local, MaxPartBytes: 5},
	} {
		refused, is := fault.As(env.Validate(s))
		require.True(t, is, name)
		require.Equal(t, "invalid_value", refused.Code)
		require.Equal(t, name, refused.Fields[0].Field)
	}
	up := spec(t, destination.Local, destination.LocalConfig{Folder: "../x"}, "")
	require.Error(t, env.Validate(up))
	require.NoError(t, env.Validate(spec(t, destination.Local, destination.LocalConfig{Folder: "x/y"}, "")))
	require.NoError(t, env.Validate(spec(t, destination.Local,
		destination.LocalConfig{Folder: filepath.Join(env.Folder, "z")}, "")))
	at, err := env.Open(spec(t, destination.SFTP, destination.SFTPConfig{
		Host: "127.0.0.1", User: "u", HostKey: key,
	}, "password"))
	require.NoError(t, err)
	require.ErrorContains(t, at.Put(t.Context(), "x", bytes.NewReader(nil)), "not allowed as a target")
}
