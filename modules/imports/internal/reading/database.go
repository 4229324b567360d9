package reading

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"panel/modules/imports/internal/confined"
	"panel/modules/imports/internal/foreign"
	"panel/modules/imports/internal/sqlite"
	"panel/modules/imports/internal/xui"
)

// command is the line of panelctl that reads a database; see Serve.
var command = []string{"flows", "read-database"}

// outcome is what the process that reads a database answers.
type outcome struct {
	Config  json.RawMessage `json:"config,omitempty"`
	Broken  bool            `json:"broken,omitempty"`
	Unknown bool            `json:"unknown,omitempty"`
}

// database has a process read a database. What it answers is taken as if somebody had sent it.
func (r *Reader) database(ctx context.Context, file *os.File) (*foreign.Config, error) {
	text, err := r.runner.Run(ctx, file, command...)
	switch {
	case errors.Is(err, confined.ErrAnswer):
		return nil, ErrTooLarge
	case errors.Is(err, confined.ErrBounds):
		return nil, fmt.Errorf("%w: %w", ErrTooMuch, err)
	case err != nil:
		return nil, err
	}
	var said outcome
	switch err := json.Unmarshal(text, &said); {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrTooMuch, err)
	case said.Broken:
		return nil, ErrBroken
	case said.Unknown:
		return nil, ErrUnknown
	}
	return again(said.Config)
}

// Serve is the process that reads a database: it binds itself to its bounds before it looks at the file.
func Serve(ctx context.Context, getenv func(string) string, file *os.File, out io.Writer) error {
	if err := confined.Enter(getenv); err != nil {
		return err
	}
	about, err := file.Stat()
	if err != nil {
		return fmt.Errorf("look at a database: %w", err)
	}
	var said outcome
	read, err := xui.Database(ctx, file, about.Size())
	switch {
	case errors.Is(err, sqlite.ErrBroken):
		said.Broken = true
	case errors.Is(err, xui.ErrOther):
		said.Unknown = true
	case err != nil:
		return err
	default:
		read.Schema = foreign.Schema
		if said.Config, err = json.Marshal(read); err != nil {
			return fmt.Errorf("encode what was read: %w", err)
		}
	}
	return json.NewEncoder(out).Encode(said)
}
