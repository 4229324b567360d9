package dbtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"

	"go.uber.org/zap"
	"golang.org/x/sys/unix"

	"panel/platform/config"
	"panel/platform/database"
)

// server gives the shared cluster; the first test of the machine starts it.
var server = sync.OnceValues(func() (cluster, error) {
	settings, _, err := config.Load()
	if err != nil {
		return cluster{}, err
	}
	dsn := settings.Secret(config.TestDBURL).Reveal()
	if dsn == "" {
		dsn, err = shared(settings.Path(config.PGBin))
	}
	if err != nil {
		return cluster{}, err
	}
	address, err := url.Parse(dsn)
	if err != nil {
		return cluster{}, errors.New("PANEL_TEST_DB_URL must look like postgres://user:password@host:5432/name")
	}
	return cluster{url: address}, nil
})

// quick gives up durability, which no test of ours needs from the shared server.
var quick = []string{
	"fsync=off", "full_page_writes=off", "synchronous_commit=off", "max_connections=400", "shared_buffers=64MB",
	"autovacuum=off",
}

func shared(binDir string) (string, error) {
	dir, err := folder()
	if err != nil {
		return "", err
	}
	if err := use(dir); err != nil {
		return "", err
	}
	dsn, _, err := database.StartPrivate(context.Background(),
		database.PrivateOptions{DataDir: dir, BinDir: binDir, Log: zap.NewNop(), Settings: quick, Detached: true})
	if err != nil {
		return "", err
	}
	return dsn, stopWhenUnused(dir)
}

const (
	memory     = "/dev/shm"
	memoryFree = 6 << 30 // bytes; the databases of a whole test run need a part of it at a time
)

// base is where the cluster lies: in memory if there is plenty, as making and dropping databases is mostly the work of
// the file system, else in the temporary folder.
func base() string {
	var about unix.Statfs_t
	if err := unix.Statfs(memory, &about); err != nil || about.Type != unix.TMPFS_MAGIC ||
		about.Bavail*uint64(about.Bsize) < memoryFree || unix.Access(memory, unix.W_OK) != nil {
		return os.TempDir()
	}
	return memory
}

func folder() (string, error) {
	dir := filepath.Join(base(), "panel-test-"+strconv.Itoa(os.Getuid()))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("making the folder of the test database server: %w", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return "", fmt.Errorf("looking at the folder of the test database server: %w", err)
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.IsDir() || int(owner.Uid) != os.Getuid() {
		return "", fmt.Errorf("the folder %s of the test database server belongs to somebody else; remove it", dir)
	}
	return dir, nil
}

// inUse stays open, and its lock shared, as long as this process lives.
var inUse *os.File

func use(dir string) (err error) {
	if inUse, err = os.OpenFile(filepath.Join(dir, "users"), os.O_CREATE|os.O_RDWR, 0o600); err != nil {
		return fmt.Errorf("opening the lock of the test database server: %w", err)
	}
	if err := syscall.Flock(int(inUse.Fd()), syscall.LOCK_SH); err != nil {
		return fmt.Errorf("locking the test database server: %w", err)
	}
	return nil
}

// watchman waits until no test process holds the lock any more, then stops the server and removes its files.
const watchman = `cd "$1" || exit
while sleep 5; do
	flock -n -x users sh -c '
		pid=$(head -n 1 postgres/data/postmaster.pid) && kill -INT "$pid"
		while kill -0 "$pid"; do sleep 0.1; done
		rm -rf postgres' && exit
done`

func stopWhenUnused(dir string) error {
	watch := exec.Command(
		"flock",
		"-w",
		"3",
		filepath.Join(dir, "watch"),
		"sh",
		"-c",
		watchman,
		"sh",
		dir,
	) //nolint:noctx // outlives us
	watch.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := watch.Start(); err != nil {
		return fmt.Errorf("starting the watch over the test database server: %w", err)
	}
	return watch.Process.Release()
}
