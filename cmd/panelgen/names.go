package main

import (
	"errors"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"panel/modules"
	"panel/platform/app"
	"panel/platform/cli"
)

// names are the words that a new module cannot have as its name, with what each of them is already.
type names map[string]string

// reserved are words that a folder of modules or its package cannot be called, and those by which paths begin that the
// panel answers beside its screens.
var reserved = []string{
	"agent", "all", "api", "assets", "health", "install", "internal", "main", "module", "modules", "status", "testdata",
	"vendor", patternName,
}

// namesInUse gathers the names of modules, screens and commands, and the families of permissions, actions and events.
func namesInUse() (names, error) {
	taken := names{}
	for _, word := range reserved {
		taken[word] = "a word that Go or this project uses otherwise"
	}
	all := app.With(modules.All())
	for _, kind := range app.EventKinds(all) {
		taken.family(kind.Name, "a family of events")
	}
	for _, action := range app.JournalKinds(all).Actions {
		taken.family(action, "a family of actions in the journal")
	}
	for _, permission := range app.Permissions(all) {
		taken.family(string(permission.Key), "a family of permissions")
	}
	root := cli.Tree(app.CommandLine(cli.Env{Version: "dev"}, modules.All()))
	for _, command := range root.Commands() {
		for _, word := range append(command.Aliases, command.Name()) {
			taken[word] = "a command of panelctl"
		}
	}
	for _, m := range all {
		taken[m.Name] = "a module"
	}
	return taken, taken.folders("ui/src/modules", "modules", "platform/core")
}

func (n names) family(word, what string) {
	family, _, _ := strings.Cut(word, ".")
	n[family] = what
}

// folders adds the folders of modules, and the folders inside those of screens: none of them may be called as a module
// is.
func (n names) folders(roots ...string) error {
	for _, root := range roots {
		inside, err := filepath.Glob(filepath.Join(root, "*", "*"))
		if err != nil {
			return fmt.Errorf("look for folders of modules: %w", err)
		}
		for _, path := range inside {
			n[filepath.Base(filepath.Dir(path))] = "a folder of " + root
			if at, err := os.Stat(path); err == nil && at.IsDir() && root == "ui/src/modules" {
				n[filepath.Base(path)] = "a folder of screens"
			}
		}
	}
	return nil
}

var oneWord = regexp.MustCompile(`^[a-z]{2,20}$`)

const example = "make module NAME=notes"

// judge says what is wrong with a name.
func (n names) judge(name string) error {
	switch {
	case name == "":
		return errors.New("give the new module a name: " + example)
	case strings.ContainsAny(name, " -_./"):
		return fmt.Errorf("the name %q is more than one word; take one word, or write two as one: %s", name, example)
	case !oneWord.MatchString(name):
		return fmt.Errorf("the name %q is not made of 2 to 20 lower-case letters a to z alone: %s", name, example)
	case token.IsKeyword(name) || slices.Contains(predeclared, name):
		return fmt.Errorf("the name %q is a word of the language Go; take another one: %s", name, example)
	case strings.HasSuffix(name, "api"):
		return fmt.Errorf("the name %q ends as the api packages of modules do; take another one: %s", name, example)
	case n[name] != "":
		return fmt.Errorf("the name %q is taken: it is already %s", name, n[name])
	}
	return nil
}

// predeclared are names of Go that a package must not hide.
var predeclared = []string{
	"any", "append", "bool", "byte", "cap", "clear", "close", "comparable", "complex", "copy", "delete", "error",
	"false",
	"float", "imag", "init", "int", "iota", "len", "make", "max", "min", "new", "nil", "panic", "print", "println",
	"real",
	"recover", "rune", "string", "true", "uint",
}
