package main

import (
	"embed"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// pattern is the module that new ones are copied from: a real one, with its own tests, and its screens beside it.
//
//go:embed all:internal/specimen
var pattern embed.FS

const (
	patternFolder = "internal/specimen"
	patternName   = "specimen"
	patternStamp  = "20260101000000"
	patternPolicy = "policy.csv"
)

const (
	list   = "modules/modules.go"
	policy = "platform/app/testdata/policy.csv"
)

// newModule writes a module that passes every test, adds it to the one list and its operations to the policy. Nothing
// is written before everything is known to fit.
func newModule(name string, taken names) error {
	if err := taken.judge(name); err != nil {
		return err
	}
	taken[name] = "a module"
	all, err := copies(name, time.Now().UTC())
	if err != nil {
		return err
	}
	for _, change := range []func(string) (file, error){enlisted, reviewed} {
		changed, err := change(name)
		if err != nil {
			return err
		}
		all = append(all, changed)
	}
	for _, f := range all {
		if err := f.write(); err != nil {
			return err
		}
	}
	fmt.Println("decide who may call each operation and correct the new lines of", policy)
	return nil
}

// copies are the files of the pattern under the name of a new module.
func copies(name string, now time.Time) (files []file, err error) {
	err = fs.WalkDir(pattern, patternFolder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == patternPolicy {
			return err
		}
		content, err := pattern.ReadFile(path)
		if err != nil {
			return fmt.Errorf("read the pattern of modules: %w", err)
		}
		f := file{placeOf(path, name, now), []byte(renamed(string(content), name))}
		if filepath.Ext(path) == ".go" {
			if f.content, err = format.Source(f.content); err != nil {
				return fmt.Errorf("write %s: %w", f.path, err)
			}
		}
		files = append(files, f)
		return nil
	})
	return files, err
}

func placeOf(path, name string, now time.Time) string {
	inside := strings.TrimPrefix(path, patternFolder+"/")
	inside = renamed(strings.Replace(inside, patternStamp, now.Format("20060102150405"), 1), name)
	if screen, is := strings.CutPrefix(inside, "ui/"); is {
		return filepath.Join("ui/src/modules", name, screen)
	}
	return filepath.Join("modules", name, inside)
}

// renamed puts the name of the new module in place of the pattern's.
func renamed(text, name string) string {
	return strings.NewReplacer(patternName, name, titled(patternName), titled(name)).Replace(text)
}

func titled(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// reviewed is the policy with the access of the new operations, which a person reads and decides about.
func reviewed(name string) (file, error) {
	content, err := os.ReadFile(policy)
	if err != nil {
		return file{}, fmt.Errorf("read the policy: %w", err)
	}
	lines, err := pattern.ReadFile(patternFolder + "/" + patternPolicy)
	if err != nil {
		return file{}, fmt.Errorf("read the pattern of modules: %w", err)
	}
	return file{policy, append(content, renamed(string(lines), name)...)}, nil
}

// enlisted is the one list of features with the import and the line of the new one; both stay sorted.
func enlisted(name string) (file, error) {
	content, err := os.ReadFile(list)
	if err != nil {
		return file{}, fmt.Errorf("read the list of modules: %w", err)
	}
	imports, lines := regexp.MustCompile(
		`(?m)^\t"panel/modules/[a-z]+"\n`,
	), regexp.MustCompile(
		`(?m)^\t\t[a-z]+\.Module\(\),\n`,
	)
	text := insertSorted(string(content), "\t\"panel/modules/"+name+"\"\n", imports, "\t\"panel/platform/module\"\n")
	text = insertSorted(text, "\t\t"+name+".Module(),\n", lines, "\t}\n}")
	formatted, err := format.Source([]byte(text))
	if err != nil {
		return file{}, fmt.Errorf("add the module to %s: %w", list, err)
	}
	return file{list, formatted}, nil
}

// insertSorted puts a line among its like; before the anchor when it sorts last.
func insertSorted(text, line string, like *regexp.Regexp, anchor string) string {
	for _, at := range like.FindAllStringIndex(text, -1) {
		if line < text[at[0]:at[1]] {
			return text[:at[0]] + line + text[at[0]:]
		}
	}
	at := strings.Index(text, anchor)
	if at < 0 {
		return text
	}
	return text[:at] + line + text[at:]
}
