package logs

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"os/exec"
	"strings"
	"time"
)

// probeWithin is how long a program may take to say whether it knows the component at all.
const probeWithin = 5 * time.Second

// answerOf runs a program that answers at once. Every word of the command line is chosen here, never by the caller.
func answerOf(ctx context.Context, program string, args ...string) (out, problem string, err error) {
	ctx, cancel := context.WithTimeout(ctx, probeWithin)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &stdout, &stderr, time.Second
	err = cmd.Run()
	return stdout.String(), firstLine(stderr.String()), err
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// linesOf streams what a program prints; both says that its standard error holds log lines as well. Whoever stops
// reading ends the program.
func linesOf(ctx context.Context, both bool, program string, args ...string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		running, cancel := context.WithCancel(ctx)
		defer cancel()
		cmd := exec.CommandContext(running, program, args...)
		reader, writer, err := os.Pipe()
		if err != nil {
			yield("", fmt.Errorf("run %s: %w", program, err))
			return
		}
		defer reader.Close()
		// also when a child of the program holds on to the pipe
		defer context.AfterFunc(running, func() { reader.Close() })()
		var problem bytes.Buffer
		cmd.Stdout, cmd.Stderr, cmd.WaitDelay = writer, io.Writer(&problem), time.Second
		if both {
			cmd.Stderr = writer
		}
		err = cmd.Start()
		writer.Close()
		if err != nil {
			yield("", fmt.Errorf("run %s: %w", program, err))
			return
		}
		stopped := !eachLine(reader, yield)
		if stopped {
			cancel()
		}
		reader.Close()
		if err := cmd.Wait(); err != nil && !stopped && ctx.Err() == nil {
			yield("", fmt.Errorf("%s ended: %w: %s", program, err, firstLine(problem.String())))
		}
	}
}

// eachLine cuts lines that are longer than any log line should be.
func eachLine(from io.Reader, yield func(string, error) bool) bool {
	lines := bufio.NewReaderSize(from, chunk)
	var whole []byte
	for {
		piece, err := lines.ReadSlice('\n')
		if whole = append(whole, piece...); errors.Is(err, bufio.ErrBufferFull) && len(whole) < longestLine {
			continue
		}
		if len(whole) > 0 && !yield(strings.TrimRight(string(whole), "\r\n"), nil) {
			return false
		}
		whole = whole[:0]
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return true
		}
	}
}
