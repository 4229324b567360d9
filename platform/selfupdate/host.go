package selfupdate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"panel/platform/cli"
	"panel/platform/config"
	"panel/platform/durable"
)

// machine is a host with systemd, a user for the panel and its settings in a file.
type machine struct {
	unit   string
	tool   string // this executable: it dumps and restores as the panel's user
	cfg    *config.Config
	values map[string]string // what the service gets
	owner  *identity
}

const (
	serviceWithin  = 90 * time.Second
	healthWithin   = 3 * time.Second
	tryWithin      = 20 * time.Second
	databaseWithin = 30 * time.Minute
	restartsAreFew = 3
	systemctlTries = 3
	systemctlAgain = time.Second
)

// systemctl asks a few times: while the machine starts, the service manager breaks off connections.
func (m *machine) systemctl(ctx context.Context, args ...string) (said string, err error) {
	for attempt := 1; ; attempt++ {
		said, err = m.systemctlOnce(ctx, args...)
		if err == nil || attempt == systemctlTries || errors.Is(err, context.DeadlineExceeded) {
			return said, err
		}
		select {
		case <-time.After(systemctlAgain):
		case <-ctx.Done():
			return said, err
		}
	}
}

func (m *machine) systemctlOnce(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, serviceWithin)
	defer cancel()
	said, err := exec.CommandContext(ctx, "systemctl", args...).CombinedOutput()
	if err != nil {
		return "", errors.Join(fmt.Errorf("systemctl %s: %w: %s", args[0], err, lastLine(said)), ctx.Err())
	}
	return strings.TrimSpace(string(said)), nil
}

// Stop ends the service and waits for its end.
func (m *machine) Stop(ctx context.Context) error {
	_, err := m.systemctl(ctx, "stop", m.unit)
	return err
}

// Start forgets earlier failures, which would count against this start.
func (m *machine) Start(ctx context.Context) error {
	_, _ = m.systemctl(ctx, "reset-failed", m.unit) // there may be none
	_, err := m.systemctl(ctx, "start", "--no-block", m.unit)
	return err
}

// Broken sees a service that gave up and one that starts again and again.
func (m *machine) Broken(ctx context.Context) bool {
	said, err := m.systemctl(ctx, "show", "--property=ActiveState", "--property=NRestarts", m.unit)
	if err != nil {
		return false
	}
	for property := range strings.Lines(said) {
		name, value, _ := strings.Cut(strings.TrimSpace(property), "=")
		restarts, _ := strconv.Atoi(value)
		if name == "ActiveState" && value == "failed" || name == "NRestarts" && restarts >= restartsAreFew {
			return true
		}
	}
	return false
}

// Health asks the panel on this machine as a load balancer would.
func (m *machine) Health(ctx context.Context) (string, bool) {
	ctx, cancel := context.WithTimeout(ctx, healthWithin)
	defer cancel()
	address := net.JoinHostPort(reachable(m.cfg.String(config.Bind)), strconv.Itoa(m.cfg.Int(config.Port)))
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/health", nil)
	if err != nil {
		return "", false
	}
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(request)
	if err != nil {
		return "", false
	}
	defer response.Body.Close()
	var document struct {
		Status  string `json:"status"`
		Version string `json:"version"`
	}
	err = json.NewDecoder(io.LimitReader(response.Body, maxHealth)).Decode(&document)
	return document.Version, err == nil && response.StatusCode == http.StatusOK && document.Status == "ok"
}

const maxHealth = 64 << 10

// reachable turns "every address" into one of them.
func reachable(bind string) string {
	if ip := net.ParseIP(bind); ip != nil && ip.IsUnspecified() {
		return "127.0.0.1"
	}
	return bind
}

// Try asks a new executable for its version. Whether the panel answers does not matter.
func (m *machine) Try(ctx context.Context, binary string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, tryWithin)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, "version", "--json")
	var out bytes.Buffer
	cmd.Stdout, cmd.Env = &out, environment(nil)
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != cli.ExitUnreachable) {
		return "", fmt.Errorf("ask it for its version: %w", err)
	}
	var said struct {
		CLI string `json:"cli"`
	}
	if err := json.Unmarshal(out.Bytes(), &said); err != nil {
		return "", fmt.Errorf("read its version: %w", err)
	}
	return said.CLI, nil
}

// Schema runs as the panel's user, because the private database belongs to that user.
func (m *machine) Schema(ctx context.Context) (string, error) {
	var out bytes.Buffer
	err := m.database(ctx, "schema", nil, &out)
	return strings.TrimSpace(out.String()), err
}

// Dump writes into a file of root, which the panel's user only gets as an open stream.
func (m *machine) Dump(ctx context.Context, file string) error {
	return durable.Replace(file, 0o600, func(into *os.File) error { return m.database(ctx, "dump", nil, into) })
}

// Restore reads the file for the panel's user.
func (m *machine) Restore(ctx context.Context, file string) error {
	from, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("open the dump: %w", err)
	}
	defer from.Close()
	return m.database(ctx, "restore", from, io.Discard)
}

func (m *machine) database(ctx context.Context, what string, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, databaseWithin)
	defer cancel()
	cmd := exec.CommandContext(ctx, m.tool, "update", "database", what)
	var said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, &said
	cmd.Env, cmd.Dir, cmd.SysProcAttr = environment(m.values), m.cfg.DataDir(), m.owner.attributes()
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%w: %s", err, lastLine(said.Bytes()))
	}
	return nil
}

// environment is what a service gets: the settings and a path, nothing of whoever sits at the terminal.
func environment(values map[string]string) []string {
	all := []string{
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8",
		"LC_ALL=C.UTF-8",
	}
	for name, value := range values {
		all = append(all, name+"="+value)
	}
	return all
}

// Room asks for the new executable, a copy of the old one and a dump, with as much again to spare.
func (m *machine) Room(_ context.Context, folder string, need int64) error {
	return room(folder, need+databaseSize(m.cfg.DataDir()))
}

var errRoom = errors.New("the disk is too full for an update")

func room(folder string, need int64) error {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(folder, &disk); err != nil {
		return fmt.Errorf("read how full the disk is: %w", err)
	}
	free := int64(disk.Bavail) * disk.Bsize //nolint:gosec // sizes of a disk
	if wanted := 2*need + spare; free < wanted {
		return fmt.Errorf("%w: %d MB are free, %d MB are needed", errRoom, free>>20, wanted>>20)
	}
	return nil
}

const spare = 100 << 20

// databaseSize is the size of a private database; of another one the dump is small beside what this server has.
func databaseSize(data string) int64 {
	var total int64
	_ = filepath.WalkDir(filepath.Join(data, "postgres"), func(_ string, entry os.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // an estimate goes on without what it may not read
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			total += info.Size()
		}
		return nil
	})
	return total
}

func lastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
