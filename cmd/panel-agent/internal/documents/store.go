package documents

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"panel/cmd/panel-agent/internal/disk"
	"panel/platform/agentapi"
)

// attempt is a revision that was fetched and is not in force, with the attempts that ended the agent.
type attempt struct {
	Document agentapi.Document `json:"document"`
	Attempts int               `json:"attempts"`
}

// store keeps one document in two files: the last good revision, and the one that is tried.
type store struct {
	dir  string
	name agentapi.DocumentName
}

func (s store) goodPath() string { return filepath.Join(s.dir, string(s.name)+".json") }
func (s store) nextPath() string { return filepath.Join(s.dir, string(s.name)+".next.json") }

// open gives the last good revision; a damaged one counts as none and is fetched again.
func (s store) open() (agentapi.Document, error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return agentapi.Document{}, fmt.Errorf("make the folder of documents: %w", err)
	}
	var good agentapi.Document
	found, err := disk.ReadJSON(s.goodPath(), &good)
	if err != nil || !found || good.Verify() != nil {
		return agentapi.Document{}, nil
	}
	return good, nil
}

// attempt gives the revision that is tried; an empty one where there is none.
func (s store) attempt() attempt {
	var now attempt
	if _, err := disk.ReadJSON(s.nextPath(), &now); err != nil || now.Document.Verify() != nil {
		return attempt{}
	}
	return now
}

func (s store) begin(a attempt) error { return disk.WriteJSON(s.nextPath(), a) }

// commit makes a revision the last good one.
func (s store) commit(next agentapi.Document) error {
	if err := disk.WriteJSON(s.goodPath(), next); err != nil {
		return err
	}
	if err := os.Remove(s.nextPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget an attempt: %w", err)
	}
	return nil
}
