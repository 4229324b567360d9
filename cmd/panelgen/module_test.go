package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A name that would break something is refused before anything is written, with a sentence that says why.
func TestNamesThatCannotBeAreRefused(t *testing.T) {
	t.Chdir("../..")
	taken, err := namesInUse()
	require.NoError(t, err)
	for name, why := range map[string]string{
		"": "give the new module a name", "two words": "more than one word", "two-words": "more than one word",
		"two_words": "more than one word", "Notes": "lower-case letters", "notes2": "lower-case letters",
		"n": "2 to 20", "заметки": "lower-case letters", strings.Repeat("n", 21): "2 to 20",
		"func": "the language Go", "string": "the language Go", "notesapi": "api packages",
		"module":    "this project uses",
		patternName: "this project uses", "nodes": "a folder of modules", "audit": "a folder of platform/core",
		"install": "this project uses", "assets": "this project uses",
		"overview": "a folder of ui/src/modules", "editor": "a folder of screens", "doctor": "a command of panelctl",
		"account": "a family of actions", "stream": "",
	} {
		err := taken.judge(name)
		if why == "" {
			require.NoError(t, err, name)
			continue
		}
		require.ErrorContains(t, err, why, name)
		require.Error(t, newModule(name, taken))
	}
}

// A second module of another name stands beside the first: nothing in it is called as in the first.
func TestANewModuleCarriesItsOwnNameOnly(t *testing.T) {
	t.Parallel()
	files, err := copies("gadgets", time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC))
	require.NoError(t, err)
	var paths []string
	for _, f := range files {
		paths = append(paths, f.path)
		require.NotContains(t, strings.ToLower(f.path+string(f.content)), patternName, f.path)
	}
	require.Contains(t, paths, "modules/gadgets/migrations/20270102030405_create.tx.up.sql")
	require.Contains(t, paths, "modules/gadgets/testdata/script/gadgets.txtar")
	require.Contains(t, paths, "ui/src/modules/gadgets/module.ts")
}

// In a copy of this tree a new module keeps the rules of all modules, its own tests pass there, and its operations are
// as the policy says. The pattern's own tests and "make module" check the rest.
func TestANewModulePassesTheTestsOfAllModules(t *testing.T) {
	place := copyOfTree(t)
	t.Chdir(place)
	taken, err := namesInUse()
	require.NoError(t, err)
	require.NoError(t, newModule("gadgets", taken))
	require.ErrorContains(t, newModule("gadgets", taken), "taken", "a second time")

	tested(t, "./modules", "./modules/gadgets")
	tested(t, "-run", "^TestEveryOperationDeclaresWhatThePolicyDemands$", "./platform/app")
}

// tested runs go test in the present folder.
func tested(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"test", "-trimpath"}, args...)...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// copyOfTree copies the sources of this project into a folder of the test.
func copyOfTree(t *testing.T) string {
	t.Helper()
	place := t.TempDir()
	left := []string{".git", ".run", "node_modules", "test-results", "playwright-report"}
	require.NoError(t, filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if slices.Contains(left, entry.Name()) {
			if entry.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		target := filepath.Join(place, strings.TrimPrefix(path, "../.."))
		if entry.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, content, 0o644)
	}))
	return place
}
