package modules

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// An advisory lock is a number that the whole database shares: two things that take the same one wait for each other.
func TestAdvisoryLocksHaveNumbersOfTheirOwn(t *testing.T) {
	t.Parallel()
	owners := map[string]string{}
	for _, root := range []string{"../platform", "../migrations", "../cmd", "."} {
		require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !source(path) {
				return err
			}
			for _, number := range lockNumbers(t, path) {
				owner := lockOwner(path)
				if other, taken := owners[number]; taken {
					require.Equal(t, other, owner, "both take the advisory lock %s", number)
				}
				owners[number] = owner
			}
			return nil
		}))
	}
	require.GreaterOrEqual(t, len(owners), 3, "the locks that there are must be found")
}

func source(path string) bool {
	if filepath.Base(path) == "schema.sql" { // a picture of what the migrations made
		return false
	}
	return strings.HasSuffix(path, ".sql") || strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go")
}

// lockOwner is the folder; the panel that replaces itself watches the lock of the migrations.
func lockOwner(path string) string {
	if path == filepath.Join("..", "platform", "selfupdate", "migrating.go") {
		return filepath.Join("..", "migrations")
	}
	return filepath.Dir(path)
}

var (
	lockInSQL = regexp.MustCompile(`pg_(?:try_)?advisory\w*\(\s*(-?\d+)`)
	lockInGo  = regexp.MustCompile(`\b\w*[lL]ock\w*\s*(?:int64\s*)?=\s*(\d{4,})`)
)

func lockNumbers(t *testing.T, path string) (numbers []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, pattern := range []*regexp.Regexp{lockInSQL, lockInGo} {
		for _, found := range pattern.FindAllStringSubmatch(string(text), -1) {
			numbers = append(numbers, found[1])
		}
	}
	return numbers
}
