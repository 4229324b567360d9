package artefact_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/backups/internal/artefact"
)

// Figure R13 of quality.md: one byte flipped at 100 places anywhere, and each is refused before anything is written.
func TestAByteFlippedAnywhereIsFound(t *testing.T) {
	t.Parallel()
	for _, mode := range []artefact.Mode{artefact.Plain, artefact.ByRecipient} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			path, at, m, keys := made(t, mode)
			require.NoError(t, proves(t, at, m.Name, keys))
			all := files(t, path)
			random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same places each time
			for range 100 {
				file := all[random.IntN(len(all))]
				was, err := os.ReadFile(file)
				require.NoError(t, err)
				now := slices.Clone(was)
				place := random.IntN(len(now))
				now[place] ^= byte(1 << random.IntN(8))
				require.NoError(t, os.WriteFile(file, now, 0o600))
				require.ErrorIs(t, proves(t, at, m.Name, keys), artefact.ErrDamaged, "%s at %d", filepath.Base(file),
					place)
				require.NoError(t, os.WriteFile(file, was, 0o600))
			}
			require.NoError(t, proves(t, at, m.Name, keys))
		})
	}
}

// A reader gives no end of a stream that was changed, however little is changed.
func TestAChangedPartIsNeverReadToItsEnd(t *testing.T) {
	t.Parallel()
	path, at, m, keys := made(t, artefact.Plain)
	parts := m.Entries[0].Parts
	file := filepath.Join(path, parts[len(parts)-1].File)
	was, err := os.ReadFile(file)
	require.NoError(t, err)
	was[len(was)-1] ^= 1
	require.NoError(t, os.WriteFile(file, was, 0o600))
	_, err = content(t, at, m, artefact.Database, keys)
	require.ErrorIs(t, err, artefact.ErrDamaged)
}

func TestPartsThatAreMissingSwappedCutOrLongerAreFound(t *testing.T) {
	t.Parallel()
	path, at, m, keys := made(t, artefact.Plain)
	first := filepath.Join(path, m.Entries[0].Parts[0].File)
	second := filepath.Join(path, m.Entries[0].Parts[1].File)
	for name, harm := range map[string]func(t *testing.T){
		"missing": func(t *testing.T) { require.NoError(t, os.Remove(second)) },
		"swapped": func(t *testing.T) {
			require.NoError(t, os.Rename(first, first+"~"))
			require.NoError(t, os.Rename(second, first))
			require.NoError(t, os.Rename(first+"~", second))
		},
		"doubled": func(t *testing.T) { write(t, second, read(t, first)) },
		"cut":     func(t *testing.T) { write(t, first, read(t, first)[1:]) },
		"longer":  func(t *testing.T) { write(t, first, append(read(t, first), 0)) },
		"empty":   func(t *testing.T) { write(t, first, nil) },
	} {
		one, two := read(t, first), read(t, second)
		harm(t)
		require.ErrorIs(t, proves(t, at, m.Name, keys), artefact.ErrDamaged, name)
		_, err := content(t, at, m, artefact.Database, keys)
		require.ErrorIs(t, err, artefact.ErrDamaged, name)
		write(t, first, one)
		write(t, second, two)
	}
	require.NoError(t, proves(t, at, m.Name, keys))
}

// A backup whose parts are not all there is told as damaged, and not offered beside those that are whole.
func TestABackupThatLacksAPartIsNotOffered(t *testing.T) {
	t.Parallel()
	path, at, m, keys := made(t, artefact.ByPassphrase)
	for _, entry := range m.Entries {
		file := filepath.Join(path, entry.Parts[len(entry.Parts)-1].File)
		was := read(t, file)
		require.NoError(t, os.Remove(file))
		listed, err := artefact.List(t.Context(), at, keys)
		require.ErrorIs(t, err, artefact.ErrDamaged)
		require.ErrorContains(t, err, filepath.Base(file))
		require.Empty(t, listed)
		write(t, file, was[1:])
		_, err = artefact.List(t.Context(), at, keys)
		require.ErrorIs(t, err, artefact.ErrDamaged, "a part that is too short")
		write(t, file, was)
	}
	listed, err := artefact.List(t.Context(), at, keys)
	require.NoError(t, err)
	require.Len(t, listed, 1)
}

// late is a destination whose first answer came while the last part of a backup was being written.
type late struct {
	artefact.Destination
	without string
	looks   int
	removed func() // another panel removes the backup before the second look
}

// Files leaves a file out the first time.
func (l *late) Files(ctx context.Context) ([]artefact.File, error) {
	l.looks++
	if l.looks == 2 && l.removed != nil {
		l.removed()
	}
	all, err := l.Destination.Files(ctx)
	if l.looks > 1 {
		return all, err
	}
	return slices.DeleteFunc(all, func(f artefact.File) bool { return f.Name == l.without }), err
}

// Whoever lists while another panel writes or removes a backup does not call it damaged.
func TestABackupThatIsWrittenOrRemovedMeanwhileIsNotDamaged(t *testing.T) {
	t.Parallel()
	_, at, m, keys := made(t, artefact.Plain)
	part := m.Entries[0].Parts[0].File
	listed, err := artefact.List(t.Context(), &late{Destination: at, without: part}, keys)
	require.NoError(t, err)
	require.Len(t, listed, 1)
	remove := func() { require.NoError(t, artefact.Remove(t.Context(), at, m)) }
	listed, err = artefact.List(t.Context(), &late{Destination: at, without: part, removed: remove}, keys)
	require.NoError(t, err)
	require.Empty(t, listed)
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return text
}

func write(t *testing.T, file string, text []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(file, text, 0o600))
}

// The description of another backup does not fit, and one that somebody made without the panel's key has no seal.
func TestADescriptionBelongsToItsBackupAndToThePanel(t *testing.T) {
	t.Parallel()
	path, at, m, keys := made(t, artefact.Plain)
	file := filepath.Join(path, m.Name+".manifest")
	text := read(t, file)
	other := strings.Replace(m.Name, "-backup-", "-other-", 1)
	write(t, filepath.Join(path, other+".manifest"), text)
	_, err := artefact.Find(t.Context(), at, other, keys)
	require.ErrorIs(t, err, artefact.ErrDamaged)

	listed, err := artefact.List(t.Context(), at, keys)
	require.ErrorIs(t, err, artefact.ErrDamaged, "the damaged one is told")
	require.Len(t, listed, 1, "the others are there all the same")

	unknown, err := artefact.Find(t.Context(), at, m.Name, artefact.Keys{Masters: []string{"another master key, also long"}})
	require.NoError(t, err)
	require.False(t, unknown.Authentic, "without the key it is only known to be whole")
}

func TestNamesThatAreNoneAreNotLookedFor(t *testing.T) {
	t.Parallel()
	_, at := folder(t)
	for _, name := range []string{"../../etc/passwd", "panel", "panel-20261101t000000z-x-0badcafe/../y"} {
		_, err := artefact.Find(t.Context(), at, name, artefact.Keys{})
		require.ErrorIs(t, err, artefact.ErrMissing, name)
	}
}
