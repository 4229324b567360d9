package core

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"panel/cmd/panel-agent/internal/disk"
	"panel/platform/agentapi"
)

// Lists that come by their changes lie in a folder beside those of the core processes: a file for each flow, each line
// of it changes as they came. A core that starts reads them.
const (
	dirLists   = "lists"
	fileSkew   = "skew.json" // what the panel's clock says more than this one, in nanoseconds
	logEnding  = ".log"
	mostStale  = 2     // how many times more entries than clients a file may have
	fewEntries = 1000  // that are no burden
	dirAccess  = 0o700 // they hold secrets
	fileAccess = 0o600 //
)

// listLog is the list of one flow on the disk.
type listLog struct {
	path    string
	at      agentapi.ListPosition
	clients map[string]agentapi.Client
	entries int
	torn    bool // its writer was killed
}

func logPath(dir, flowID string) string {
	return filepath.Join(dir, dirLists, filepath.Base(flowID)+logEnding)
}

// readLog reads a list as far as it was written whole. A file that is not there is an empty list of no epoch.
func readLog(path string) (*listLog, error) {
	l := &listLog{path: path, clients: map[string]agentapi.Client{}}
	raw, err := os.ReadFile(path)
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
		l.take(&changes)
		raw = rest
	}
	return l, nil
}

// take is what changes make of the list in memory.
func (l *listLog) take(changes *agentapi.ClientChanges) {
	if changes.Fresh {
		l.clients, l.entries = map[string]agentapi.Client{}, 0
	}
	for _, client := range changes.Clients {
		l.clients[client.ID] = client
	}
	for _, id := range changes.Gone {
		delete(l.clients, id)
	}
	l.entries += len(changes.Clients) + len(changes.Gone) + 1
	l.at = changes.To
}

// add makes changes durable. A file that holds much that is past is written anew.
func (l *listLog) add(changes *agentapi.ClientChanges) error {
	l.take(changes)
	if changes.Fresh || l.torn || l.entries > fewEntries+mostStale*len(l.clients) {
		return l.rewrite()
	}
	line, err := json.Marshal(changes)
	if err != nil {
		return fmt.Errorf("encode a list of clients: %w", err)
	}
	file, err := os.OpenFile(l.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, fileAccess)
	if err == nil {
		_, err = file.Write(append(line, '\n'))
		err = errors.Join(err, file.Sync(), file.Close())
	}
	if err != nil {
		return fmt.Errorf("keep a list of clients: %w", err)
	}
	return nil
}

// rewrite replaces the file by one line.
func (l *listLog) rewrite() error {
	all := agentapi.ClientChanges{To: l.at, Fresh: true, Clients: make([]agentapi.Client, 0, len(l.clients))}
	for _, client := range l.clients {
		all.Clients = append(all.Clients, client)
	}
	line, err := json.Marshal(all)
	if err == nil {
		err = disk.WriteFile(l.path, append(line, '\n'))
	}
	if err != nil {
		return fmt.Errorf("keep a list of clients: %w", err)
	}
	l.entries, l.torn = len(l.clients)+1, false
	return nil
}

// readLogs adds the lists of a folder that come by their changes to those that come whole, with how far they are.
func (l lists) readLogs(dir string) (at map[string]agentapi.ListPosition, skew time.Duration, err error) {
	at = map[string]agentapi.ListPosition{}
	if _, err = disk.ReadJSON(filepath.Join(dir, dirLists, fileSkew), &skew); err != nil {
		return nil, 0, err
	}
	paths, _ := filepath.Glob(filepath.Join(dir, dirLists, "*"+logEnding))
	for _, path := range paths {
		log, err := readLog(path)
		if err != nil {
			return nil, 0, err
		}
		flowID := strings.TrimSuffix(filepath.Base(path), logEnding)
		for id, client := range log.clients {
			log.clients[id] = byClock(client, skew)
		}
		l[flowID], at[flowID] = log.clients, log.at
	}
	return at, skew, nil
}

// byClock gives a client with the end of its time as a clock says it that the panel's is ahead of by so much.
func byClock(client agentapi.Client, skew time.Duration) agentapi.Client {
	if !client.Expires.IsZero() {
		client.Expires = client.Expires.Add(-skew)
	}
	return client
}
