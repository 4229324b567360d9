package testneed

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnAbsentProgramIsNamedWithTheCommandThatInstallsIt(t *testing.T) {
	t.Parallel()
	_, err := find("no-such-program")
	require.EqualError(t, err, "this test needs no-such-program: run scripts/need.sh no-such-program")
	require.FileExists(t, Program(t, "sh"))
}

func TestABuiltProgramIsFoundFromAnyFolderOfTheTree(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	below := filepath.Join(root, "a", "b")
	require.NoError(t, os.MkdirAll(below, 0o700))
	_, err := built(below, "tool-v1", "tool.sh")
	require.EqualError(t, err, "this test needs tool-v1: run scripts/tool.sh")
	require.NoError(t, os.MkdirAll(filepath.Join(root, ".run", "tools"), 0o700))
	tool := filepath.Join(root, ".run", "tools", "tool-v1")
	require.NoError(t, os.WriteFile(tool, nil, 0o700))
	found, err := built(below, "tool-v1", "tool.sh")
	require.NoError(t, err)
	require.Equal(t, tool, found)
}
