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

// openStage makes a copy of this machine: what is installed in it is gone when the process, the first of its own
// namespaces, ends. Files are read from this machine and written to memory.
func openStage(stage string) error {
	memory := filepath.Join(stage, "memory")
	if err := errors.Join(os.MkdirAll(memory, 0o755), os.MkdirAll(root(), 0o755)); err != nil {
		return err
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make the mounts private: %w", err)
	}
	if err := unix.Mount("tmpfs", memory, "tmpfs", 0, ""); err != nil {
		return fmt.Errorf("mount memory: %w", err)
	}
	upper, work := filepath.Join(memory, "upper"), filepath.Join(memory, "work")
	if err := errors.Join(os.Mkdir(upper, 0o755), os.Mkdir(work, 0o755), os.Mkdir(groups(), 0o755)); err != nil {
		return err
	}
	layers := fmt.Sprintf("lowerdir=/,upperdir=%s,workdir=%s", upper, work)
	if err := unix.Mount("overlay", root(), "overlay", 0, layers); err != nil {
		return fmt.Errorf("lay memory over this machine: %w", err)
	}
	// This process looks for the processes of its own namespace.
	if err := errors.Join(unix.Mount("proc", "/proc", "proc", 0, ""),
		unix.Mount("cgroup2", groups(), "cgroup2", 0, "")); err != nil {
		return fmt.Errorf("mount processes and control groups: %w", err)
	}
	return furnish()
}

func furnish() error {
	err := errors.Join(
		// Nothing that is installed here by chance starts; the packages under test add what they want.
		os.RemoveAll(inside("/etc/systemd/system")), os.MkdirAll(inside("/etc/systemd/system"), 0o755),
		os.RemoveAll(inside("/var/log/journal")), os.RemoveAll(inside("/opt/panel")),
		os.RemoveAll(inside("/etc/panel")),
		// The index of all manuals of the machine takes longer than everything else here.
		os.RemoveAll(inside("/var/lib/man-db/auto-update")),
		volatile(), devices(),
	)
	if err != nil {
		return fmt.Errorf("furnish the stage: %w", err)
	}
	if said, err := exec.Command("ip", "link", "set", "lo", "up").CombinedOutput(); err != nil {
		return fmt.Errorf("bring up the loopback of the stage: %w: %s", err, said)
	}
	return nil
}

// volatile mounts what a power cut empties.
func volatile() error {
	return errors.Join(
		unix.Mount("tmpfs", inside("/run"), "tmpfs", 0, "mode=755"),
		unix.Mount("tmpfs", inside("/tmp"), "tmpfs", 0, "mode=1777"),
	)
}

// devices are those that every program may expect, and no other of this machine.
func devices() error {
	err := unix.Mount("tmpfs", inside("/dev"), "tmpfs", 0, "mode=755")
	for _, name := range []string{"null", "zero", "full", "random", "urandom", "tty"} {
		at := inside("/dev/" + name)
		err = errors.Join(err, os.WriteFile(at, nil, 0o666), unix.Mount("/dev/"+name, at, "", unix.MS_BIND, ""))
	}
	return errors.Join(
		err,
		os.Mkdir(
			inside("/dev/pts"),
			0o755,
		),
		unix.Mount("devpts", inside("/dev/pts"), "devpts", 0, "newinstance,ptmxmode=0666,mode=620"),
		os.Mkdir(inside("/dev/shm"), 0o755),
		unix.Mount("tmpfs", inside("/dev/shm"), "tmpfs", 0, "mode=1777"),
		os.Symlink("pts/ptmx", inside("/dev/ptmx")),
		os.Symlink("/proc/self/fd", inside("/dev/fd")),
	)
}

// canInstall tells whether this user may open a stage here: root with namespaces, on a system with dpkg and systemd.
func canInstall() bool {
	if os.Geteuid() != 0 {
		return false
	}
	for _, program := range []string{"dpkg", "nsenter", systemd} {
		if _, err := exec.LookPath(program); err != nil {
			return false
		}
	}
	probe := exec.Command("true")
	probe.SysProcAttr = namespaces()
	return probe.Run() == nil
}

// leaveOut skips a test that cannot run here, and notes it in the file in which "make test" looks for what to say at
// its end.
func leaveOut(t *testing.T, reason string) {
	t.Helper()
	if path := os.Getenv("LEFT_OUT"); path != "" {
		file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		require.NoError(t, err)
		_, err = fmt.Fprintf(file, "%s: %s\n", t.Name(), reason)
		require.NoError(t, errors.Join(err, file.Close()))
	}
	t.Skip(reason)
}

func namespaces() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET,
		Pdeathsig:  syscall.SIGKILL,
	}
}

// inStage runs one test of this executable inside a fresh stage.
func inStage(t *testing.T, name string, env ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run=^"+name+"$", "-test.v", "-test.timeout=12m")
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

// groups is where the stage sees the control groups of this machine.
func groups() string { return filepath.Join(os.Getenv(stageVar), "memory", "groups") }
