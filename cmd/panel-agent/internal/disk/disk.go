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
)

// WriteFile replaces a file: written beside it, synced, renamed, and the folder synced. Readable by the owner only.
func WriteFile(path string, content []byte) error {
	if err := replace(path, content); err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	return SyncDir(filepath.Dir(path))
}

func replace(path string, content []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	_, err = file.Write(content)
	err = errors.Join(err, file.Sync(), file.Close())
	if err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// SyncDir makes renames and removals in a folder durable.
func SyncDir(dir string) error {
	handle, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("sync %s: %w", filepath.Base(dir), err)
	}
	return errors.Join(handle.Sync(), handle.Close())
}

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
