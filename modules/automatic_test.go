package modules

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/app"
	"panel/platform/doctor"
	"panel/platform/paneltest"
)

// Everything that begins without a person, a schedule, a listener or a process, stands on a reviewed list with the
// automatic act that it carries out, or with the reason why it is none: a new automatic act cannot come undeclared, and
// none that is declared is carried out by nothing. The list is testdata/automatic.csv here and in folders of modules.
func TestWhateverBeginsByItselfNamesItsActOrWhyItIsNone(t *testing.T) {
	t.Parallel()
	reviewed, carried := reviewedWork(t)
	panel := paneltest.New(t, All()...).App
	var there []string
	for _, l := range panel.Listeners() {
		there = append(there, "listener "+l.Name)
	}
	for _, s := range panel.Schedules() {
		there = append(there, "schedule "+s.Name)
	}
	for _, name := range processes(t) {
		there = append(there, "process "+name)
	}
	slices.Sort(there)
	require.Equal(t, reviewed, there, "automatic.csv says of each which automatic act it carries out, or why none")
	for _, act := range app.Acts(app.With(All())) {
		require.Contains(t, carried, act.Name, "nothing on the list carries out the act")
		delete(carried, act.Name)
	}
	require.Empty(t, carried, "acts that no module declares")
}

func reviewedWork(t *testing.T) (all []string, acts map[string]bool) {
	t.Helper()
	files, err := filepath.Glob("*/testdata/automatic.csv")
	require.NoError(t, err)
	acts = map[string]bool{}
	for _, path := range append(files, "testdata/automatic.csv") {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
		require.NoError(t, err, path)
		for _, row := range rows[1:] {
			what, name, act, reason := row[0], row[1], row[2], row[3]
			require.NotEqual(t, act == "", reason == "", "%s %s: an act, or a reason why it is none", what, name)
			all = append(all, what+" "+name)
			if act != "" {
				acts[act] = true
			}
		}
	}
	slices.Sort(all)
	return all, acts
}

var processName = regexp.MustCompile(`(?s)lease\.Process\{.{0,200}?Name:\s+"([^"]+)"`)

// processes are the names of all lease processes in the sources.
func processes(t *testing.T) (names []string) {
	t.Helper()
	for _, root := range []string{".", "../platform"} {
		require.NoError(t, filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			found := processName.FindAllStringSubmatch(string(text), -1)
			require.Len(t, found, strings.Count(string(text), "lease.Process{"), "the names of processes in %s", path)
			for _, one := range found {
				names = append(names, one[1])
			}
			return err
		}))
	}
	return names
}

// What an act does and what bounds it is said in both languages: by commands from the module's Russian texts, on the
// screen from the words of its folder.
func TestAutomaticActsAreNamedInBothLanguages(t *testing.T) {
	t.Parallel()
	screen := map[string]map[string]string{"en": {}, "ru": {}}
	for language, words := range screen {
		files, err := filepath.Glob("../ui/src/modules/*/words." + language + ".json")
		require.NoError(t, err)
		for _, file := range files {
			var found struct {
				Automatic map[string]map[string]map[string]string `json:"automatic"`
			}
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(text, &found), file)
			for module, acts := range found.Automatic {
				for act, parts := range acts {
					for part, said := range parts {
						words[module+"."+act+"."+part] = said
					}
				}
			}
		}
	}
	for _, m := range app.With(All()) {
		russian := doctor.Catalogue(m.Russian)
		for _, act := range m.Acts {
			require.NotEmpty(t, russian[act.Summary], "russian.txt of %s: what %s does", m.Name, act.Name)
			require.NotEmpty(t, russian[act.Budget], "russian.txt of %s: what bounds %s", m.Name, act.Name)
			require.Equal(t, act.Summary, screen["en"][act.Name+".summary"])
			require.Equal(t, act.Budget, screen["en"][act.Name+".budget"])
			require.NotEmpty(t, screen["ru"][act.Name+".summary"], act.Name)
			require.NotEmpty(t, screen["ru"][act.Name+".budget"], act.Name)
		}
	}
}
