package tui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every text of the interface has a Russian one, with the same places for values.
func TestEveryTextIsInRussian(t *testing.T) {
	t.Parallel()
	w := newSession(commandLine(t, settings{"PANEL_LANG": "ru"}))
	var missing []string
	for _, text := range textsOfInterface(t) {
		if russian()[text] == "" && w.env.T(text) == strings.Split(text, "|")[0] {
			missing = append(missing, text)
		}
	}
	require.Empty(t, missing, "no Russian for\n%s", strings.Join(missing, "\n\n\n"))
	verbs := regexp.MustCompile(`%[+.0-9]*[a-z]`)
	for text, translated := range russian() {
		require.Equal(t, verbs.FindAllString(text, -1), verbs.FindAllString(translated, -1), text)
	}
}

// No Russian text is left over from one that is gone.
func TestNoTextIsLeftOver(t *testing.T) {
	t.Parallel()
	texts := textsOfInterface(t)
	var idle []string
	for text := range russian() {
		if !slices.Contains(texts, text) {
			idle = append(idle, text)
		}
	}
	require.Empty(t, idle)
}

// textsOfInterface are the literals that reach the screen: arguments of the functions that say something, names and
// keys.
func textsOfInterface(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	var texts []string
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(parsed, func(n ast.Node) bool {
			texts = append(texts, textsOfNode(n)...)
			return true
		})
	}
	slices.Sort(texts)
	return slices.DeleteFunc(slices.Compact(texts), func(text string) bool { return text == "" })
}

// saying are the functions and the argument of each that is a text.
var saying = map[string]int{"say": 0, "labelled": 0, "labelledAt": 1, "newConfirmPage": 1, "newSavePage": 1, "ask": 2}

func textsOfNode(n ast.Node) []string {
	switch node := n.(type) {
	case *ast.CallExpr:
		name := ""
		switch function := node.Fun.(type) {
		case *ast.SelectorExpr:
			name = function.Sel.Name
		case *ast.Ident:
			name = function.Name
		}
		if at, says := saying[name]; says && len(node.Args) > at {
			return []string{literal(node.Args[at])}
		}
	case *ast.FuncDecl:
		return ofFoot(node)
	case *ast.KeyValueExpr:
		if key, is := node.Key.(*ast.Ident); is && (key.Name == "does" || key.Name == "name") {
			return []string{literal(node.Value)}
		}
	case *ast.ValueSpec:
		return ofVariables(node)
	case *ast.AssignStmt:
		if field, is := node.Lhs[0].(*ast.SelectorExpr); is && field.Sel.Name == "working" {
			return []string{literal(node.Rhs[0])}
		}
	}
	return nil
}

// ofFoot reads the keys that a page puts into the foot.
func ofFoot(function *ast.FuncDecl) []string {
	if function.Name.Name != "foot" || function.Body == nil {
		return nil
	}
	var texts []string
	ast.Inspect(function.Body, func(n ast.Node) bool {
		if answer, is := n.(*ast.ReturnStmt); is {
			texts = append(texts, literal(answer.Results[0]))
		}
		return true
	})
	return texts
}

// ofVariables reads the tables of words and the questions of the logs page.
func ofVariables(spec *ast.ValueSpec) []string {
	name := spec.Names[0].Name
	if len(spec.Values) == 0 || !slices.Contains([]string{"groups", "kinds", "periods", "forSearch", "forSince"},
		name) {
		return nil
	}
	var texts []string
	ast.Inspect(spec.Values[0], func(n ast.Node) bool {
		switch node := n.(type) {
		case *ast.KeyValueExpr:
			texts = append(texts, literal(node.Value))
			return false
		case *ast.BasicLit:
			texts = append(texts, literal(node))
		}
		return true
	})
	return texts
}

func literal(expression ast.Expr) string {
	if basic, is := expression.(*ast.BasicLit); is && basic.Kind == token.STRING {
		text, err := strconv.Unquote(basic.Value)
		if err == nil {
			return text
		}
	}
	return ""
}
