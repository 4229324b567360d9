package modules

import (
	"fmt"
	"go/scanner"
	"go/token"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

const (
	widest   = 120 // columns of a line of code
	tabWidth = 4
)

// Lines of Go fit a window. Those that hold a text, a tag or a piece of SQL may be as long as that is.
func TestLinesOfCodeFitAWindow(t *testing.T) {
	t.Parallel()
	var long []string
	eachFile(t, ".go", func(path, content string) {
		if strings.HasPrefix(content, "// Code generated") {
			return
		}
		texts := linesOfTexts(content)
		for i, line := range strings.Split(content, "\n") {
			columns := utf8.RuneCountInString(line) + strings.Count(line, "\t")*(tabWidth-1)
			if columns > widest && !texts[i+1] && !strings.HasPrefix(strings.TrimSpace(line), "//go:") {
				long = append(long, fmt.Sprintf("%s:%d has %d columns", path, i+1, columns))
			}
		}
	})
	require.Empty(t, long)
}

// linesOfTexts are the numbers of the lines on which a literal text stands, and of those with a remark to a linter.
func linesOfTexts(content string) map[int]bool {
	files := token.NewFileSet()
	file := files.AddFile("", files.Base(), len(content))
	var s scanner.Scanner
	s.Init(file, []byte(content), nil, scanner.ScanComments)
	lines := map[int]bool{}
	for {
		at, kind, text := s.Scan()
		if kind == token.EOF {
			return lines
		}
		if kind == token.STRING || kind == token.COMMENT && strings.Contains(text, "nolint:") {
			for i := range strings.Count(text, "\n") + 1 {
				lines[file.Line(at)+i] = true
			}
		}
	}
}
