package modules

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	actionLike = regexp.MustCompile(`"([a-z]{2,}\.[a-z_]+)"`)
	objectType = regexp.MustCompile(`\bObject\{(?:Type: )?"([a-z_]+)"`)
	// otherThings have the form of an action: permissions, files, fields of a query, checks of Doctor.
	otherThings = regexp.MustCompile(`\.(view|edit|manage|apply|policies|json|sql|env|service|key)$|^(query|components|tls)\.`)
	// onlyTold are live events that the journal does not keep.
	onlyTold = []string{"flow.apply_progress", "flow.reverted", "node.drift", "node.update_progress", "system.update_available"}
)

// The journal's screen shows an action and an object by its words; without them it would show the bare key. Every word of the
// form noun.verb in a package that writes to the journal is an action, unless this file says what else it is.
func TestEveryActionAndObjectOfTheJournalHasWordsInBothLanguages(t *testing.T) {
	t.Parallel()
	source := sourceOfJournalWriters(t)
	actions := found(actionLike, source, func(word string) bool { return !otherThings.MatchString(word) && !slices.Contains(onlyTold, word) })
	objects := found(objectType, source, func(string) bool { return true })
	require.Contains(t, actions, "node.created")
	require.Contains(t, objects, "flow")
	for _, language := range []string{"en", "ru"} {
		words := wordsOfTheJournal(t, language)
		require.Equal(t, actions, words.actions(), "journal actions in Go on the left, their words in messages.%s.json on the right", language)
		require.Equal(t, objects, slices.Sorted(maps.Keys(words.Object)), "object types in Go on the left, their words in messages.%s.json on the right", language)
	}
}

type journalWords struct {
	Action map[string]map[string]string `json:"action"`
	Object map[string]string            `json:"object"`
}

func (w journalWords) actions() (all []string) {
	for family, verbs := range w.Action {
		for verb := range verbs {
			all = append(all, family+"."+verb)
		}
	}
	slices.Sort(all)
	return all
}

func wordsOfTheJournal(t *testing.T, language string) (words journalWords) {
	t.Helper()
	text, err := os.ReadFile("../ui/src/modules/audit/messages." + language + ".json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &words))
	return words
}

func found(form *regexp.Regexp, source string, counts func(string) bool) (words []string) {
	for _, match := range form.FindAllStringSubmatch(source, -1) {
		if counts(match[1]) {
			words = append(words, match[1])
		}
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// sourceOfJournalWriters is the Go of every package that knows the journal, tests left out.
func sourceOfJournalWriters(t *testing.T) string {
	t.Helper()
	packages := map[string]string{}
	for _, root := range []string{".", "../platform"} {
		require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			packages[filepath.Dir(path)] += string(text)
			return err
		}))
	}
	var source strings.Builder
	for folder, text := range packages {
		if folder == "../platform/audit" || strings.Contains(text, `"panel/platform/audit"`) {
			source.WriteString(text)
		}
	}
	return source.String()
}
