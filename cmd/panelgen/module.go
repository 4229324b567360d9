package main

import (
	"bytes"
	"embed"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"
	"time"
)

//go:embed all:skeleton
var skeleton embed.FS

var oneWord = regexp.MustCompile(`^[a-z][a-z0-9]{1,30}$`)

// names are the forms of a module's one word.
type names struct {
	Name  string // notes
	Title string // Notes
	Stamp string // of the first migration
}

// newModule writes a small module that already keeps every rule, and lists it in modules.go.
func newModule(name string) error {
	if !oneWord.MatchString(name) || name == "all" || name == "main" {
		return fmt.Errorf("name the module with one lower-case word: make module NAME=notes")
	}
	folder := filepath.Join("modules", name)
	if _, err := os.Stat(folder); err == nil {
		return fmt.Errorf("write the module %s: the folder %s is already there", name, folder)
	}
	forms := names{Name: name, Title: strings.ToUpper(name[:1]) + name[1:], Stamp: time.Now().UTC().Format("20060102150405")}
	if err := fs.WalkDir(skeleton, "skeleton", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		return writeSkeleton(path, folder, forms)
	}); err != nil {
		return err
	}
	if err := enlist(name); err != nil {
		return err
	}
	for language, words := range map[string][2]string{"en": {"Item added", "item"}, "ru": {"Добавлена запись", "запись"}} {
		if err := word(name, language, words[0], words[1]); err != nil {
			return err
		}
	}
	return review(name)
}

// word gives the screens words for the one action of the new module and for its object.
func word(name, language, action, object string) error {
	path := filepath.Join("ui/src/modules", name, "words."+language+".json")
	text := fmt.Sprintf("{\n  \"action\": { %q: { \"added\": %q } },\n  \"object\": { %q: %q }\n}\n", name, action, "item", object)
	return file{path, []byte(text)}.write()
}

// review appends the access of the two operations to the policy, which a person reads and decides about.
func review(name string) error {
	const policy = "platform/app/testdata/policy.csv"
	content, err := os.ReadFile(policy)
	if err != nil {
		return fmt.Errorf("read the policy: %w", err)
	}
	lines := fmt.Sprintf("GET,/api/v1/%[1]s/items,session,%[1]s.view,%[1]s,no,no\nPOST,/api/v1/%[1]s/items,session,%[1]s.manage,%[1]s,no,no\n", name)
	fmt.Println("decide who may call the two operations and correct their lines in", policy)
	return file{policy, append(content, lines...)}.write()
}

func writeSkeleton(path, folder string, forms names) error {
	text, err := skeleton.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the skeleton: %w", err)
	}
	parsed, err := template.New(path).Delims("<<", ">>").Parse(string(text))
	if err != nil {
		return fmt.Errorf("read the skeleton: %w", err)
	}
	var out bytes.Buffer
	if err := parsed.Execute(&out, forms); err != nil {
		return fmt.Errorf("fill the skeleton: %w", err)
	}
	target := strings.TrimSuffix(strings.TrimPrefix(path, "skeleton/"), ".tmpl")
	target = strings.ReplaceAll(target, "STAMP", forms.Stamp)
	return file{filepath.Join(folder, target), out.Bytes()}.write()
}

// enlist adds the import and the line to the one list of features; both stay sorted.
func enlist(name string) error {
	const list = "modules/modules.go"
	content, err := os.ReadFile(list)
	if err != nil {
		return fmt.Errorf("read the list of modules: %w", err)
	}
	text := insertSorted(string(content), "\t\"panel/modules/"+name+"\"\n", regexp.MustCompile(`(?m)^\t"panel/modules/[a-z-]+"\n`), "\t\"panel/platform/module\"\n")
	text = insertSorted(text, "\t\t"+name+".Module(),\n", regexp.MustCompile(`(?m)^\t\t[a-z]+\.Module\(\),\n`), "\t}\n}")
	formatted, err := format.Source([]byte(text))
	if err != nil {
		return fmt.Errorf("add the module to %s: %w", list, err)
	}
	return file{list, formatted}.write()
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
