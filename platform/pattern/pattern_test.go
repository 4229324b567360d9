package pattern_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/pattern"
)

func TestAPatternIsCompiledWhenItIsFirstUsedAndOnlyOnce(t *testing.T) {
	t.Parallel()
	broken := pattern.Of(`(`)
	require.Panics(t, func() { broken() })

	digits := pattern.Of(`^\d+$`)
	require.True(t, digits().MatchString("42"))
	once := digits()
	require.Same(t, once, digits())
}

// What is compiled late would also fail late, so every expression of the project is compiled here.
func TestEveryPatternOfTheProjectCanBeCompiled(t *testing.T) {
	t.Parallel()
	found := 0
	for _, folder := range []string{"../../platform", "../../modules", "../../cmd"} {
		require.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			for _, expression := range patternsOf(t, path) {
				found++
				_, err := regexp.Compile(expression)
				require.NoError(t, err, path)
			}
			return nil
		}))
	}
	require.Greater(t, found, 20)
}

func patternsOf(t *testing.T, path string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	require.NoError(t, err)
	var expressions []string
	ast.Inspect(file, func(n ast.Node) bool {
		if call, is := n.(*ast.CallExpr); is && isOf(call) {
			if text, is := call.Args[0].(*ast.BasicLit); is {
				expression, err := strconv.Unquote(text.Value)
				require.NoError(t, err, path)
				expressions = append(expressions, expression)
			}
		}
		return true
	})
	return expressions
}

func isOf(call *ast.CallExpr) bool {
	called, is := call.Fun.(*ast.SelectorExpr)
	if !is || called.Sel.Name != "Of" || len(call.Args) != 1 {
		return false
	}
	name, is := called.X.(*ast.Ident)
	return is && name.Name == "pattern"
}
