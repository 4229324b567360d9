package selfupdate

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// Names below PANEL_DATA_DIR. The panel writes the request; root writes the journal.
const (
	journalName = "update-journal.jsonl"
	requestName = "update-request.json"
)

// States of a run; the last three end it.
const (
	Requested = "requested"
	Fetching  = "fetching"
	Stopping  = "stopping"
	Saving    = "saving"
	Replacing = "replacing"
	Starting  = "starting"
	Checking  = "checking"
	Returning = "returning"
	Done      = "done"
	Returned  = "returned"
	Failed    = "failed"
)

// The two kinds of run.
const (
	kindUpdate   = "update"
	kindRollback = "rollback"
)

// line is one line of the journal: a run reached a state.
type line struct {
	At     time.Time `json:"at"`
	Run    string    `json:"run"`
	Kind   string    `json:"kind"`
	From   string    `json:"from"`
	To     string    `json:"to"`
	State  string    `json:"state"`
	Reason string    `json:"reason,omitempty"`
	By     string    `json:"by,omitempty"`
	Kept   *kept     `json:"kept,omitempty"` // with Done of an update: the set that a rollback would bring back
}

// kept describes the set of the release before.
type kept struct {
	Version          string    `json:"version"`
	TakenAt          time.Time `json:"taken_at"`
	Until            time.Time `json:"until"`
	RestoresDatabase bool      `json:"restores_database"`
}

func ended(state string) bool { return state == Done || state == Returned || state == Failed }

// appendLine adds to the journal in folder. Root does this in a folder of the panel's user, hence no link is followed
// out of it.
func appendLine(folder *os.Root, l line, owner *identity) error {
	text, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("encode a line of the update journal: %w", err)
	}
	file, err := openPlain(folder, journalName, os.O_APPEND|os.O_CREATE|os.O_RDWR)
	if err != nil {
		return fmt.Errorf("open the update journal: %w", err)
	}
	defer file.Close()
	if err := owner.own(file); err != nil {
		return err
	}
	if torn(file) {
		text = append([]byte{'\n'}, text...)
	}
	if _, err := file.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("write the update journal: %w", err)
	}
	if err := file.Sync(); err != nil {
		return fmt.Errorf("write the update journal through to the disk: %w", err)
	}
	return nil
}

// torn tells whether the last line was cut short: by a crash, or by a full disk.
func torn(file *os.File) bool {
	about, err := file.Stat()
	if err != nil || about.Size() == 0 {
		return false
	}
	last := make([]byte, 1)
	_, err = file.ReadAt(last, about.Size()-1)
	return err != nil || last[0] != '\n'
}

// readJournal gives the lines that can be read; a line that a crash cut short is passed over.
func readJournal(path string) ([]line, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the update journal: %w", err)
	}
	defer file.Close()
	var lines []line
	scanner := bufio.NewScanner(file)
	for scanner.Scan() {
		var l line
		if json.Unmarshal(scanner.Bytes(), &l) == nil && l.Run != "" {
			lines = append(lines, l)
		}
	}
	if err := scanner.Err(); err != nil {
		return lines, fmt.Errorf("read the update journal: %w", err)
	}
	return lines, nil
}

// runs folds the lines into runs, oldest first, and finds the set that the last ended one left.
func runs(lines []line) ([]Run, *kept) {
	var all []Run
	var set *kept
	at := map[string]int{}
	for _, l := range lines {
		i, known := at[l.Run]
		if !known {
			i = len(all)
			at[l.Run] = i
			all = append(all, Run{ID: l.Run, Kind: l.Kind, From: l.From, To: l.To, By: l.By, StartedAt: l.At})
		}
		all[i].State, all[i].Reason = l.State, l.Reason
		if l.From != "" {
			all[i].From, all[i].To = l.From, l.To
		}
		if ended(l.State) {
			when := l.At
			all[i].FinishedAt = &when
		}
		if l.State == Done {
			set = l.Kept
		}
	}
	return all, set
}
