package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// buildInterface and buildExecutables leave everything alone that is up to date.
func (s *stand) buildInterface(ctx context.Context) (string, error) {
	return s.script(ctx, "interface", "scripts/ui.sh")
}

func (s *stand) buildExecutables(ctx context.Context) (string, error) {
	return s.script(ctx, "build", "scripts/build.sh", s.version, s.path("bin"))
}

// script runs one of the project's scripts, which stays silent when there is nothing to do; the tail of its output
// becomes the error.
func (s *stand) script(ctx context.Context, name, path string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "./"+path, args...)
	var output bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = s.root, &output, &output, 10*time.Second
	err := cmd.Run()
	if wrote := os.WriteFile(s.logOf(name), output.Bytes(), 0o600); err == nil && wrote != nil {
		return "", fmt.Errorf("keep the output of %s: %w", path, wrote)
	}
	if err != nil {
		return "", fmt.Errorf("%s failed (all of it in %s):\n%s", path, s.logOf(name), tail(output.String(), 15))
	}
	if output.Len() == 0 {
		return "up to date", nil
	}
	return "built", nil
}

func tail(text string, lines int) string {
	all := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
