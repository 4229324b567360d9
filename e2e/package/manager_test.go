package package_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	controlSocket = "/run/stage/control"
	notifySocket  = "/run/stage/notify"
	servicePath   = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
)

// manager stands in for systemd where it is not the first process: it reads the units as they were installed and starts
// what they say, with their user, settings and notify socket. It takes its orders from the systemctl of the stage.
type manager struct {
	t  *testing.T
	mu sync.Mutex // one order at a time

	state    sync.Mutex
	main     *exec.Cmd
	ended    chan struct{}
	ready    chan struct{}
	wanted   bool
	restarts int
	stopPath chan struct{}
	pathDone chan struct{}
	updater  *exec.Cmd
	heard    []string
	log      *os.File
}

func newManager(t *testing.T) *manager {
	t.Helper()
	log, err := os.Create(inside("/run/stage/log"))
	require.NoError(t, err)
	m := &manager{t: t, log: log}
	control, err := net.Listen("unix", inside(controlSocket))
	require.NoError(t, err)
	notify, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: inside(notifySocket), Net: "unixgram"})
	require.NoError(t, err)
	require.NoError(t, os.Chmod(inside(notifySocket), 0o777))
	go m.listen(control)
	go m.hear(notify)
	return m
}

type order struct {
	Args []string `json:"args"`
}

type answer struct {
	Code int    `json:"code"`
	Out  string `json:"out"`
}

// systemctl is the client half.
func systemctl(args []string) int {
	link, err := net.Dial("unix", controlSocket)
	if err != nil {
		fmt.Fprintln(os.Stderr, "systemctl of the stage:", err)
		return 1
	}
	defer link.Close()
	var a answer
	if json.NewEncoder(link).Encode(order{Args: args}) != nil || json.NewDecoder(link).Decode(&a) != nil {
		return 1
	}
	fmt.Print(a.Out)
	return a.Code
}

func (m *manager) listen(control net.Listener) {
	for {
		link, err := control.Accept()
		if err != nil {
			return
		}
		go func() {
			defer link.Close()
			var o order
			if json.NewDecoder(link).Decode(&o) == nil {
				_ = json.NewEncoder(link).Encode(m.obey(o.Args))
			}
		}()
	}
}

func (m *manager) obey(args []string) answer {
	m.mu.Lock()
	defer m.mu.Unlock()
	var words []string
	block := true
	for _, arg := range args {
		if arg == "--no-block" {
			block = false
		}
		if !strings.HasPrefix(arg, "-") {
			words = append(words, arg)
		}
	}
	if words[0] == "show" {
		return answer{Out: m.show()}
	}
	var all error
	for _, unit := range words[1:] {
		all = errors.Join(all, m.act(words[0], strings.TrimSuffix(unit, ".service"), block))
	}
	if all != nil {
		return answer{Code: 1, Out: all.Error() + "\n"}
	}
	return answer{}
}

func (m *manager) act(verb, unit string, block bool) error {
	switch unit + " " + verb {
	case "panel start":
		return m.start(block)
	case "panel stop":
		m.stop()
	case "panel restart":
		m.stop()
		return m.start(block)
	case "panel try-restart":
		if !m.active() {
			return nil
		}
		m.stop()
		return m.start(block)
	case "panel-update.path start", "panel-update.path restart":
		m.unwatch()
		m.watch()
	case "panel-update.path stop":
		m.unwatch()
	}
	return nil
}

func (m *manager) show() string {
	m.state.Lock()
	defer m.state.Unlock()
	state := "inactive"
	if m.main != nil {
		state = "active"
	} else if m.wanted {
		state = "activating"
	}
	return fmt.Sprintf("ActiveState=%s\nNRestarts=%d\n", state, m.restarts)
}

func (m *manager) active() bool {
	m.state.Lock()
	defer m.state.Unlock()
	return m.main != nil || m.wanted
}

const startWithin = 30 * time.Second

// start waits for READY=1 as systemd does for Type=notify.
func (m *manager) start(block bool) error {
	m.state.Lock()
	if m.main != nil || m.wanted {
		m.state.Unlock()
		return nil
	}
	m.wanted, m.restarts, m.ready = true, 0, make(chan struct{})
	ready := m.ready
	m.state.Unlock()
	if err := m.launch(); err != nil {
		return err
	}
	if !block {
		return nil
	}
	select {
	case <-ready:
		return nil
	case <-time.After(startWithin):
		return errors.New("panel.service did not say READY=1")
	}
}

func (m *manager) launch() error {
	cmd, err := m.command("panel.service")
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		m.state.Lock()
		m.wanted = false
		m.state.Unlock()
		return err
	}
	ended := make(chan struct{})
	m.state.Lock()
	m.main, m.ended = cmd, ended
	m.state.Unlock()
	go m.follow(cmd, ended)
	return nil
}

// follow is Restart=on-failure with RestartSec=2.
func (m *manager) follow(cmd *exec.Cmd, ended chan struct{}) {
	err := cmd.Wait()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	m.state.Lock()
	m.main = nil
	again := m.wanted && err != nil
	if !again {
		m.wanted = false
	}
	m.state.Unlock()
	close(ended)
	if !again {
		return
	}
	<-time.After(2 * time.Second)
	m.state.Lock()
	again = m.wanted && m.main == nil
	if again {
		m.restarts++
	}
	m.state.Unlock()
	if again {
		_ = m.launch()
	}
}

func (m *manager) stop() {
	m.state.Lock()
	cmd, ended := m.main, m.ended
	m.wanted = false
	m.state.Unlock()
	if cmd == nil {
		return
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		_ = cmd.Process.Kill()
		<-ended
	}
}

// hear takes what the panel tells about itself.
func (m *manager) hear(notify *net.UnixConn) {
	buffer := make([]byte, 4096)
	for {
		n, err := notify.Read(buffer)
		if err != nil {
			return
		}
		said := string(buffer[:n])
		m.state.Lock()
		m.heard = append(m.heard, said)
		if said == "READY=1" && m.ready != nil {
			close(m.ready)
			m.ready = nil
		}
		m.state.Unlock()
	}
}

func (m *manager) said(word string) bool {
	m.state.Lock()
	defer m.state.Unlock()
	for _, one := range m.heard {
		if one == word {
			return true
		}
	}
	return false
}

// watch is the path unit: while one of its files exists, its service is started.
func (m *manager) watch() {
	stop, done := make(chan struct{}), make(chan struct{})
	m.stopPath, m.pathDone = stop, done
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			case <-time.After(100 * time.Millisecond):
			}
			for _, path := range unit("panel-update.path")["PathExists"] {
				if _, err := os.Stat(inside(path)); err == nil {
					m.update()
					break
				}
			}
		}
	}()
}

func (m *manager) unwatch() {
	if m.stopPath != nil {
		close(m.stopPath)
		m.stopPath = nil
	}
}

func (m *manager) update() {
	cmd, err := m.command("panel-update.service")
	if err == nil {
		m.state.Lock()
		m.updater = cmd
		err = cmd.Start()
		m.state.Unlock()
	}
	if err == nil {
		err = cmd.Wait()
	}
	fmt.Fprintln(m.log, "panel-update.service ended:", err)
	m.state.Lock()
	m.updater = nil
	m.state.Unlock()
}

// killUpdater is kill -9 of root's half and all it started.
func (m *manager) killUpdater() bool {
	m.state.Lock()
	defer m.state.Unlock()
	if m.updater == nil || m.updater.Process == nil {
		return false
	}
	return syscall.Kill(-m.updater.Process.Pid, syscall.SIGKILL) == nil
}

func (m *manager) logged() string {
	raw, _ := os.ReadFile(filepath.Join(root(), "run/stage/log"))
	return string(raw)
}
