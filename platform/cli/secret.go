package cli

import (
	"context"
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"
)

// typedSecret reads a line that the terminal does not show. An interrupt ends the question and gives the terminal back
// as it was.
func (env Env) typedSecret(ctx context.Context) (string, error) {
	file, is := env.In.(*os.File)
	if !is || !term.IsTerminal(int(file.Fd())) { //nolint:gosec // a descriptor is small
		return env.Answer(), nil
	}
	descriptor := int(file.Fd()) //nolint:gosec // as above
	before, err := term.GetState(descriptor)
	if err != nil {
		return "", fmt.Errorf("read the state of the terminal: %w", err)
	}
	defer func() { _ = term.Restore(descriptor, before) }()
	typed, failed := make(chan []byte, 1), make(chan error, 1)
	go func() {
		text, err := term.ReadPassword(descriptor)
		if err != nil {
			failed <- err
			return
		}
		typed <- text
	}()
	defer fmt.Fprintln(env.Err)
	select {
	case text := <-typed:
		return strings.TrimSuffix(string(text), "\r"), nil
	case err := <-failed:
		return "", fmt.Errorf("read from the terminal: %w", err)
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
