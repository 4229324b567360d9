package release_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/platform/outbound"
	"panel/platform/release"
)

const program = "an executable"

// published writes a signed release with one program and answers its folder, manifest and key.
func published(t *testing.T) (folder, manifest string, key release.Key) {
	t.Helper()
	folder = t.TempDir()
	key, err := release.NewKey()
	require.NoError(t, err)
	file := filepath.Join(folder, "panelctl-1.5.0-linux-amd64")
	require.NoError(t, os.WriteFile(file, []byte(program), 0o600))
	m := release.Manifest{Channel: "stable", Version: "1.5.0", MinPanel: "1.4.0", ReleasedAt: time.Date(2026, 11, 20, 0,
		0, 0, 0, time.UTC)}
	require.NoError(t, m.Add(release.Panel, "linux/amd64", file))
	manifest, err = key.Write(folder, m)
	require.NoError(t, err)
	return folder, manifest, key
}

func TestASignedReleaseIsOpenedAndFetchedFromAServerAndFromAFolder(t *testing.T) {
	t.Parallel()
	folder, manifest, key := published(t)
	server := httptest.NewServer(http.FileServer(http.Dir(folder)))
	t.Cleanup(server.Close)
	network, err := outbound.Through("")
	require.NoError(t, err)
	web := release.Over(network.New(outbound.Options{
		Name: "server", Service: "the server",
		Reach: outbound.Configured,
	}))
	for _, source := range []string{manifest, "file://" + manifest, server.URL + "/manifest.json"} {
		r, err := release.Open(t.Context(), source, key.Public(), web)
		require.NoError(t, err)
		require.Equal(t, "1.5.0", r.Manifest.Version)
		artefact, err := r.Manifest.Artefact(release.Panel, "linux/amd64")
		require.NoError(t, err)
		to := filepath.Join(t.TempDir(), "panelctl")
		require.NoError(t, r.Fetch(t.Context(), artefact, to))
		got, err := os.ReadFile(to)
		require.NoError(t, err)
		require.Equal(t, program, string(got))
		_, err = r.Manifest.Artefact(release.Agent, "linux/amd64")
		require.ErrorIs(t, err, release.ErrNoArtefact)
	}
}

// While keys change, an installation trusts the old and the new one.
func TestAnyOfTheTrustedKeysIsEnough(t *testing.T) {
	t.Parallel()
	_, manifest, key := published(t)
	other, err := release.NewKey()
	require.NoError(t, err)
	_, err = release.Open(t.Context(), manifest, other.Public()+", "+key.Public())
	require.NoError(t, err)
	_, err = release.Open(t.Context(), manifest, other.Public())
	require.ErrorIs(t, err, release.ErrUntrusted)
	for _, none := range []string{"", ",", "not a key"} {
		_, err = release.Open(t.Context(), manifest, none)
		require.ErrorIs(t, err, release.ErrKey)
	}
}

func TestOneChangedByteOfManifestOrSignatureIsRefused(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"manifest.json", "manifest.json.minisig"} {
		folder, manifest, key := published(t)
		path := filepath.Join(folder, name)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		text[len(text)/2] ^= 1
		require.NoError(t, os.WriteFile(path, text, 0o600))
		_, err = release.Open(t.Context(), manifest, key.Public())
		require.ErrorIs(t, err, release.ErrUntrusted, name)
	}
	folder, manifest, key := published(t)
	require.NoError(t, os.Remove(filepath.Join(folder, "manifest.json.minisig")))
	_, err := release.Open(t.Context(), manifest, key.Public())
	require.ErrorIs(t, err, release.ErrUnreachable)
}

// A file that is longer, shorter or other than announced never gets its name.
func TestADamagedFileNeverGetsItsName(t *testing.T) {
	t.Parallel()
	for _, body := range []string{program + "!", program[1:], strings.ToUpper(program)} {
		folder, manifest, key := published(t)
		require.NoError(t, os.WriteFile(filepath.Join(folder, "panelctl-1.5.0-linux-amd64"), []byte(body), 0o600))
		r, err := release.Open(t.Context(), manifest, key.Public())
		require.NoError(t, err)
		artefact, err := r.Manifest.Artefact(release.Panel, "linux/amd64")
		require.NoError(t, err)
		to := t.TempDir()
		require.ErrorIs(t, r.Fetch(t.Context(), artefact, filepath.Join(to, "panelctl")), release.ErrDamaged)
		left, err := os.ReadDir(to)
		require.NoError(t, err)
		require.Empty(t, left)
	}
}

// Who reads files alone, as an agent does, calls nobody.
func TestWithoutAClientNoAddressIsRead(t *testing.T) {
	t.Parallel()
	folder, _, key := published(t)
	server := httptest.NewServer(http.FileServer(http.Dir(folder)))
	t.Cleanup(server.Close)
	_, err := release.Open(t.Context(), server.URL+"/manifest.json", key.Public())
	require.ErrorIs(t, err, release.ErrUnreachable)
	require.ErrorContains(t, err, "only files are read here")
}

func TestAManifestThatMakesNoSenseIsNotWritten(t *testing.T) {
	t.Parallel()
	key, err := release.NewKey()
	require.NoError(t, err)
	good := release.Manifest{Channel: "stable", Version: "1.5.0", ReleasedAt: time.Unix(1, 0)}
	for _, spoil := range []func(*release.Manifest){
		func(m *release.Manifest) { m.Channel = "nightly" },
		func(m *release.Manifest) { m.Version = "new" },
		func(m *release.Manifest) { m.MinAgent = "old" },
		func(m *release.Manifest) { m.ReleasedAt = time.Time{} },
		func(m *release.Manifest) {
			m.Artefacts = map[string]map[string]release.Artefact{"panelctl": {"linux/amd64": {
				URL: "x", SHA256: "short",
				Size: 1,
			}}}
		},
	} {
		bad := good
		spoil(&bad)
		_, err := key.Write(t.TempDir(), bad)
		require.ErrorIs(t, err, release.ErrManifest)
	}
	_, err = key.Write(t.TempDir(), good)
	require.NoError(t, err)
}

func TestTheSigningKeyIsKeptAndNeverPrinted(t *testing.T) {
	t.Parallel()
	key, err := release.NewKey()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "release.key")
	require.NoError(t, key.Save(path, ""))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.EqualValues(t, 0o600, info.Mode().Perm())
	loaded, err := release.LoadKey(path, "")
	require.NoError(t, err)
	require.Equal(t, key.Public(), loaded.Public())
	require.Equal(t, "signing key ***", loaded.String())
}

func TestVersionsAreOrdered(t *testing.T) {
	t.Parallel()
	rising := []string{"dev", "1.0.0-rc.1", "v1.0.0", "1.0.0-3-gabcdef0", "1.0.1", "1.10.0"}
	for i := range rising {
		for j := range rising {
			want := 0
			if i < j {
				want = -1
			} else if i > j {
				want = 1
			}
			require.Equal(t, want, release.Compare(rising[i], rising[j]), "%s and %s", rising[i], rising[j])
		}
	}
	require.True(t, release.Valid("1.2.3"))
	for _, commit := range []string{"cb90ae7", "8060085", "8060085-dirty"} {
		require.False(t, release.Valid(commit))
		require.Equal(t, -1, release.Compare(commit, "1.0.0"), "a commit of digits is no version above all others")
	}
}
