package testneed

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnAbsentProgramIsNamedWithTheCommandThatInstallsIt(t *testing.T) {
	t.Parallel()
	_, err := find("no-such-program")
	require.EqualError(t, err, "this test needs no-such-program: run scripts/need.sh no-such-program")
	require.FileExists(t, Program(t, "sh"))
}
