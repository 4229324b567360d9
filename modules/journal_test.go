package modules

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/app"
)

// The journal's screen shows an action and an object by its words; without them it would show the bare key.
func TestEveryActionAndObjectOfTheJournalHasWordsInBothLanguages(t *testing.T) {
	t.Parallel()
	kinds := app.JournalKinds(app.With(All()))
	require.Contains(t, kinds.Actions, "node.created")
	require.Contains(t, kinds.Objects, "flow")
	for _, language := range []string{"en", "ru"} {
		words := wordsOfTheJournal(t, language)
		const sides = "declared by the modules on the left, the words.%s.json of all folders on the right"
		require.Equal(t, kinds.Actions, words.actions(), sides, language)
		require.Equal(t, kinds.Objects, slices.Sorted(maps.Keys(words.Object)), sides, language)
	}
}

var writtenAction = regexp.MustCompile(`audit\.Entry\{\s*Action: *"([^"]+)"|audit\.Object\{(?:Type: *)?"([^"]+)"`)

// What stands in the source as an action or a type of object is declared: the journal would refuse it when it is
// written.
func TestWhatTheSourceWritesIntoTheJournalIsDeclared(t *testing.T) {
	t.Parallel()
	kinds := app.JournalKinds(app.With(All()))
	found := 0
	eachFile(t, ".go", func(path, content string) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		for _, match := range writtenAction.FindAllStringSubmatch(content, -1) {
			found++
			if match[1] != "" {
				require.Contains(t, kinds.Actions, match[1], path)
			} else {
				require.Contains(t, kinds.Objects, match[2], path)
			}
		}
	})
	require.Greater(t, found, 20)
}

type journalWords struct {
	Action map[string]map[string]string `json:"action"`
	Event  map[string]map[string]string `json:"event"` // those that are no actions of the journal
	Object map[string]string            `json:"object"`
}

func (w journalWords) actions() []string { return names(w.Action) }

func (w journalWords) events() []string { return names(w.Event) }

func names(families map[string]map[string]string) (all []string) {
	for family, verbs := range families {
		for verb := range verbs {
			all = append(all, family+"."+verb)
		}
	}
	slices.Sort(all)
	return all
}

// add joins the words of another folder: a family of actions may be spread over several.
func (w journalWords) add(other journalWords) {
	maps.Copy(w.Object, other.Object)
	join(w.Action, other.Action)
	join(w.Event, other.Event)
}

func join(all, more map[string]map[string]string) {
	for family, verbs := range more {
		if all[family] == nil {
			all[family] = map[string]string{}
		}
		maps.Copy(all[family], verbs)
	}
}

func wordsOfTheJournal(t *testing.T, language string) journalWords {
	t.Helper()
	files, err := filepath.Glob("../ui/src/modules/*/words." + language + ".json")
	require.NoError(t, err)
	all := journalWords{
		Action: map[string]map[string]string{}, Event: map[string]map[string]string{}, Object: map[string]string{},
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var words journalWords
		require.NoError(t, json.Unmarshal(text, &words), file)
		all.add(words)
	}
	return all
}
