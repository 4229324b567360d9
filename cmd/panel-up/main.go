// Command panel-up brings up a whole panel in one folder, shows that traffic flows through it, and takes it down again.
//
// It is what `make run` starts: panel with a private database, license server, one agent on this machine and an
// example flow, all made through the public API. What still runs from an earlier start is adopted.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// main takes the version to build, or the word that makes this process the target of startTarget.
func main() {
	version := "dev"
	if len(os.Args) > 1 {
		version = os.Args[1]
	}
	if version == targetMode {
		end(serveTarget(os.Args[2:]))
	}
	end(up(".run", version))
}

func end(err error) {
	switch {
	case err == nil, errors.Is(err, errHandedOver):
		os.Exit(0)
	case errors.Is(err, context.Canceled):
		os.Exit(130)
	}
	fmt.Fprintln(os.Stderr, "Error:", err)
	os.Exit(1)
}

// up runs the stages, keeps watch until Ctrl-C and then stops everything that it watches over.
func up(folder, version string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	s, err := open(folder, version)
	if err != nil {
		return err
	}
	if err := s.lock(ctx); err != nil {
		return err
	}
	if err := s.bringUp(ctx); err != nil {
		s.takeDown()
		if ctx.Err() != nil {
			return context.Canceled
		}
		return err
	}
	s.announce()
	return s.watch(ctx)
}

// bringUp runs the stages in order; each is repeatable and remembers what it made.
func (s *stand) bringUp(ctx context.Context) error {
	stages := []struct {
		title string
		run   func(context.Context) (string, error)
	}{
		{"web interface", s.buildInterface},
		{"executables", s.buildExecutables},
		{"REALITY target and page", s.startTarget},
		{"license server", s.startAuthority},
		{"panel and database", s.startPanel},
		{"administrator", s.signIn},
		{"license", s.activateLicense},
		{"node and agent", s.startAgent},
		{"example flow", s.installFlow},
		{"traffic", s.fetchThroughFlow},
	}
	for _, stage := range stages {
		if err := s.progress.during(ctx, stage.title, stage.run); err != nil {
			return fmt.Errorf("%s: %w", stage.title, err)
		}
		if err := s.save(); err != nil {
			return err
		}
	}
	return nil
}
