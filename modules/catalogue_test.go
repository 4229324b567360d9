package modules

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/app"
	"panel/platform/fault"
)

var (
	madeFault = regexp.MustCompile(
		`\b(Malformed|Unauthenticated|Forbidden|Conflict|Invalid|Upstream|UpstreamTimeout)\(\s*"([a-z_]+)",`)
	faultKinds = map[string]fault.Kind{
		"Malformed": fault.KindMalformed, "Unauthenticated": fault.KindUnauthenticated,
		"Forbidden": fault.KindForbidden,
		"Conflict":  fault.KindConflict, "Invalid": fault.KindInvalid, "Upstream": fault.KindUpstream,
		"UpstreamTimeout": fault.KindUpstreamTimeout,
	}
)

// A code word is declared by the module whose folder makes it, or is common to all; its status is the declared one.
func TestEveryErrorCodeInTheSourceIsDeclaredWhereItIsMade(t *testing.T) {
	t.Parallel()
	declared := app.Faults(app.With(All()))
	made := map[string]bool{}
	eachFile(t, ".go", func(path, content string) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		for _, match := range madeFault.FindAllStringSubmatch(content, -1) {
			made[match[2]] = true
			require.True(t, slices.ContainsFunc(declared, func(f app.Fault) bool {
				return f.Code == match[2] && f.Kind == faultKinds[match[1]] && (f.Module == "" ||
					mayMake(f.Module, path))
			}), "%s makes %s(%q), which Faults of its manifest does not declare", path, match[1], match[2])
		}
	})
	codes := map[string]bool{}
	for _, f := range declared {
		require.False(t, codes[f.Code], "%s is declared twice", f.Code)
		codes[f.Code] = true
		require.NotEmpty(t, f.Summary, f.Code)
		if f.Module != "" {
			require.True(t, made[f.Code], "nothing makes %s", f.Code)
		}
	}
}

// mayMake tells whether a file belongs to a module. Packages of the platform that no manifest stands for, such as
// platform/support, are spoken for by a module of the core.
func mayMake(owner, path string) bool {
	folder := strings.ReplaceAll(filepath.ToSlash(path), "cdn-dns", "cdndns")
	switch {
	case strings.Contains(folder, "modules/"):
		return strings.Contains(folder, "modules/"+owner+"/")
	case strings.Contains(folder, "platform/core/"):
		return strings.Contains(folder, "platform/core/"+owner+"/")
	}
	return true
}

// What the journal, listeners, live screens and notices call a change is one list of names. A name that only one of
// them has is in a reviewed file with the reason: the module's own testdata/alone.txt, or the one here.
func TestEventsAndActionsOfTheJournalAreOneCatalogue(t *testing.T) {
	t.Parallel()
	all := app.With(All())
	actions := app.JournalKinds(all).Actions
	var kinds, alone []string
	for _, kind := range app.EventKinds(all) {
		kinds = append(kinds, kind.Name)
		if !slices.Contains(actions, kind.Name) {
			alone = append(alone, kind.Name+",event")
		}
	}
	for _, action := range actions {
		if !slices.Contains(kinds, action) {
			alone = append(alone, action+",journal")
		}
	}
	slices.Sort(alone)
	files, err := filepath.Glob("*/testdata/alone.txt")
	require.NoError(t, err)
	may := reviewed(t, "testdata/alone.txt")
	for _, file := range files {
		may = append(may, reviewed(t, file)...)
	}
	slices.Sort(may)
	require.Equal(t, alone, may, "on the left what is alone, in testdata/alone.txt what may be")
}

// The catalogue of the design is declared.
func TestTheCatalogueOfTheDesignIsDeclared(t *testing.T) {
	t.Parallel()
	all := app.With(All())
	names := app.JournalKinds(all).Actions
	for _, kind := range app.EventKinds(all) {
		names = append(names, kind.Name)
	}
	for _, name := range designed() {
		require.Contains(t, names, name)
	}
}

func designed() (all []string) {
	for family, happened := range map[string]string{
		"node": "created updated deleted enrolled online offline degraded maintenance_on maintenance_off traffic_threshold " +
			"update_started update_failed update_done token_rotated drift",
		"flow": "created draft_saved compiled apply_started apply_succeeded apply_failed reverted force_applied version_loaded " +
			"disabled deleted link_issued",
		"license": "activated refreshed grace_started degraded removed expiring",
		"account": "login_ok login_failed login_throttled created permissions_changed password_reset deleted",
		"system":  "started stopped migrated update_available updated update_failed doctor_failed",
	} {
		for word := range strings.FieldsSeq(happened) {
			all = append(all, family+"."+word)
		}
	}
	return all
}

// reviewed gives the lines of a file of names without the reason that each must have.
func reviewed(t *testing.T, path string) (names []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		name, reason, _ := strings.Cut(strings.TrimSpace(line), ": ")
		require.NotEmpty(t, reason, "%s: %s needs a reason", path, name)
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Notices are told to people by their words.
func TestEveryNoticeHasWordsInBothLanguages(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"en", "ru"} {
		words := wordsOfTheJournal(t, language)
		known := append(words.actions(), words.events()...)
		for _, kind := range app.EventKinds(app.With(All())) {
			if kind.Notify {
				require.Contains(t, known, kind.Name, "words.%s.json of its folder needs it under event", language)
			}
		}
	}
}
