package nodes

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func eventually(t testing.TB, holds func() bool) {
	t.Helper()
	require.Eventually(t, holds, 60*time.Second, 20*time.Millisecond)
}

func agentDir(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "panel-agent-linux-arm64"), []byte("an executable"), 0o600))
	return dir
}
