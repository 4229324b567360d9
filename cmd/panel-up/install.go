package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
)

var errDamaged = errors.New("the download is damaged")

// installAgent fetches the executable from the panel, as the install line does on a server, unless it is there already.
func (s *stand) installAgent(ctx context.Context) (string, error) {
	path := s.path("agent-program")
	built, err := digestOf(s.path("bin", "panel-agent"))
	if err != nil {
		return "", err
	}
	if installed, err := digestOf(path); err == nil && installed == built {
		return path, nil
	}
	return path, s.download(ctx, fmt.Sprintf("%s/install/agent/%s/%s", s.panel.base, runtime.GOOS, runtime.GOARCH),
		path)
}

func (s *stand) download(ctx context.Context, url, path string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return fmt.Errorf("fetch the agent: %w", err)
	}
	response, err := s.panel.http.Do(request)
	if err != nil {
		return fmt.Errorf("fetch the agent: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("fetch the agent: %s answered %s", url, response.Status)
	}
	return install(response.Body, response.Header.Get("X-Checksum-Sha256"), path)
}

// install replaces the executable only by one whose checksum is right; a running old one goes on undisturbed.
func install(from io.Reader, checksum, path string) error {
	fresh, err := os.OpenFile(path+".new", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o755)
	if err != nil {
		return fmt.Errorf("write the agent: %w", err)
	}
	hash := sha256.New()
	_, copied := io.Copy(io.MultiWriter(fresh, hash), from)
	if err := errors.Join(copied, fresh.Close()); err != nil {
		return fmt.Errorf("write the agent: %w", err)
	}
	if hex.EncodeToString(hash.Sum(nil)) != checksum {
		return fmt.Errorf("fetch the agent: %w", errDamaged)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("write the agent: %w", err)
	}
	return nil
}

func digestOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
