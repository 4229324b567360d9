package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is what is remembered of one that was started: the start time tells it from a later one with the same number.
type process struct {
	PID     int    `json:"pid"`
	Started string `json:"started"`
	Print   string `json:"fingerprint"`
}

// program says how to start a process.
type program struct {
	name string // of the process and of its log
	path string
	args []string
	env  []string

	replace syscall.Signal // ends one that a newer one replaces; SIGTERM when zero
}

// ensure adopts the process if it still runs from the same executable in the same way; otherwise it starts it anew.
func (s *stand) ensure(p program) (adopted bool, err error) {
	print, err := p.fingerprint()
	if err != nil {
		return false, err
	}
	if known := s.memory.Processes[p.name]; known.alive() {
		if known.Print == print {
			go s.watchAdopted(p.name, known)
			return true, nil
		}
		known.stopWith(cmp.Or(p.replace, syscall.SIGTERM))
	}
	return false, s.start(p, print)
}

func (p program) fingerprint() (string, error) {
	executable, err := digestOf(p.path)
	if err != nil {
		return "", err
	}
	print := sha256.Sum256(fmt.Append(nil, executable, p.args, p.env))
	return hex.EncodeToString(print[:]), nil
}

// start detaches the process from the terminal, so that Ctrl-C reaches this program alone.
func (s *stand) start(p program, print string) error {
	log, err := os.OpenFile(s.logOf(p.name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open the log of %s: %w", p.name, err)
	}
	defer log.Close()
	cmd := exec.Command(p.path, p.args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = s.root, append(plainEnvironment(), p.env...), log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", p.name, err)
	}
	s.remember(p.name, process{PID: cmd.Process.Pid, Started: startTime(cmd.Process.Pid), Print: print})
	go func() { _ = cmd.Wait(); s.exited <- p.name }()
	return s.save()
}

func (s *stand) logOf(name string) string { return s.path("logs", name+".log") }

func (s *stand) remember(name string, p process) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.memory.Processes[name] = p
}

func (s *stand) running(name string) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.memory.Processes[name].alive()
}

func (s *stand) watchAdopted(name string, p process) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for range ticker.C {
		if !p.alive() {
			s.exited <- name
			return
		}
	}
}

// plainEnvironment passes on where programs and homes are, and none of the PANEL_ settings of whoever starts this.
func plainEnvironment() []string {
	var kept []string
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if name == "PATH" || name == "HOME" || name == "LANG" || name == "TZ" || name == "TMPDIR" {
			kept = append(kept, pair)
		}
	}
	return kept
}

func (p process) alive() bool {
	return p.PID > 0 && p.Started != "" && startTime(p.PID) == p.Started
}

// startTime is field 22 of the kernel's line about a process; a finished one that nobody has waited for counts as gone.
func startTime(pid int) string {
	line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return ""
	}
	_, rest, found := strings.Cut(string(line), ") ")
	fields := strings.Fields(rest)
	if !found || len(fields) < 20 || fields[0] == "Z" {
		return ""
	}
	return fields[19]
}

func (p process) stop() { p.stopWith(syscall.SIGTERM) }

// stopWith asks politely and insists after a while.
func (p process) stopWith(signal syscall.Signal) {
	if !p.alive() || errors.Is(syscall.Kill(p.PID, signal), syscall.ESRCH) {
		return
	}
	if p.gone(15 * time.Second) {
		return
	}
	syscall.Kill(p.PID, syscall.SIGKILL)
	p.gone(5 * time.Second)
}

func (p process) gone(within time.Duration) bool {
	for deadline := time.Now().Add(within); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if !p.alive() {
			return true
		}
	}
	return false
}
