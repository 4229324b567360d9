// Package listlog keeps a list of clients on the disk as the changes that made it, so that one more client costs one
// more line.
package listlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"panel/cmd/panel-agent/internal/disk"
	"panel/platform/agentapi"
)

const (
	ending     = ".log"
	mostStale  = 2     // how many times more entries than clients a file may have
	fewEntries = 1000  // that are no burden
	ownerOnly  = 0o600 // the lists hold secrets
)

// Log is the list of one flow: a file whose lines are changes, each written whole or not at all.
type Log struct {
	At      agentapi.ListPosition // how far the list is
	Clients map[string]agentapi.Client

	path    string
	entries int
	torn    bool // its writer was killed in the middle of a line
}

// Path is the file of a flow in a folder.
func Path(dir, flowID string) string { return filepath.Join(dir, filepath.Base(flowID)+ending) }

// Flows are those that have a file in a folder.
func Flows(dir string) (flowIDs []string) {
	paths, _ := filepath.Glob(filepath.Join(dir, "*"+ending)) // only a bad pattern fails
	for _, path := range paths {
		flowIDs = append(flowIDs, strings.TrimSuffix(filepath.Base(path), ending))
	}
	return flowIDs
}

// Fresh is an empty list that takes the place of a file when it is replaced.
func Fresh(dir, flowID string) *Log {
	return &Log{path: Path(dir, flowID), Clients: map[string]agentapi.Client{}}
}

// Read gives a list as far as it was written whole. A file that is not there is an empty list of no numbering.
func Read(dir, flowID string) (*Log, error) {
	l := Fresh(dir, flowID)
	raw, err := os.ReadFile(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read a list of clients: %w", err)
	}
	for len(raw) > 0 {
		line, rest, whole := bytes.Cut(raw, []byte{'\n'})
		var changes agentapi.ClientChanges
		if l.torn = !whole || json.Unmarshal(line, &changes) != nil; l.torn {
			break
		}
		l.Take(&changes)
		raw = rest
	}
	return l, nil
}

// Take is what changes make of the list in memory.
func (l *Log) Take(changes *agentapi.ClientChanges) {
	if changes.Fresh {
		l.Clients, l.entries = map[string]agentapi.Client{}, 0
	}
	for _, client := range changes.Clients {
		l.Clients[client.ID] = client
	}
	for _, id := range changes.Gone {
		delete(l.Clients, id)
	}
	l.entries += len(changes.Clients) + len(changes.Gone) + 1
	l.At = changes.To
}

// Add takes changes and makes them durable. A file that holds much that is past is written anew. After an error the
// list in memory says more than the file, which is to be read again.
func (l *Log) Add(changes *agentapi.ClientChanges) error {
	l.Take(changes)
	if changes.Fresh || l.torn || l.entries > fewEntries+mostStale*len(l.Clients) {
		return l.Replace()
	}
	line, err := json.Marshal(changes)
	if err != nil {
		return fmt.Errorf("encode a list of clients: %w", err)
	}
	file, err := os.OpenFile(l.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, ownerOnly)
	if err == nil {
		_, err = file.Write(append(line, '\n'))
		err = errors.Join(err, file.Sync(), file.Close())
	}
	if err != nil {
		return fmt.Errorf("keep a list of clients: %w", err)
	}
	return nil
}

// Replace writes the list as one line, in place of all that the file held.
func (l *Log) Replace() error {
	all := agentapi.ClientChanges{To: l.At, Fresh: true, Clients: make([]agentapi.Client, 0, len(l.Clients))}
	for _, client := range l.Clients {
		all.Clients = append(all.Clients, client)
	}
	line, err := json.Marshal(all)
	if err == nil {
		err = disk.WriteFile(l.path, append(line, '\n'))
	}
	if err != nil {
		return fmt.Errorf("keep a list of clients: %w", err)
	}
	l.entries, l.torn = len(l.Clients)+1, false
	return nil
}
