package package_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// openStage makes this process, the first of its own namespaces, a machine that is a copy of this one: what is installed in
// it is gone when the process ends. Files are read from this machine and written to memory.
func openStage(root string) error {
	memory := filepath.Join(root, "memory")
	top := filepath.Join(root, "top")
	if err := errors.Join(os.MkdirAll(memory, 0o755), os.MkdirAll(top, 0o755)); err != nil {
		return err
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make the mounts private: %w", err)
	}
	if err := unix.Mount("tmpfs", memory, "tmpfs", 0, ""); err != nil {
		return fmt.Errorf("mount memory: %w", err)
	}
	upper, work := filepath.Join(memory, "upper"), filepath.Join(memory, "work")
	if err := errors.Join(os.Mkdir(upper, 0o755), os.Mkdir(work, 0o755)); err != nil {
		return err
	}
	layers := fmt.Sprintf("lowerdir=/,upperdir=%s,workdir=%s", upper, work)
	if err := unix.Mount("overlay", top, "overlay", 0, layers); err != nil {
		return fmt.Errorf("lay memory over this machine: %w", err)
	}
	return furnish(top)
}

func furnish(top string) error {
	at := func(name string) string { return filepath.Join(top, name) }
	err := errors.Join(
		unix.Mount("proc", at("proc"), "proc", 0, ""),
		unix.Mount("/dev", at("dev"), "", unix.MS_BIND|unix.MS_REC, ""),
		unix.Mount("tmpfs", at("run"), "tmpfs", 0, "mode=755"),
		unix.Mount("tmpfs", at("tmp"), "tmpfs", 0, "mode=1777"),
		// The scripts of the packages ask this folder whether systemd runs.
		os.MkdirAll(at("run/systemd/system"), 0o755),
		os.MkdirAll(at("run/stage"), 0o755),
		os.RemoveAll(at("opt/panel")), os.RemoveAll(at("etc/panel")),
		// The index of all manuals of the machine takes longer than everything else here.
		os.RemoveAll(at("var/lib/man-db/auto-update")),
	)
	if err != nil {
		return fmt.Errorf("furnish the stage: %w", err)
	}
	if said, err := exec.Command("ip", "link", "set", "lo", "up").CombinedOutput(); err != nil {
		return fmt.Errorf("bring up the loopback of the stage: %w: %s", err, said)
	}
	own, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		return fmt.Errorf("read the own executable: %w", err)
	}
	return os.WriteFile(at("usr/local/sbin/systemctl"), own, 0o755)
}

// canInstall tells whether this user may open a stage here: root with namespaces, on a system with dpkg.
func canInstall() bool {
	if os.Geteuid() != 0 {
		return false
	}
	if _, err := exec.LookPath("dpkg"); err != nil {
		return false
	}
	probe := exec.Command("true")
	probe.SysProcAttr = namespaces()
	return probe.Run() == nil
}

func namespaces() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
}

// inStage runs one test of this executable inside a fresh stage.
func inStage(t *testing.T, name string, env ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run=^"+name+"$", "-test.v", "-test.timeout=4m")
	cmd.Env = append(append(os.Environ(), stageVar+"="+t.TempDir()), env...)
	cmd.SysProcAttr = namespaces()
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	err := cmd.Run()
	t.Log(said.String())
	require.NoError(t, err)
}

func root() string { return filepath.Join(os.Getenv(stageVar), "top") }

func inside(path string) string { return filepath.Join(root(), path) }

// chrooted starts a program inside the stage as root.
func chrooted() *syscall.SysProcAttr { return &syscall.SysProcAttr{Chroot: root()} }
