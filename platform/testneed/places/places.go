// Package places gives tests the servers that backups go to: a real S3 server and a real OpenSSH.
package places

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Address is where the servers listen.
const Address = "127.0.0.1"

// Server is a program that listens on a port until the test ends. It can be killed and started again in the same place.
type Server struct {
	Port    int
	t       testing.TB
	command func() *exec.Cmd
	running *exec.Cmd
}

func start(t testing.TB, port int, command func() *exec.Cmd) *Server {
	t.Helper()
	s := &Server{Port: port, t: t, command: command}
	s.Start()
	t.Cleanup(s.Kill)
	return s
}

// Start runs the program and waits until it listens.
func (s *Server) Start() {
	s.t.Helper()
	var said bytes.Buffer
	cmd := s.command()
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	require.NoError(s.t, cmd.Start())
	s.running = cmd
	require.Eventually(s.t, func() bool {
		conn, err := net.Dial("tcp", net.JoinHostPort(Address, strconv.Itoa(s.Port)))
		if err != nil {
			return false
		}
		return conn.Close() == nil
	}, 30*time.Second, 20*time.Millisecond, cmd.Path)
}

// Kill ends the program and whatever it started by SIGKILL, also what has left its process group, as the connections of
// an SSH server do.
func (s *Server) Kill() {
	if s.running == nil {
		return
	}
	pid := s.running.Process.Pid
	for _, one := range append(started(pid), -pid) {
		_ = syscall.Kill(one, syscall.SIGKILL)
	}
	_ = s.running.Wait()
	s.running = nil
}

// started are the processes that a process has started, and those that these have started.
func started(pid int) (all []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		text, _ := os.ReadFile(file) // it may have ended
		var child, parent int
		var state string
		_, behind, _ := strings.Cut(string(text), ") ") // the name of the program stands in brackets
		if _, err := fmt.Sscan(behind, &state, &parent); err != nil || parent != pid {
			continue
		}
		if _, err := fmt.Sscan(string(text), &child); err == nil {
			all = append(all, append(started(child), child)...)
		}
	}
	return all
}
