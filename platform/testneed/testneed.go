// Package testneed finds the programs that tests run, and says in one sentence how an absent one comes.
package testneed

import (
	"fmt"
	"os/exec"
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
