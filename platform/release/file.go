package release

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"

	"panel/platform/durable"
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

// store writes body to file; the name never stands for half a file.
func store(file string, body io.Reader, artefact Artefact) error {
	return durable.Replace(file, 0o600, func(part *os.File) error { return fill(part, body, artefact) })
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
	return nil
}
