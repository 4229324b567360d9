package checks

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

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
	finding := spaceIn(folder)
	finding.Subject = folder
	if finding.Status != doctor.OK && finding.Status != doctor.Warning {
		return finding
	}
	if err := writable(folder); errors.Is(err, fs.ErrPermission) {
		return doctor.Finding{
			Status: doctor.Warning, Subject: folder,
			Found: doctor.Say("it may not be written by this user; the panel itself may"), Do: asOwner(),
			Data: finding.Data,
		}
	} else if err != nil {
		return doctor.Finding{
			Status: doctor.Failed, Subject: folder, Found: doctor.Say("it cannot be written to: %s",
				words(err)), Do: doctor.Say("df -h %s; free space, or chown -R panel: %s", folder, folder),
			Data: finding.Data,
		}
	}
	return finding
}

func backupFolder(_ context.Context, env doctor.Env) doctor.Finding {
	folder := BackupDir(env)
	if _, err := os.Stat(folder); err != nil {
		return skipped("no local backups in %s", folder)
	}
	finding := spaceIn(folder)
	finding.Subject = folder
	return finding
}

// BackupDir is where local backups lie.
func BackupDir(env doctor.Env) string {
	if given := env.Getenv("PANEL_BACKUP_DIR"); given != "" {
		return given
	}
	return filepath.Join(DataDir(env), "backups")
}

func logFolder(_ context.Context, env doctor.Env) doctor.Finding {
	const folder = "/var/log"
	if env.Getenv("PANEL_DATA_DIR") == folder || sameDisk(folder, DataDir(env)) {
		return skipped("%s is on the disk of the data folder", folder)
	}
	finding := spaceIn(folder)
	finding.Subject = folder
	if finding.Status != doctor.OK {
		finding.Do = doctor.Command("journalctl --vacuum-size=200M; du -sh %s/*", folder)
	}
	return finding
}

func sameDisk(one, other string) bool {
	a, errA := os.Stat(one)
	b, errB := os.Stat(other)
	if errA != nil || errB != nil {
		return false
	}
	left, leftIs := a.Sys().(*syscall.Stat_t)
	right, rightIs := b.Sys().(*syscall.Stat_t)
	return leftIs && rightIs && left.Dev == right.Dev
}

func spaceIn(folder string) doctor.Finding {
	var disk syscall.Statfs_t
	err := syscall.Statfs(folder, &disk)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return failed(doctor.Say("%s does not exist", folder),
			doctor.Say("mkdir -p %s && chown panel: %s, then systemctl restart panel", folder, folder))
	case err != nil:
		return unknown(doctor.Say("%s may not be looked at by this user", folder), asOwner())
	}
	finding := space(folder, disk.Bavail*uint64(disk.Bsize), disk.Blocks*uint64(disk.Bsize))
	if disk.Files > 0 && disk.Ffree*percent/disk.Files < fullFree {
		finding.Status, finding.Found = doctor.Failed, doctor.Say("no room for more files: %d of %d are in use",
			disk.Files-disk.Ffree, disk.Files)
		finding.Do = doctor.Say("find the folder with many small files: du --inodes -s %s/*", folder)
	}
	return finding
}

func writable(folder string) error {
	file, err := os.CreateTemp(folder, ".doctor-*")
	if err != nil {
		return err
	}
	_, wrote := file.Write(make([]byte, 4096))
	return errors.Join(wrote, file.Close(), os.Remove(file.Name()))
}

func space(folder string, available, total uint64) doctor.Finding {
	share := uint64(percent)
	if total > 0 {
		share = available * percent / total
	}
	finding := ok("%d %% of %s used, %s free", percent-share, Gigabytes(total), Gigabytes(available))
	finding.Data = map[string]any{"free_bytes": available, "total_bytes": total}
	more := doctor.Say("free space, or move PANEL_DATA_DIR to a larger disk; what is large: du -xsh %s/*", folder)
	switch {
	case available < fullBytes || share < fullFree:
		finding.Status, finding.Do = doctor.Failed, more
	case share < scarceFree:
		finding.Status, finding.Do = doctor.Warning, more
	}
	return finding
}

// newestBackup looks at the files alone, so that it can answer while the database is down.
func newestBackup(_ context.Context, env doctor.Env) doctor.Finding {
	const late = 48 * time.Hour
	newest := newestFile(BackupDir(env))
	if newest.IsZero() {
		return skipped("no local backups in %s", BackupDir(env))
	}
	age := env.Now().Sub(newest)
	finding := ok("%s old", Span(age))
	finding.Data = map[string]any{"at": newest.UTC().Format(time.RFC3339)}
	if age > late {
		finding.Status, finding.Do = doctor.Warning,
			doctor.Say("create a backup, and look why the last one failed: panelctl logs worker")
	}
	return finding
}

func newestFile(folder string) (newest time.Time) {
	_ = filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return nil //nolint:nilerr // what cannot be read is no backup that could be restored
		}
		if about, err := entry.Info(); err == nil && about.ModTime().After(newest) {
			newest = about.ModTime()
		}
		return nil
	})
	return newest
}

// Span is a length of time in its two largest units.
func Span(d time.Duration) doctor.Text {
	days, hours, minutes := int(d.Hours())/24, int(d.Hours())%24, int(d.Minutes())%60
	switch {
	case days > 0:
		return doctor.Say("%dd %dh", days, hours)
	case hours > 0:
		return doctor.Say("%dh %dm", hours, minutes)
	}
	return doctor.Say("%dm %ds", minutes, int(d.Seconds())%60)
}
