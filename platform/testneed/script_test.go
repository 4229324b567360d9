package testneed_test

import (
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"panel/platform/testneed"
)

// Scripts that are written while others are started run all the same.
func TestAScriptIsNeverBusy(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			path := filepath.Join(folder, string(rune('a'+i)))
			for range 50 {
				testneed.Script(t, path, "#!/bin/sh\n")
				if err := exec.Command(path).Run(); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}
