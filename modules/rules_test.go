package modules

import (
	"bufio"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// numbered are the lists of the specification whose rules carry numbers, with the rules the panel keeps today.
var numbered = map[string][]int{
	"Administrator account": {1, 2},
	"Degraded mode rules":   {1, 2, 3},
	"Endpoints":             {1, 2, 3, 9},
	"Password reset rules":  {1, 2, 3, 4, 5, 6},
	"Authentication":        {1, 2, 3, 4, 5, 6, 7, 8, 9},
}

// quoted are sentences of sections without numbers; the comment of the test that keeps one quotes its words.
var quoted = map[string][]string{
	"Administrator account": {"never returned", "also the value used when"},
	"Health document":       {"three fields"},
	"Panel status":          {"running when normal"},
	"License": {
		"license server temporarily unavailable", "no grace period is granted", "recorded in the audit journal",
		"writes work again",
		"expired and not in grace", "key is masked whenever it is displayed",
	},
	"Flow": {
		"binding that belongs to someone else is rejected",
		"id and revision are sent back",
		"each version is a snapshot",
	},
	"Flow draft": {"saved into the draft; applying is still required", "plan compiled, revision current"},
	"Command-line interface": {
		"default http://localhost:8080", "PANEL_LANG=ru forces Russian", "exits non-zero when status is not running",
		"by a live API call",
		"a failed check does not stop the others", "works when the database is down", "saves the last result",
		"source order",
		"default 100", "prints a warning", "prints state, plan, validity", "same as panelctl tui",
		"masked before saving",
		"a second process cannot take the same port", "stops cleanly on SIGINT/SIGTERM",
		"in env PANEL_DB_URL or in a .env file",
	},
	"Configuration": {
		"configured only by environment variables",
		"wrong database DSN prevents the panel from starting",
	},
	"Events": {"License operations", "administrator password resets"},
	"Errors": {
		"400", "401", "403", "404", "409", "422", "429", "not overridden by force_apply",
		"state-changing requests get 403",
	},
	"Limits":     {"default 72 hours", "16 characters", "default log lines", "429 with Retry-After"},
	"Versioning": {"prefix /api/v1", "version string is returned"},
}

var (
	citation = regexp.MustCompile(`Specification, ([A-Z][A-Za-z -]*?)(?: rules?)? ?((?:\d+(?:, | and | to )?)+)?[:,.]`)
	span     = regexp.MustCompile(`(\d+) to (\d+)`)
	number   = regexp.MustCompile(`\d+`)
)

// A rule of the specification without a test that names it is a rule that nobody keeps.
func TestEveryRuleOfTheSpecificationIsNamedByATest(t *testing.T) {
	comments := commentsOfTests(t)
	for section, rules := range numbered {
		for _, rule := range rules {
			require.Truef(
				t,
				anyOf(comments, func(c string) bool { return cites(c, section, rule) }),
				"no test names: Specification, %s %d",
				section,
				rule,
			)
		}
	}
	for section, sentences := range quoted {
		for _, words := range sentences {
			require.Truef(
				t,
				anyOf(comments, func(c string) bool { return quotes(c, section, words) }),
				"no test names: Specification, %s: %q",
				section,
				words,
			)
		}
	}
}

func TestARuleIsFoundInASpanAndInAList(t *testing.T) {
	require.True(t, cites("Specification, Authentication 3 and 6: x", "Authentication", 6))
	require.True(t, cites("Specification, Password reset rules 4 to 6: x", "Password reset rules", 5))
	require.True(t, cites("Specification, Administrator account rules 1 and 2: x", "Administrator account", 2))
	require.False(t, cites("Specification, Authentication 3 and 6: x", "Authentication", 4))
	require.False(t, cites("Specification, License: 3", "License", 3))
}

func anyOf(comments []string, holds func(string) bool) bool {
	for _, c := range comments {
		if holds(c) {
			return true
		}
	}
	return false
}

func cites(comment, section string, rule int) bool {
	for _, found := range citation.FindAllStringSubmatch(comment, -1) {
		if strings.TrimSuffix(found[1], " rules") == strings.TrimSuffix(section, " rules") && holdsNumber(found[2],
			rule) {
			return true
		}
	}
	return false
}

func holdsNumber(list string, rule int) bool {
	for _, ends := range span.FindAllStringSubmatch(list, -1) {
		from, _ := strconv.Atoi(ends[1])
		to, _ := strconv.Atoi(ends[2])
		if from <= rule && rule <= to {
			return true
		}
	}
	for _, one := range number.FindAllString(list, -1) {
		if one == strconv.Itoa(rule) {
			return true
		}
	}
	return false
}

func quotes(comment, section, words string) bool {
	_, rest, found := strings.Cut(comment, "Specification, "+section)
	return found && strings.Contains(plain(rest), plain(words))
}

// plain lets a comment break a sentence into lines and mark words up as it likes.
func plain(text string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("`", "", `"`, "", "“", "", "”", "").Replace(text)), " ")
}

// commentsOfTests gives each block of line comments in the tests of the panel as one text.
func commentsOfTests(t *testing.T) []string {
	var comments []string
	require.NoError(t, filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == ".run" || entry.Name() == ".git") {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, ".spec.ts") {
			comments = append(comments, blocks(t, path)...)
		}
		return nil
	}))
	return comments
}

func blocks(t *testing.T, path string) []string {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var found []string
	var open strings.Builder
	for lines := bufio.NewScanner(strings.NewReader(string(text) + "\n")); lines.Scan(); {
		line, isComment := strings.CutPrefix(strings.TrimSpace(lines.Text()), "//")
		if isComment {
			open.WriteString(strings.TrimSpace(line) + " ")
			continue
		}
		if open.Len() > 0 {
			found = append(found, open.String())
			open.Reset()
		}
	}
	return found
}
