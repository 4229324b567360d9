package doctor

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every text that a check or a log says has a Russian one with the same places for values.
func TestEverySentenceIsInRussian(t *testing.T) {
	t.Parallel()
	said, words := sentences(t), RussianWords()
	require.Greater(t, len(said), 150, "the sources were found")
	for _, brought := range ofModules(t) {
		maps.Copy(words, Catalogue(brought))
	}
	for _, text := range said {
		require.NotEmpty(t, words[text], "no Russian for %q", text)
	}
	verbs := regexp.MustCompile(`%[+.0-9]*[a-z%]`)
	for text, translated := range words {
		require.Equal(t, verbs.FindAllString(text, -1), verbs.FindAllString(translated, -1), text)
		require.Regexp(t, `[А-Яа-яё]|^(%s\W*)+$|^[\w .:/]+$`, translated)
	}
}

// ofModules are the texts that modules bring, by their folder.
func ofModules(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, folder := range []string{"../../modules/*", "../core/*", "../selfupdate"} {
		files, err := filepath.Glob(filepath.Join(folder, "russian.txt"))
		require.NoError(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			texts[filepath.Dir(file)] = string(text)
		}
	}
	require.NotEmpty(t, texts)
	return texts
}

// A finding that is nothing but somebody else's words would be in no language of the operator.
func TestNoSentenceIsWithoutWords(t *testing.T) {
	t.Parallel()
	require.NotContains(t, sentences(t), "%s")
}

// A kept result reads the same to everybody, each in the own language; one of an earlier version stays English.
func TestAKeptResultIsInBothLanguages(t *testing.T) {
	t.Parallel()
	check := Check{ID: "disk.data", Title: "data folder"}
	finding := Finding{Status: Warning, Found: Say("%d %% of %s used, %s free", 97, Say("%s GB", Decimal(40.5)),
		Say("%s MB", "900")), Do: Command("df -h %s", "/opt")}
	kept := Report{Results: []Result{{Check: check, Finding: finding}}}.Document().Checks[0]
	require.Equal(t, "97 % of 40.5 GB used, 900 MB free", kept.Finding)
	require.Equal(t, Words{
		Title: "папка данных", Finding: "занято 97 % из 40,5 ГБ, свободно 900 МБ",
		Action: "df -h /opt",
	}, kept.In(Russian))
	require.Equal(t, kept.Finding, kept.In("en").Finding)
	kept.Translations = nil
	require.Equal(t, kept.Finding, kept.In(Russian).Finding)
}

// sentences are the literals that sources of checks and logs hand to Say and its kin.
func sentences(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../modules/*/doctor.go")
	require.NoError(t, err)
	for _, folder := range []string{".", "../logs", "../support"} {
		require.NoError(t, filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if filepath.Ext(path) == ".go" && !strings.HasSuffix(path, "_test.go") {
				files = append(files, path)
			}
			return err
		}))
	}
	var texts []string
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(parsed, func(n ast.Node) bool {
			texts = append(texts, sentencesOf(n)...)
			return true
		})
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

func sentencesOf(n ast.Node) []string {
	switch node := n.(type) {
	case *ast.CallExpr:
		name := ""
		switch function := node.Fun.(type) {
		case *ast.Ident:
			name = function.Name
		case *ast.SelectorExpr:
			name = function.Sel.Name
		}
		if slices.Contains([]string{"Say", "ok", "skipped"}, name) && len(node.Args) > 0 {
			return literal(node.Args[0])
		}
	case *ast.KeyValueExpr:
		if key, is := node.Key.(*ast.Ident); is && key.Name == "Title" {
			return literal(node.Value)
		}
	}
	return nil
}

func literal(expression ast.Expr) []string {
	if basic, is := expression.(*ast.BasicLit); is && basic.Kind == token.STRING {
		if text, err := strconv.Unquote(basic.Value); err == nil {
			return []string{text}
		}
	}
	return nil
}

// Texts are read when the first word is asked for; what comes after that counts too, and of two translations the later.
func TestTextsAreLearnedBeforeAndAfterTheFirstWord(t *testing.T) {
	t.Parallel()
	l := lexicon{}
	l.unread = append(l.unread, "one\nодин\n\ntwo\nдва", "# heading\n\nthree\nтри")
	require.Equal(t, map[string]string{"one": "один", "two": "два", "three": "три"}, l.read())
	require.Empty(t, l.unread, "nothing is read twice")
	l.unread = append(l.unread, "two\nпара")
	require.Equal(t, "пара", l.read()["two"])
	require.Equal(t, "один", l.read()["one"])

	Translate("a text of this test\nтекст этой проверки")
	require.Equal(t, "текст этой проверки", Text{Format: "a text of this test"}.In(Russian))
	require.Equal(t, "a text of this test", Text{Format: "a text of this test"}.In("en"))
	require.Equal(t, "текст этой проверки", RussianWords()["a text of this test"])
}
