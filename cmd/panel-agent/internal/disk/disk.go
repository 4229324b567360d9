// Package disk writes small files so that a crash leaves either the old content or the new one, never a part.
package disk

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"panel/platform/durable"
)

// WriteFile replaces a file durably. Readable by the owner only.
func WriteFile(path string, content []byte) error { return durable.Write(path, 0o600, content) }

// WriteJSON is WriteFile with the JSON form of a value.
func WriteJSON(path string, value any) error {
	raw, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("encode %s: %w", filepath.Base(path), err)
	}
	return WriteFile(path, raw)
}

// ReadJSON fills value from a file. A missing file leaves value as it is and reports false.
func ReadJSON(path string, value any) (bool, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read %s: %w", filepath.Base(path), err)
	}
	if err := json.Unmarshal(raw, value); err != nil {
		return false, fmt.Errorf("read %s: it is damaged: %w", filepath.Base(path), err)
	}
	return true, nil
}

// Tail gives the last max bytes of a file, or nothing when it cannot be read.
func Tail(path string, max int64) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.Size() > max {
		if _, err := file.Seek(-max, io.SeekEnd); err != nil {
			return ""
		}
	}
	raw, _ := io.ReadAll(io.LimitReader(file, max))
	return string(raw)
}
