// Package envfile finds and reads the file of PANEL_ settings when a command runs outside the panel's own service.
package envfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Places are where a .env file is looked for, in this order.
func Places(home string) []string {
	return []string{"./.env", "/opt/panel/.env", "/var/lib/panel/.env", filepath.Join(home, ".panel", ".env")}
}

// File is one that was found: its values, or why it could not be read.
type File struct {
	Path   string
	Values map[string]string
	Err    error
}

// Find reads the files that exist. The first one with the wanted name is the answer; without one, the first that
// exists; nil when there is none.
func Find(places []string, wanted string) *File {
	var first *File
	for _, place := range places {
		file := read(place)
		if file == nil {
			continue
		}
		if file.Values[wanted] != "" {
			return file
		}
		if first == nil {
			first = file
		}
	}
	return first
}

func read(path string) *File {
	content, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return &File{Path: path, Err: fmt.Errorf("read %s: %w", path, err)}
	}
	defer content.Close()
	values, err := Parse(content)
	if err != nil {
		return &File{Path: path, Values: values, Err: fmt.Errorf("read %s: %w", path, err)}
	}
	return &File{Path: path, Values: values}
}

// BadLine is the number of a line that is no setting.
type BadLine int

func (l BadLine) Error() string { return fmt.Sprintf("line %d is not of the form NAME=value", int(l)) }

// Line is the number for who tells it in words of their own.
func (l BadLine) Line() int { return int(l) }

// longestLine is more than any setting needs.
const longestLine = 64 << 10

// Parse reads NAME=value lines; the values that could be read come back even with an error, which names the first bad
// line. Comments, empty lines, "export " and quotes around a value are understood as the service manager understands
// them.
func Parse(from io.Reader) (map[string]string, error) {
	values := map[string]string{}
	var problem error
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 0, 4096), longestLine)
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		name, value, found := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		if !found || !isName(name) {
			if problem == nil {
				problem = BadLine(number)
			}
			continue
		}
		values[name] = unquoted(value)
	}
	if err := lines.Err(); err != nil {
		return values, fmt.Errorf("a line is too long: %w", err)
	}
	return values, problem
}

func isName(name string) bool {
	for i, r := range name {
		letter := r == '_' || (r >= 'A' && r <= 'Z') || (r >= 'a' && r <= 'z')
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

func unquoted(value string) string {
	for _, quote := range []string{`"`, `'`} {
		if len(value) >= 2 && strings.HasPrefix(value, quote) && strings.HasSuffix(value, quote) {
			return value[1 : len(value)-1]
		}
	}
	return value
}
