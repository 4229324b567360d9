// Package confined reads files in a process of its own. Whatever a file does to its reader, it does it there: the
// process has bounds for memory, processor and time, inherits no settings and no secrets, and ends with its parent.
package confined

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// The ways in which a process does not answer.
var (
	ErrBounds = errors.New("reading the file takes more time or memory than a sound one needs")
	ErrAnswer = errors.New("more comes out of the file than is taken")
)

// ErrFree means that the process was not started by Run.
var ErrFree = errors.New("nobody has set bounds for this process")

// Bounds are what a process may take.
type Bounds struct {
	Memory    int64 // bytes, beside those that the executable itself takes
	Processor time.Duration
	Time      time.Duration
	Answer    int64 // bytes
}

// Runner runs one process at a time.
type Runner struct {
	bounds Bounds
	turn   chan struct{}
}

// New has processes run within bounds.
func New(b Bounds) *Runner { return &Runner{bounds: b, turn: make(chan struct{}, 1)} }

// Run starts this executable again with some arguments and the file as its standard input, and gives what it prints.
// The process has to call Enter. Errors: ErrBounds, ErrAnswer, those of ctx.
func (r *Runner) Run(ctx context.Context, file *os.File, args ...string) ([]byte, error) {
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for the reader of files: %w", context.Cause(ctx))
	}
	within, stop := context.WithTimeout(ctx, r.bounds.Time)
	defer stop()
	out := &answer{room: r.bounds.Answer}
	// The process ends with the thread that has started it, not with the whole parent.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	process := r.process(within, args)
	process.Stdin, process.Stdout = file, out
	if err := process.Start(); err != nil {
		return nil, fmt.Errorf("start the reader of files: %w", err)
	}
	err := process.Wait()
	switch {
	case out.room < 0:
		return nil, ErrAnswer
	case ctx.Err() != nil:
		return nil, fmt.Errorf("read a file: %w", context.Cause(ctx))
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrBounds, err)
	}
	return out.text.Bytes(), nil
}

// process is this executable, also where another one has taken its place on the disk.
func (r *Runner) process(ctx context.Context, args []string) *exec.Cmd {
	process := exec.CommandContext(ctx, "/proc/self/exe", args...) //nolint:gosec // arguments of this program alone
	process.Args[0], process.Dir = os.Args[0], "/"
	process.Env = []string{
		memoryVariable + "=" + strconv.FormatInt(r.bounds.Memory, 10),
		processorVariable + "=" + strconv.Itoa(int(r.bounds.Processor/time.Second)),
		"GOMEMLIMIT=" + strconv.FormatInt(r.bounds.Memory/4*3, 10), "GOTRACEBACK=none",
	}
	process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	process.WaitDelay = time.Second
	return process
}

// answer keeps what a process prints, as far as there is room.
type answer struct {
	text bytes.Buffer
	room int64
}

func (a *answer) Write(text []byte) (int, error) {
	if a.room -= int64(len(text)); a.room < 0 {
		return 0, io.ErrShortWrite
	}
	return a.text.Write(text)
}

// Names of the variables that tell a process its bounds.
const (
	memoryVariable    = "CONFINED_MEMORY"
	processorVariable = "CONFINED_PROCESSOR"
)

// Enter binds this process to what Run has set: from now on it takes no more, writes no file and leaves no core dump.
// Error: ErrFree.
func Enter(getenv func(string) string) error {
	memory, err := strconv.ParseUint(getenv(memoryVariable), 10, 63)
	if err != nil {
		return ErrFree
	}
	processor, err := strconv.ParseUint(getenv(processorVariable), 10, 31)
	if err != nil {
		return ErrFree
	}
	taken, err := dataSize()
	if err != nil {
		return err
	}
	const files, untilKilled = 64, 2
	for what, limit := range map[int]syscall.Rlimit{
		syscall.RLIMIT_DATA:   {Cur: taken + memory, Max: taken + memory},
		syscall.RLIMIT_CPU:    {Cur: max(processor, 1), Max: max(processor, 1) + untilKilled},
		syscall.RLIMIT_NOFILE: {Cur: files, Max: files},
		syscall.RLIMIT_FSIZE:  {},
		syscall.RLIMIT_CORE:   {},
	} {
		if err := syscall.Setrlimit(what, &limit); err != nil {
			return fmt.Errorf("set limit %d of the process: %w", what, err)
		}
	}
	return nil
}

// dataSize is how much memory for data the process has, in bytes.
func dataSize() (uint64, error) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, fmt.Errorf("read the size of the process: %w", err)
	}
	const data = 5
	fields := strings.Fields(string(text))
	if len(fields) <= data {
		return 0, errors.New("read the size of the process: it is not told")
	}
	pages, err := strconv.ParseUint(fields[data], 10, 40)
	if err != nil {
		return 0, fmt.Errorf("read the size of the process: %w", err)
	}
	return pages * uint64(os.Getpagesize()), nil //nolint:gosec // a page has some bytes
}
