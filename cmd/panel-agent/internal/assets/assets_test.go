package assets

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/cmd/panel-agent/internal/core"
	"panel/platform/agentapi"
)

// shelf is a panel that gives files by their digests, counted.
type shelf struct {
	files map[string][]byte
	given int
	fails error
}

func (s *shelf) add(name, content string) agentapi.AssetFile {
	sum := sha256.Sum256([]byte(content))
	f := agentapi.AssetFile{Name: name, SHA256: hex.EncodeToString(sum[:]), Size: int64(len(content))}
	s.files[f.SHA256] = []byte(content)
	return f
}

func (s *shelf) open(_ context.Context, digest string) (io.ReadCloser, error) {
	s.given++
	if s.fails != nil {
		return nil, s.fails
	}
	return io.NopCloser(bytes.NewReader(s.files[digest])), nil
}

// fakeCore notes what it was asked to use.
type fakeCore struct {
	t       *testing.T
	trials  []map[string]string
	refuses error
	dies    bool // before the files are put
}

func (c *fakeCore) Assets(_ context.Context, trial string, put func() error) error {
	c.trials = append(c.trials, read(c.t, trial))
	if c.refuses != nil || c.dies {
		return c.refuses
	}
	return put()
}

// read gives the visible files of a folder.
func read(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	found := map[string]string{}
	for _, e := range entries {
		if e.Type().IsRegular() && e.Name()[0] != '.' {
			content, err := os.ReadFile(filepath.Join(dir, e.Name()))
			require.NoError(t, err)
			found[e.Name()] = string(content)
		}
	}
	return found
}

func document(files ...agentapi.AssetFile) json.RawMessage {
	raw, _ := json.Marshal(agentapi.Assets{Files: files})
	return raw
}

func newHolder(t *testing.T) (*holder, *shelf, *fakeCore) {
	t.Helper()
	s, c := &shelf{files: map[string][]byte{}}, &fakeCore{t: t}
	return &holder{dir: filepath.Join(t.TempDir(), "assets"), core: c, source: s}, s, c
}

func TestFilesAreFetchedOnceTestedAndExchanged(t *testing.T) {
	t.Parallel()
	h, s, c := newHolder(t)
	one, two, ads := s.add("geosite.dat", "one"), s.add("geosite.dat", "two"), s.add("ads.dat", "ads")
	require.NoError(t, h.apply(t.Context(), document(one, ads)))
	require.Equal(t, map[string]string{"geosite.dat": "one", "ads.dat": "ads"}, read(t, h.dir))
	require.NoError(t, h.apply(t.Context(), document(one, ads)), "at the next start")
	require.Equal(t, 2, s.given)
	require.Len(t, c.trials, 1, "what is in its place is not exchanged")

	require.NoError(t, h.apply(t.Context(), document(two)))
	require.Equal(t, map[string]string{"geosite.dat": "two"}, c.trials[1], "the test sees the files that will be")
	require.Equal(t, map[string]string{"geosite.dat": "two"}, read(t, h.dir))
	require.NoError(t, h.apply(t.Context(), document(one, ads)), "a return")
	require.Equal(t, 3, s.given, "the files before are still there")
	require.Equal(t, map[string]string{"geosite.dat": "one", "ads.dat": "ads"}, read(t, h.dir))
	three := s.add("geosite.dat", "three")
	require.NoError(t, h.apply(t.Context(), document(three)))
	require.NoFileExists(t, h.stored(two), "only the ones before are kept")
	require.NoDirExists(t, h.path(dirTrial))
	require.NoError(t, h.apply(t.Context(), document()))
	require.Empty(t, read(t, h.dir))
}

func TestFilesOfOthersAreLeftAlone(t *testing.T) {
	t.Parallel()
	h, s, c := newHolder(t)
	require.NoError(t, os.MkdirAll(h.dir, 0o700))
	require.NoError(t, os.WriteFile(h.path("own.dat"), []byte("own"), 0o600))
	require.NoError(t, h.apply(t.Context(), document(s.add("geosite.dat", "one"))))
	require.Equal(t, "own", c.trials[0]["own.dat"], "the core may need it")
	require.NoError(t, h.apply(t.Context(), document()))
	require.Equal(t, map[string]string{"own.dat": "own"}, read(t, h.dir))
}

func TestWhatTheCoreRefusesChangesNothing(t *testing.T) {
	t.Parallel()
	h, s, c := newHolder(t)
	require.NoError(t, h.apply(t.Context(), document(s.add("geosite.dat", "one"))))
	c.refuses = &core.Refused{Words: "code not found in geosite.dat: RU"}
	err := h.apply(t.Context(), document(s.add("geosite.dat", "two")))
	require.ErrorContains(t, err, "code not found")
	require.Equal(t, map[string]string{"geosite.dat": "one"}, read(t, h.dir))
}

func TestWhatIsNotTheAnnouncedFileIsNotTaken(t *testing.T) {
	t.Parallel()
	h, s, _ := newHolder(t)
	file := s.add("geosite.dat", "one")
	for _, content := range []string{"onf", "on", "one more"} {
		s.files[file.SHA256] = []byte(content)
		require.ErrorIs(t, h.apply(t.Context(), document(file)), errDamaged)
		require.Empty(t, read(t, h.dir))
	}
	s.fails = syscall.ENOSPC
	require.ErrorContains(t, h.apply(t.Context(), document(file)), "geosite.dat: no space left on device")
	s.files[file.SHA256], s.fails = []byte("one"), nil
	require.NoError(t, h.apply(t.Context(), document(file)))

	require.NoError(t, os.WriteFile(h.stored(file), []byte("xxx"), 0o600))
	require.NoError(t, h.apply(t.Context(), document(file)), "a copy that was damaged on the disk is fetched again")
	require.Equal(t, map[string]string{"geosite.dat": "one"}, read(t, h.dir))
}

func TestNamesThatLeadOutOfTheFolderAreRefused(t *testing.T) {
	t.Parallel()
	h, s, _ := newHolder(t)
	for _, name := range []string{"../a.dat", ".held.json", "a/b.dat", "", "A.dat"} {
		require.ErrorContains(t, h.apply(t.Context(), document(s.add(name, "one"))), "no fitting name", name)
	}
	one := s.add("a.dat", "one")
	require.Error(t, h.apply(t.Context(), document(one, one)))
	require.Error(t, h.apply(t.Context(), json.RawMessage(`[]`)))
	require.NoDirExists(t, h.dir)
}

// A kill between any two steps leaves the names of one revision or of the other, and the next start brings the rest.
func TestAKillWhileFilesAreExchangedConverges(t *testing.T) {
	t.Parallel()
	h, s, c := newHolder(t)
	one, ads := s.add("geosite.dat", "one"), s.add("ads.dat", "ads")
	two, net := s.add("geosite.dat", "two"), s.add("net.dat", "net")
	require.NoError(t, h.apply(t.Context(), document(one, ads)))
	before, err := h.held()
	require.NoError(t, err)
	c.dies = true
	require.NoError(t, h.apply(t.Context(), document(two, net)), "nothing was put")
	c.dies = false
	require.NoError(t, errors.Join(h.bring(t.Context(), two), h.bring(t.Context(), net)))
	require.NoError(t, os.Remove(h.path("geosite.dat")))
	require.NoError(t, os.Link(h.stored(two), h.path("geosite.dat")), "half of it is put")
	require.NoError(t, h.put(before, held{Now: []agentapi.AssetFile{two, net}, Before: before.Now}))
	require.Equal(t, map[string]string{"geosite.dat": "two", "net.dat": "net"}, read(t, h.dir))
	require.NoError(t, os.WriteFile(h.path(fileHeld), []byte("{"), 0o600))
	require.NoError(t, h.apply(t.Context(), document(two, net)))
	require.Equal(t, map[string]string{"geosite.dat": "two", "net.dat": "net"}, read(t, h.dir))
}
