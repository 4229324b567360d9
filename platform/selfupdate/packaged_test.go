package selfupdate

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// The upgrade of a package keeps the same way back as an update: executables, settings, and the database if it changed.
func TestAPackageLeavesAWayBack(t *testing.T) {
	t.Parallel()
	e, f := scene(t, "1.1.0")
	require.NoError(t, e.beforePackage(t.Context(), "1.0.0"))
	require.Equal(t, "1.0.0", f.running, "the panel goes on while it is copied")

	f.put(e.Paths.Binary, "1.1.0")
	f.put(f.agent(), "agent 1.1.0")
	require.NoError(t, e.Host.Stop(t.Context()))
	require.NoError(t, e.Host.Start(t.Context()))
	require.NoError(t, e.afterPackage(t.Context(), "1.1.0"))
	require.NoDirExists(t, e.Paths.packaged())
	lines, err := readJournal(e.Paths.Data + "/" + journalName)
	require.NoError(t, err)
	past, back := runs(lines)
	require.Equal(t, Done, past[0].State)
	require.Equal(t, "1.0.0", back.Version)
	require.True(t, back.RestoresDatabase, "the new panel migrated the database")

	ask(t, e, request{Kind: kindRollback, Version: "1.0.0"})
	require.NoError(t, e.Run(t.Context(), "1.1.0"))
	require.Equal(t, "1.0.0", f.running)
	require.Equal(t, "schema of 1.0.0", f.text(f.database()))
	require.Equal(t, "agent 1.0.0", f.text(f.agent()))
}

// A panel that somebody stopped migrates when it is started again, so the way back may cost data.
func TestTheWayBackFromThePackageOfAStoppedPanelSaysThatItMayCostData(t *testing.T) {
	t.Parallel()
	e, f := scene(t, "1.1.0")
	require.NoError(t, e.Host.Stop(t.Context()))
	require.NoError(t, e.beforePackage(t.Context(), "1.0.0"))
	f.put(e.Paths.Binary, "1.1.0")
	require.NoError(t, e.afterPackage(t.Context(), "1.1.0"))
	require.Empty(t, f.running)
	require.True(t, e.describeKept().RestoresDatabase)
}

func TestAPackageOfTheSameVersionOrWithoutRoomLeavesTheOlderWayBackAlone(t *testing.T) {
	t.Parallel()
	e, f := scene(t, "1.1.0")
	ask(t, e, request{Kind: kindUpdate, Version: "1.1.0"})
	require.NoError(t, e.Run(t.Context(), "1.0.0"))

	require.NoError(t, e.beforePackage(t.Context(), "1.1.0"))
	require.NoError(t, e.afterPackage(t.Context(), "1.1.0"))
	f.refuses["room"] = errRoom
	require.ErrorIs(t, e.beforePackage(t.Context(), "1.1.0"), errRoom)
	require.NoError(t, e.afterPackage(t.Context(), "1.2.0"))
	f.refuses["room"] = nil
	f.refuses["dump"] = errors.New("no pg_dump")
	require.ErrorContains(t, e.beforePackage(t.Context(), "1.1.0"), "no pg_dump")
	require.NoDirExists(t, e.Paths.packaged())
	require.NoError(t, e.afterPackage(t.Context(), "1.2.0"))

	back, err := e.wayBack("1.1.0")
	require.NoError(t, err)
	require.Equal(t, "1.0.0", back.Version)
	require.Len(t, history(t, e), 1)
}
