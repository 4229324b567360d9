package release

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Check compares a file with what the release says of it: ErrDamaged when they differ.
func Check(file string, artefact Artefact) error {
	sum, size, err := sumOf(file)
	switch {
	case err != nil:
		return err
	case size != artefact.Size:
		return fmt.Errorf("%w: it has %d bytes instead of %d", ErrDamaged, size, artefact.Size)
	case sum != artefact.SHA256:
		return fmt.Errorf("%w: its checksum differs", ErrDamaged)
	}
	return nil
}

func sumOf(file string) (string, int64, error) {
	opened, err := os.Open(file)
	if err != nil {
		return "", 0, fmt.Errorf("read a file of the release: %w", err)
	}
	defer opened.Close()
	sum := sha256.New()
	size, err := io.Copy(sum, opened)
	if err != nil {
		return "", 0, fmt.Errorf("read a file of the release: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil)), size, nil
}

// store writes body to file by way of a neighbour, so that the name never stands for half a file.
func store(file string, body io.Reader, artefact Artefact) error {
	part, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".part-*")
	if err != nil {
		return fmt.Errorf("make room for the file: %w", err)
	}
	defer os.Remove(part.Name())
	err = fill(part, body, artefact)
	if closed := part.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	if err := os.Rename(part.Name(), file); err != nil {
		return fmt.Errorf("put the file in its place: %w", err)
	}
	return syncFolder(filepath.Dir(file))
}

func fill(part *os.File, body io.Reader, artefact Artefact) error {
	sum := sha256.New()
	// One byte more than announced is enough to see that a file is too long.
	size, err := io.Copy(io.MultiWriter(part, sum), io.LimitReader(body, artefact.Size+1))
	switch {
	case err != nil:
		return reached(err)
	case size != artefact.Size:
		return fmt.Errorf("%w: it does not have the %d bytes that were announced", ErrDamaged, artefact.Size)
	case hex.EncodeToString(sum.Sum(nil)) != artefact.SHA256:
		return fmt.Errorf("%w: its checksum differs", ErrDamaged)
	}
	if err := part.Sync(); err != nil {
		return fmt.Errorf("write the file through to the disk: %w", err)
	}
	return nil
}

func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("open the folder of the file: %w", err)
	}
	defer folder.Close()
	if err := folder.Sync(); err != nil {
		return fmt.Errorf("write the folder through to the disk: %w", err)
	}
	return nil
}
