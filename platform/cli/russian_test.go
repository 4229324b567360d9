package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/doctor"
)

// elsewhere are texts that stand in no source as they are: words of the operating system, and what is put together with
// a constant.
var elsewhere = []string{"exec format error", "base URL of the panel API (PANEL_API_URL, default " + defaultAPI + ")"}

// A Russian text whose English nobody says any more is translated for nothing and misleads whoever looks for a word.
func TestEveryRussianTextHasAnEnglishOneInTheSources(t *testing.T) {
	t.Parallel()
	said := literals(t, "../../platform", "../../modules", "../../cmd/panelctl")
	for text := range doctor.Catalogue(russianText) {
		english, _, _ := strings.Cut(text, "|")
		require.True(t, said[english] || said[text] || slices.Contains(elsewhere, text), "nobody says %q", text)
	}
}

// A module translates what it says itself.
func TestEveryRussianTextOfAModuleHasItsEnglishOneInTheModule(t *testing.T) {
	t.Parallel()
	found := 0
	for file, catalogue := range catalogues(t) {
		said := literals(t, filepath.Dir(file))
		for text := range catalogue {
			found++
			require.True(t, said[text], "%s: nobody says %q", file, text)
		}
	}
	require.Greater(t, found, 100)
}

// catalogues are the Russian texts of modules by their files.
func catalogues(t *testing.T) map[string]map[string]string {
	t.Helper()
	all := map[string]map[string]string{}
	for _, pattern := range []string{
		"../../modules/*/russian.txt", "../core/*/russian.txt",
		"../selfupdate/russian.txt",
	} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range files {
			content, err := os.ReadFile(file)
			require.NoError(t, err)
			all[file] = doctor.Catalogue(string(content))
		}
	}
	return all
}

// sameInBoth are words of headings that Russian writes as English does.
var sameInBoth = []string{"ID", "DNS", "CDN", "IP", "CPU", "URL"}

// The headings of a table are Russian where the rest of it is.
func TestRussianTablesHaveRussianHeadings(t *testing.T) {
	t.Parallel()
	scripts, err := filepath.Glob("../../modules/*/testdata/script/*.txtar")
	require.NoError(t, err)
	found := 0
	for _, script := range scripts {
		content, err := os.ReadFile(script)
		require.NoError(t, err)
		russian := false
		for line := range strings.Lines(string(content)) {
			if strings.HasPrefix(line, "[") {
				russian = strings.Contains(line, "| table |") && strings.Contains(line, "ru")
			}
			for _, heading := range headings(line) {
				if !russian {
					break
				}
				found++
				for _, word := range strings.Fields(heading) {
					latin := strings.ContainsAny(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
					require.False(t, latin && !slices.Contains(sameInBoth, word), "%s: %q in %q", script, heading, line)
				}
			}
		}
	}
	require.Greater(t, found, 100)
}

var apart = regexp.MustCompile(` {2,}`)

// headings are the words of a line that is in capital letters alone, at least two of them.
func headings(line string) []string {
	words := apart.Split(strings.TrimSpace(line), -1)
	if len(words) < 2 || strings.ToUpper(line) != line || strings.ContainsAny(line, "0123456789<>[]{}$:/") {
		return nil
	}
	return words
}

// literals are all texts in the sources, those that are put together with + as one, and the parts of a chain of errors.
func literals(t *testing.T, roots ...string) map[string]bool {
	t.Helper()
	said := map[string]bool{}
	for _, root := range roots {
		require.NoError(t, filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			ast.Inspect(file, func(node ast.Node) bool {
				if expression, is := node.(ast.Expr); is {
					text, whole := joined(expression)
					for _, part := range append(strings.Split(text, ": "), text) {
						said[part] = said[part] || whole
					}
				}
				return true
			})
			return err
		}))
	}
	return said
}

func joined(expression ast.Expr) (text string, whole bool) {
	switch e := expression.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		left, isLeft := joined(e.X)
		right, isRight := joined(e.Y)
		return left + right, isLeft && isRight && e.Op == token.ADD
	}
	return "", false
}
