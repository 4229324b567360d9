package testneed

import (
	"os"
	"syscall"
	"testing"
)

// Script writes an executable file that the test is about to run. Nothing is started while it is open: a process that
// was forked meanwhile would still hold it for writing, and running it would fail with "text file busy".
func Script(t testing.TB, path, text string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
}
