package vault

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"panel/platform/durable"
)

const keyFile = "secret.key"

// MasterKey gives the key itself when it is set, else the one kept in secret.key of the data folder, made at first use.
// Several starters at once end with the same key. generated reports that the key is the file's.
func MasterKey(given, dataDir string) (key string, generated bool, err error) {
	if given != "" {
		return given, false, nil
	}
	path := filepath.Join(dataDir, keyFile)
	key, err = readKey(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = makeKey(path); err == nil {
			key, err = readKey(path)
		}
	}
	return key, true, err
}

func readKey(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("reading the master key: %w", err)
	}
	key := strings.TrimSpace(string(text))
	if len(key) < shortestKey {
		return "", fmt.Errorf("the master key in %s is damaged: put the right file back, or set PANEL_SECRET_KEY", path)
	}
	return key, nil
}

// makeKey keeps the key before anything is sealed with it; the first of several writers wins.
func makeKey(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("making the folder of the master key: %w", err)
	}
	err := durable.Create(path, 0o600, []byte(rand.Text()+rand.Text()+"\n"))
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("writing the master key: %w", err)
	}
	return nil
}
