// Command panelgen writes the files that follow from the code: API description, keys, settings, schema, reference pages
// and new modules.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	switch {
	case len(args) == 0:
		return generate(ctx)
	case len(args) == 2 && args[0] == "module":
		taken, err := namesInUse()
		if err != nil {
			return err
		}
		return newModule(args[1], taken)
	}
	return fmt.Errorf("usage: panelgen (refresh every generated file) or panelgen module <name>")
}

// file is a generated file, named from the root of the project.
type file struct {
	path    string
	content []byte
}

// write leaves a file alone whose content has not changed, so that build tools see no news.
func (f file) write() error {
	if old, err := os.ReadFile(f.path); err == nil && string(old) == string(f.content) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(f.path), 0o755); err != nil {
		return fmt.Errorf("make the folder of %s: %w", f.path, err)
	}
	if err := os.WriteFile(f.path, f.content, 0o644); err != nil {
		return fmt.Errorf("write %s: %w", f.path, err)
	}
	fmt.Println("wrote", f.path)
	return nil
}
