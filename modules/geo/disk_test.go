package geo

import (
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/testneed/geofiles"
)

// Rule: a disk of the panel that fills up while a file is fetched changes nothing but the reason: nodes keep the file
// before, byte for byte, and once there is room the next update does well.
func TestADiskThatIsFullWhileAFileIsFetchedChangesNothing(t *testing.T) { //nolint:paralleltest // the folder is of all
	if os.Geteuid() != 0 {
		t.Skip("only root may mount a small disk")
	}
	small := t.TempDir()
	require.NoError(t, syscall.Mount("tmpfs", small, "tmpfs", 0, "size=1m"))
	t.Cleanup(func() { _ = syscall.Unmount(small, syscall.MNT_DETACH) })
	s := newStage(t)
	good := sites("a")
	first := s.origin.publish("geosite.dat", good)
	n := s.node("n")
	id := s.geosite()
	s.update(id, true)
	n.takes(first)
	s.until(id, inState(stateCurrent))

	second := s.origin.publish("geosite.dat", geofiles.ManySites(130_000))
	t.Setenv("TMPDIR", small)
	a := s.update(id, true)
	require.Equal(t, [2]string{stateFailed, reasonDisk}, [2]string{a.State, a.RejectReason}, a.RejectDetail)
	require.Equal(t, first, a.Version.SHA256)
	require.Equal(t, string(good), string(n.Get("/agent/v1/assets/"+first).Is(200).Body))
	left, err := os.ReadDir(small)
	require.NoError(t, err)
	require.Empty(t, left, "what was fetched of it is gone")

	t.Setenv("TMPDIR", "")
	s.update(id, true)
	n.takes(second)
	require.Equal(t, second, s.until(id, inState(stateCurrent)).Version.SHA256)
}
