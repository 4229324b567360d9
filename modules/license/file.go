package license

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"panel/platform/durable"
)

// copyFile is the license outside the database: a copy of the stored document and the
// latest trusted time. It helps after an older database was restored.
type copyFile struct{ path string }

type copied struct {
	InstanceID string     `json:"instance_id"`
	Document   string     `json:"document"`
	SealedKey  string     `json:"sealed_key"`
	KeyMasked  string     `json:"key_masked"`
	ClockAt    time.Time  `json:"clock_at"`
	Known      statements `json:"known,omitempty"`

	FailingSince *time.Time `json:"failing_since,omitempty"`
}

// failsLonger says that the copy knows of an earlier failure since the same answer: an older database does not begin
// grace anew.
func (c copied) failsLonger(r row) bool {
	same := c.Document != "" && c.Document == r.Document && c.InstanceID == r.InstanceID
	return same && c.FailingSince != nil && (r.FailingSince == nil || c.FailingSince.Before(*r.FailingSince))
}

func newCopyFile(dataDir string) copyFile {
	return copyFile{filepath.Join(dataDir, "license", "license.json")}
}

// read gives an empty copy when there is none or it cannot be understood.
func (f copyFile) read() (copied, error) {
	var c copied
	raw, err := durable.ReadFile(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, fmt.Errorf("reading the copy of the license: %w", err)
	}
	if json.Unmarshal(raw, &c) != nil {
		return copied{}, nil
	}
	return c, nil
}

// write replaces the copy in one step, so that a crash leaves the old or the new one.
func (f copyFile) write(c copied) error {
	raw, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the copy of the license: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return fmt.Errorf("making the folder of the license: %w", err)
	}
	if err := durable.Write(f.path, 0o600, append(raw, '\n')); err != nil {
		return fmt.Errorf("writing the copy of the license: %w", err)
	}
	return nil
}
