package rights

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// dropped marks the process that gives its rights away.
const dropped = "PANEL_AGENT_TEST_DROPS"

// A core cannot change the host's network, though it may open low ports as before.
func TestACoreHasNoRightOnTheNetwork(t *testing.T) {
	t.Parallel()
	if os.Getenv(dropped) != "" {
		err := DropNetAdmin()
		if errors.Is(err, ErrKept) {
			t.Skip("this build runs C code, whose threads cannot be told")
		}
		require.NoError(t, err)
		raw, err := os.ReadFile("/proc/self/status")
		require.NoError(t, err)
		const bit12 = "13579bdf" // digits of the fourth place in which CAP_NET_ADMIN is set
		seen := 0
		for line := range strings.Lines(string(raw)) {
			if name, value, _ := strings.Cut(strings.TrimSpace(line), ":\t"); slices.Contains([]string{"CapEff", "CapPrm", "CapAmb"}, name) {
				seen++
				require.NotContains(t, bit12, value[len(value)-4:len(value)-3], name)
			}
		}
		require.Equal(t, 3, seen)
		return
	}
	enter := []string{"-n", "--"}
	if os.Getuid() != 0 {
		enter = append([]string{"-U", "-r"}, enter...)
	}
	cmd := exec.CommandContext(t.Context(), "unshare", append(enter, os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")...)
	cmd.Env = append(os.Environ(), dropped+"=1")
	said, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", said)
	if strings.Contains(string(said), "--- SKIP") {
		t.Skip("this build runs C code, whose threads cannot be told")
	}
}
