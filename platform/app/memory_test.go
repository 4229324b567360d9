package app

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The tightest control group around the process counts; "max" and what cannot be read are no limit.
func TestTheTightestControlGroupCounts(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	own := filepath.Join(root, "own")
	inner := filepath.Join(root, "system.slice", "panel.service")
	require.NoError(t, os.MkdirAll(inner, 0o755))
	require.EqualValues(t, math.MaxInt64, groupMemory(root, own), "no control groups")
	write := func(path, text string) { require.NoError(t, os.WriteFile(path, []byte(text), 0o600)) }
	write(own, "0::/system.slice/panel.service\n")
	require.EqualValues(t, math.MaxInt64, groupMemory(root, own), "no limit")
	write(filepath.Join(inner, "memory.max"), "max\n")
	require.EqualValues(t, math.MaxInt64, groupMemory(root, own))
	write(filepath.Join(root, "system.slice", "memory.max"), "1073741824\n")
	require.EqualValues(t, 1<<30, groupMemory(root, own), "of the slice")
	write(filepath.Join(inner, "memory.max"), "536870912\n")
	require.EqualValues(t, 512<<20, groupMemory(root, own), "of the service")
	write(own, "4:memory:/old\n")
	require.EqualValues(t, math.MaxInt64, groupMemory(root, own),
		"control groups of the first version have no such file")
	require.Less(t, machineMemory(), int64(math.MaxInt64))
}
