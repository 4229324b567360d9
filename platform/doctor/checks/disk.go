package checks

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"syscall"

	"panel/platform/doctor"
)

const (
	fullBytes  = 256 << 20 // a database needs this much to go on at all
	scarceFree = 10        // percent
	fullFree   = 3         // percent
	percent    = 100
)

func dataFolder(_ context.Context, env doctor.Env) doctor.Finding {
	folder := DataDir(env)
	var disk syscall.Statfs_t
	if err := syscall.Statfs(folder, &disk); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return failed(doctor.Say("%s does not exist", folder), doctor.Say("start the panel once, or set PANEL_DATA_DIR"))
		}
		return failed(doctor.Say("%s cannot be looked at: %s", folder, err.Error()), doctor.Say("run this as root or as the user panel"))
	}
	if err := writable(folder); err != nil {
		return failed(doctor.Say("%s cannot be written to: %s", folder, innermost(err)), doctor.Say("free space, or give the folder to the user panel"))
	}
	return space(folder, disk.Bavail*uint64(disk.Bsize), disk.Blocks*uint64(disk.Bsize))
}

func writable(folder string) error {
	file, err := os.CreateTemp(folder, ".doctor-*")
	if err != nil {
		return err
	}
	_, wrote := file.WriteString("panelctl doctor")
	return errors.Join(wrote, file.Close(), os.Remove(file.Name()))
}

func space(folder string, available, total uint64) doctor.Finding {
	share := uint64(percent)
	if total > 0 {
		share = available * percent / total
	}
	finding := ok("%s: %d %% of %s used, %s free", folder, percent-share, gigabytes(total), gigabytes(available))
	finding.Data = map[string]any{"free_bytes": available, "total_bytes": total}
	more := doctor.Say("Web: Backups → Retention, or move PANEL_DATA_DIR")
	switch {
	case available < fullBytes || share < fullFree:
		finding.Status, finding.Do = doctor.Failed, more
	case share < scarceFree:
		finding.Status, finding.Do = doctor.Warning, more
	}
	return finding
}
