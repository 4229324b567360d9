package package_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

const (
	systemd     = "/lib/systemd/systemd"
	bootTime    = time.Minute
	runWithin   = 3 * time.Minute
	servicePath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
)

// machine is the stage under power: the systemd of this system runs as its first process.
type machine struct {
	t     *testing.T
	first *exec.Cmd
	group string // the control group that stands for the whole machine
}

// on starts systemd in a control group and namespaces of its own and waits until it has started everything.
func (m *machine) on() {
	m.t.Helper()
	var err error
	m.group, err = os.MkdirTemp(groups(), "panel-package-*")
	require.NoError(m.t, err)
	console, err := os.OpenFile(filepath.Join(os.Getenv(stageVar), "console"), os.O_CREATE|os.O_APPEND|os.O_WRONLY,
		0o600)
	require.NoError(m.t, err)
	defer console.Close()
	m.first = exec.Command("/proc/self/exe")
	m.first.Env = append(os.Environ(), groupVar+"="+m.group)
	m.first.Stdout, m.first.Stderr = console, console
	m.first.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS,
	}
	require.NoError(m.t, m.first.Start())
	require.Eventually(m.t, func() bool {
		said, _ := m.run("systemctl", "is-system-running")
		return said == "running\n" || said == "degraded\n"
	}, bootTime, 100*time.Millisecond)
}

// becomeFirst makes this process, the first of its namespaces, the systemd of the stage.
func becomeFirst(group string) error {
	runtime.LockOSThread() // a namespace belongs to a thread
	if err := os.WriteFile(filepath.Join(group, "cgroup.procs"), []byte("0"), 0); err != nil {
		return fmt.Errorf("enter the control group: %w", err)
	}
	if err := unix.Unshare(unix.CLONE_NEWCGROUP); err != nil {
		return fmt.Errorf("see nothing above the control group: %w", err)
	}
	err := errors.Join(
		unix.Mount("proc", inside("/proc"), "proc", 0, ""),
		// What this machine's kernel is set to stays as it is.
		unix.Mount(inside("/proc/sys"), inside("/proc/sys"), "", unix.MS_BIND, ""),
		unix.Mount("", inside("/proc/sys"), "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""),
		unix.Mount("sysfs", inside("/sys"), "sysfs", unix.MS_RDONLY, ""),
		unix.Mount("cgroup2", inside("/sys/fs/cgroup"), "cgroup2", 0, ""),
	)
	if err != nil {
		return fmt.Errorf("mount what systemd needs: %w", err)
	}
	if err := errors.Join(os.Chdir(root()), unix.PivotRoot(".", "."), unix.Unmount(".", unix.MNT_DETACH),
		os.Chdir("/")); err != nil {
		return fmt.Errorf("move into the stage: %w", err)
	}
	return syscall.Exec(
		systemd,
		[]string{systemd, "--unit=multi-user.target", "--log-target=journal", "--show-status=no"},
		[]string{"container=stage", servicePath},
	)
}

// cut is the end of the power: nothing is told to stop, and memory is empty afterwards.
func (m *machine) cut() {
	if m.first == nil {
		return
	}
	_ = m.first.Process.Kill() // with the first process of a namespace all others end
	_ = m.first.Wait()
	m.first = nil
	var folders []string
	_ = filepath.WalkDir(m.group, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			folders = append(folders, path)
		}
		return err
	})
	for _, folder := range slices.Backward(folders) {
		_ = os.Remove(folder) // one that stays is an empty folder
	}
	require.NoError(
		m.t,
		errors.Join(unix.Unmount(inside("/run"), unix.MNT_DETACH), unix.Unmount(inside("/tmp"), unix.MNT_DETACH),
			volatile()),
	)
}

// run executes a program on the machine as root.
func (m *machine) run(args ...string) (string, error) { return m.runWith("", args...) }

// tell does the same with something on its standard input.
func (m *machine) runWith(input string, args ...string) (string, error) {
	enter := []string{
		"--target", strconv.Itoa(m.first.Process.Pid), "--all", "--root", "--wd", "--",
		"/usr/bin/env", "-i", servicePath, "HOME=/root", "LANG=C.UTF-8", "DEBIAN_FRONTEND=noninteractive",
	}
	// Also after the end of the test, whose context is gone then.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(m.t.Context()), runWithin)
	defer cancel()
	cmd := exec.CommandContext(ctx, "nsenter", append(enter, args...)...)
	cmd.Stdin = strings.NewReader(input)
	said, err := cmd.CombinedOutput()
	return string(said), err
}

func (m *machine) must(args ...string) string {
	m.t.Helper()
	said, err := m.run(args...)
	require.NoError(m.t, err, "%s\n%s", strings.Join(args, " "), said)
	return said
}

// show is one property of a unit.
func (m *machine) show(unit, property string) string {
	m.t.Helper()
	return strings.TrimSpace(m.must("systemctl", "show", "--value", "--property="+property, unit))
}

// logged is everything that the machine's journal holds since its last start.
func (m *machine) logged() string {
	console, _ := os.ReadFile(filepath.Join(os.Getenv(stageVar), "console"))
	said, _ := m.run("journalctl", "--boot", "--no-pager", "--lines=400", "--output=short-precise")
	return string(console) + said
}
