package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// stand is everything that one folder runs, and what is remembered of it between two starts.
type stand struct {
	root      string // of the project
	version   string // to build
	folder    string // .run, absolute
	held      *os.File
	progress  *progress
	panel     *client
	memory    memory
	publicKey string // of the license server

	mutex  sync.Mutex
	exited chan string
}

// memory is kept in state.json, readable by its owner only.
type memory struct {
	Processes map[string]process `json:"processes"`
	Ports     map[string]int     `json:"ports"`
	Username  string             `json:"username"`
	Password  string             `json:"password"`
	License   string             `json:"license_key"`
	NodeID    string             `json:"node_id"`
	FlowID    string             `json:"flow_id"`
	Link      string             `json:"link"`
	Version   int                `json:"version"`
}

func open(folder, version string) (*stand, error) {
	absolute, err := filepath.Abs(folder)
	if err != nil {
		return nil, fmt.Errorf("find the folder %s: %w", folder, err)
	}
	s := &stand{
		root: filepath.Dir(absolute), version: version, folder: absolute, progress: newProgress(),
		exited: make(chan string, 8),
	}
	if err := os.MkdirAll(s.path("logs"), 0o755); err != nil {
		return nil, fmt.Errorf("make the folder for logs: %w", err)
	}
	return s, nil
}

func (s *stand) path(parts ...string) string {
	return filepath.Join(append([]string{s.folder}, parts...)...)
}

func (s *stand) load() error {
	s.memory = memory{Processes: map[string]process{}, Ports: map[string]int{}, Username: "admin"}
	content, err := os.ReadFile(s.path("state.json"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read what an earlier start left: %w", err)
	}
	if err := json.Unmarshal(content, &s.memory); err != nil {
		return fmt.Errorf("read %s (remove the folder %s to start anew): %w", s.path("state.json"), s.folder, err)
	}
	return nil
}

func (s *stand) save() error { return writeSecretly(s.path("state.json"), s.memory) }

// writeSecretly replaces a file that only its owner may read, never leaving half of it.
func writeSecretly(path string, document any) error {
	var content bytes.Buffer
	encoder := json.NewEncoder(&content)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false) // a link stays readable for simple tools
	if err := encoder.Encode(document); err != nil {
		return fmt.Errorf("encode %s: %w", path, err)
	}
	if err := os.WriteFile(path+".new", content.Bytes(), 0o600); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
