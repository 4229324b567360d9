// Package testneed finds the programs that tests run, and says in one sentence how an absent one comes.
package testneed

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Program is the path of a program; without it the test fails with the command that installs it.
func Program(t testing.TB, name string) string {
	t.Helper()
	path, err := find(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// find looks also where the programs of services are, which an ordinary user's PATH leaves out.
func find(name string) (string, error) {
	for _, place := range []string{name, "/usr/sbin/" + name, "/sbin/" + name} {
		if path, err := exec.LookPath(place); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("this test needs %s: run scripts/need.sh %s", name, name)
}

// Built is the path of a program that scripts/<script> builds into .run/tools; without it the test fails with the
// command that builds it.
func Built(t testing.TB, file, script string) string {
	t.Helper()
	path, err := built(".", file, script)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// built looks in the tree that holds the folder.
func built(folder, file, script string) (string, error) {
	here, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	for ; here != filepath.Dir(here); here = filepath.Dir(here) {
		path := filepath.Join(here, ".run", "tools", file)
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("this test needs %s: run scripts/%s", file, script)
}
