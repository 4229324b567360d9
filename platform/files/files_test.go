package files_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap/zaptest"

	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/fault"
	"panel/platform/files"
	"panel/platform/jobs"
)

func store(t *testing.T, db *database.DB) (s *files.Store, folder string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "files")
	return files.NewStore(db, folder, zaptest.NewLogger(t)), folder
}

// large is a content of several pieces, the last of them not full.
func large() ([]byte, string) {
	content := make([]byte, 3<<20+17)
	_, _ = rand.NewChaCha8([32]byte{7}).Read(content)
	sum := sha256.Sum256(content)
	return content, hex.EncodeToString(sum[:])
}

func put(t *testing.T, s *files.Store, content string) files.File {
	t.Helper()
	stored, err := s.Put(t.Context(), bytes.NewReader([]byte(content)), files.File{})
	require.NoError(t, err)
	return stored
}

func content(t *testing.T, s *files.Store, sum string) []byte {
	t.Helper()
	opened, about, err := s.Open(t.Context(), sum)
	require.NoError(t, err)
	read, err := io.ReadAll(opened)
	require.NoError(t, errors.Join(err, opened.Close()))
	require.Len(t, read, int(about.Size))
	return read
}

func rows(t *testing.T, db *database.DB) (n int) {
	t.Helper()
	require.NoError(
		t,
		db.NewRaw("select (select count(*) from files) + (select count(*) from file_pieces)").Scan(t.Context(), &n),
	)
	return n
}

func TestAFileIsTheSameOnEveryPanel(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	one, _ := store(t, db)
	two, folder := store(t, db)
	whole, sum := large()
	stored, err := one.Put(t.Context(), bytes.NewReader(whole), files.File{SHA256: sum, Size: int64(len(whole))})
	require.NoError(t, err)
	require.Equal(t, files.File{SHA256: sum, Size: int64(len(whole))}, stored)
	require.True(t, bytes.Equal(whole, content(t, two, sum)))
	copied, err := os.ReadFile(filepath.Join(folder, sum))
	require.NoError(t, err)
	require.True(t, bytes.Equal(whole, copied), "the copy on the disk")
}

func TestTheSameContentIsStoredOnceByManyAtOnce(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	s, _ := store(t, db)
	var all sync.WaitGroup
	failures := make(chan error, 8)
	for range 8 {
		all.Go(func() {
			_, err := s.Put(t.Context(), bytes.NewReader([]byte("one")), files.File{})
			failures <- err
		})
	}
	all.Wait()
	close(failures)
	for err := range failures {
		require.NoError(t, err)
	}
	require.Equal(t, 2, rows(t, db), "one file with one piece")
}

// Whoever dies, is cut off or brings something else in the middle leaves nothing.
func TestHalfAFileIsNoFile(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	s, _ := store(t, db)
	whole, sum := large()
	cut := io.MultiReader(bytes.NewReader(whole[:2<<20]), iotest.ErrReader(io.ErrClosedPipe))
	_, err := s.Put(t.Context(), cut, files.File{})
	require.ErrorIs(t, err, io.ErrClosedPipe)
	_, err = s.Put(t.Context(), bytes.NewReader(whole[:2<<20]), files.File{SHA256: sum, Size: int64(len(whole))})
	require.ErrorIs(t, err, files.ErrDamaged)
	ctx, cancel := context.WithCancel(t.Context())
	dying := io.MultiReader(bytes.NewReader(whole[:2<<20]), reader(func() { cancel() }), bytes.NewReader(whole[2<<20:]))
	_, err = s.Put(ctx, dying, files.File{})
	require.ErrorIs(t, err, context.Canceled)
	require.Eventually(t, func() bool { return rows(t, db) == 0 }, 60*time.Second, 20*time.Millisecond)
	_, err = s.Find(t.Context(), sum)
	require.Equal(t, fault.KindMissing, fault.KindOf(err))
}

type reader func()

func (r reader) Read([]byte) (int, error) {
	r()
	return 0, io.EOF
}

// A copy that is damaged, and a disk that takes no copies, keep nobody from the content.
func TestTheDatabaseIsTheTruth(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	s, folder := store(t, db)
	whole, sum := large()
	_, err := s.Put(t.Context(), bytes.NewReader(whole), files.File{})
	require.NoError(t, err)
	require.True(t, bytes.Equal(whole, content(t, s, sum)))
	require.NoError(t, os.WriteFile(filepath.Join(folder, sum), whole[:100], 0o600))
	require.True(t, bytes.Equal(whole, content(t, s, sum)), "cut off by a crash of the machine")

	blocked := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(blocked, nil, 0o600))
	full := files.NewStore(db, filepath.Join(blocked, "files"), zaptest.NewLogger(t))
	require.True(t, bytes.Equal(whole, content(t, full, sum)))
}

// A full disk of the database is said in words, and leaves nothing.
func TestAFullDatabaseIsSaidClearly(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	s, _ := store(t, db)
	_, err := db.ExecContext(t.Context(), `create function no_room() returns trigger language plpgsql as
		$$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
		create trigger no_room before insert on file_pieces for each row when (new.number = 2) execute function no_room()`)
	require.NoError(t, err)
	whole, _ := large()
	_, err = s.Put(t.Context(), bytes.NewReader(whole), files.File{})
	require.Equal(t, fault.KindUnavailable, fault.KindOf(err))
	require.ErrorContains(t, err, "the disk of the database is full")
	require.Zero(t, rows(t, db))
}

func TestAnAgentGetsOnlyWhatIsMeantForIt(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	s, _ := store(t, db)
	everyone, hers, secret := put(t, s, "everyone"), put(t, s, "hers"), put(t, s, "secret")
	require.NoError(t, s.Use(t.Context(), "builds", files.Agents, everyone.SHA256))
	require.NoError(t, s.Use(t.Context(), "geo", "node-1", hers.SHA256))
	require.NoError(t, s.Use(t.Context(), "backups", "", secret.SHA256))
	may := func(node string, f files.File) bool {
		opened, _, err := s.OpenFor(t.Context(), node, f.SHA256)
		if err == nil {
			require.NoError(t, opened.Close())
		}
		return err == nil
	}
	require.True(t, may("node-1", everyone) && may("node-2", everyone) && may("node-1", hers))
	require.False(t, may("node-2", hers) || may("node-1", secret) || may("", secret) || may("", everyone))
	unknown := files.File{SHA256: secret.SHA256[1:] + "0"}
	require.False(t, may("node-1", unknown))
	err := s.Use(t.Context(), "geo", "node-1", unknown.SHA256)
	require.Equal(t, fault.KindMissing, fault.KindOf(err))
}

// What nobody uses goes with the tidying a day later, and its copies with the next one that is made.
func TestUnusedFilesGo(t *testing.T) {
	t.Parallel()
	db := dbtest.New(t)
	s, folder := store(t, db)
	used, unused, fresh := put(t, s, "used"), put(t, s, "unused"), put(t, s, "fresh")
	content(t, s, unused.SHA256)
	require.NoError(t, s.Use(t.Context(), "builds", files.Agents, used.SHA256))
	_, err := db.ExecContext(
		t.Context(),
		"update files set created_at = now() - interval '25 hours' where sha256 <> ?",
		fresh.SHA256,
	)
	require.NoError(t, err)
	worker := jobs.TidyWorker(db, clockwork.NewRealClock(), []jobs.Tidy{files.Tidy()})
	require.NoError(t, worker.Work(t.Context(), jobs.Job{}))
	_, err = s.Find(t.Context(), unused.SHA256)
	require.Equal(t, fault.KindMissing, fault.KindOf(err))
	require.Equal(t, 4, rows(t, db))
	content(t, s, used.SHA256)
	require.NoFileExists(t, filepath.Join(folder, unused.SHA256))
	require.FileExists(t, filepath.Join(folder, used.SHA256))
}
