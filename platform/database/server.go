package database

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// server is one private PostgreSQL and its files: <home>/data, <home>/lock, <home>/server.log.
//
// The server reaches its folder through an inherited handle (/proc/self/fd/3) and never by its path. So it works
// as another user than the panel although no folder above it is open to that user, and at any depth of folders.
type server struct {
	home     string
	programs programs
	as       *account
	settings []string
	detached bool
}

const (
	superuser  = "panel"
	socketName = ".s.PGSQL.5432"
	socketRoom = 104 // longest path of a socket that both sides take
	handlePath = "/proc/self/fd/3"
)

func (s *server) data() string { return filepath.Join(s.home, "data") }

// host is where clients find the socket: the folder itself, or a handle on it when its path is too long for a socket.
func (s *server) host() (string, error) {
	if len(s.data())+1+len(socketName) <= socketRoom {
		return s.data(), nil
	}
	handle, err := syscall.Open(s.data(), syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return "", fmt.Errorf("opening the folder of the private database: %w", err)
	}
	return "/proc/self/fd/" + strconv.Itoa(handle), nil
}

func dsnOf(host, name string) string {
	return "postgres://" + superuser + "@/" + name + "?host=" + url.QueryEscape(host)
}

// checkVersion refuses a cluster that another major version made; PostgreSQL could not read it, and nothing is touched.
func (s *server) checkVersion() error {
	text, err := os.ReadFile(filepath.Join(s.data(), "PG_VERSION"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the version of the private database: %w", err)
	}
	made := strings.TrimSpace(string(text))
	if made != strconv.Itoa(s.programs.major) {
		return fmt.Errorf("the private database in %s was made by PostgreSQL %s, but the programs in %s are version %d: "+
			"install PostgreSQL %s or point PANEL_PG_BIN to it; nothing was changed", s.home, made, s.programs.dir,
			s.programs.major, made)
	}
	return nil
}

// create makes the cluster beside its final place and moves it there when complete, so that a kill leaves no half of
// one.
func (s *server) create(ctx context.Context) error {
	if _, err := os.Stat(filepath.Join(s.data(), "PG_VERSION")); err == nil {
		return nil
	}
	fresh := filepath.Join(s.home, "data.new")
	if err := os.RemoveAll(fresh); err != nil {
		return fmt.Errorf("clearing an unfinished private database: %w", err)
	}
	if err := errors.Join(os.Mkdir(fresh, 0o700), s.as.own(fresh)); err != nil {
		return fmt.Errorf("making the folder of the private database: %w", err)
	}
	if err := s.initialise(ctx, fresh); err != nil {
		return err
	}
	return os.Rename(fresh, s.data())
}

func (s *server) initialise(ctx context.Context, folder string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(s.programs.dir, "initdb"), "-D", handlePath, "-U", superuser,
		"-A", "trust", "--auth-host=reject", "-E", "UTF8", "--locale=C", "--data-checksums", "--no-instructions")
	handle, err := s.prepare(cmd, folder)
	if err != nil {
		return err
	}
	defer func() { _ = handle.Close() }()
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("making the private database in %s: %w: %s", s.home, err, lastLine(said))
	}
	return nil
}

// prepare lets the program run as the account, in /, with the folder as handle 3.
func (s *server) prepare(cmd *exec.Cmd, folder string) (*os.File, error) {
	handle, err := os.Open(folder)
	if err != nil {
		return nil, fmt.Errorf("opening the folder of the private database: %w", err)
	}
	cmd.Dir, cmd.ExtraFiles, cmd.SysProcAttr = "/", []*os.File{handle}, s.as.attributes()
	// The service manager listens there to the panel alone.
	cmd.Env = slices.DeleteFunc(cmd.Environ(), func(v string) bool { return strings.HasPrefix(v, "NOTIFY_SOCKET=") })
	return handle, nil
}

// start launches the server; the channel is closed when it has ended and no process of its number is left.
// Unless detached, the server ends with the panel: the signal of a parent's death follows the thread that started it,
// so that thread stays with it for its whole life.
func (s *server) start() (*os.Process, <-chan struct{}, error) {
	started, ended := make(chan error, 1), make(chan struct{})
	var process *os.Process
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		cmd, err := s.launch()
		if err == nil {
			process = cmd.Process
		}
		started <- err
		if err == nil && !s.detached {
			_ = cmd.Wait() // how it ended stands in its own log
			close(ended)
		}
	}()
	err := <-started
	return process, ended, err
}

func (s *server) launch() (*exec.Cmd, error) {
	log, err := s.openLog()
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	cmd := exec.Command(
		filepath.Join(s.programs.dir, "postgres"),
		s.arguments()...) //nolint:noctx // ends by signal, in stop
	cmd.Stdout, cmd.Stderr = log, log
	handle, err := s.prepare(cmd, s.data())
	if err != nil {
		return nil, err
	}
	defer func() { _ = handle.Close() }()
	if !s.detached {
		cmd.SysProcAttr.Pdeathsig = syscall.SIGINT
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the private database: %w", err)
	}
	return cmd, nil
}

func (s *server) arguments() []string {
	settings := append([]string{
		"listen_addresses=", "unix_socket_directories=" + handlePath, "unix_socket_permissions=0700",
		"shared_buffers=32MB", "max_connections=60", "timezone=UTC", "log_timezone=UTC", "jit=off",
	}, s.settings...)
	arguments := []string{"-D", handlePath}
	for _, setting := range settings {
		arguments = append(arguments, "-c", setting)
	}
	return arguments
}

func (s *server) openLog() (*os.File, error) {
	path := filepath.Join(s.home, "server.log")
	_ = os.Rename(path, path+".1")
	log, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the log of the private database: %w", err)
	}
	return log, nil
}

// logTail gives the last lines that the server wrote, for an error message.
func (s *server) logTail() string {
	log, err := os.Open(filepath.Join(s.home, "server.log"))
	if err != nil {
		return "no log"
	}
	defer func() { _ = log.Close() }()
	const most = 600
	if info, err := log.Stat(); err == nil && info.Size() > most {
		_, _ = log.Seek(-most, io.SeekEnd)
	}
	text, _ := io.ReadAll(log)
	return string(bytes.TrimSpace(text))
}

// running gives the process of a server that an earlier panel left behind, or nil.
// A lock file whose number now belongs to some other program is removed: PostgreSQL would refuse to start over it.
func (s *server) running() *os.Process {
	path := filepath.Join(s.data(), "postmaster.pid")
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil || pid <= 1 || !isPostgres(pid) {
		_ = os.Remove(path)
		return nil
	}
	process, err := os.FindProcess(pid)
	if err != nil {
		return nil
	}
	return process
}

func isPostgres(pid int) bool {
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	return err == nil && strings.HasPrefix(strings.TrimSpace(string(name)), "postgres") && !isZombie(pid)
}

func isZombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	at := bytes.LastIndexByte(stat, ')')
	return at >= 0 && len(stat) > at+2 && stat[at+2] == 'Z'
}

// ping connects once; a nil error means that the server takes queries.
func ping(ctx context.Context, dsn string) error {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	conn, err := Connect(ctx, dsn)
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

func lastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[len(lines)-1]
}
