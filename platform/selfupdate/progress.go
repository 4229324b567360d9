package selfupdate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"panel/platform/durable"
)

func (p Paths) state() string    { return filepath.Join(p.Work, "run.json") }
func (p Paths) self() string     { return filepath.Join(p.Work, "self", "panelctl") }
func (p Paths) fetched() string  { return filepath.Join(p.Work, "new", "panelctl") }
func (p Paths) set() string      { return filepath.Join(p.Work, "set") }
func (p Paths) kept() string     { return filepath.Join(p.Work, "kept") }
func (p Paths) packaged() string { return filepath.Join(p.Work, "package") }

// state is the run that goes on, in root's own folder.
type state struct {
	Run      string         `json:"run"`
	Kind     string         `json:"kind"`
	From     string         `json:"from"`
	To       string         `json:"to"`
	By       string         `json:"by"`
	Manifest string         `json:"manifest,omitempty"` // where root found it; empty: the address of the settings
	Beside   []string       `json:"beside,omitempty"`   // files of the release that lie beside the executable
	Stage    string         `json:"stage"`
	Reason   string         `json:"reason,omitempty"`
	Tries    map[string]int `json:"tries"`
}

func (e *Engine) read() (state, error) {
	var s state
	text, err := os.ReadFile(e.Paths.state())
	if err != nil {
		return s, fmt.Errorf("read the unfinished run: %w", err)
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return s, fmt.Errorf("read the unfinished run: %w", err)
	}
	if s.Tries == nil {
		s.Tries = map[string]int{}
	}
	return s, nil
}

func (e *Engine) store(s state) error {
	text, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("encode the run: %w", err)
	}
	return durable.Write(e.Paths.state(), 0o600, text)
}

// note writes a stage down and reports it.
func (e *Engine) note(s state) error {
	if err := e.store(s); err != nil {
		return err
	}
	return e.report(line{Run: s.Run, Kind: s.Kind, From: s.From, To: s.To, By: s.By, State: s.Stage, Reason: s.Reason})
}

func (e *Engine) report(l line) error {
	e.Report(l.State, l.Reason)
	if l.State == stageKeeping {
		return nil
	}
	data, err := os.OpenRoot(e.Paths.Data)
	if err != nil {
		return fmt.Errorf("open the data folder: %w", err)
	}
	defer data.Close()
	l.At = e.Clock.Now().UTC()
	return appendLine(data, l, e.Owner)
}

// close ends the run: the journal says so before the run is forgotten. A crash between the two repeats the last line.
func (e *Engine) close(s state, end, reason string) error {
	l := line{Run: s.Run, Kind: s.Kind, From: s.From, To: s.To, By: s.By, State: end, Reason: reason}
	if end == Done && s.Kind == kindUpdate {
		l.Kept = e.describeKept()
	}
	if err := e.report(l); err != nil {
		return err
	}
	if err := os.Remove(e.Paths.state()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget the ended run: %w", err)
	}
	if end == Done && s.Kind == kindRollback {
		if err := os.RemoveAll(e.Paths.kept()); err != nil {
			return fmt.Errorf("remove the set that came back: %w", err)
		}
	}
	if err := os.RemoveAll(filepath.Dir(e.Paths.self())); err != nil {
		return fmt.Errorf("remove what the run no longer needs: %w", err)
	}
	return durable.SyncFolder(e.Paths.Work)
}
