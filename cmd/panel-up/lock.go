package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

var errHandedOver = errors.New("another make run has taken over")

// lock makes this process the only one that works on the folder. One that merely keeps watch hands over without
// stopping anything; one that is still bringing things up is waited for.
func (s *stand) lock(ctx context.Context) error {
	file, err := os.OpenFile(s.path("lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("open the lock of %s: %w", s.folder, err)
	}
	s.held = file
	announced := false
	for !tryLock(file) {
		other := ownerOf(file)
		if !announced {
			fmt.Fprintf(os.Stderr, "  another make run (process %d) works here; waiting for it to hand over\n", other)
			announced = true
		}
		if other > 0 {
			syscall.Kill(other, syscall.SIGUSR1)
		}
		if err := pause(ctx, time.Second); err != nil {
			return err
		}
	}
	if err := sign(file); err != nil {
		return err
	}
	return s.load()
}

func tryLock(file *os.File) bool {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

func ownerOf(file *os.File) int {
	text := make([]byte, 16)
	n, _ := file.ReadAt(text, 0)
	pid, _ := strconv.Atoi(strings.TrimSpace(string(text[:n])))
	return pid
}

func sign(file *os.File) error {
	if err := file.Truncate(0); err != nil {
		return fmt.Errorf("sign the lock: %w", err)
	}
	if _, err := file.WriteAt([]byte(strconv.Itoa(os.Getpid())), 0); err != nil {
		return fmt.Errorf("sign the lock: %w", err)
	}
	return nil
}

// handOver tells when another make run asks for the folder.
func handOver() <-chan os.Signal {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGUSR1)
	return asked
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

var (
	errEnded   = errors.New("the process has ended")
	errRefused = errors.New("asking again changes nothing")
)

// eventually asks until the answer is yes; the last refusal becomes the error once the time is over, or at once when
// the process that was asked has ended or the answer is final.
func eventually(ctx context.Context, limit time.Duration, ask func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		err := ask(ctx)
		if err == nil || errors.Is(err, errEnded) || errors.Is(err, errRefused) {
			return err
		}
		if pause(ctx, 150*time.Millisecond) != nil {
			return fmt.Errorf("gave up after %s: %w", limit, err)
		}
	}
}
