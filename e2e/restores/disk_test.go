package restores

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
)

// The disk of the data folder is full, that of the private database and of local backups: no backup is made, the reason
// is told as soon as there is room again, what is offered is whole, and the next backup succeeds.
func TestAFullDataFolderLeavesNoHalfBackup(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root makes a small disk")
	}
	folder := rigtest.Folder(t)
	disk := smallDisk(t, filepath.Join(folder, "data"))
	w := &world{T: t, stand: rigtest.Install(t, rig.PanelSettings{Folder: folder})}
	w.backUp(fields{"kind": "local"})
	ballast := fill(t, disk)
	refused := 0
	const attempts = 5
	for range attempts {
		var run runRecord
		err := w.stand.API.Post(t.Context(), runsPath, fields{"profile_id": w.profile}, &run)
		if err != nil { // the database has no room for a row, or a run before waits for room to end
			refused++
			continue
		}
		_ = rig.Eventually(t.Context(), away, func(ctx context.Context) error { return w.failed(ctx, run.ID) })
	}
	t.Logf("%d of %d runs were refused", refused, attempts)
	require.NoError(t, os.Remove(ballast))
	var last string
	w.eventually(func(ctx context.Context) error {
		var run runRecord
		err := w.stand.API.Post(ctx, runsPath, fields{"profile_id": w.profile}, &run)
		last = run.ID
		return err
	})
	require.Equal(t, "succeeded", w.ended(last).State)
	var page struct{ Items []runRecord }
	require.NoError(t, w.stand.API.Get(t.Context(), runsPath, &page))
	for _, run := range page.Items {
		if run.ID == last || run.ID == w.run {
			continue
		}
		require.Equal(t, "failed", run.State)
		require.NotEmpty(t, run.Error)
	}
	names := w.offered()
	require.Len(t, names, 2)
	for _, name := range names {
		w.readable(name)
	}
	require.NoError(t, w.stand.API.Get(t.Context(), "/api/v1/nodes", nil))
	w.journalHolds(true, 0)
}

// failed demands that a run has failed.
func (w *world) failed(ctx context.Context, id string) error {
	var run runRecord
	if err := w.stand.API.Get(ctx, runsPath+"/"+id, &run); err != nil {
		return err
	}
	if run.State != "failed" {
		return errors.New("the run is " + run.State)
	}
	return nil
}

// smallDisk has room for a panel and little more.
func smallDisk(t *testing.T, folder string) string {
	t.Helper()
	require.NoError(t, os.Mkdir(folder, 0o755))
	require.NoError(t, syscall.Mount("tmpfs", folder, "tmpfs", 0, "size=600m,mode=755"))
	t.Cleanup(func() { _ = syscall.Unmount(folder, syscall.MNT_DETACH) })
	return folder
}

// fill takes all room of a disk by one file.
func fill(t *testing.T, disk string) string {
	t.Helper()
	file, err := os.Create(filepath.Join(disk, "ballast"))
	require.NoError(t, err)
	defer file.Close()
	for _, piece := range [][]byte{make([]byte, 1<<20), make([]byte, 4<<10)} {
		for err = nil; err == nil; {
			_, err = file.Write(piece)
		}
		require.ErrorIs(t, err, syscall.ENOSPC)
	}
	return file.Name()
}
