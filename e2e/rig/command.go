package rig

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// Said is what a command printed and how it ended.
type Said struct {
	Out, Err string
	Exit     int
}

// With is the panel with further settings, for commands.
func (p *Panel) With(env ...string) *Panel {
	other := *p
	other.Spec.Env = append(slices.Clone(p.Spec.Env), env...)
	return &other
}

// Command runs one command line of panelctl with the panel's own settings; token may be empty. A context without an end
// gets the usual limit.
func (p *Panel) Command(ctx context.Context, token string, args ...string) (Said, error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.Spec.Path, args...)
	cmd.Env = append(append(Environment(), p.Spec.Env...), "PANEL_API_URL="+p.URL, "PANEL_API_TOKEN="+token)
	cmd.Dir = "/"
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	err := cmd.Run()
	said := Said{Out: strings.TrimSpace(out.String()), Err: strings.TrimSpace(problems.String())}
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		said.Exit = ended.ExitCode()
		return said, nil
	}
	if err != nil {
		return said, fmt.Errorf("panelctl %s: %w", args[0], err)
	}
	return said, nil
}
