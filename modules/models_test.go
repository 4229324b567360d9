package modules

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/app"
)

// unjudged are folders whose files are no part of the panel; "specimen" is what new modules are copied from, and judged
// there.
var unjudged = []string{"node_modules", "testdata", "specimen"}

func eachFile(t *testing.T, extension string, visit func(path, content string)) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := strings.HasPrefix(entry.Name(), ".") && entry.Name() != ".."
		if entry.IsDir() && (hidden || slices.Contains(unjudged, entry.Name())) {
			return filepath.SkipDir
		}
		if filepath.Ext(path) == extension {
			content, err := os.ReadFile(path)
			require.NoError(t, err)
			visit(strings.TrimPrefix(filepath.ToSlash(path), "../"), string(content))
		}
		return nil
	})
	require.NoError(t, err)
}

// No name of a table is guessed: third_party/inflection, which bun would guess with, answers the word itself.
func TestEveryModelNamesItsTable(t *testing.T) {
	t.Parallel()
	model, named := regexp.MustCompile(`(?m)^\s+bun\.BaseModel\b.*$`), regexp.MustCompile("`.*bun:\"(table|select):")
	found := 0
	for _, folder := range []string{"../platform", "../modules"} {
		require.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" {
				return err
			}
			source, err := os.ReadFile(path)
			for _, line := range model.FindAllString(string(source), -1) {
				found++
				require.Regexp(t, named, line, path)
			}
			return err
		}))
	}
	require.Positive(t, found)
}

var sealedPlace = regexp.MustCompile(`vault\.Ref\{Table: "(\w+)", ID: [^}]*Column: "(\w+)"\}`)

// Every place that secrets are sealed for is declared, so that a new master key reaches all of them.
func TestEverySealedColumnIsDeclaredInAManifest(t *testing.T) {
	t.Parallel()
	declared := map[string]bool{}
	for _, column := range app.SealedColumns(app.With(All())) {
		declared[column.Table+"."+column.Column] = true
	}
	used := map[string]bool{}
	for _, folder := range []string{".", "../platform"} {
		require.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, found := range sealedPlace.FindAllStringSubmatch(string(text), -1) {
				used[found[1]+"."+found[2]] = true
			}
			return err
		}))
	}
	delete(used, "vault_canaries.sealed") // the sample belongs to its key and is never sealed anew
	require.GreaterOrEqual(t, len(used), 9)
	require.Equal(t, used, declared)
}
