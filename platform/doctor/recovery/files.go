package recovery

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"panel/platform/doctor"
	"panel/platform/doctor/checks"
)

// makeFolders makes the data folder and those in it that the panel expects. A data folder that is there keeps what it
// has; one whose parent is missing is no folder of ours but a disk that is not mounted.
func makeFolders(env doctor.Env) *Action {
	data := checks.DataDir(env)
	if _, err := os.Stat(data); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if _, err := os.Stat(filepath.Dir(data)); err != nil {
		return nil
	}
	return &Action{
		ID: "make_folders", Title: doctor.Say("Create the data folder"),
		What: doctor.Say("mkdir -m 750 %s and its folders logs, backups and support; they belong to the user panel",
			data),
		Do: func(context.Context) error { return makeData(data) },
	}
}

func makeData(data string) error {
	for _, folder := range []string{
		data, filepath.Join(data, "logs"), filepath.Join(data, "backups"),
		filepath.Join(data, "support"),
	} {
		if err := os.Mkdir(folder, 0o750); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("make the data folder: %w", err)
		}
		if err := giveToPanel(folder); err != nil {
			return fmt.Errorf("give the data folder to the user panel: %w", err)
		}
	}
	return nil
}

// giveToPanel does nothing where there is no such user or where another than root asks.
func giveToPanel(path string) error {
	account, err := user.Lookup("panel")
	if err != nil || os.Geteuid() != 0 {
		return nil //nolint:nilerr // the panel runs as whoever started it
	}
	uid, errUID := strconv.Atoi(account.Uid)
	gid, errGID := strconv.Atoi(account.Gid)
	return errors.Join(errUID, errGID, os.Lchown(path, uid, gid))
}

const rightMode = 0o640

// restoreMode closes the file of settings to other users; its content stays.
func restoreMode(env doctor.Env) *Action {
	about, err := os.Stat(env.File)
	if err != nil || !about.Mode().IsRegular() || about.Mode().Perm()&0o007 == 0 {
		return nil
	}
	path := env.File
	return &Action{
		ID: "restore_mode", Title: doctor.Say("Restore the mode of the file of settings"),
		What: doctor.Command("chmod 640 %s", path),
		Do:   func(context.Context) error { return os.Chmod(path, rightMode) },
	}
}

// removeStalePID removes the pid file that a killed private database left, if no process has that number any more.
func removeStalePID(env doctor.Env) *Action {
	path := filepath.Join(checks.PrivateFolder(env), "postmaster.pid")
	pid, err := pidIn(path)
	if env.Getenv("PANEL_DB_URL") != "" || err != nil || lives(pid) {
		return nil
	}
	return &Action{
		ID: "remove_stale_pid", Title: doctor.Say("Remove the pid file of a database that no longer runs"),
		What: doctor.Say("rm %s (process %d is gone)", path, pid),
		Do:   func(context.Context) error { return removePID(path, pid) },
	}
}

// removePID looks again: in the meantime the database may have been started.
func removePID(path string, dead int) error {
	pid, err := pidIn(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if pid != dead || lives(pid) {
		return fmt.Errorf("%s is in use again and was left", path)
	}
	return os.Remove(path)
}

func pidIn(path string) (int, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(content), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil || pid <= 0 {
		return 0, fmt.Errorf("%s holds no number of a process", path)
	}
	return pid, nil
}

// lives is also true for a process of another user.
func lives(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
